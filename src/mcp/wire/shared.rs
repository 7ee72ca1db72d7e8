//! What the two threads and rmcp share: the requests that are not answered yet, and the frames that are not
//! written yet. Both are bounded, so that a client which sends ahead, or does not read, takes no memory.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetMeta, JsonRpcError, JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Serialize;
use tokio::sync::Notify;

use super::direct::Direct;
use super::requests::Requests;
use super::write;

/// Frames that wait to be written, answers to requests aside: those have their room by then.
const WAITING: usize = 64;
/// Bytes that are written in one batch.
const BATCH: usize = 256 << 10;

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed its side.
    Left,
    /// The client took nothing for too long.
    Stalled,
}

/// A connection as the server's end sees it.
#[derive(Clone)]
pub struct Closing(Arc<Shared>);

impl Closing {
    pub(super) fn new(shared: Arc<Shared>) -> Closing {
        Closing(shared)
    }

    /// Why it ended.
    pub fn ending(&self) -> Ending {
        match self.0.has_stalled.load(Ordering::Relaxed) {
            true => Ending::Stalled,
            false => Ending::Left,
        }
    }

    /// Ends it.
    pub fn close(&self) {
        self.0.close(Ending::Left);
    }

    /// Waits until it has ended.
    pub async fn closed(&self) {
        self.0.closed().await;
    }

    /// Says who does calls without rmcp, as long as it lasts.
    pub fn set_direct(&self, direct: Arc<dyn Direct>) {
        *self.0.direct() = Some(direct);
    }

    /// Gives the answer to a call that was done without rmcp.
    pub fn answer(&self, id: &RequestId, message: &TxJsonRpcMessage<RoleServer>) {
        self.0.answer(id, message);
    }

    /// Whether so much waits to be written that what can be left out is left out.
    pub fn is_busy(&self) -> bool {
        self.0.lock().frames.len() > WAITING / 2
    }
}

pub(super) struct Shared {
    state: Mutex<State>,
    direct: Mutex<Option<Arc<dyn Direct>>>,
    /// There is room for a request, or for a frame that says no.
    room: Condvar,
    /// There is something to write.
    work: Condvar,
    /// Everything was answered, or written. Nobody waits for it before the client has closed its side.
    settled: Notify,
    /// All is over.
    gone: Notify,
    is_closed: AtomicBool,
    has_stalled: AtomicBool,
    has_begun: AtomicBool,
    born: Instant,
    patience: Duration,
    is_pipe: bool,
    /// Milliseconds since `born` at which the piece that is being written began; 0 when none is.
    since: AtomicU64,
}

#[derive(Default)]
struct State {
    requests: Requests,
    frames: VecDeque<Waiting>,
    /// The room that the batch which is being written gives back.
    leaving: Vec<usize>,
    is_writing: bool,
    /// Whether somebody waits for room, or for work: nobody else is woken, since that is most of what a call costs.
    wants_room: bool,
    wants_work: bool,
}

