//! Log messages for clients that ask for them: warnings of calls, refusals of the policy, and workers that died.
//!
//! A message names tools and paths, never the content of a file. Nothing is sent before a client has set a level
//! (`logging/setLevel`, or the level in the metadata of a request from 2026-07-28 on) and has ended its handshake.
//! Messages that follow faster than they may be sent are counted instead.

#![expect(deprecated, reason = "clients of older revisions have logging")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::{Value as Json, json};
use tokio::sync::Notify;

/// Maximum number of messages that wait to be sent.
const WAITING: usize = 64;
/// Maximum number of messages per period, and for one request.
pub const AT_ONCE: usize = 16;
/// The period.
pub const PERIOD: Duration = Duration::from_secs(1);
/// Maximum number of characters of a text in a message.
const MAX_TEXT: usize = 1_000;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct LogMessage {
    /// The level.
    pub level: LoggingLevel,
    /// The event.
    data: Json,
    /// The number of equal messages that it stands for.
    count: u64,
}

impl LogMessage {
    /// Creates a message of a call.
    pub fn new(level: LoggingLevel, data: Json) -> LogMessage {
        LogMessage { level, data, count: 1 }
    }

    /// Creates the message about a warning.
    pub fn warning(text: &str) -> LogMessage {
        LogMessage::new(LoggingLevel::Warning, json!({ "message": shortened(text) }))
    }

    /// Creates the message about the refusal of a call, whose error has the form that clients receive; `None` for
    /// other errors.
    pub fn refusal(error: &Json) -> Option<LogMessage> {
        let code = error["code"].as_str().filter(|code| matches!(*code, "policy_denied" | "sandbox_violation"))?;
        let message = shortened(error["message"].as_str().unwrap_or_default());
        let data = json!({ "code": code, "tool": error["tool"], "message": message });
        Some(LogMessage::new(LoggingLevel::Notice, data))
    }

    /// Creates the message about a worker that died.
    pub fn death(why: &str) -> LogMessage {
        let message = shortened(&format!("the worker of a script broke off: {why}"));
        LogMessage::new(LoggingLevel::Error, json!({ "message": message }))
    }

    /// Creates the message about messages that were not sent.
    pub fn dropped(count: u64) -> LogMessage {
        let message = format!("{count} log messages were not sent: too many at once");
        LogMessage::new(LoggingLevel::Warning, json!({ "message": message, "dropped": count }))
    }

    /// Whether the message is at least as grave as a level.
    pub fn is_at_least(&self, level: LoggingLevel) -> bool {
        gravity(self.level) >= gravity(level)
    }

    /// Converts the message to its protocol form.
    pub fn into_param(mut self) -> LoggingMessageNotificationParam {
        if self.count > 1 {
            self.data["count"] = json!(self.count);
        }
        LoggingMessageNotificationParam::new(self.level, self.data).with_logger("neuroscript")
    }
}

fn shortened(text: &str) -> String {
    crate::value::print::shortened(text, MAX_TEXT)
}

fn gravity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// The messages of a connection that wait to be sent.
#[derive(Clone, Default)]
pub struct LogQueue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    level: Option<LoggingLevel>,
    /// Whether the handshake has ended.
    is_open: bool,
    is_over: bool,
    waiting: VecDeque<LogMessage>,
    dropped: u64,
}

impl LogQueue {
    /// Sets the level. Returns whether it is the first one, so that somebody has to begin to send.
    pub fn set_level(&self, level: LoggingLevel) -> bool {
        self.lock().level.replace(level).is_none()
    }

    /// Allows messages from now on.
    pub fn open(&self) {
        self.lock().is_open = true;
    }

    /// Ends the queue.
    pub fn end(&self) {
        self.lock().is_over = true;
        self.0.changed.notify_one();
    }

    /// Adds messages as far as the client wants them and there is room.
    pub fn add(&self, messages: impl IntoIterator<Item = LogMessage>) {
        let mut messages = messages.into_iter().peekable();
        if messages.peek().is_none() {
            return;
        }
        let mut state = self.lock();
        let Some(level) = state.level.filter(|_| state.is_open) else { return };
        for message in messages.filter(|message| message.is_at_least(level)) {
            state.add(message);
        }
        self.0.changed.notify_one();
    }

    /// Counts a message that could not be sent.
    pub fn drop_one(&self) {
        self.lock().dropped += 1;
    }

    /// Waits for messages and takes as many as may be sent at once, after one about those that were dropped. Returns
    /// `None` when the queue has ended.
    pub async fn next(&self) -> Option<Vec<LogMessage>> {
        loop {
            {
                let mut state = self.lock();
                if state.is_over {
                    return None;
                }
                if !state.waiting.is_empty() {
                    let dropped = std::mem::take(&mut state.dropped);
                    let most = state.waiting.len().min(AT_ONCE);
                    let dropped = (dropped > 0).then(|| LogMessage::dropped(dropped));
                    return Some(dropped.into_iter().chain(state.waiting.drain(..most)).collect());
                }
            }
            self.0.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, message: LogMessage) {
        let is_same = |other: &&mut LogMessage| other.level == message.level && other.data == message.data;
        if let Some(same) = self.waiting.iter_mut().find(is_same) {
            same.count += 1;
        } else if self.waiting.len() < WAITING {
            self.waiting.push_back(message);
        } else {
            self.dropped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::LoggingLevel;

    use super::{AT_ONCE, LogMessage, LogQueue, WAITING};

    fn taken(queue: &LogQueue) -> Vec<LogMessage> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(queue.next()).unwrap_or_default()
    }

    #[test]
    fn nothing_waits_before_a_level_and_a_handshake() {
        let queue = LogQueue::default();
        queue.add([LogMessage::warning("a")]);
        assert!(queue.set_level(LoggingLevel::Info));
        queue.add([LogMessage::warning("b")]);
        queue.open();
        queue.add([LogMessage::warning("c")]);
        assert_eq!(taken(&queue), [LogMessage::warning("c")]);
    }

    #[test]
    fn equal_messages_are_one_and_too_many_are_counted() {
        let queue = LogQueue::default();
        queue.set_level(LoggingLevel::Warning);
        queue.open();
        queue.add([LogMessage::warning("same"), LogMessage::warning("same")]);
        queue.add((0..1_000).map(|number| LogMessage::warning(&number.to_string())));
        let first = taken(&queue);
        assert_eq!(first[0], LogMessage::dropped(1_000 - (WAITING as u64 - 1)));
        assert_eq!(first[1].count, 2);
        assert_eq!(first.len(), AT_ONCE + 1);
    }

    #[test]
    fn only_refusals_are_notices() {
        let error = |code: &str| serde_json::json!({ "code": code, "message": "m", "tool": "read_file" });
        assert!(LogMessage::refusal(&error("not_found")).is_none());
        for code in ["policy_denied", "sandbox_violation"] {
            assert_eq!(LogMessage::refusal(&error(code)).map(|message| message.level), Some(LoggingLevel::Notice));
        }
    }
}
