//! Counts what one run spends, and stops it in time.
//!
//! Steps are granted in slices: between slices the clock and the interrupt are looked at, so that
//! spending a step is one subtraction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Limit, LimitHit, Limits, Progress, ablation};

/// Steps between two looks at the clock.
const SLICE: u64 = 4_096;

/// A flag that another thread or a signal raises to stop a run.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes the request back, for the next run.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What tells long work to stop; may be given to other threads.
#[derive(Clone, Debug)]
pub struct Watch {
    deadline: Option<Instant>,
    timeout: Duration,
    /// Milliseconds that were spent waiting for a person, which do not count.
    excused: Arc<AtomicU64>,
    interrupt: Interrupt,
}

impl Watch {
    /// An error once the time is over or the run is interrupted.
    pub fn poll(&self) -> Result<(), LimitHit> {
        if self.interrupt.is_raised() {
            return Err(LimitHit { limit: Limit::Interrupt, allowed: 0 });
        }
        let excused = Duration::from_millis(self.excused.load(Ordering::Relaxed));
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline + excused) {
            return Err(LimitHit { limit: Limit::Time, allowed: self.timeout.as_millis() as u64 });
        }
        Ok(())
    }

    /// Lets so much time not count.
    pub fn excuse(&self, time: Duration) {
        self.excused.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }
}

/// The account of one run.
#[derive(Debug)]
pub struct Meter {
    /// Steps left of the current slice.
    fuel: u64,
    /// Steps left beyond the current slice.
    reserve: u64,
    max_steps: u64,
    watch: Watch,
    output: Budget,
    files_changed: Budget,
    bytes_written: Budget,
    answer_bytes: Option<u64>,
    call_depth: usize,
    /// What is told of the call that goes on, if somebody watches.
    progress: Option<Arc<Progress>>,
}

/// A sum that may not be exceeded.
#[derive(Clone, Copy, Debug)]
struct Budget {
    limit: Limit,
    allowed: Option<u64>,
    spent: u64,
}

impl Budget {
    fn new(limit: Limit, allowed: Option<u64>) -> Budget {
        Budget { limit, allowed, spent: 0 }
    }

    /// The amount that may still be spent, and the limit that is met when it is not enough.
    fn left(&self) -> (u64, LimitHit) {
        let allowed = self.allowed.unwrap_or(u64::MAX);
        (allowed - self.spent, LimitHit { limit: self.limit, allowed })
    }

    fn spend(&mut self, amount: u64) -> Result<(), LimitHit> {
        let spent = self.spent.saturating_add(amount);
        match self.allowed {
            Some(allowed) if spent > allowed => Err(LimitHit { limit: self.limit, allowed }),
            _ => {
                self.spent = spent;
                Ok(())
            }
        }
    }
}

impl Meter {
    /// A fresh account; its time starts now.
    pub fn new(limits: &Limits, interrupt: Interrupt) -> Meter {
        let watch = Watch {
            deadline: limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            timeout: limits.timeout.unwrap_or_default(),
            excused: Arc::default(),
            interrupt,
        };
        Meter {
            fuel: 0,
            reserve: limits.max_steps,
            max_steps: limits.max_steps,
            watch,
            output: Budget::new(Limit::Output, limits.output_bytes),
            files_changed: Budget::new(Limit::FilesChanged, limits.files_changed),
            bytes_written: Budget::new(Limit::BytesWritten, limits.bytes_written),
            answer_bytes: limits.tool_output_bytes,
            call_depth: limits.call_depth,
            progress: None,
        }
    }

    /// The account of what must be done whatever a run may still spend.
    pub fn unlimited() -> Meter {
        Meter::new(&Limits::default(), Interrupt::default())
    }

    /// Spends steps, or says that there are not enough.
    #[inline(always)]
    pub fn step(&mut self, steps: u64) -> Result<(), LimitHit> {
        if !ablation::STEPS {
            return Ok(());
        }
        if self.fuel >= steps {
            self.fuel -= steps;
            return Ok(());
        }
        self.refill(steps)
    }

