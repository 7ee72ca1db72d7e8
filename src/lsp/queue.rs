//! The messages that wait: read by a thread of their own, so that a request that is taken back is not answered.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

use serde_json::Value as Json;

use crate::frames::{Frame, read};

/// Maximum number of frames between the threads.
const BETWEEN: usize = 4;
/// Maximum number of messages that wait.
const MAX_WAITING: usize = 1_000;
/// Maximum size of the messages that wait, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A message from the client.
#[derive(Debug)]
pub enum Message {
    /// A request.
    Request {
        /// A number or a text.
        id: Json,
        /// The method.
        method: String,
        /// The parameters.
        params: Json,
        /// Whether the client has taken it back.
        is_cancelled: bool,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Json,
    },
    /// The answer to a request of the server.
    Response,
    /// Nothing of these.
    Invalid(Invalid),
}

/// Why a message is none.
#[derive(Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It is no JSON, or too large.
    Frame(String),
    /// It is no message of JSON-RPC 2.0.
    Message(&'static str),
}

impl Message {
    /// Reads a message from a frame.
    pub fn of(frame: Frame) -> Message {
        let body = match frame {
            Frame::Json(body, _) => body,
            Frame::Malformed(reason) => return Message::Invalid(Invalid::Frame(reason)),
        };
        let Json::Object(mut body) = body else {
            return Message::Invalid(Invalid::Message("a message is one object"));
        };
        if body.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Message::Invalid(Invalid::Message("`jsonrpc` is \"2.0\""));
        }
        let params = body.remove("params").unwrap_or(Json::Null);
        match (body.remove("method"), body.remove("id")) {
            (Some(Json::String(method)), Some(id @ (Json::Number(_) | Json::String(_)))) => {
                Message::Request { id, method, params, is_cancelled: false }
            }
            (Some(Json::String(method)), None) => Message::Notification { method, params },
            (Some(Json::String(_)), Some(_)) => {
                Message::Invalid(Invalid::Message("the id of a request is a number or a text"))
            }
            (Some(_), _) => Message::Invalid(Invalid::Message("`method` is a text")),
            (None, _) if body.contains_key("result") || body.contains_key("error") => Message::Response,
            (None, _) => Message::Invalid(Invalid::Message("a message has a `method`, a `result` or an `error`")),
        }
    }
}

/// The messages that wait, in their order.
pub struct Queue {
    frames: Receiver<Frame>,
    waiting: VecDeque<(Message, u64)>,
    bytes: u64,
    is_closed: bool,
}

impl Queue {
    /// Starts to read. The thread ends with the input, or with a frame that cannot be read.
    pub fn start(mut input: impl BufRead + Send + 'static) -> Queue {
        let (tell, frames) = sync_channel(BETWEEN);
        std::thread::spawn(move || {
            while let Ok(Some(frame)) = read(&mut input) {
                if tell.send(frame).is_err() {
                    return;
                }
            }
        });
        Queue { frames, waiting: VecDeque::new(), bytes: 0, is_closed: false }
    }

    /// Returns the next message if one waits.
    pub fn poll(&mut self) -> Option<Message> {
        while !self.is_closed && self.waiting.len() < MAX_WAITING && self.bytes < MAX_BYTES {
            match self.frames.try_recv() {
                Ok(frame) => self.push(frame),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.is_closed = true,
            }
        }
        let (message, bytes) = self.waiting.pop_front()?;
        self.bytes -= bytes;
        Some(message)
    }

    /// Returns the next message if it comes within a time.
    pub fn wait_for(&mut self, time: Duration) -> Option<Message> {
        if let Some(message) = self.poll() {
            return Some(message);
        }
        self.push(self.frames.recv_timeout(time).ok()?);
        self.poll()
    }

    /// Waits for the next message; `None` after the last one.
    pub fn wait(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.poll() {
                return Some(message);
            }
            // A frame may yield no message: a cancellation only marks a waiting request.
            self.push(self.frames.recv().ok()?);
        }
    }

    fn push(&mut self, frame: Frame) {
        let bytes = if let Frame::Json(_, bytes) = &frame { *bytes } else { 0 };
        match Message::of(frame) {
            Message::Notification { method, params } if method == "$/cancelRequest" => {
                self.cancel(params.get("id").unwrap_or(&Json::Null));
            }
            message => {
                self.waiting.push_back((message, bytes));
                self.bytes += bytes;
            }
        }
    }

    fn cancel(&mut self, taken_back: &Json) {
        for (message, _) in &mut self.waiting {
            if let Message::Request { id, is_cancelled, .. } = message {
                *is_cancelled |= id == taken_back;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use serde_json::{Value as Json, json};

    use super::{Frame, Message, Queue};

    #[test]
    fn a_cancellation_that_comes_too_late_is_not_the_end() {
        let (tell, frames) = sync_channel(4);
        let mut queue = Queue { frames, waiting: VecDeque::new(), bytes: 0, is_closed: false };
        let send = |body: Json| tell.send(Frame::Json(body, 0)).expect("the queue is there");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // The queue waits by then, and waits again.
                std::thread::sleep(Duration::from_millis(50));
                send(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } }));
                std::thread::sleep(Duration::from_millis(50));
                send(json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
            });
            assert!(matches!(queue.wait(), Some(Message::Request { id, is_cancelled: false, .. }) if id == 2));
        });
        drop(tell);
        assert!(queue.wait().is_none());
    }
}
