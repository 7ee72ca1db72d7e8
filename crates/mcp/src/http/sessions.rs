//! The sessions of a token: those of rmcp, with their events kept ([`Events`]).
//!
//! Sessions and the continuation of streams exist up to revision 2025-11-25. From 2026-07-28 on, a client that closes a
//! stream cancels its request, so [`Sessions::event_store`] offers no store for those.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use super::events::Events;

/// The id of the event that begins a stream without a request, before the first event that is kept.
const BEGINNING: &str = "0";

/// Maximum number of open sessions of a token; for a further one, the session that was idle for longest ends.
const SESSIONS: usize = 256;

/// The sessions of a token.
pub struct Sessions {
    local: LocalSessionManager,
    /// When each session was used last. Sessions that have ended are removed when there are too many.
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Sessions {
    /// Creates a manager whose sessions end after being idle for this long.
    pub fn new(idle: Duration) -> Sessions {
        let mut local = LocalSessionManager::default().with_event_store(Arc::new(Events::default()));
        local.session_config.keep_alive = Some(idle);
        Sessions { local, used: Mutex::default() }
    }

    /// Returns the number of open sessions.
    pub async fn count(&self) -> usize {
        self.local.sessions.read().await.len()
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a session: ends the one that was idle for longest if there are too many.
    async fn make_room(&self) -> Result<(), LocalSessionManagerError> {
        let longest_idle = {
            let sessions = self.local.sessions.read().await;
            let mut used = self.used();
            used.retain(|id, _| sessions.contains_key(id));
            if sessions.len() < SESSIONS {
                return Ok(());
            }
            used.iter().min_by_key(|(_, used)| **used).map(|(id, _)| id.clone())
        };
        match longest_idle {
            Some(id) => self.local.close_session(&id).await,
            None => Ok(()),
        }
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.make_room().await?;
        let created = self.local.create_session().await?;
        self.used().insert(created.0.clone(), Instant::now());
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        // Asked at every request of a session.
        let is_open = self.local.has_session(id).await?;
        if is_open {
            self.used().insert(id.clone(), Instant::now());
        }
        Ok(is_open)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if last_event_id == BEGINNING {
            return Ok(self.local.create_standalone_stream(id).await?.left_stream());
        }
        Ok(self.local.resume(id, last_event_id).await?.right_stream())
    }
}
