//! The connection on standard input and output: line-delimited frames, bounded in both directions.
//!
//! The stdio transport of rmcp accepts frames of any length, does not answer malformed ones, and buffers everything
//! that a client sends ahead. This one answers every invalid frame, limits what it holds at once, and disconnects a
//! client that does not read.

mod backlog;
mod direct;
mod frame;
mod handle;
mod ids;
mod pipe;
mod read;
mod requests;
mod shared;
mod write;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use backlog::Incoming;
pub use direct::{Direct, DirectRequest};
pub use handle::ConnectionHandle;
pub use ids::AdmittedRequest;
pub use shared::Ending;
use shared::Shared;

/// Time for pending calls to finish once the client has closed its side.
const GRACE: Duration = Duration::from_secs(5);
/// Interval between checks for a client that does not read.
const LOOK: Duration = Duration::from_secs(2);

/// The transport that rmcp uses.
pub struct Wire {
    incoming: mpsc::UnboundedReceiver<Incoming>,
    shared: Arc<Shared>,
    /// The time at which pending calls are stopped, set once the client has closed its side.
    deadline: Option<Instant>,
}

impl Wire {
    /// Reads from standard input and writes to standard output, each on its own thread. A client that does not read for
    /// `patience` is disconnected.
    pub fn on_standard_streams(patience: Duration) -> io::Result<(Wire, ConnectionHandle)> {
        let shared = Arc::new(Shared::new(patience));
        let (sender, incoming) = mpsc::unbounded_channel();
        let (reading, writing) = (shared.clone(), shared.clone());
        std::thread::Builder::new().name("reader".to_owned()).spawn(move || read::read_all(&reading, &sender))?;
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || write::write_all(&writing))?;
        let closing = ConnectionHandle::new(shared.clone());
        Ok((Wire { incoming, shared, deadline: None }, closing))
    }

    /// Waits until every request is answered, but not for too long, and closes the connection. Requests that stay open
    /// end with it.
    async fn wait_for_answers(&mut self) {
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + GRACE);
        let _ = tokio::time::timeout_at(deadline.into(), self.shared.idle()).await;
        self.shared.close(Ending::Left);
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "standard input and output".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        std::future::ready(self.shared.send(item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let shared = self.shared.clone();
        loop {
            if shared.is_closed() {
                return None;
            }
            tokio::select! {
                biased;
                () = shared.closed() => return None,
                message = self.incoming.recv() => match message {
                    Some(incoming) => {
                        shared.received(&incoming);
                        return Some(*incoming.message);
                    }
                    None => {
                        self.wait_for_answers().await;
                        return None;
                    }
                },
                () = tokio::time::sleep(LOOK) => shared.give_up_if_stalled(),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // Finish writing the pending answers, if the client still reads them.
        let written = self.shared.written();
        let _ = tokio::time::timeout(GRACE, written).await;
        self.shared.close(Ending::Left);
        Ok(())
    }
}
