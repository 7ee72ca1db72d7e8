//! Calls that the engine executes without rmcp. Their order and their answers are the same as with rmcp. Scripts, and
//! calls that request progress or may end with a question, are excluded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CallToolRequestParams, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, RoleServer};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::super::ask::{Asker, Live, RememberedReplies, can_ask_form};
use super::super::engine_thread::EngineHandle;
use super::super::logging::LogQueue;
use super::super::offer::Offer;
use super::super::wire::{AdmittedRequest, ConnectionHandle, Direct, DirectRequest};
use super::Parts;
use super::work::{result, work};

/// Executes calls without rmcp.
pub struct DirectCalls {
    engine: EngineHandle,
    offer: Arc<Offer>,
    closing: ConnectionHandle,
    standing: RememberedReplies,
    log: LogQueue,
    session: Mutex<Session>,
}

/// The result of the handshake that precedes the calls.
enum Session {
    /// No handshake: each call carries what it needs, as from 2026-07-28 on.
    None,
    /// A revision up to 2025-11-25, with the peer to ask if the client can be asked.
    Older(Option<(Handle, Peer<RoleServer>)>),
    /// Calls may have to wait for the client's roots, which only the side of rmcp knows.
    Waits,
}

impl DirectCalls {
    /// Creates the direct calls of a connection with a single client.
    pub fn new(
        parts: &Parts,
        standing: RememberedReplies,
        log: LogQueue,
        closing: ConnectionHandle,
    ) -> Arc<DirectCalls> {
        let (engine, offer) = (parts.engine.clone(), parts.offer.clone());
        Arc::new(DirectCalls { engine, offer, closing, standing, log, session: Mutex::new(Session::None) })
    }

    /// Records the handshake of a client.
    pub fn shake_hands(&self, client: &InitializeRequestParams, peer: &Peer<RoleServer>, waits: bool) {
        let is_older = client.protocol_version < ProtocolVersion::V_2026_07_28;
        let can_ask = can_ask_form(&client.capabilities);
        *self.session() = match (waits, is_older) {
            (true, _) => Session::Waits,
            (false, true) => Session::Older(can_ask.then(|| (Handle::current(), peer.clone()))),
            (false, false) => Session::None,
        };
    }

    /// Returns the asker for a call, and whether its answer has the older form; `None` if the call needs rmcp.
    fn asker(&self, call: &CallToolRequestParams, cancelled: &CancellationToken) -> Option<(Asker, bool)> {
        if call.input_responses.is_some() || call.request_state.is_some() {
            return None;
        }
        match (&call.meta, &*self.session()) {
            (_, Session::Waits) => None,
            (None, Session::Older(None)) => Some((Asker::Nobody, true)),
            (None, Session::Older(Some((runtime, peer)))) => {
                let (runtime, peer) = (runtime.clone(), peer.clone());
                let (cancelled, standing) = (cancelled.clone(), self.standing.clone());
                Some((Asker::Live(Live { runtime, peer, cancelled, standing }), true))
            }
            (Some(meta), _) if is_plain(meta) => Some((Asker::Nobody, false)),
            _ => None,
        }
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call carries everything that 2026-07-28 requires and needs nothing but its answer.
fn is_plain(meta: &RequestMetaObject) -> bool {
    let version = meta.protocol_version();
    meta.get_progress_token().is_none()
        && meta.log_level().is_none()
        && version.is_some_and(|version| {
            version >= ProtocolVersion::V_2026_07_28 && ProtocolVersion::KNOWN_VERSIONS.contains(&version)
        })
        && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        && meta.client_capabilities().is_some_and(|client| !can_ask_form(&client))
}

impl Direct for DirectCalls {
    fn take(
        &self,
        request: &AdmittedRequest,
        mut call: Box<CallToolRequestParams>,
    ) -> Result<DirectRequest, Box<CallToolRequestParams>> {
        let cancelled = CancellationToken::new();
        let offered = match self.offer.find(&call.name) {
            Ok(offered) if !offered.is_script() => offered,
            _ => return Err(call),
        };
        let Some((asker, is_older)) = self.asker(&call, &cancelled) else { return Err(call) };
        let work = work(offered, call.arguments.take().unwrap_or_default(), asker);
        let (request, closing, log) = (request.clone(), self.closing.clone(), self.log.clone());
        let job = self.engine.post(move |state| {
            let mut reply = work(state);
            log.add(std::mem::take(&mut reply.log));
            let mut result = ServerResult::CallToolResult(result(reply));
            if is_older {
                result.strip_result_type_for_legacy_peer();
                result.strip_non_object_output_for_legacy_peer();
            }
            closing.answer(&request, &JsonRpcMessage::response(result, request.id.clone()));
        });
        Ok(DirectRequest { job, cancelled })
    }

    fn stop(&self, taken: &DirectRequest) {
        taken.cancelled.cancel();
        self.engine.cancel(taken.job);
    }
}
