//! Work on the items of one call by several threads, with the results of one.
//!
//! [`Parallel::map`] applies a function to items, on the thread of the call and on helpers, and hands over the results
//! on the thread of the call in the order of the items. The first failure in that order ends the call, whatever became
//! of later items; what helpers did ahead of it is dropped. Results, failures and charges are therefore the same for
//! any number of threads. [`Parallel::feed`] does the same for items that the call finds one after another.
//!
//! Accounts: values (`Rc`), the meter, and the accounts of memory and traversals (`limits::{space, work}`) belong to the
//! thread of the call. A helper has none of them: it works on handles and bytes, in a scratch value of bounded size, and
//! asks [`Pace`] between two pieces whether it must stop. What a helper finds is charged when the call takes it, in the
//! order of the items; so the call charges steps before the work begins, or the helper returns what it would have
//! charged. A helper that cannot work within fixed bounds gives up, and the call repeats the item on its own account.
//!
//! Helpers are scoped threads of one call. They start after the lockdown, which a thread inherits from the one that
//! starts it; a pool such as that of `rayon` would outlive calls, and hands over no results in order with a bound on
//! those that wait. Each helper starts the next one if there is more to do, so a call on few items starts few threads.

mod line;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope};

use crate::gate::Context;
use crate::limits::{Jobs, Limit, LimitHit, Progress, Watch};

use line::{EndOfCall, EndOfHelper, Line};

/// Number of items by which helpers may be ahead of the first result that was not yet taken.
const AHEAD: usize = 1_024;

/// Whether the work of a thread outside of a [`Feed`] must stop: never.
static WANTED: AtomicBool = AtomicBool::new(false);

/// The threads of one call, and the run that they check.
#[derive(Debug)]
pub struct Parallel {
    jobs: Jobs,
    watch: Watch,
    progress: Option<Arc<Progress>>,
}

/// The run, as a thread sees it that works for a call.
#[derive(Clone, Copy, Debug)]
pub struct Pace<'a> {
    parallel: &'a Parallel,
    is_over: &'a AtomicBool,
}

impl Pace<'_> {
    /// Errors: if the run must stop, or if the call has ended and the work is no longer wanted.
    pub fn poll(&self) -> Result<(), LimitHit> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(LimitHit { limit: Limit::Interrupt, allowed: 0 });
        }
        self.parallel.watch.poll()
    }

    /// Reports bytes read to the progress display.
    pub fn report_read(&self, bytes: usize) {
        if let Some(progress) = &self.parallel.progress {
            progress.read(bytes as u64);
        }
    }
}

/// A function that threads apply to items, each with a scratch value of its own.
pub struct Work<S, F> {
    /// Returns a scratch value.
    pub scratch: S,
    /// Returns the result for an item.
    pub apply: F,
}

impl Parallel {
    /// Returns the threads that a call may use.
    pub fn of(context: &Context<'_>) -> Parallel {
        let progress = context.meter.progress().cloned();
        Parallel { jobs: context.jobs(), watch: context.meter.watch(), progress }
    }

    /// Returns the threads that a call may use to wait for the disk: more than there are processors, unless the user
    /// wants one alone.
    pub fn waiting(context: &Context<'_>) -> Parallel {
        let jobs = context.jobs();
        let jobs = if jobs == Jobs::ONE { jobs } else { jobs.max(Jobs::WAITING) };
        Parallel { jobs, ..Parallel::of(context) }
    }

    /// Returns the number of threads besides that of the call.
    pub fn helpers(&self) -> usize {
        self.jobs.helpers()
    }

    /// Returns the run for work on the thread of the call.
    pub fn pace(&self) -> Pace<'_> {
        Pace { parallel: self, is_over: &WANTED }
    }

    /// Applies a function to all items, and takes the results on this thread in the order of the items.
    ///
    /// # Errors
    /// The first error of `take`; no further result is taken.
    pub fn map<'t, T: Sync, C, R: Send, E>(
        &self,
        items: &'t [T],
        work: &Work<impl Fn() -> C + Sync, impl Fn(&'t T, &mut C, Pace<'_>) -> R + Sync>,
        mut take: impl FnMut(&'t T, R) -> Result<(), E>,
    ) -> Result<(), E> {
        self.feed(work, |feed| {
            let mut ahead = items.iter();
            for item in items {
                while feed.pending() < AHEAD
                    && let Some(next) = ahead.next()
                {
                    feed.push(next);
                }
                take(item, feed.first().expect("the item was pushed"))?;
            }
            Ok(())
        })
    }

    /// Applies a function to the items that `call` pushes into a [`Feed`]; it takes the results from there.
    pub fn feed<T: Send, C, R: Send, A>(
        &self,
        work: &Work<impl Fn() -> C + Sync, impl Fn(T, &mut C, Pace<'_>) -> R + Sync>,
        call: impl FnOnce(&mut Feed<'_, T, R>) -> A,
    ) -> A {
        let line = Line::new(self.jobs.helpers());
        let pace = Pace { parallel: self, is_over: &line.is_over };
        let help = |after_claim: &mut dyn FnMut()| {
            let mut scratch = (work.scratch)();
            while let Some((number, item)) = line.next() {
                after_claim();
                line.put(number, (work.apply)(item, &mut scratch, pace));
            }
        };
        let mut scratch = None;
        let mut apply = |item| (work.apply)(item, scratch.get_or_insert_with(&work.scratch), pace);
        std::thread::scope(|scope| {
            let _end = EndOfCall(&line);
            let start = || start_helper(scope, &line, &help);
            call(&mut Feed { line: &line, apply: &mut apply, start: &start, pending: 0 })
        })
    }
}

/// Starts a helper, which starts others as long as items wait when it has taken one. If no thread can be started, those
/// that run do all the work.
fn start_helper<'scope, T: Send, R: Send>(
    scope: &'scope Scope<'scope, '_>,
    line: &'scope Line<T, R>,
    help: &'scope (impl Fn(&mut dyn FnMut()) + Sync),
) {
    let helper = Builder::new().name("ns-helper".to_owned());
    let _ = helper.spawn_scoped(scope, move || {
        let _end = EndOfHelper(line);
        help(&mut || {
            if line.wants_helper(|_| 1) {
                start_helper(scope, line, help);
            }
        });
    });
}

/// The items of a call, and their results in order.
pub struct Feed<'a, T, R> {
    line: &'a Line<T, R>,
    apply: &'a mut dyn FnMut(T) -> R,
    /// Starts a helper.
    start: &'a dyn Fn(),
    pending: usize,
}

impl<T, R> Feed<'_, T, R> {
    /// Adds an item.
    pub fn push(&mut self, item: T) {
        self.pending += 1;
        self.line.push(item);
        // A call on one item needs no helper, and one on few items no more than these can keep busy.
        if self.line.wants_helper(|helpers| 2 * (helpers + 1)) {
            (self.start)();
        }
    }

    /// Returns the number of items whose results were not taken.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Takes the result of the first item that was pushed and not taken. Until it is there, this thread works on items
    /// too. Returns `None` if there is no such item.
    pub fn first(&mut self) -> Option<R> {
        self.pending = self.pending.checked_sub(1)?;
        Some(self.line.first(self.apply))
    }
}
