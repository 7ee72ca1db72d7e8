//! Messages other than requests that are read but not yet passed to rmcp: notifications, and answers to questions of
//! the server. They have a budget of their own, so that a cancellation or an answer never waits for the requests.

use rmcp::service::{RoleServer, RxJsonRpcMessage};

/// Maximum number of messages.
const MOST: usize = 64;
/// Maximum total size of their frames, in bytes.
const MOST_BYTES: usize = 32 << 20;

/// A message for rmcp.
pub struct Incoming {
    /// The message.
    pub message: Box<RxJsonRpcMessage<RoleServer>>,
    /// The size of its frame in bytes, if it counts against the budget of messages other than requests.
    pub counted: Option<usize>,
}

/// The messages that wait for rmcp.
#[derive(Default)]
pub struct Backlog {
    messages: usize,
    bytes: usize,
}

impl Backlog {
    /// Whether the budget allows another message of this size.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        self.messages == 0 || self.messages < MOST && self.bytes + bytes <= MOST_BYTES
    }

    /// Adds a message.
    pub fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes;
    }

    /// Removes a message that rmcp has received.
    pub fn remove(&mut self, bytes: usize) {
        self.messages -= 1;
        self.bytes -= bytes;
    }
}
