//! Sending log messages: those of a session while it lasts, those of a request from 2026-07-28 on before its answer.

#![expect(deprecated, reason = "clients of older revisions have logging")]

use rmcp::model::{ErrorData, LoggingLevel, SetLevelRequestParams};
use rmcp::service::{Peer, RequestContext, RoleServer};

use super::super::logging::{AT_ONCE, LogMessage, LogQueue, PERIOD};
use super::super::wire::ConnectionHandle;
use super::Server;

impl Server {
    pub(super) fn set_log_level(
        &self,
        request: &SetLevelRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.log.set_level(request.level) {
            tokio::spawn(send_all(self.log.clone(), context.peer.clone(), self.parts.closing.clone()));
        }
        Ok(())
    }

    /// Sends the messages of a request that asks for them; hands those of others to the session.
    pub(super) async fn log(&self, context: &RequestContext<RoleServer>, messages: Vec<LogMessage>) {
        match context.meta.log_level() {
            None => self.log.add(messages),
            Some(level) => self.log_of_request(context, level, messages).await,
        }
    }

    async fn log_of_request(
        &self,
        context: &RequestContext<RoleServer>,
        level: LoggingLevel,
        messages: Vec<LogMessage>,
    ) {
        let mut wanted: Vec<LogMessage> = messages.into_iter().filter(|message| message.is_at_least(level)).collect();
        let dropped = wanted.len().saturating_sub(AT_ONCE);
        wanted.truncate(AT_ONCE);
        wanted.extend((dropped > 0).then(|| LogMessage::dropped(dropped as u64)));
        for message in wanted {
            if !self.parts.closing.as_ref().is_some_and(ConnectionHandle::is_busy) {
                // A client that misses a message still gets the answer.
                let _ = context.peer.notify_logging_message(message.into_param()).await;
            }
        }
    }
}

/// Sends the messages of a session until it ends.
async fn send_all(log: LogQueue, peer: Peer<RoleServer>, closing: Option<ConnectionHandle>) {
    while let Some(messages) = log.next().await {
        for message in messages {
            let is_busy = closing.as_ref().is_some_and(ConnectionHandle::is_busy);
            if is_busy || peer.notify_logging_message(message.into_param()).await.is_err() {
                log.drop_one();
            }
        }
        tokio::time::sleep(PERIOD).await;
    }
}