/// Whether rmcp takes a request for the beginning of a connection.
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
    /// The bytes of the request that it answers.
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
            is_pipe: write::is_pipe(),
            since: AtomicU64::new(0),
        }
    }

    /// Takes a request in, once there is room; false when another with its id is not answered yet.
    pub fn admit(&self, id: &RequestId, bytes: usize) -> bool {
        let mut state = self.lock();
        while !self.is_closed() && !state.requests.has_room_for(bytes) {
            state = self.wait_for_room(state);
        }
        state.requests.open(id, bytes)
    }

    /// Has a call that was taken in done without rmcp; gives it back where it needs rmcp, or would overtake a
    /// request that rmcp has.
    pub fn take_directly(
        &self,
        id: &RequestId,
        call: Box<CallToolRequestParams>,
    ) -> Result<(), Box<CallToolRequestParams>> {
        let direct = self.direct().clone();
        let is_next = self.has_begun.load(Ordering::Relaxed) && self.lock().requests.has_one_of_rmcp();
        let Some(direct) = direct.filter(|_| is_next) else { return Err(call) };
        let taken = direct.take(id, call)?;
        self.lock().requests.take(id, taken);
        Ok(())
    }

    /// Nobody waits for the answer any more; rmcp gives none.
    pub fn cancel(&self, id: &RequestId) {
        let direct = self.direct().clone();
        let mut state = self.lock();
        let Some((taken, bytes)) = state.requests.close(id) else { return };
        state.requests.give_back(bytes);
        self.tell_of_room(&mut state);
        drop(state);
        if let (Some(direct), Some(taken)) = (direct, taken) {
            direct.stop(&taken);
        }
    }

    /// Puts the answer to what is no message, once there is room for it.
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

    /// Puts a message of rmcp's.
    pub fn send(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        if self.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let frame = frame_of(message)?;
        let answered = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let mut state = self.lock();
        let answers = answered.and_then(|id| state.requests.close(id)).map(|(_, bytes)| bytes);
        self.deliver(&mut state, Waiting { frame, answers })
    }

    /// Puts the answer to a call that was done without rmcp, if it is still waited for.
    fn answer(&self, id: &RequestId, message: &TxJsonRpcMessage<RoleServer>) {
        let frame = frame_of(message).expect("an answer has a JSON form");
        let mut state = self.lock();
        if let Some((_, bytes)) = state.requests.close(id)
            && self.deliver(&mut state, Waiting { frame, answers: Some(bytes) }).is_err()
        {
            drop(state);
            self.close(Ending::Left);
        }
    }

    fn deliver(&self, state: &mut State, waiting: Waiting) -> io::Result<()> {
        let is_quiet = state.frames.is_empty() && !state.is_writing;
        if !(self.is_pipe && is_quiet && write::at_once(&waiting.frame)?) {
            self.put(state, waiting);
        } else if let Some(bytes) = waiting.answers {
            state.requests.give_back(bytes);
            self.tell_of_room(state);
        }
        Ok(())
    }

    /// Whether a message may be given to rmcp: from the first request that begins a connection on.
    pub fn has_begun(&self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.has_begun.load(Ordering::Relaxed) };
        if begins(&request.request) {
            self.has_begun.store(true, Ordering::Relaxed);
        }
        true
    }

    /// Waits for frames, and takes as many as are written at once; false when all is over.
    pub fn next_batch(&self, batch: &mut Vec<u8>) -> bool {
        let mut state = self.lock();
        while state.frames.is_empty() && !self.is_closed() {
            state.wants_work = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        while let Some(waiting) = state.frames.pop_front() {
            state.leaving.extend(waiting.answers);
            match batch.is_empty() {
                true => *batch = waiting.frame,
                false => batch.extend_from_slice(&waiting.frame),
            }
            if batch.len() >= BATCH {
                break;
            }
        }
        state.is_writing = !batch.is_empty();
        state.is_writing
    }

    /// A piece is about to be written.
    pub fn writes(&self) {
        self.since.store(self.now().max(1), Ordering::Relaxed);
    }

    /// A batch was written.
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

    /// Closes the connection of a client that has taken nothing for too long.
    pub fn give_up_if_stalled(&self) {
        let since = self.since.load(Ordering::Relaxed);
        if since != 0 && self.now().saturating_sub(since) > self.patience.as_millis() as u64 {
            self.close(Ending::Stalled);
        }
    }

    fn now(&self) -> u64 {
        self.born.elapsed().as_millis() as u64
    }

    /// Ends the connection: nothing more is taken or given.
    pub fn close(&self, ending: Ending) {
        if ending == Ending::Stalled {
            self.has_stalled.store(true, Ordering::Relaxed);
        }
        // Nobody is given anything more, and the way to the engine is not kept open from here.
        *self.direct() = None;
        // Under the lock, so that nobody who is about to wait misses it.
        let state = self.lock();
        state.requests.taken().for_each(|taken| taken.cancelled.cancel());
        self.is_closed.store(true, Ordering::Relaxed);
        self.room.notify_all();
        self.work.notify_all();
        self.settled.notify_waiters();
        self.gone.notify_waiters();
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Waits until the connection is closed.
    pub async fn closed(&self) {
        self.wait_until(&self.gone, |_| false).await;
    }

    /// Waits until every request is answered and every answer written.
    pub async fn idle(&self) {
        self.wait_until(&self.settled, |state| {
            state.requests.are_over() && state.frames.is_empty() && !state.is_writing
        })
        .await;
    }

    /// Waits until everything that was given is written.
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

/// A message as a line.
fn frame_of(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = serde_json::to_vec(message)?;
    frame.push(b'\n');
    Ok(frame)
}
