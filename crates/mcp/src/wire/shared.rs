//! State shared by the two threads and rmcp: the unanswered requests and the unwritten frames. Both are bounded, so
//! that a client that sends ahead or does not read cannot exhaust memory.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcError, JsonRpcMessage, ProtocolVersion,
    RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Serialize;
use tokio::sync::Notify;

use super::backlog::{Backlog, Incoming};
use super::direct::Direct;
use super::ids::{self, AdmittedRequest, RequestNumber};
use super::pipe;
use super::requests::Requests;

/// Number of unwritten frames from which error frames for invalid input must wait. Answers to requests never wait here,
/// because the budget of their requests covers them.
const WAITING: usize = 64;
/// Size of a batch of writes, in bytes.
const BATCH: usize = 256 << 10;

/// The reason why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed its side.
    Left,
    /// The client did not read for too long.
    Stalled,
}

pub(super) struct Shared {
    state: Mutex<State>,
    direct: Mutex<Option<Arc<dyn Direct>>>,
    /// Signalled when there is room for a request or an error frame.
    room: Condvar,
    /// Signalled when there is something to write.
    work: Condvar,
    /// Signalled when answers are sent or written. Only waited for after the client has closed its side.
    settled: Notify,
    /// Signalled when the connection is closed.
    gone: Notify,
    is_closed: AtomicBool,
    has_stalled: AtomicBool,
    has_begun: AtomicBool,
    born: Instant,
    patience: Duration,
    is_pipe: bool,
    /// Time at which the write of the current piece began, in milliseconds since `born`; 0 if no write is in progress.
    since: AtomicU64,
}

#[derive(Default)]
struct State {
    requests: Requests,
    /// The messages other than requests that rmcp has not received yet.
    backlog: Backlog,
    frames: VecDeque<Waiting>,
    /// Sizes of the requests whose answers are in the batch being written.
    leaving: Vec<usize>,
    is_writing: bool,
    /// Whether a thread waits for room, or for work. Waking threads needlessly would be most of the cost of a call.
    wants_room: bool,
    wants_work: bool,
}

/// Whether rmcp accepts a request as the first of a connection.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let is_known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(is_known)
        }
    }
}

/// A frame that waits to be written.
struct Waiting {
    frame: Vec<u8>,
    /// Size of the request that it answers, in bytes.
    answers: Option<usize>,
}

impl Shared {
    pub fn new(patience: Duration) -> Shared {
        Shared {
            state: Mutex::default(),
            direct: Mutex::default(),
            room: Condvar::new(),
            work: Condvar::new(),
            settled: Notify::new(),
            gone: Notify::new(),
            is_closed: AtomicBool::new(false),
            has_stalled: AtomicBool::new(false),
            has_begun: AtomicBool::new(false),
            born: Instant::now(),
            patience,
            is_pipe: pipe::is_pipe(),
            since: AtomicU64::new(0),
        }
    }

    /// Adds a request as soon as there is room. Returns `None` if an unanswered request has the same id.
    pub fn admit(&self, id: &RequestId, bytes: usize) -> Option<AdmittedRequest> {
        let mut state = self.lock();
        while !self.is_closed() && !state.requests.has_room_for(bytes) {
            state = self.wait_for_room(state);
        }
        state.requests.open(id, bytes)
    }

    /// Adds a message other than a request to those that rmcp has not received, as soon as there is room.
    pub fn wait_for_rmcp(&self, bytes: usize) {
        let mut state = self.lock();
        while !self.is_closed() && !state.backlog.has_room_for(bytes) {
            state = self.wait_for_room(state);
        }
        state.backlog.add(bytes);
    }

    /// Records that rmcp has received a message.
    pub fn received(&self, incoming: &Incoming) {
        if let Some(bytes) = incoming.counted {
            let mut state = self.lock();
            state.backlog.remove(bytes);
            if std::mem::take(&mut state.wants_room) {
                self.room.notify_all();
            }
        }
    }

