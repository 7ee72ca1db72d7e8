//! The paths that entries had before a run, found back through the run's moves.

use std::collections::BTreeMap;

use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::handles::address::Address;

/// The arrivals of a run: which of its steps brought an entry to a path, and from where.
pub(super) struct Origins<'h> {
    by_destination: BTreeMap<&'h Address, Vec<Arrival<'h>>>,
}

/// A step that brought an entry to a path, with everything in it.
#[derive(Clone, Copy)]
struct Arrival<'h> {
    /// The number of the step.
    number: u32,
    /// The path from which the entry came, or `None` if the run created it.
    from: Option<&'h Address>,
}

impl<'h> Origins<'h> {
    /// Collects the arrivals of a run.
    pub fn of(history: &'h History) -> Origins<'h> {
        let mut origins = Origins { by_destination: BTreeMap::new() };
        history.steps.iter().for_each(|taken| origins.take(taken));
        origins
    }

    fn take(&mut self, JournaledStep { number, step, fate, .. }: &'h JournaledStep) {
        let StepOutcome::Done { kept: has_kept, .. } = fate else { return };
        let mut arrive = |to, from| self.by_destination.entry(to).or_default().push(Arrival { number: *number, from });
        match step {
            Step::Move { path, to, .. } => arrive(to, Some(path)),
            Step::Take { path, kept, .. } => arrive(kept, Some(path)),
            Step::MakeFolder { path } => arrive(path, None),
            Step::Put { path, kept, from, .. } => {
                if let Some(kept) = kept.as_ref().filter(|_| *has_kept) {
                    arrive(kept, Some(path));
                }
                // A backup that an earlier run made is no path of the tree.
                let from = from.as_ref().map(|(from, _)| from).filter(|from| self.holds(from));
                self.by_destination.entry(path).or_default().push(Arrival { number: *number, from });
            }
            Step::RemoveFolder { .. }
            | Step::SetMode { .. }
            | Step::SetModified { .. }
            | Step::Draft { .. }
            | Step::Temporary { .. } => {}
        }
    }

    fn holds(&self, backup: &Address) -> bool {
        backup.ancestors().any(|above| self.by_destination.contains_key(&above))
    }

    /// Returns the path before the run of the entry that a step moved or changed. Returns `None` if the run created it.
    pub fn path_before(&self, taken: &JournaledStep) -> Option<Address> {
        let (mut path, mut number) = (taken.step.path().clone(), taken.number);
        while let Some((to, arrival)) = self.last_arrival(&path, number) {
            let from = arrival.from?;
            path = path.moved(&to, from);
            number = arrival.number;
        }
        Some(path)
    }

    /// Returns the last step before `number` that brought an entry to a path or to a directory above it.
    fn last_arrival(&self, path: &Address, number: u32) -> Option<(Address, Arrival<'h>)> {
        let arrival = |to: Address| {
            let arrivals = self.by_destination.get(&to)?;
            let earlier = arrivals.partition_point(|arrival| arrival.number < number);
            Some((to, *arrivals.get(earlier.checked_sub(1)?)?))
        };
        path.ancestors().filter_map(arrival).max_by_key(|(_, arrival)| arrival.number)
    }
}
