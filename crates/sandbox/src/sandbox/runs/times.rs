//! Modification times of directories when runs are undone or redone out of order.
//!
//! A run records the time of each directory before its first change and after its last one. Undoing the run restores
//! the time before it. If that time was left by another run that was undone or redone since, the directory instead
//! gets the time it would have if the undone runs had never happened.

use std::collections::{BTreeMap, HashSet};

use super::super::changing::journal::folders::Folders;
use super::super::changing::journal::history::History;
use super::super::changing::journal::list::{Origin, walk};
use super::super::changing::journal::record::{Begin, End};
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::state::{Moment, State};
use super::outcome::{RunOutcome, Touched};

/// Maximum number of runs whose journals are read. Directories changed by older runs get the recorded time.
const RUNS: usize = 64;

/// The times of directories before and after an undo.
#[derive(Debug, Default)]
pub(super) struct Times {
    before: Timeline,
    after: Timeline,
}

/// Times of directories as left by runs that were undone or redone since a run began.
#[derive(Debug, Default)]
struct Timeline {
    /// Time before an undone run, by directory and its time after that run.
    undone: BTreeMap<(Address, Moment), Moment>,
    /// Time after the last run that is not undone.
    standing: BTreeMap<Address, Moment>,
}

impl Times {
    /// Reads the runs that were undone or redone since `run`, which is about to be undone, began. Skips journals that
    /// cannot be read, because times are no reason to refuse an undo.
    pub fn of(run: &str, roots: Roots<'_>) -> Times {
        let mut times = Times::default();
        let Ok(Some(folders)) = Folders::find(roots.main) else { return times };
        let toggled = Toggled::since(run, &folders, roots);
        for name in toggled.runs.iter().take(RUNS) {
            let history = folders
                .ended
                .open_file(name.as_ref())
                .ok()
                .and_then(|file| History::read(&file, name.as_ref(), &folders.seal).ok());
            let Some(history) = history else { continue };
            for (folder, before, after) in RunOutcome::of(&history.without_temporary()).into_times() {
                times.before.add(&folder, (before, after), toggled.before.has(name));
                times.after.add(&folder, (before, after), toggled.after.has(name));
            }
        }
        times
    }

    /// Returns the time that a directory has if nobody else changed it since the run left it with `time`.
    pub fn expected(&self, folder: &Address, time: Moment) -> Moment {
        self.before.resolve(folder, time)
    }

    /// Returns the time to restore for a directory that had `time` before the run.
    pub fn restored(&self, folder: &Address, time: Moment) -> Moment {
        self.after.resolve(folder, time)
    }
}

impl Timeline {
    fn add(&mut self, folder: &Address, (before, after): (Moment, Moment), is_undone: bool) {
        if is_undone {
            self.undone.insert((folder.clone(), after), before);
        } else {
            let last = self.standing.entry(folder.clone()).or_insert(after);
            *last = after.max(*last);
        }
    }

    fn resolve(&self, folder: &Address, time: Moment) -> Moment {
        let mut key = (folder.clone(), time);
        // Each run leads back at most once.
        for _ in 0..self.undone.len() {
            match self.undone.get(&key) {
                Some(before) => key.1 = *before,
                None => break,
            }
        }
        self.standing.get(folder).map_or(key.1, |last| key.1.max(*last))
    }
}

impl RunOutcome {
    /// Returns the directories whose entries changed, by their path when the run began, with the time that each gets
    /// when the run is undone: the time before the run, or the present one if somebody else has changed the directory
    /// since.
    pub(super) fn times(&self, roots: Roots<'_>, times: &Times) -> Vec<(Address, Moment)> {
        let restored = |touched: &Touched| touched.before.map(|before| times.restored(&touched.origin, before));
        let time = |folder: &Address, touched: &Touched| {
            let is_as_left =
                |now: Moment| touched.after.is_some_and(|after| [after, times.expected(folder, after)].contains(&now));
            match roots.state(folder) {
                Ok(Some(State { modified: Some(now), .. })) if !is_as_left(now) => Some(now),
                Ok(_) => restored(touched),
                Err(_) => None,
            }
        };
        let folders = self.folders.iter().map(|(folder, touched)| (touched, time(folder, touched)));
        let gone = self.gone.values().flatten().map(|(_, touched)| (touched, restored(touched)));
        folders.chain(gone).filter_map(|(touched, time)| Some((touched.origin.clone(), time?))).collect()
    }
}

/// Runs that were undone or redone.
struct Toggled {
    runs: Vec<String>,
    /// Runs that are undone before and after the undo of a given run.
    before: UndoneRuns,
    after: UndoneRuns,
}

impl Toggled {
    /// Finds the runs that were undone or redone since `run` began, or by it.
    fn since(run: &str, folders: &Folders, roots: Roots<'_>) -> Toggled {
        let mut toggled = Toggled { runs: Vec::new(), before: UndoneRuns::default(), after: UndoneRuns::with(run) };
        let mut oldest = run.to_owned();
        // Journals that cannot be listed are skipped.
        let _ = walk(roots, |listed, _| {
            if let Some(begin) = &listed.begin {
                toggled.before.see(begin, listed.end);
                toggled.after.see(begin, listed.end);
                let reverses = begin.undoes.is_some() && listed.run.as_str() >= run;
                let origin = reverses.then(|| Origin::of(folders, begin).run);
                if let Some(origin) = origin.filter(|origin| !toggled.runs.contains(origin)) {
                    oldest = oldest.clone().min(origin.clone());
                    toggled.runs.push(origin);
                }
            }
            // Whether the oldest of these runs is undone depends on all runs since.
            listed.run > oldest
        });
        toggled
    }
}

/// Runs that are undone and not redone, collected from the newest run to the oldest.
#[derive(Debug, Default)]
pub(super) struct UndoneRuns(HashSet<String>);

impl UndoneRuns {
    fn with(run: &str) -> UndoneRuns {
        UndoneRuns(HashSet::from([run.to_owned()]))
    }

    /// Adds the effect of a run, which must be older than those seen before.
    pub fn see(&mut self, begin: &Begin, end: Option<End>) {
        if let (Some(run), Some(End::Done), false) = (&begin.undoes, end, self.has(&begin.run)) {
            self.0.insert(run.clone());
        }
    }

    /// Whether a run is undone.
    pub fn has(&self, run: &str) -> bool {
        self.0.contains(run)
    }
}
