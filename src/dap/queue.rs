//! The requests that wait: a thread of their own reads them, so that a run can be paused and ended.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::Interrupt;
use crate::frames::{Frame, read};

use super::message::{Refusal, Request, Sender};

/// Maximum number of requests that wait.
const MAX_WAITING: usize = 1_000;
/// Maximum size of the requests that wait, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The requests that wait, shared by the threads.
#[derive(Clone)]
pub struct Queue(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    /// Whether something waits, or the client is gone. Read before each statement.
    has_news: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    requests: VecDeque<(Request, u64)>,
    bytes: u64,
    is_closed: bool,
    /// The interrupt of the run, once there is one.
    interrupt: Option<Interrupt>,
    /// Whether the client wants the run to end.
    is_ending: bool,
    /// Whether it has sent `disconnect`.
    is_left: bool,
}

impl Queue {
    /// Creates an empty queue.
    pub fn new() -> Queue {
        Queue(Arc::new(Shared { waiting: Mutex::default(), arrived: Condvar::new(), has_news: AtomicBool::new(false) }))
    }

    /// Starts to read. The thread ends with the input, or with a frame that cannot be read.
    pub fn start(&self, mut input: impl BufRead + Send + 'static, sender: Sender) {
        let queue = self.clone();
        std::thread::spawn(move || {
            while let Ok(Some(frame)) = read(&mut input) {
                queue.receive(frame, &sender);
            }
            queue.close();
        });
    }

    /// Whether a request waits, or the client is gone.
    pub fn has_news(&self) -> bool {
        self.0.has_news.load(Ordering::Relaxed)
    }

    /// Whether the client wants the run to end, or is gone.
    pub fn is_ending(&self) -> bool {
        let waiting = self.lock();
        waiting.is_ending || waiting.is_closed
    }

    /// Whether the client has sent `disconnect`.
    pub fn was_left(&self) -> bool {
        self.lock().is_left
    }

    /// Whether the client has sent `disconnect`, and no request waits.
    pub fn is_left(&self) -> bool {
        let waiting = self.lock();
        waiting.is_left && waiting.requests.is_empty()
    }

    /// Sets the interrupt of the run, which the end of the client raises.
    pub fn interrupt_with(&self, interrupt: &Interrupt) {
        self.lock().interrupt = Some(interrupt.clone());
    }

    /// Returns the next request if one waits.
    pub fn poll(&self) -> Option<Request> {
        self.take(&mut self.lock())
    }

    /// Waits for the next request; `None` after the last one.
    pub fn wait(&self) -> Option<Request> {
        let mut waiting = self.lock();
        loop {
            if let Some(request) = self.take(&mut waiting) {
                return Some(request);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self.0.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn take(&self, waiting: &mut Waiting) -> Option<Request> {
        let next = waiting.requests.pop_front().map(|(request, bytes)| {
            waiting.bytes -= bytes;
            request
        });
        self.0.has_news.store(!waiting.requests.is_empty() || waiting.is_closed, Ordering::Relaxed);
        next
    }

    fn receive(&self, frame: Frame, sender: &Sender) {
        let bytes = if let Frame::Json(_, bytes) = &frame { *bytes } else { 0 };
        let request = match Request::of(frame) {
            Ok(request) => request,
            Err(reason) => {
                let _ = sender.show("stderr", &format!("a message was skipped: {reason}\n"));
                return;
            }
        };
        let mut waiting = self.lock();
        if matches!(request.command.as_str(), "terminate" | "disconnect") {
            waiting.is_ending = true;
            waiting.is_left |= request.command == "disconnect";
            waiting.interrupt.iter().for_each(Interrupt::raise);
        } else if waiting.requests.len() >= MAX_WAITING || waiting.bytes + bytes > MAX_BYTES {
            drop(waiting);
            let message = "too many requests wait for the script; wait for answers, or pause it";
            return sender.answer(&request, Err(Refusal::new(message)));
        }
        waiting.requests.push_back((request, bytes));
        waiting.bytes += bytes;
        self.0.has_news.store(true, Ordering::Relaxed);
        self.0.arrived.notify_all();
    }

    fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        waiting.interrupt.iter().for_each(Interrupt::raise);
        self.0.has_news.store(true, Ordering::Relaxed);
        self.0.arrived.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
