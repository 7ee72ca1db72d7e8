//! The times of directories where runs are undone or redone out of order.
//!
//! A run records the time of each directory before its first change and after its last one. When it is undone the
//! directory gets the time before, which another run may have left that was undone or redone since. Then it gets the
//! time that it would have, had the runs that are undone never been.

use std::collections::{BTreeMap, HashSet};

use super::address::Address;
use super::history::History;
use super::list::{Origin, walk};
use super::outcome::Outcome;
use super::record::{Begin, End, Moment};
use super::roots::Roots;
use super::run::Folders;

/// Maximum number of runs whose journals are read. Directories that older ones changed too get the recorded time.
const RUNS: usize = 64;

/// The times of directories before an undo, and after it.
#[derive(Debug, Default)]
pub(super) struct Times {
    before: Timeline,
    after: Timeline,
}

/// The times that runs gave to directories which were undone or redone since another began.
#[derive(Debug, Default)]
struct Timeline {
    /// The time before a run that is undone, by the directory and its time after the run.
    undone: BTreeMap<(Address, Moment), Moment>,
    /// The time after the last run that is not undone.
    standing: BTreeMap<Address, Moment>,
}

impl Times {
    /// Reads what was undone and redone since a run began that is about to be undone. Journals that cannot be read
    /// are skipped, as times are no reason to refuse an undo.
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
            for (folder, before, after) in Outcome::of(&history.without_temporary()).into_times() {
                times.before.add(&folder, (before, after), toggled.before.has(name));
                times.after.add(&folder, (before, after), toggled.after.has(name));
            }
        }
        times
    }

    /// Returns the time that a directory has if nobody else changed it since the run left it with a time.
    pub fn expected(&self, folder: &Address, time: Moment) -> Moment {
        self.before.resolve(folder, time)
    }

    /// Returns the time that a directory gets which had a time before the run.
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
        // Each run leads back once at most.
        for _ in 0..self.undone.len() {
            match self.undone.get(&key) {
                Some(before) => key.1 = *before,
                None => break,
            }
        }
        self.standing.get(folder).map_or(key.1, |last| key.1.max(*last))
    }
}

/// Runs that were undone or redone.
struct Toggled {
    runs: Vec<String>,
    /// Those that are undone before another is, and after it.
    before: Undone,
    after: Undone,
}

impl Toggled {
    /// The runs that were undone or redone since one began, or by it.
    fn since(run: &str, folders: &Folders, roots: Roots<'_>) -> Toggled {
        let mut toggled = Toggled { runs: Vec::new(), before: Undone::default(), after: Undone::with(run) };
        let mut oldest = run.to_owned();
        // What cannot be listed is skipped.
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
            // Whether the oldest of them is undone depends on all runs since.
            listed.run > oldest
        });
        toggled
    }
}

/// The runs that are undone, and not redone, as seen from the newest to the oldest.
#[derive(Debug, Default)]
pub(super) struct Undone(HashSet<String>);

impl Undone {
    fn with(run: &str) -> Undone {
        Undone(HashSet::from([run.to_owned()]))
    }

    /// Notes a run, which is older than those before.
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
