//! Unanswered requests, and the budget that they occupy until their answers are written.

use std::collections::HashMap;

use rmcp::model::RequestId;

use super::direct::DirectRequest;
use super::ids::{AdmittedRequest, RequestNumber};

/// Maximum number of requests in progress or waiting.
const MOST: usize = 64;
/// Maximum total size of their frames, in bytes.
const MOST_BYTES: usize = 32 << 20;
/// Maximum number of requests that stay open for as long as the client wants.
const MOST_STANDING: usize = 16;

/// All requests of a connection that still count against the budget.
#[derive(Default)]
pub struct Requests {
    open: HashMap<RequestNumber, Open>,
    /// The numbers of the open requests, by the ids that the client gave them.
    numbers: HashMap<RequestId, RequestNumber>,
    /// The number of the newest request.
    newest: i64,
    /// Number of requests that count against the budget: open ones, and those whose answers are not written yet.
    held: usize,
    held_bytes: usize,
    /// Number of open requests that rmcp handles, without the standing ones.
    of_rmcp: usize,
    /// Number of open requests that stay open for as long as the client wants.
    standing: usize,
}

/// A request that is not answered yet.
struct Open {
    id: RequestId,
    /// Its size, unless it stands outside of the budget.
    bytes: Option<usize>,
    /// The means to stop it, if it bypasses rmcp.
    taken: Option<DirectRequest>,
}

impl Requests {
    /// Whether the budget allows another request of this size.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        self.held == 0 || self.held < MOST && self.held_bytes + bytes <= MOST_BYTES
    }

    /// Adds a request, initially as one that rmcp handles. Returns `None` if an unanswered request has the same id.
    pub fn open(&mut self, id: &RequestId, bytes: usize) -> Option<AdmittedRequest> {
        if self.numbers.contains_key(id) {
            return None;
        }
        self.newest += 1;
        let number = RequestNumber(self.newest);
        self.numbers.insert(id.clone(), number);
        self.open.insert(number, Open { id: id.clone(), bytes: Some(bytes), taken: None });
        self.held += 1;
        self.held_bytes += bytes;
        self.of_rmcp += 1;
        Some(AdmittedRequest { id: id.clone(), number })
    }

    /// Marks a request of rmcp as one that stays open for as long as the client wants: it holds no budget, and other
    /// requests may overtake it. Returns false if there are too many of them.
    pub fn stand(&mut self, number: RequestNumber) -> bool {
        if self.standing >= MOST_STANDING {
            return false;
        }
        if let Some(bytes) = self.open.get_mut(&number).and_then(|open| open.bytes.take()) {
            self.give_back(bytes);
            self.of_rmcp -= 1;
            self.standing += 1;
        }
        true
    }

    /// Marks a request as bypassing rmcp. Does nothing if it is answered already.
    pub fn take(&mut self, number: RequestNumber, taken: DirectRequest) {
        if let Some(open) = self.open.get_mut(&number) {
            open.taken = Some(taken);
            self.of_rmcp -= 1;
        }
    }

    /// Whether rmcp handles exactly one request, so that executing this one directly overtakes no other.
    pub fn has_one_of_rmcp(&self) -> bool {
        self.of_rmcp == 1
    }

    /// Returns the number of the open request to which the client gave this id.
    pub fn number_of(&self, id: &RequestId) -> Option<RequestNumber> {
        self.numbers.get(id).copied()
    }

    /// Returns the id that the client gave to an open request.
    pub fn id_of(&self, number: RequestNumber) -> Option<RequestId> {
        self.open.get(&number).map(|open| open.id.clone())
    }

    /// Removes a request that needs no answer any more. Returns the means to stop it if it bypasses rmcp, and the size
    /// that its answer still occupies in the budget, unless it stood outside of that.
    pub fn close(&mut self, number: RequestNumber) -> Option<(Option<DirectRequest>, Option<usize>)> {
        let Open { id, bytes, taken } = self.open.remove(&number)?;
        self.numbers.remove(&id);
        self.of_rmcp -= usize::from(taken.is_none() && bytes.is_some());
        self.standing -= usize::from(bytes.is_none());
        Some((taken, bytes))
    }

    /// Releases the budget of a closed request.
    pub fn give_back(&mut self, bytes: usize) {
        self.held -= 1;
        self.held_bytes -= bytes;
    }

    /// Whether every request is answered and every answer is written.
    pub fn are_over(&self) -> bool {
        self.held == 0
    }

    /// Returns the means to stop the requests that bypass rmcp.
    pub fn taken(&self) -> impl Iterator<Item = &DirectRequest> {
        self.open.values().filter_map(|open| open.taken.as_ref())
    }
}
