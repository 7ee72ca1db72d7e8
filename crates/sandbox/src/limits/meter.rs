//! Counts the resources that a run uses, and stops it in time.
//!
//! Steps are granted in slices, and the deadline and the interrupt are checked between slices, so that charging a step
//! is one subtraction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use web_time::{Duration, Instant};

use super::{Limit, LimitHit, Limits, Progress, ablation};

/// Number of steps between two checks of the deadline.
const SLICE: u64 = 4_096;

/// A flag that another thread or a signal raises to stop a run.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Requests the run to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Withdraws the request, for the next run.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the run was requested to stop.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The deadline and interrupt of a run, checked by long work; can be passed to other threads.
#[derive(Clone, Debug)]
pub struct Watch {
    deadline: Option<Instant>,
    timeout: Duration,
    /// Milliseconds spent waiting for a person, which do not count.
    excused: Arc<AtomicU64>,
    interrupt: Interrupt,
}

impl Watch {
    /// Errors: if the deadline has passed or the run is interrupted.
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

    /// Returns the deadline without the time that is excused, for work before anything can be.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Extends the deadline by `time`.
    pub fn excuse(&self, time: Duration) {
        self.excused.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }

    /// Runs `work` and excludes its duration from the time limit.
    pub fn excusing<T>(&self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        self.excuse(begin.elapsed());
        done
    }
}

/// The meter of one run.
#[derive(Debug)]
pub struct Meter {
    /// Steps left in the current slice.
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
    /// The progress of the current call, if it is displayed.
    progress: Option<Arc<Progress>>,
}

/// A total that must not exceed its limit.
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

    /// Returns the remaining amount, and the error for exceeding it.
    fn remaining(&self) -> (u64, LimitHit) {
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
    /// Creates a meter; its time starts now.
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

    /// Returns a meter for work that must be done regardless of the run's budget.
    pub fn unlimited() -> Meter {
        Meter::new(&Limits::default(), Interrupt::default())
    }

    /// Charges steps. Errors: if there are not enough.
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

    /// Charges steps for creating or reading a text of `bytes` bytes: one per KiB.
    #[inline]
    pub fn step_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.report_read(bytes);
        self.step(bytes as u64 / 1024)
    }

    /// Refunds steps that were charged in advance and not used.
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

    /// Returns the number of steps used so far.
    pub fn steps_taken(&self) -> u64 {
        self.max_steps - self.reserve - self.fuel
    }

    /// Returns the number of steps left.
    #[inline]
    pub fn steps_left(&self) -> u64 {
        self.reserve + self.fuel
    }

    /// Returns the error for running out of steps.
    pub fn step_limit(&self) -> LimitHit {
        LimitHit { limit: Limit::Steps, allowed: self.max_steps }
    }

    /// Errors: if the deadline has passed or the run is interrupted. For work that is not charged in steps.
    pub fn poll(&self) -> Result<(), LimitHit> {
        self.watch.poll()
    }

    /// Returns the deadline and interrupt, for other threads.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Charges bytes that EMIT is about to print.
    pub fn print(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.output.spend(bytes)
    }

    /// Returns the number of bytes that EMIT may still print, and the error for exceeding it.
    pub fn output_left(&self) -> (u64, LimitHit) {
        self.output.remaining()
    }

    /// Charges files or directories about to be changed.
    pub fn change_files(&mut self, files: u64) -> Result<(), LimitHit> {
        self.files_changed.spend(files)
    }

    /// Charges bytes about to be written to files.
    pub fn write_bytes(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.bytes_written.spend(bytes)
    }

    /// Reports bytes written to the progress display.
    pub fn report_written(&self, bytes: u64) {
        if let Some(progress) = &self.progress {
            progress.written(bytes);
        }
    }

    /// Adds bytes to read or write to the total in the progress display.
    pub fn expect_bytes(&self, bytes: u64) {
        if let Some(progress) = &self.progress {
            progress.expect_bytes(bytes);
        }
    }

    /// Reports to the progress display whether written data is being synced.
    pub fn tell_syncing(&self, is_syncing: bool) {
        if let Some(progress) = &self.progress {
            progress.syncing(is_syncing);
        }
    }

    /// Returns the progress of the current call, if it is displayed.
    pub fn progress(&self) -> Option<&Arc<Progress>> {
        self.progress.as_ref()
    }

    /// Reports one more item to the progress display.
    pub fn reach_next(&self) {
        if let Some(progress) = &self.progress {
            progress.reach_next();
        }
    }

    /// Reports bytes read to the progress display, for work that is not charged in steps.
    #[inline]
    pub fn report_read(&self, bytes: usize) {
        if let Some(progress) = &self.progress {
            progress.read(bytes as u64);
        }
    }

    /// Reports the number of items reached, and their total, to the progress display.
    pub fn reach(&self, items: u64, all: u64) {
        if let Some(progress) = &self.progress {
            progress.reached(items, all);
        }
    }

    /// Sets the progress that the next call reports to.
    pub fn report_to(&mut self, progress: Arc<Progress>) {
        self.progress = Some(progress);
    }

    /// Ends the reports to a progress display.
    pub fn end_report(&mut self) {
        self.progress = None;
    }

    /// Returns the maximum size of one answer of a tool, in bytes of its JSON.
    #[inline]
    pub fn answer_bytes(&self) -> Option<u64> {
        self.answer_bytes
    }

    /// Returns the maximum depth of nested procedure calls.
    #[inline]
    pub fn call_depth(&self) -> usize {
        self.call_depth
    }
}
