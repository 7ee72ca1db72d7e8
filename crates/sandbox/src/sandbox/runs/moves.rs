//! Reversal of moves that do not depend on each other. Each is journaled before the first is made, so that their records
//! are synced once instead of one after another.

use std::collections::BTreeSet;

use super::super::changing::change::{PendingRenaming, Renaming};
use super::super::changing::journal::history::{JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::handles::address::{Address, holder};
use super::super::handles::error::SandboxError;
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::reverse::Reverser;

/// Maximum number of moves whose records are synced together. Each keeps two directories open.
const TOGETHER: usize = 128;

/// A move that was made.
#[derive(Clone, Copy)]
struct Move<'s> {
    number: u32,
    path: &'s Address,
    to: &'s Address,
    /// The entry after the move.
    now: Option<&'s State>,
}

impl<'s> Move<'s> {
    fn of(taken: &'s JournaledStep) -> Option<Move<'s>> {
        match (&taken.step, &taken.fate) {
            (Step::Move { path, to, .. }, StepOutcome::Done { now, .. }) => {
                Some(Move { number: taken.number, path, to, now: now.as_ref() })
            }
            _ => None,
        }
    }
}

/// Returns the moves with which these steps begin, up to the first step that is no move or concerns an entry, a
/// directory above it or an entry below it that another of them moves.
fn independent<'s>(steps: &[&'s JournaledStep]) -> Vec<Move<'s>> {
    let (mut moved, mut above) = (BTreeSet::new(), BTreeSet::new());
    let mut moves = Vec::new();
    for taken in steps.iter().take(TOGETHER) {
        let Some(one) = Move::of(taken) else { break };
        let addresses = [one.path, one.to];
        if addresses.iter().any(|address| holder(&moved, address).is_some() || above.contains(*address)) {
            break;
        }
        for address in addresses {
            above.extend(address.ancestors().skip(1));
            moved.insert(address.clone());
        }
        moves.push(one);
    }
    moves
}

/// The entry of a move, and the path to which it goes back.
struct WayBack {
    now: SandboxPath,
    before: SandboxPath,
}

impl Reverser<'_, '_> {
    /// Reverses the first of these steps, and with it those that follow and are moves like it, as far as none depends on
    /// another: their records are synced together. Returns the result of each.
    pub fn reverse_next(&mut self, steps: &[&JournaledStep]) -> Vec<Result<(), SandboxError>> {
        let moves = independent(steps);
        if moves.len() > 1 {
            return self.reverse_moves(&moves);
        }
        let first = steps[0];
        self.cancel_out(first.number);
        vec![self.reverse(first)]
    }

    /// Reverses moves that do not depend on each other. Returns the result of each.
    fn reverse_moves(&mut self, moves: &[Move<'_>]) -> Vec<Result<(), SandboxError>> {
        let Some(ways) = self.ways_back(moves) else { return self.reverse_each(moves) };
        let change = self.change;
        let begun = change.begin_together(|| {
            let mut pending: Vec<PendingRenaming<'_>> = Vec::with_capacity(ways.len());
            for (one, WayBack { now, before }) in moves.iter().zip(&ways) {
                self.cancel_out(one.number);
                pending.push(Renaming { source: now, target: before, metadata: now.metadata()? }.begin(change)?);
            }
            Ok(pending)
        });
        let Ok(pending) = begun else { return self.reverse_each(moves) };
        let make = |(one, pending): (&Move<'_>, PendingRenaming<'_>)| {
            self.cancel_out(one.number);
            self.moved_back(one.path, one.to, pending.carry_out())
        };
        moves.iter().zip(pending).map(make).collect()
    }

    /// Reverses moves one after another. Each that cannot be reversed says why.
    fn reverse_each(&mut self, moves: &[Move<'_>]) -> Vec<Result<(), SandboxError>> {
        let reverse = |one: &Move<'_>| {
            self.cancel_out(one.number);
            self.expect(one.to, one.now)?;
            self.move_back(one.path, one.to)
        };
        moves.iter().map(reverse).collect()
    }

    /// Returns the ways back of entries that are as their moves left them; `None` if one is not.
    fn ways_back(&self, moves: &[Move<'_>]) -> Option<Vec<WayBack>> {
        let mut ways: Vec<WayBack> = Vec::with_capacity(moves.len());
        for one in moves {
            self.expect(one.to, one.now).ok()?;
            let (mut now, mut before) = (self.roots.place(one.to).ok()?, self.roots.place(one.path).ok()?);
            if let Some(last) = ways.last() {
                now.share_folder(&last.now);
                before.share_folder(&last.before);
            }
            ways.push(WayBack { now, before });
        }
        Some(ways)
    }
}
