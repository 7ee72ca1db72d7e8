//! A self-test at startup: each limiter of this module must refuse a small amount that exceeds a small limit.
//!
//! It takes microseconds. A failure is a bug of ours, and nothing must run then.

use std::time::Duration;

use super::{Interrupt, Limit, LimitHit, Limits, Meter, ablation, space, work};

/// Returns the first limit that allows what it should refuse.
pub fn loose_limit() -> Option<Limit> {
    let bounds = Limits {
        max_steps: 1,
        timeout: None,
        output_bytes: Some(1),
        files_changed: Some(1),
        bytes_written: Some(1),
        memory_bytes: 0,
        string_bytes: 1,
        collection_items: 1,
        value_depth: 1,
        ..Limits::default()
    };
    let _bounds = space::enter(&bounds);
    let mut meter = Meter::new(&bounds, Interrupt::default());
    let late = Meter::new(&Limits { timeout: Some(Duration::ZERO), ..bounds.clone() }, Interrupt::default());
    let interrupted = Interrupt::default();
    interrupted.raise();
    let interrupted = Meter::new(&bounds, interrupted);
    let _work = work::enter(interrupted.watch());
    [
        (Limit::Steps, meter.step(1).and_then(|()| meter.step(1))),
        (Limit::Time, late.poll()),
        (Limit::Interrupt, interrupted.poll()),
        (Limit::Interrupt, work::charge(usize::MAX)),
        (Limit::Output, meter.print(1).and_then(|()| meter.print(1))),
        (Limit::FilesChanged, meter.change_files(1).and_then(|()| meter.change_files(1))),
        (Limit::BytesWritten, meter.write_bytes(1).and_then(|()| meter.write_bytes(1))),
        (Limit::Memory, space::check(1)),
        (Limit::Memory, space::take(1)),
        (Limit::String, space::check_string(2)),
        (Limit::Collection, space::check_items(2)),
        (Limit::ValueDepth, space::check_depth(2)),
    ]
    .into_iter()
    .find(|(limit, result)| ablation::keeps(*limit) && !bites(*limit, result))
    .map(|(limit, _)| limit)
}

fn bites(limit: Limit, result: &Result<(), LimitHit>) -> bool {
    matches!(result, Err(hit) if hit.limit == limit)
}

#[cfg(test)]
mod tests {
    use super::{Limit, LimitHit, bites, loose_limit};

    #[test]
    fn every_limiter_bites() {
        assert_eq!(loose_limit(), None);
    }

    #[test]
    fn one_that_lets_through_or_takes_another_for_itself_is_found() {
        assert!(!bites(Limit::Steps, &Ok(())));
        assert!(!bites(Limit::Steps, &Err(LimitHit { limit: Limit::Time, allowed: 1 })));
    }
}