    /// Executes an admitted call without rmcp. Returns it as an error if it needs rmcp, or would overtake a request
    /// that rmcp handles.
    pub fn take_directly(
        &self,
        request: &AdmittedRequest,
        call: Box<CallToolRequestParams>,
    ) -> Result<(), Box<CallToolRequestParams>> {
        let direct = self.direct().clone();
        let is_next = self.has_begun.load(Ordering::Relaxed) && self.lock().requests.has_one_of_rmcp();
        let Some(direct) = direct.filter(|_| is_next) else { return Err(call) };
        let taken = direct.take(request, call)?;
        self.lock().requests.take(request.number, taken);
        Ok(())
    }

    /// Marks an admitted request as one that stays open for as long as the client wants. Returns the error to send back
    /// if there are too many of them.
    pub fn stand(&self, request: &AdmittedRequest) -> Result<(), Box<TxJsonRpcMessage<RoleServer>>> {
        let mut state = self.lock();
        if state.requests.stand(request.number) {
            self.tell_of_room(&mut state);
            return Ok(());
        }
        let message = "too many requests stay open on this connection; cancel one of them first";
        let error = ErrorData::new(ErrorCode::INVALID_REQUEST, message, None);
        Err(Box::new(JsonRpcMessage::error(error, Some(ids::of_rmcp(request.number)))))
    }

    /// Handles a cancellation: the request is closed without an answer. Returns its number if rmcp has to be told.
    pub fn cancel(&self, id: &RequestId) -> Option<RequestNumber> {
        let direct = self.direct().clone();
        let mut state = self.lock();
        let number = state.requests.number_of(id)?;
        let (taken, bytes) = state.requests.close(number)?;
        bytes.into_iter().for_each(|bytes| state.requests.give_back(bytes));
        self.tell_of_room(&mut state);
        drop(state);
        let Some(taken) = taken else { return Some(number) };
        if let Some(direct) = direct {
            direct.stop(&taken);
        }
        None
    }

    /// Queues the error for an invalid frame as soon as there is room.
    pub fn refuse(&self, error: &JsonRpcError) {
        let frame = frame_of(error).expect("an error has a JSON form");
        let mut state = self.lock();
        while !self.is_closed() && state.frames.len() >= WAITING {
            state = self.wait_for_room(state);
        }
        self.put(&mut state, Waiting { frame, answers: None });
    }

