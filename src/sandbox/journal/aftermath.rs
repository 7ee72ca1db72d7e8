//! The times of folders in which the last steps of a run that was killed began, and came to nothing.
//!
//! A draft that comes into a folder and is removed by the next start changes the folder's time, as
//! nothing else of it stays. The journal says what the time was before. Where somebody else changed
//! the folder after the run was killed, the time stays.

use std::collections::BTreeMap;

use super::super::metadata::Timestamp;
use super::Journal;
use super::address::Address;
use super::history::{Fate, History};
use super::record::{Moment, Step, time};
use super::roots::Roots;

/// Seconds after the last record of a run in which its last step may still have changed something.
const LATE: i64 = 10;

/// The folders of the last steps.
pub(super) struct Aftermath {
    folders: BTreeMap<Address, Left>,
    /// When the journal was written last.
    until: Option<Timestamp>,
}

/// A folder as it was left.
#[derive(Default)]
struct Left {
    /// When it was changed last before the steps.
    before: Option<Moment>,
    /// When it was changed last as it was found.
    found: Option<Timestamp>,
    /// Whether one of the steps was taken.
    is_changed: bool,
}

impl Aftermath {
    /// Looks at the folders, before anything is done.
    pub fn new(history: &History, until: Option<Timestamp>, roots: Roots<'_>) -> Aftermath {
        let mut folders: BTreeMap<Address, Left> = BTreeMap::new();
        let unknown = history.steps.iter().filter(|taken| matches!(taken.fate, Fate::Unknown { .. }));
        for taken in unknown {
            for (folder, before) in touched(&taken.step).into_iter().zip(&taken.before) {
                let found = || roots.state(&folder).ok().flatten().and_then(|state| state.modified());
                let left = Left { before: *before, found: found(), is_changed: false };
                folders.entry(folder).or_insert(left);
            }
        }
        Aftermath { folders, until }
    }

    /// A step was taken all the same.
    pub fn taken(&mut self, step: &Step) {
        for folder in touched(step) {
            if let Some(left) = self.folders.get_mut(&folder) {
                left.is_changed = true;
            }
        }
    }

    /// Gives folders in which nothing was done their times, and writes down what the times are. What cannot
    /// get its time is as good as it was.
    pub fn settle(&self, journal: &Journal, roots: Roots<'_>) {
        for (address, left) in &self.folders {
            let Ok(folder) = roots.place(address).and_then(|place| place.open_folder()) else { continue };
            if let (false, true, Some(before)) = (left.is_changed, self.is_ours(left), left.before) {
                let _ = folder.set_own_modified(time(before));
            }
            journal.touched(address.clone(), &folder);
        }
    }

    /// Whether the run itself may have changed a folder last.
    fn is_ours(&self, left: &Left) -> bool {
        left.found.zip(self.until).is_some_and(|(found, until)| found.seconds <= until.seconds.saturating_add(LATE))
    }
}

/// The folders whose entries a step changes, also when nothing of that stays.
fn touched(step: &Step) -> Vec<Address> {
    match step {
        Step::Draft { path } | Step::Temporary { path } => vec![path.parent()],
        step => step.folders(),
    }
}
