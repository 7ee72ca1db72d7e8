//! Any number of threads gives what one gives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::{AHEAD, Parallel, Work};
use crate::limits::{Interrupt, Jobs, Limit, Limits, Meter};

fn parallel(jobs: usize, interrupt: &Interrupt) -> Parallel {
    let watch = Meter::new(&Limits::default(), interrupt.clone()).watch();
    Parallel { jobs: Jobs::of(jobs).expect("a number of threads"), watch, progress: None }
}

/// Results come in the order of the items, and the first failure in this order ends the call, although later items
/// are done first.
#[test]
fn any_number_of_threads_gives_what_one_gives() {
    let items: Vec<usize> = (0..3 * AHEAD).collect();
    let fails = |item: usize| item >= 2 * AHEAD && item.is_multiple_of(7);
    let work = Work {
        scratch: || 0,
        apply: |item: &usize, done: &mut usize, _: super::Pace<'_>| {
            *done += 1;
            if item.is_multiple_of(100) {
                std::thread::sleep(Duration::from_millis(1));
            }
            if fails(*item) { Err(*item) } else { Ok(2 * item) }
        },
    };
    let first = (0..3 * AHEAD).find(|item| fails(*item));
    for jobs in [1, 2, 8, 64] {
        let mut taken = Vec::new();
        let ended = parallel(jobs, &Interrupt::default()).map(&items, &work, |item, result| {
            taken.push((*item, result?));
            Ok(())
        });
        assert_eq!(ended.err(), first, "{jobs}");
        assert!(taken.iter().enumerate().all(|(at, pair)| *pair == (at, 2 * at)), "{jobs}");
        assert_eq!(taken.len(), first.unwrap_or_default(), "{jobs}");
    }
}

#[test]
fn one_job_starts_no_thread() {
    let own = std::thread::current().id();
    let work = Work { scratch: || (), apply: |_: &u8, (): &mut (), _: super::Pace<'_>| std::thread::current().id() };
    let ended =
        parallel(1, &Interrupt::default()).map(&[0; 100], &work, |_, thread| (thread == own).then_some(()).ok_or(()));
    assert_eq!(ended, Ok(()));
}

/// Items far ahead of one that takes long are left alone, and work in progress ends with the call.
#[test]
fn helpers_are_bounded_and_end_with_the_call() {
    let started = Arc::new(AtomicUsize::new(0));
    let counted = started.clone();
    let own = std::thread::current().id();
    let work = Work {
        scratch: || (),
        apply: move |item: &usize, (): &mut (), pace: super::Pace<'_>| {
            counted.fetch_add(1, Ordering::Relaxed);
            // The thread of the call may take this item too, and it cannot wait for its own end.
            while *item == 1 && std::thread::current().id() != own && pace.poll().is_ok() {
                std::thread::yield_now();
            }
            while *item == 0 && counted.load(Ordering::Relaxed) < AHEAD {
                std::thread::yield_now();
            }
        },
    };
    let items: Vec<usize> = (0..10 * AHEAD).collect();
    let ended = parallel(4, &Interrupt::default()).map(&items, &work, |_, ()| Err(()));
    assert_eq!(ended, Err(()));
    assert!(started.load(Ordering::Relaxed) <= AHEAD + 1, "{started:?}");
}

#[test]
fn an_interrupt_reaches_every_thread() {
    let interrupt = Interrupt::default();
    interrupt.raise();
    let work = Work { scratch: || (), apply: |_: &u8, (): &mut (), pace: super::Pace<'_>| pace.poll() };
    let ended = parallel(4, &interrupt).map(&[0; 100], &work, |_, result| result);
    assert_eq!(ended.expect_err("it was interrupted").limit, Limit::Interrupt);
}

#[test]
#[should_panic = "panicked"]
fn a_panic_of_a_helper_reaches_the_call() {
    let own = std::thread::current().id();
    let has_failed = AtomicBool::new(false);
    let work = Work {
        scratch: || (),
        apply: |_: &u8, (): &mut (), _: super::Pace<'_>| {
            let is_own = std::thread::current().id() == own;
            has_failed.fetch_or(!is_own, Ordering::Relaxed);
            assert!(is_own, "a helper works");
            while !has_failed.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        },
    };
    let _ = parallel(2, &Interrupt::default()).map(&[0; 100], &work, |_, ()| Ok::<(), ()>(()));
}
