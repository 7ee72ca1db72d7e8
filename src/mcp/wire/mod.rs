//! The connection on standard input and output: frames of lines, bounded in both directions.
//!
//! rmcp has a transport of its own, which takes frames of any length, leaves malformed ones without an
//! answer and holds as much as a client sends ahead. This one answers whatever cannot be a message, takes
//! only as much at once as is bounded here, and gives up a client that does not read.

mod direct;
mod frame;
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

pub use direct::{Direct, Taken};
use shared::Shared;
pub use shared::{Closing, Ending};

/// How long calls may go on once the client has closed its side.
const GRACE: Duration = Duration::from_secs(5);
/// Time from one look at a client that does not read to the next.
const LOOK: Duration = Duration::from_secs(2);

/// The transport that rmcp serves.
pub struct Wire {
    incoming: mpsc::UnboundedReceiver<RxJsonRpcMessage<RoleServer>>,
    shared: Arc<Shared>,
    /// When calls are stopped, once the client has closed its side.
    deadline: Option<Instant>,
}

impl Wire {
    /// Reads from standard input and writes to standard output, each on a thread of its own. A client that
    /// takes nothing for so long is given up.
    pub fn on_standard_streams(patience: Duration) -> io::Result<(Wire, Closing)> {
        let shared = Arc::new(Shared::new(patience));
        let (sender, incoming) = mpsc::unbounded_channel();
        let (reading, writing) = (shared.clone(), shared.clone());
        std::thread::Builder::new().name("reader".to_owned()).spawn(move || read::read_all(&reading, &sender))?;
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || write::write_all(&writing))?;
        let closing = Closing::new(shared.clone());
        Ok((Wire { incoming, shared, deadline: None }, closing))
    }

    /// Waits until everything was answered, or the time for it is over.
    async fn wait_for_answers(&mut self) {
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + GRACE);
        let idle = self.shared.idle();
        if tokio::time::timeout_at(deadline.into(), idle).await.is_err() {
            self.shared.close(Ending::Left);
        }
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
        std::future::ready(self.shared.send(&item))
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
                    Some(message) => return Some(message),
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
        // What was answered is written before the process ends, if anybody reads it.
        let written = self.shared.written();
        let _ = tokio::time::timeout(GRACE, written).await;
        self.shared.close(Ending::Left);
        Ok(())
    }
}