    /// Spends steps for a text of so many bytes that is made or read: one for each KiB.
    pub fn step_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.tell_read(bytes);
        self.step(bytes as u64 / 1024)
    }

    /// Gives back steps that were spent ahead and not taken.
    #[inline(always)]
    pub fn refund(&mut self, steps: u64) {
        if ablation::STEPS {
            self.fuel += steps;
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, steps: u64) -> Result<(), LimitHit> {
        if ablation::INTERRUPTS {
            self.watch.poll()?;
        }
        let have = self.fuel.saturating_add(self.reserve);
        let left = have.checked_sub(steps).ok_or(LimitHit { limit: Limit::Steps, allowed: self.max_steps })?;
        self.fuel = left.min(SLICE);
        self.reserve = left - self.fuel;
        Ok(())
    }

    /// Steps taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.max_steps - self.reserve - self.fuel
    }

    /// Steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.reserve + self.fuel
    }

    /// What is said when the steps do not suffice.
    pub fn step_limit(&self) -> LimitHit {
        LimitHit { limit: Limit::Steps, allowed: self.max_steps }
    }

    /// An error once the time is over or the run is interrupted; for work that takes no steps.
    pub fn poll(&self) -> Result<(), LimitHit> {
        self.watch.poll()
    }

    /// What other threads look at.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Counts bytes that EMIT is about to print.
    pub fn print(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.output.spend(bytes)
    }

    /// Bytes that EMIT may still print, and what is said when that is not enough.
    pub fn output_left(&self) -> (u64, LimitHit) {
        self.output.left()
    }

    /// Counts a file or folder that is about to be changed.
    pub fn change_files(&mut self, files: u64) -> Result<(), LimitHit> {
        self.files_changed.spend(files)
    }

    /// Counts bytes that are about to be written to files.
    pub fn write_bytes(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.bytes_written.spend(bytes)
    }

    /// Says to whoever watches that so many bytes were written.
    pub fn tell_written(&self, bytes: u64) {
        if let Some(progress) = &self.progress {
            progress.written(bytes);
        }
    }

    /// Says to whoever watches that there are so many bytes more to read or to write.
    pub fn expect_bytes(&self, bytes: u64) {
        if let Some(progress) = &self.progress {
            progress.expect_bytes(bytes);
        }
    }

    /// Says to whoever watches whether what was written is being made durable.
    pub fn tell_syncing(&self, is_syncing: bool) {
        if let Some(progress) = &self.progress {
            progress.syncing(is_syncing);
        }
    }

    /// Where the call that goes on is counted, if somebody watches.
    pub fn progress(&self) -> Option<&Arc<Progress>> {
        self.progress.as_ref()
    }

    /// Says to whoever watches that one item more was reached.
    pub fn reach_next(&self) {
        if let Some(progress) = &self.progress {
            progress.reach_next();
        }
    }

    /// Says to whoever watches that so many bytes were read; for work that takes no steps.
    pub fn tell_read(&self, bytes: usize) {
        if let Some(progress) = &self.progress {
            progress.read(bytes as u64);
        }
    }

    /// Says how many of several items a call has reached.
    pub fn reach(&self, items: u64, all: u64) {
        if let Some(progress) = &self.progress {
            progress.reached(items, all);
        }
    }

    /// Says where the call that begins is counted for whoever watches.
    pub fn report_to(&mut self, progress: Arc<Progress>) {
        self.progress = Some(progress);
    }

    /// What one answer of a tool may take, in bytes of its JSON.
    pub fn answer_bytes(&self) -> Option<u64> {
        self.answer_bytes
    }

    /// How deep procedures may call each other.
    pub fn call_depth(&self) -> usize {
        self.call_depth
    }
}
