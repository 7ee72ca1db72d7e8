//! The thread that decodes an image.
//!
//! A decoder cannot be interrupted, so the thread of the call waits for it and leaves at the deadline. The work that is
//! then abandoned has a bound: it is on one image of a bounded size, stops before its next stage, and no other decoder
//! starts in this process until it has ended. Without threads (WebAssembly) the call decodes itself.
//!
//! The thread has no context and no accounts: the call charges memory and steps before it starts the work. It is
//! not one of the helpers that `--jobs` counts, because it makes nothing faster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use crate::limits::{LimitHit, Meter};

/// Time between two looks at the deadline.
const PERIOD: Duration = Duration::from_millis(5);
/// Time between two looks whether another decoder has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// Whether a decoder runs in this process.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// The work on one image, as its thread sees it.
#[derive(Debug)]
pub struct Job {
    is_abandoned: Arc<AtomicBool>,
}

impl Job {
    /// Whether nobody waits for the result any more.
    pub fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }
}

/// Why work has no result.
#[derive(Debug)]
pub enum Lost {
    /// The run must stop.
    Limit(LimitHit),
    /// No thread could be started.
    NoThread(std::io::Error),
    /// The decoder panicked.
    Panicked,
}

impl From<LimitHit> for Lost {
    fn from(hit: LimitHit) -> Lost {
        Lost::Limit(hit)
    }
}

/// Marks that a decoder runs, until it is dropped.
struct Turn;

impl Turn {
    /// Waits until no other decoder runs.
    fn wait(meter: &mut Meter) -> Result<Turn, LimitHit> {
        while IS_BUSY.swap(true, Ordering::Acquire) {
            meter.poll()?;
            std::thread::sleep(PAUSE);
        }
        Ok(Turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        IS_BUSY.store(false, Ordering::Release);
    }
}

/// Runs work on a thread of its own, and waits for its result until the run must stop.
pub fn run<R: Send + 'static>(meter: &mut Meter, work: impl FnOnce(&Job) -> R + Send + 'static) -> Result<R, Lost> {
    let is_abandoned = Arc::new(AtomicBool::new(false));
    let job = Job { is_abandoned: is_abandoned.clone() };
    if cfg!(target_family = "wasm") {
        return Ok(work(&job));
    }
    let turn = Turn::wait(meter)?;
    let (done, result) = sync_channel(1);
    let thread = Builder::new().name("ns-decoder".to_owned()).spawn(move || {
        let _turn = turn;
        // Nobody may wait any more.
        let _ = done.send(work(&job));
    });
    let _detached = thread.map_err(Lost::NoThread)?;
    loop {
        match result.recv_timeout(PERIOD) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Panicked),
            Err(RecvTimeoutError::Timeout) => {
                meter.poll().inspect_err(|_| is_abandoned.store(true, Ordering::Relaxed))?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::{Job, Lost, run};
    use crate::limits::{Interrupt, Limits, Meter};

    /// A call leaves work that goes on, the work learns of it, and the next call waits for its end.
    #[test]
    fn a_call_leaves_at_its_deadline() {
        let interrupt = Interrupt::default();
        let mut meter = Meter::new(&Limits::default(), interrupt.clone());
        let (ended, ends) = channel();
        let stopping = interrupt.clone();
        let left = run(&mut meter, move |job: &Job| {
            stopping.raise();
            while !job.is_abandoned() {
                std::thread::yield_now();
            }
            ended.send(()).expect("the test waits");
        });
        assert!(matches!(left, Err(Lost::Limit(_))), "{left:?}");
        ends.recv().expect("the work learned that nobody waits");
        interrupt.clear();
        assert_eq!(run(&mut meter, |_| 5).expect("the turn was passed on"), 5);
    }

    #[test]
    fn a_panic_is_no_panic_of_the_call() {
        let mut meter = Meter::new(&Limits::default(), Interrupt::default());
        let lost = run(&mut meter, |_| panic!("a bug in a decoder"));
        assert!(matches!(lost, Err::<(), _>(Lost::Panicked)));
        assert_eq!(run(&mut meter, |_| 5).expect("the turn was passed on"), 5);
    }
}
