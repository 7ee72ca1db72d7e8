//! The server's handle to the connection.

use std::sync::Arc;

use rmcp::service::{RoleServer, TxJsonRpcMessage};

use super::direct::Direct;
use super::ids::AdmittedRequest;
use super::shared::{Ending, Shared};

/// A handle to the connection, for the server.
#[derive(Clone)]
pub struct ConnectionHandle(Arc<Shared>);

impl ConnectionHandle {
    pub(super) fn new(shared: Arc<Shared>) -> ConnectionHandle {
        ConnectionHandle(shared)
    }

    /// Returns the reason why the connection ended.
    pub fn ending(&self) -> Ending {
        self.0.ending()
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.0.close(Ending::Left);
    }

    /// Waits until the connection is closed.
    pub async fn closed(&self) {
        self.0.closed().await;
    }

    /// Sets the executor of calls that bypass rmcp, until the connection is closed.
    pub fn set_direct(&self, direct: Arc<dyn Direct>) {
        self.0.set_direct(direct);
    }

    /// Sends the answer to a call that bypassed rmcp.
    pub fn answer(&self, request: &AdmittedRequest, message: &TxJsonRpcMessage<RoleServer>) {
        self.0.answer(request.number, message);
    }

    /// Whether so many frames wait to be written that optional ones should be skipped.
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }
}
