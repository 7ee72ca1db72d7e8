//! The requests that are not answered yet, and the room that they take until their answers are written.

use std::collections::HashMap;

use rmcp::model::RequestId;

use super::direct::Taken;

/// Requests that are worked on, or wait, at once.
const MOST: usize = 64;
/// Bytes of their frames.
const MOST_BYTES: usize = 32 << 20;

/// All requests of a connection that still take room.
#[derive(Default)]
pub struct Requests {
    open: HashMap<RequestId, Open>,
    /// Requests whose room is not given back yet: open ones, and those whose answers wait.
    held: usize,
    held_bytes: usize,
    /// Open ones that are rmcp's.
    of_rmcp: usize,
}

/// A request that is not answered yet.
struct Open {
    bytes: usize,
    /// What stops it, where it is not rmcp's.
    taken: Option<Taken>,
}

impl Requests {
    /// Whether a request of so many bytes may be taken in now.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        self.held == 0 || self.held < MOST && self.held_bytes + bytes <= MOST_BYTES
    }

    /// Takes a request in, as one of rmcp's; false when another with its id is not answered yet.
    pub fn open(&mut self, id: &RequestId, bytes: usize) -> bool {
        if self.open.contains_key(id) {
            return false;
        }
        self.open.insert(id.clone(), Open { bytes, taken: None });
        self.held += 1;
        self.held_bytes += bytes;
        self.of_rmcp += 1;
        true
    }

    /// Notes that a request is not rmcp's; it may be answered by now.
    pub fn take(&mut self, id: &RequestId, taken: Taken) {
        if let Some(open) = self.open.get_mut(id) {
            open.taken = Some(taken);
            self.of_rmcp -= 1;
        }
    }

    /// Whether rmcp has only one, so that whoever takes that one overtakes nobody.
    pub fn has_one_of_rmcp(&self) -> bool {
        self.of_rmcp == 1
    }

    /// Nobody waits for an answer any more: what stops the request where it is not rmcp's, and the bytes
    /// whose room its answer takes.
    pub fn close(&mut self, id: &RequestId) -> Option<(Option<Taken>, usize)> {
        let Open { bytes, taken } = self.open.remove(id)?;
        self.of_rmcp -= usize::from(taken.is_none());
        Some((taken, bytes))
    }

    /// Gives the room of a closed request back.
    pub fn give_back(&mut self, bytes: usize) {
        self.held -= 1;
        self.held_bytes -= bytes;
    }

    /// Whether everything was answered, and every answer written.
    pub fn are_over(&self) -> bool {
        self.held == 0
    }

    /// What stops those that are not rmcp's.
    pub fn taken(&self) -> impl Iterator<Item = &Taken> {
        self.open.values().filter_map(|open| open.taken.as_ref())
    }
}
