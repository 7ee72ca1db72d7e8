//! The thread on which the engine works: one call after another, in the order in which they came, so that a
//! client may send ahead a change and then what reads it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::engine::{Interrupt, Network, Options, SetupError};

use super::place::Place;

/// Stack of the thread: as much as the engine wants, so that no call has to bring its own. Only what is used
/// is ever given memory.
const STACK: usize = 320 << 20;

type Work = Box<dyn FnOnce(&mut Place) + Send>;

/// The way to the thread.
#[derive(Clone)]
pub struct Lane {
    jobs: mpsc::Sender<(u64, Work)>,
    control: Arc<Control>,
}

/// What stops a call.
#[derive(Default)]
struct Control {
    numbers: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What stops the engine.
    interrupt: Interrupt,
    /// The job that goes on.
    current: Option<u64>,
    /// Jobs that are not wanted any more.
    cancelled: HashSet<u64>,
    is_over: bool,
}

/// A job's number: what it is cancelled by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job(u64);

impl Lane {
    /// Opens the sandbox on a thread of its own; `prepare` sees it first.
    pub fn begin<T: Send + 'static>(
        options: Options,
        network: Network,
        prepare: impl FnOnce(&mut Place) -> T + Send + 'static,
        refused: impl FnOnce(&SetupError) + Send + 'static,
    ) -> std::io::Result<Option<(Lane, T, JoinHandle<()>)>> {
        let (jobs, waiting) = mpsc::channel::<(u64, Work)>();
        let (tell, told) = mpsc::sync_channel(1);
        let control = Arc::new(Control::default());
        let own = control.clone();
        let thread = std::thread::Builder::new().name("engine".to_owned()).stack_size(STACK).spawn(move || {
            let mut place = match Place::open(&options, network) {
                Ok(place) => place,
                Err(error) => return refused(&error),
            };
            own.lock().interrupt = place.engine.interrupt().clone();
            if tell.send(prepare(&mut place)).is_ok() {
                waiting.iter().for_each(|(number, work)| own.work(&mut place, number, work));
            }
        })?;
        match told.recv() {
            Ok(prepared) => Ok(Some((Lane { jobs, control }, prepared, thread))),
            Err(_) => {
                // What was refused is told by then.
                let _ = thread.join();
                Ok(None)
            }
        }
    }

    /// Gives the thread something to do. The answer never comes when it is cancelled before it begins.
    pub fn give<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Place) -> T + Send + 'static,
    ) -> (Job, oneshot::Receiver<T>) {
        let (answer, answered) = oneshot::channel();
        let job = self.post(move |place| {
            // Whoever asked may be gone.
            let _ = answer.send(work(place));
        });
        (job, answered)
    }

    /// The same where the work itself sees to its answer.
    pub fn post(&self, work: impl FnOnce(&mut Place) + Send + 'static) -> Job {
        let number = self.control.numbers.fetch_add(1, Ordering::Relaxed);
        // The thread ends only after the last way to it.
        let _ = self.jobs.send((number, Box::new(work)));
        Job(number)
    }

    /// Stops a job, whether it has begun or not.
    pub fn cancel(&self, job: Job) {
        let mut state = self.control.lock();
        match state.current {
            Some(current) if current == job.0 => state.interrupt.raise(),
            _ => {
                state.cancelled.insert(job.0);
            }
        }
    }

    /// Stops everything.
    pub fn stop(&self) {
        let mut state = self.control.lock();
        state.is_over = true;
        state.interrupt.raise();
    }
}

impl Control {
    fn work(&self, place: &mut Place, number: u64, work: Work) {
        {
            let mut state = self.lock();
            if state.cancelled.remove(&number) || state.is_over {
                return;
            }
            state.interrupt = place.engine.interrupt().clone();
            state.interrupt.clear();
            state.current = Some(number);
        }
        work(place);
        let mut state = self.lock();
        state.current = None;
        // Numbers of jobs that were over before they were cancelled.
        state.cancelled.retain(|cancelled| *cancelled > number);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
