//! Restores the modification times of directories in which the last steps of a killed run came to nothing.
//!
//! When recovery removes a staging file, the modification time of its directory changes although nothing else remains
//! of the step. The journal has the previous time. If somebody else changed the directory after the run was killed,
//! the time is left alone.

use std::collections::BTreeMap;

use super::super::changing::journal::Journal;
use super::super::changing::journal::history::{History, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::metadata::Timestamp;
use super::super::handles::state::{Moment, time};

/// Seconds after the last write to the journal during which the last step may still have changed something.
const LATE: i64 = 10;

/// The directories of the last steps.
pub(super) struct DirectoryTimes {
    folders: BTreeMap<Address, DirectoryAfter>,
    /// Modification time of the journal.
    until: Option<Timestamp>,
}

/// A directory as the killed run left it.
#[derive(Default)]
struct DirectoryAfter {
    /// Modification time before the steps.
    before: Option<Moment>,
    /// Modification time found before recovery.
    found: Option<Timestamp>,
    /// Whether one of the steps took effect.
    is_changed: bool,
}

impl DirectoryTimes {
    /// Reads the state of the directories before recovery changes anything.
    pub fn new(history: &History, until: Option<Timestamp>, roots: Roots<'_>) -> DirectoryTimes {
        let mut folders: BTreeMap<Address, DirectoryAfter> = BTreeMap::new();
        let unknown = history.steps.iter().filter(|taken| matches!(taken.fate, StepOutcome::Unknown { .. }));
        for taken in unknown {
            for (folder, before) in touched(&taken.step).into_iter().zip(&taken.before) {
                let found = || roots.state(&folder).ok().flatten().and_then(|state| state.modified());
                let left = DirectoryAfter { before: *before, found: found(), is_changed: false };
                folders.entry(folder).or_insert(left);
            }
        }
        DirectoryTimes { folders, until }
    }

    /// Notes that a step did take effect.
    pub fn taken(&mut self, step: &Step) {
        for folder in touched(step) {
            if let Some(left) = self.folders.get_mut(&folder) {
                left.is_changed = true;
            }
        }
    }

    /// Restores the times of directories in which no step took effect, and journals the resulting times. Failures to
    /// set a time are ignored.
    pub fn settle(&self, journal: &Journal, roots: Roots<'_>) {
        for (address, left) in &self.folders {
            let Ok(folder) = roots.place(address).and_then(|place| place.open_folder()) else { continue };
            if let (false, true, Some(before)) = (left.is_changed, self.is_ours(left), left.before) {
                let _ = folder.set_own_modified(time(before));
            }
            journal.touched(address.clone(), &folder);
        }
    }

    /// Whether the killed run may have been the last to change a directory.
    fn is_ours(&self, left: &DirectoryAfter) -> bool {
        left.found.zip(self.until).is_some_and(|(found, until)| found.seconds <= until.seconds.saturating_add(LATE))
    }
}

/// Returns the directories whose entries a step changes, including those of steps that leave nothing behind.
fn touched(step: &Step) -> Vec<Address> {
    match step {
        Step::Draft { path } | Step::Temporary { path } => vec![path.parent()],
        step => step.folders(),
    }
}
