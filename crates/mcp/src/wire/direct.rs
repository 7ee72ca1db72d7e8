//! Calls that the reading thread hands directly to the engine, bypassing rmcp: rmcp passes every request between
//! several tasks and threads, which accounts for most of the cost of a short call.

use rmcp::model::CallToolRequestParams;
use tokio_util::sync::CancellationToken;

use super::super::engine_thread::Job;
use super::ids::AdmittedRequest;

/// Executes calls without rmcp.
pub trait Direct: Send + Sync {
    /// Starts a call, whose answer will be passed to [`super::ConnectionHandle::answer`]. Returns the call as an error
    /// if it needs rmcp.
    fn take(
        &self,
        request: &AdmittedRequest,
        call: Box<CallToolRequestParams>,
    ) -> Result<DirectRequest, Box<CallToolRequestParams>>;

    /// Stops a call.
    fn stop(&self, taken: &DirectRequest);
}

/// The means to stop a call that was started directly.
pub struct DirectRequest {
    /// The job that executes the call.
    pub job: Job,
    /// Cancels a pending question of the call.
    pub cancelled: CancellationToken,
}
