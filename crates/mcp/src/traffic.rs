//! The calls in progress of a token: the end of the server waits for them, and their number is bounded.
//!
//! A call is counted from its begin to its end, whether or not its client is still connected.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{CallToolResponse, ErrorData};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;

/// The calls in progress of a token.
#[derive(Debug, Default)]
pub struct Traffic {
    in_progress: watch::Sender<usize>,
    metrics: Option<Arc<Metrics>>,
}

/// A call in progress. Dropping it ends the call.
struct InProgress<'a> {
    traffic: &'a Traffic,
    tool: &'a str,
    began: Instant,
    outcome: &'static str,
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.traffic.in_progress.send_modify(|calls| *calls -= 1);
        if let Some(metrics) = &self.traffic.metrics {
            metrics.count_call(self.tool, self.outcome, self.began.elapsed());
        }
    }
}

impl Traffic {
    /// Creates the traffic of a token, without calls.
    pub fn new(metrics: Option<Arc<Metrics>>) -> Traffic {
        Traffic { in_progress: watch::Sender::new(0), metrics }
    }

    /// Returns the number of calls in progress.
    pub fn in_progress(&self) -> usize {
        *self.in_progress.borrow()
    }

    /// Waits until no call is in progress.
    pub async fn is_over(&self) {
        // The sender lives as long as `self`.
        let _ = self.in_progress.subscribe().wait_for(|calls| *calls == 0).await;
    }

    /// Follows a call to its end. `tool` is the name of an offered tool.
    pub async fn follow(
        &self,
        tool: &str,
        cancelled: &CancellationToken,
        call: impl Future<Output = Result<CallToolResponse, ErrorData>>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.in_progress.send_modify(|calls| *calls += 1);
        let mut call_in_progress = InProgress { traffic: self, tool, began: Instant::now(), outcome: "cancelled" };
        let called = call.await;
        if !cancelled.is_cancelled() {
            call_in_progress.outcome = match &called {
                Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => "error",
                Ok(CallToolResponse::Complete(_)) => "ok",
                Ok(_) => "question",
                Err(_) => "refused",
            };
        }
        called
    }
}
