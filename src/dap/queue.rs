//! Queue of requests. A separate thread fills it, so that a run can be paused and ended.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::Interrupt;

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
    /// The interrupt of the run, which the end of the client raises.
    interrupt: Interrupt,
}

#[derive(Default)]
struct Waiting {
    requests: VecDeque<(Request, u64)>,
    bytes: u64,
    is_closed: bool,
    /// Whether a `disconnect` was taken.
    has_disconnected: bool,
}

impl Queue {
    /// Creates a queue and starts to read. The thread ends with the input, or with a frame that cannot be read.
    pub fn start(mut input: impl BufRead + Send + 'static, sender: Sender, interrupt: &Interrupt) -> Queue {
        let queue = Queue(Arc::new(Shared {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            has_news: AtomicBool::new(false),
            interrupt: interrupt.clone(),
        }));
        let filled = queue.clone();
        std::thread::spawn(move || {
            while let Some((request, bytes)) = Request::next(&mut input, &sender) {
                filled.receive(request, bytes, &sender);
            }
            filled.close();
        });
        queue
    }

    /// Whether a request waits, or the client is gone.
    pub fn has_news(&self) -> bool {
        self.0.has_news.load(Ordering::Relaxed)
    }

    /// Returns whether the client is gone.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Returns whether a `disconnect` was taken.
    pub fn has_disconnected(&self) -> bool {
        self.lock().has_disconnected
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
            waiting.has_disconnected |= request.command == "disconnect";
            request
        });
        self.0.has_news.store(!waiting.requests.is_empty() || waiting.is_closed, Ordering::Relaxed);
        next
    }

    fn receive(&self, request: Request, bytes: u64, sender: &Sender) {
        if matches!(request.command.as_str(), "terminate" | "disconnect") {
            self.0.interrupt.raise();
        }
        let mut waiting = self.lock();
        if waiting.requests.len() >= MAX_WAITING || waiting.bytes + bytes > MAX_BYTES {
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
        self.0.interrupt.raise();
        self.0.has_news.store(true, Ordering::Relaxed);
        self.0.arrived.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
