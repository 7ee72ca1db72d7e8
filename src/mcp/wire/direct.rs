//! Calls that go from the thread that reads straight to whoever does them, beside rmcp: it hands every request
//! from task to task and thread to thread, which is most of what a short call costs.

use rmcp::model::{CallToolRequestParams, RequestId};
use tokio_util::sync::CancellationToken;

use super::super::lane::Job;

/// Who does calls without rmcp.
pub trait Direct: Send + Sync {
    /// Has a call done, whose answer goes to [`super::Closing::answer`]; gives it back where it needs rmcp.
    fn take(&self, id: &RequestId, call: Box<CallToolRequestParams>) -> Result<Taken, Box<CallToolRequestParams>>;

    /// Stops a call.
    fn stop(&self, taken: &Taken);
}

/// What stops a call that was taken.
pub struct Taken {
    /// What is done for it.
    pub job: Job,
    /// Ends a question that it asks.
    pub cancelled: CancellationToken,
}
