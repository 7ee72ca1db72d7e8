//! The changes that a run has made under a debugger: each is a run of its own in the journal, so going back is the undo
//! of that run, and going forward its redo.

use std::collections::VecDeque;

use crate::limits::space;

use super::snapshot::Snapshot;

/// Maximum number of changes over which a run can go back.
const MAX_CHANGES: usize = 1_000;
/// Maximum number of values in all snapshots.
const MAX_VALUES: usize = 4_000_000;

/// A change of files.
#[derive(Debug)]
pub(super) struct PastChange {
    /// The variables before it.
    pub before: Snapshot,
    /// The name of its run in the journal.
    pub run: String,
}

/// The changes so far.
#[derive(Debug, Default)]
pub(super) struct History {
    changes: VecDeque<PastChange>,
    /// Number of changes in effect.
    at: usize,
    /// Whether older changes were forgotten.
    is_cut: bool,
    /// Whether a temporary directory exists, so that changes are no longer runs of their own.
    is_closed: bool,
    /// The variables before the call that is made.
    pending: Option<Snapshot>,
}

/// Why a run cannot go back further.
const NOTHING_BEFORE: &str = "the run has changed no file before this";

impl History {
    /// Whether an earlier state is shown.
    pub fn is_in_past(&self) -> bool {
        self.at < self.changes.len()
    }

    /// Returns the variables that are shown, if they are those of an earlier state.
    pub fn shown(&self) -> Option<&Snapshot> {
        self.changes.get(self.at).map(|change| &change.before)
    }

    /// Returns how many changes are taken back, and the number of all.
    pub fn position(&self) -> [usize; 2] {
        [self.changes.len() - self.at, self.changes.len()]
    }

    /// Returns the run to undo for going back.
    ///
    /// # Errors
    /// Why there is none.
    pub fn previous(&self) -> Result<&PastChange, String> {
        if self.is_closed {
            return Err(
                "the script has a temporary directory, and since it was made changes cannot be taken back one by \
                        one; when the run has ended, `ns undo` takes back all of them"
                    .to_owned(),
            );
        }
        match (self.at.checked_sub(1), self.is_cut) {
            (Some(before), _) => Ok(&self.changes[before]),
            (None, false) => Err(NOTHING_BEFORE.to_owned()),
            (None, true) => Err(format!(
                "the debugger keeps the variables of the last {MAX_CHANGES} changes at most, and this is the oldest; \
                 `ns log` lists the changes before, and `ns undo RUN` takes one back"
            )),
        }
    }

    /// Returns the run to redo for going forward.
    pub fn next(&self) -> Option<&PastChange> {
        self.changes.get(self.at)
    }

    /// Records that the previous change was taken back.
    pub fn went_back(&mut self) {
        self.at -= 1;
    }

    /// Records that the next change was made again.
    pub fn went_forward(&mut self) {
        self.at += 1;
    }

    /// Keeps the variables before a call that may change files. Returns whether the call is a run of its own.
    pub fn begin(&mut self, before: Snapshot) -> bool {
        if !self.is_closed {
            self.pending = Some(before);
        }
        !self.is_closed
    }

    /// Ends the recording: later changes cannot be stepped back over.
    pub fn close(&mut self) {
        self.is_closed = true;
        self.pending = None;
    }

    /// Returns the variables before the call that has ended, if it was a run of its own.
    pub fn take_pending(&mut self) -> Option<Snapshot> {
        self.pending.take()
    }

    /// Adds a change.
    pub fn push(&mut self, change: PastChange) {
        self.changes.push_back(change);
        let too_many = |changes: &VecDeque<PastChange>| {
            let values: usize = changes.iter().map(|change| change.before.size()).sum();
            changes.len() > MAX_CHANGES || values > MAX_VALUES || is_memory_short()
        };
        while self.changes.len() > 1 && too_many(&self.changes) {
            self.changes.pop_front();
            self.is_cut = true;
        }
        self.at = self.changes.len();
    }
}

/// Whether the values that snapshots hold could keep a run from allocating more.
fn is_memory_short() -> bool {
    let (left, hit) = space::memory_left();
    left < hit.allowed / 4
}

#[cfg(test)]
mod tests {
    use super::{History, MAX_CHANGES, NOTHING_BEFORE, PastChange};
    use crate::engine::debug::snapshot::Snapshot;

    #[test]
    fn old_changes_are_forgotten_and_said_to_be() {
        let mut history = History::default();
        assert_eq!(history.previous().expect_err("there is none"), NOTHING_BEFORE);
        for number in 0..MAX_CHANGES + 5 {
            history.push(PastChange { before: Snapshot::default(), run: number.to_string() });
        }
        for number in (5..MAX_CHANGES + 5).rev() {
            assert_eq!(history.previous().expect("it is kept").run, number.to_string());
            history.went_back();
        }
        assert_eq!(history.position(), [MAX_CHANGES, MAX_CHANGES]);
        assert!(history.previous().expect_err("it is forgotten").contains("the oldest"));
        history.close();
        assert!(history.previous().expect_err("the way is closed").contains("temporary"));
    }
}