    fn wait_for_room<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.wants_room = true;
        self.room.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, state: &mut State, waiting: Waiting) {
        state.frames.push_back(waiting);
        if std::mem::take(&mut state.wants_work) {
            self.work.notify_one();
        }
    }

    /// Sends a message of rmcp, unless it answers a request that was cancelled.
    pub fn send(&self, mut message: TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        if self.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let Some(number) = ids::number_answered(&mut message) else {
            // A notification of a request that is no longer open reaches nobody.
            if !ids::restore_in_notification(&mut message, |number| self.lock().requests.id_of(number)) {
                return Ok(());
            }
            let frame = frame_of(&message)?;
            return self.deliver(&mut self.lock(), Waiting { frame, answers: None });
        };
        let Some(id) = self.lock().requests.id_of(number) else { return Ok(()) };
        ids::restore(&mut message, id);
        let frame = frame_of(&message)?;
        self.answer_with(number, frame)
    }

    /// Sends the answer to a call that bypassed rmcp, unless the request was cancelled.
    pub fn answer(&self, number: RequestNumber, message: &TxJsonRpcMessage<RoleServer>) {
        let frame = frame_of(message).expect("an answer has a JSON form");
        if self.answer_with(number, frame).is_err() {
            self.close(Ending::Left);
        }
    }

    fn answer_with(&self, number: RequestNumber, frame: Vec<u8>) -> io::Result<()> {
        let mut state = self.lock();
        match state.requests.close(number) {
            Some((_, bytes)) => self.deliver(&mut state, Waiting { frame, answers: bytes }),
            None => Ok(()),
        }
    }

    fn deliver(&self, state: &mut State, waiting: Waiting) -> io::Result<()> {
        let is_quiet = state.frames.is_empty() && !state.is_writing;
        if !(self.is_pipe && is_quiet && pipe::at_once(&waiting.frame)?) {
            self.put(state, waiting);
        } else if let Some(bytes) = waiting.answers {
            state.requests.give_back(bytes);
            self.tell_of_room(state);
        }
        Ok(())
    }

    /// Whether a message may be passed to rmcp, which is so from the first request on. Records the first request that
    /// rmcp accepts as the beginning of the connection.
    pub fn has_begun(&self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.has_begun.load(Ordering::Relaxed) };
        if begins(&request.request) {
            self.has_begun.store(true, Ordering::Relaxed);
        }
        true
    }

    /// Waits for frames and takes a batch of them. Returns false when the connection is closed and nothing is left.
    pub fn next_batch(&self, batch: &mut Vec<u8>) -> bool {
        let mut state = self.lock();
        while state.frames.is_empty() && !self.is_closed() {
            state.wants_work = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        while let Some(waiting) = state.frames.pop_front() {
            state.leaving.extend(waiting.answers);
            if batch.is_empty() {
                *batch = waiting.frame
            } else {
                batch.extend_from_slice(&waiting.frame)
            }
            if batch.len() >= BATCH {
                break;
            }
        }
        state.is_writing = !batch.is_empty();
        state.is_writing
    }

    /// Records that a write begins.
    pub fn writes(&self) {
        self.since.store(self.now().max(1), Ordering::Relaxed);
    }

    /// Records that a batch was written.
    pub fn wrote(&self) {
        self.since.store(0, Ordering::Relaxed);
        let mut state = self.lock();
        state.is_writing = false;
        while let Some(bytes) = state.leaving.pop() {
            state.requests.give_back(bytes);
        }
        self.tell_of_room(&mut state);
    }

    fn tell_of_room(&self, state: &mut State) {
        if std::mem::take(&mut state.wants_room) {
            self.room.notify_all();
        }
        self.settled.notify_waiters();
    }

    /// Closes the connection if the client has not read for too long.
    pub fn give_up_if_stalled(&self) {
        let since = self.since.load(Ordering::Relaxed);
        if since != 0 && self.now().saturating_sub(since) > self.patience.as_millis() as u64 {
            self.close(Ending::Stalled);
        }
    }

    fn now(&self) -> u64 {
        self.born.elapsed().as_millis() as u64
    }

    /// Closes the connection: no more frames are accepted or sent.
    pub fn close(&self, ending: Ending) {
        if ending == Ending::Stalled {
            self.has_stalled.store(true, Ordering::Relaxed);
        }
        // Drops the executor, which holds a handle to the engine thread.
        *self.direct() = None;
        // Set under the lock, so that a thread that is about to wait does not miss it.
        let state = self.lock();
        state.requests.taken().for_each(|taken| taken.cancelled.cancel());
        self.is_closed.store(true, Ordering::Relaxed);
        self.room.notify_all();
        self.work.notify_all();
        self.settled.notify_waiters();
        self.gone.notify_waiters();
    }

    /// Returns the reason why the connection ended.
    pub fn ending(&self) -> Ending {
        if self.has_stalled.load(Ordering::Relaxed) { Ending::Stalled } else { Ending::Left }
    }

    /// Sets the executor of calls that bypass rmcp, until the connection is closed.
    pub fn set_direct(&self, direct: Arc<dyn Direct>) {
        *self.direct() = Some(direct);
    }

    /// Whether so many frames wait to be written that optional ones should be skipped.
    pub fn is_busy(&self) -> bool {
        self.lock().frames.len() > WAITING / 2
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Waits until the connection is closed.
    pub async fn closed(&self) {
        self.wait_until(&self.gone, |_| false).await;
    }

    /// Waits until every request is answered and every answer is written.
    pub async fn idle(&self) {
        self.wait_until(&self.settled, |state| {
            state.requests.are_over() && state.frames.is_empty() && !state.is_writing
        })
        .await;
    }

    /// Waits until all queued frames are written.
    pub async fn written(&self) {
        self.wait_until(&self.settled, |state| state.frames.is_empty() && !state.is_writing).await;
    }

    async fn wait_until(&self, what: &Notify, fits: impl Fn(&State) -> bool) {
        loop {
            let changed = what.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.is_closed() || fits(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn direct(&self) -> MutexGuard<'_, Option<Arc<dyn Direct>>> {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serializes a message as a line.
fn frame_of(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = serde_json::to_vec(message)?;
    frame.push(b'\n');
    Ok(frame)
}
