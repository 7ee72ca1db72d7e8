//! The engine thread. It executes calls one after another in the order in which they arrive, so that a client can send
//! a change and a read that depends on it without waiting in between.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::engine::{Interrupt, Network, Options, SetupError, internal_fault, on_large_stack};

use super::connection_state::ConnectionState;
use super::sandboxes::NamedSandbox;

/// Stack size of the thread: large enough for the engine, so that no call needs a stack of its own. The system
/// allocates only the pages that are used.
const STACK: usize = 320 << 20;

type Work = Box<dyn FnOnce(&mut ConnectionState) + Send>;

/// A handle to the engine thread.
#[derive(Clone)]
pub struct EngineHandle {
    jobs: mpsc::Sender<(u64, Work)>,
    control: Arc<Control>,
}

/// State for cancelling calls, shared with the engine thread.
#[derive(Default)]
struct Control {
    numbers: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Interrupts the engines.
    interrupt: Interrupt,
    /// The job that is running.
    current: Option<u64>,
    /// Jobs that were cancelled before they began.
    cancelled: HashSet<u64>,
    is_over: bool,
}

/// The number of a job, used to cancel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job(u64);

impl EngineHandle {
    /// Opens the sandboxes on a new thread and calls `prepare` there first.
    ///
    /// Returns `None` if a sandbox could not be opened; `refused` has then been called with the error.
    pub fn begin<T: Send + 'static>(
        sandboxes: Vec<NamedSandbox>,
        options: Options,
        network: Network,
        prepare: impl FnOnce(&mut ConnectionState) -> T + Send + 'static,
        refused: impl FnOnce(&SetupError) + Send + 'static,
    ) -> std::io::Result<Option<(EngineHandle, T, JoinHandle<()>)>> {
        let (jobs, waiting) = mpsc::channel::<(u64, Work)>();
        let (ready, prepared) = mpsc::sync_channel(1);
        let control = Arc::new(Control::default());
        let own = control.clone();
        let thread = std::thread::Builder::new().name("engine".to_owned()).stack_size(STACK).spawn(move || {
            let mut connection = match ConnectionState::open(&sandboxes, &options, network) {
                Ok(connection) => connection,
                Err(error) => return refused(&error),
            };
            own.lock().interrupt = connection.sandboxes.interrupt().clone();
            if ready.send(prepare(&mut connection)).is_ok() {
                for (number, work) in waiting.iter() {
                    own.work(number, || work(&mut connection));
                    if own.lock().is_over {
                        break;
                    }
                }
            }
        })?;
        match prepared.recv() {
            Ok(prepared) => Ok(Some((EngineHandle { jobs, control }, prepared, thread))),
            Err(_) => {
                // `refused` has reported the error by now.
                let _ = thread.join();
                Ok(None)
            }
        }
    }

    /// Queues work for the thread. If the job is cancelled before it begins, the receiver returns an error.
    pub fn give<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut ConnectionState) -> T + Send + 'static,
    ) -> (Job, oneshot::Receiver<T>) {
        let (answer, answered) = oneshot::channel();
        let job = self.post(move |connection| {
            // The caller may no longer wait for the answer.
            let _ = answer.send(work(connection));
        });
        (job, answered)
    }

    /// Queues work that delivers its answer itself.
    pub fn post(&self, work: impl FnOnce(&mut ConnectionState) + Send + 'static) -> Job {
        let number = self.control.numbers.fetch_add(1, Ordering::Relaxed);
        // The thread ends only after the last sender is dropped: a panic ends a job, not the thread.
        let _ = self.jobs.send((number, Box::new(work)));
        Job(number)
    }

    /// Cancels a job, whether or not it has begun.
    pub fn cancel(&self, job: Job) {
        let mut state = self.control.lock();
        match state.current {
            Some(current) if current == job.0 => state.interrupt.raise(),
            _ => {
                state.cancelled.insert(job.0);
            }
        }
    }

    /// Calls `look` while the job is running. Returns `None` if it is not.
    pub fn during<T>(&self, job: Job, look: impl FnOnce() -> T) -> Option<T> {
        // The thread needs the lock to begin another job.
        let state = self.control.lock();
        (state.current == Some(job.0)).then(look)
    }

    /// Interrupts the current job, discards all others and ends the thread, whoever holds further handles.
    pub fn stop(&self) {
        {
            let mut state = self.control.lock();
            state.is_over = true;
            state.interrupt.raise();
        }
        // Wakes the thread up if it waits.
        let _ = self.jobs.send((0, Box::new(|_| {})));
    }
}

impl Control {
    /// Executes a job, unless it was cancelled. A panic ends the job.
    fn work(&self, number: u64, work: impl FnOnce()) {
        {
            let mut state = self.lock();
            if state.cancelled.remove(&number) || state.is_over {
                return;
            }
            state.interrupt.clear();
            state.current = Some(number);
        }
        if let Err(panic) = on_large_stack(work) {
            eprintln!("error: {}", internal_fault(&panic).message);
        }
        let mut state = self.lock();
        state.current = None;
        // Forget cancellations of jobs that had already finished.
        state.cancelled.retain(|cancelled| *cancelled > number);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::Control;
    use crate::engine::hush_panics;

    #[test]
    fn a_panic_ends_one_job_only() {
        hush_panics();
        let control = Control::default();
        control.work(0, || panic!("a bug"));
        assert_eq!(control.lock().current, None);
        let is_done = Cell::new(false);
        control.work(1, || is_done.set(true));
        assert!(is_done.get());
    }
}
