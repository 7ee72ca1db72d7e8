//! Modification times of directories when runs are undone, redone or rolled back.
//!
//! One rule: a reversal gives each directory whose entries it changes the time that the last change still in effect left,
//! or, if no change is in effect, the time before the first one.
//!
//! The changes of a directory are those of runs, which a reversal takes out of effect, and those of other programs, which
//! always stay in effect. The journals have the times before and after the changes of runs. Where a run found another
//! time than the run before it left, another program changed the directory between them; the present time tells the same
//! about the moment before the reversal. A reversal that left the time that this rule gives is no change of its own. One
//! that did not, because it was forced and left some entries as they are, is a change like that of any other run.
//!
//! A directory is followed by its path through moves, and into and out of backups.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::super::changing::journal::folders::Folders;
use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::list::walk;
use super::super::changing::journal::record::{End, Step};
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::state::Moment;
use super::outcome::{RunOutcome, Touched, at_and_below};

/// Maximum number of runs whose journals are read. When an older run is undone, the others do not count.
const RUNS: usize = 1024;

/// The times of directories before and after each run that changed them.
pub(super) struct Times<'a> {
    /// The run to reverse.
    outcome: &'a RunOutcome,
    run: Rc<str>,
    timelines: BTreeMap<Address, Timeline>,
    /// The run that each undo or redo reverses.
    reversed: HashMap<Rc<str>, Rc<str>>,
}

/// The changes of one directory, the oldest first.
#[derive(Debug)]
struct Timeline {
    /// The time before the first change.
    first: Moment,
    changes: Vec<TimeChange>,
    /// The runs that changed the directory, and those of them that are not in effect.
    runs: HashSet<Rc<str>>,
    undone: HashSet<Rc<str>>,
}

/// A change of the time of a directory.
#[derive(Debug)]
struct TimeChange {
    /// The run that made it, or `None` for another program.
    run: Option<Rc<str>>,
    after: Moment,
}

/// The times of a directory before and after a run.
#[derive(Clone, Copy, Debug)]
struct RunTimes {
    before: Moment,
    after: Moment,
}

impl<'a> Times<'a> {
    /// Returns the times that steps of a run left, to be reversed before the run ends.
    pub fn of_steps(history: &History, outcome: &'a RunOutcome) -> Times<'a> {
        let run = Rc::from(history.begin.run.as_str());
        let mut times = Times { outcome, run, timelines: BTreeMap::new(), reversed: HashMap::new() };
        times.add(history, outcome);
        times
    }

    /// Returns the times that a finished run and the runs after it left, and earlier runs that any of them reversed.
    /// Skips journals that cannot be read, because times are no reason to refuse an undo.
    pub fn of_run(history: &History, outcome: &'a RunOutcome, roots: Roots<'_>) -> Times<'a> {
        let alone = || Times::of_steps(history, outcome);
        let run = &history.begin.run;
        let (Ok(Some(folders)), Some(names)) = (Folders::find(roots.main), runs_since(run, roots)) else {
            return alone();
        };
        let run = Rc::from(run.as_str());
        let mut times = Times { outcome, run, timelines: BTreeMap::new(), reversed: HashMap::new() };
        for name in names {
            if *name == *times.run {
                times.add(history, outcome);
                continue;
            }
            let file = folders.open_journal(name.as_ref()).ok();
            let other = file.and_then(|file| History::read(&file, name.as_ref(), &folders.seal).ok());
            if let Some(other) = other.map(History::without_temporary) {
                times.add(&other, &RunOutcome::of(&other));
            }
        }
        times
    }

    /// Returns the time of each directory whose entries the run changed, after its reversal, and the path that the
    /// directory then has.
    pub fn restored(mut self, roots: Roots<'_>) -> Vec<(Address, Moment)> {
        let mut restored = Vec::new();
        for (address, touched) in self.outcome.directories() {
            let Some(times) = touched.times() else { continue };
            let timeline = self.timelines.entry(address.clone()).or_insert_with(|| Timeline::new(&self.run, times));
            // Nobody else changes a directory that the run removed: it is in a backup or does not exist.
            if self.outcome.folders.contains_key(address) {
                match roots.state(address) {
                    Ok(now) => timeline.found(now.and_then(|now| now.modified)),
                    Err(_) => continue,
                }
            }
            timeline.reverse(&self.run, &self.reversed);
            restored.push((touched.origin.clone(), timeline.time()));
        }
        restored
    }

    /// Adds a run, which must be newer than those before.
    fn add(&mut self, history: &History, outcome: &RunOutcome) {
        let run = Rc::<str>::from(history.begin.run.as_str());
        let reversed = reversed_run(history).map(Rc::<str>::from);
        history.steps.iter().for_each(|taken| self.follow(taken));
        self.reversed.extend(reversed.as_ref().map(|reversed| (Rc::clone(&run), Rc::clone(reversed))));
        for (address, touched) in outcome.directories() {
            let Some(times) = touched.times() else { continue };
            match self.timelines.get_mut(address) {
                Some(timeline) => timeline.add(&run, times, reversed.as_ref(), &self.reversed),
                None => drop(self.timelines.insert(address.clone(), Timeline::new(&run, times))),
            }
        }
        let Some(reversed) = reversed else { return };
        // It also gave directories that it created again their time. To the outcome, these are new.
        for (address, modified, _) in &history.touched {
            let timeline = self.timelines.get_mut(address).filter(|timeline| !timeline.runs.contains(&run));
            if let Some((timeline, after)) = timeline.zip(*modified) {
                let times = RunTimes { before: timeline.time(), after };
                timeline.add(&run, times, Some(&reversed), &self.reversed);
            }
        }
    }

    /// Follows the directories that a step moved, replaced or removed.
    fn follow(&mut self, JournaledStep { step, fate, .. }: &JournaledStep) {
        let StepOutcome::Done { kept: has_kept, .. } = fate else { return };
        match step {
            Step::Put { path, kept, from, .. } => {
                match kept.as_ref().filter(|_| *has_kept) {
                    Some(kept) => self.rename(path, kept),
                    None => self.remove(path),
                }
                if let Some((from, _)) = from {
                    self.rename(from, path);
                }
            }
            Step::Take { path, kept, .. } => self.rename(path, kept),
            Step::Move { path, to, .. } => self.rename(path, to),
            _ => {}
        }
    }

    fn rename(&mut self, from: &Address, to: &Address) {
        self.remove(to);
        for address in at_and_below(&self.timelines, from) {
            let timeline = self.timelines.remove(&address).expect("its key was just seen");
            self.timelines.insert(address.moved(from, to), timeline);
        }
    }

    fn remove(&mut self, path: &Address) {
        for address in at_and_below(&self.timelines, path) {
            self.timelines.remove(&address);
        }
    }
}

impl Timeline {
    fn new(run: &Rc<str>, RunTimes { before, after }: RunTimes) -> Timeline {
        let changes = vec![TimeChange { run: Some(Rc::clone(run)), after }];
        Timeline { first: before, changes, runs: HashSet::from([Rc::clone(run)]), undone: HashSet::new() }
    }

    /// Adds the changes of a run, which may be the reversal of another.
    fn add(
        &mut self,
        run: &Rc<str>,
        RunTimes { before, after }: RunTimes,
        reverses: Option<&Rc<str>>,
        reversed: &HashMap<Rc<str>, Rc<str>>,
    ) {
        self.found(Some(before));
        self.runs.insert(Rc::clone(run));
        if let Some(other) = reverses.filter(|other| self.runs.contains(*other)) {
            self.reverse(other, reversed);
            if self.time() == after {
                return;
            }
        }
        self.changes.push(TimeChange { run: Some(Rc::clone(run)), after });
    }

    /// Adds a change by another program if the time is not the expected one.
    fn found(&mut self, time: Option<Moment>) {
        if let Some(after) = time.filter(|time| *time != self.time()) {
            self.changes.push(TimeChange { run: None, after });
        }
    }

    /// Takes the changes of a run out of effect. If it was a reversal, what it reversed is in effect again.
    fn reverse(&mut self, run: &Rc<str>, reversed: &HashMap<Rc<str>, Rc<str>>) {
        let mut is_undone = true;
        for run in std::iter::successors(Some(run), |run| reversed.get(*run)) {
            if is_undone {
                self.undone.insert(Rc::clone(run));
            } else {
                self.undone.remove(run);
            }
            is_undone = !is_undone;
        }
    }

    /// Returns the time that the last change in effect left.
    fn time(&self) -> Moment {
        let is_in_effect = |change: &&TimeChange| change.run.as_ref().is_none_or(|run| !self.undone.contains(run));
        self.changes.iter().rev().find(is_in_effect).map_or(self.first, |change| change.after)
    }
}

impl Touched {
    fn times(&self) -> Option<RunTimes> {
        Some(RunTimes { before: self.before?, after: self.after? })
    }
}

/// Returns the run that a run reversed. Names sort by time, so it is an older one.
fn reversed_run(history: &History) -> Option<&str> {
    let History { begin, end, .. } = history;
    begin.undoes.as_deref().filter(|reversed| *end == Some(End::Done) && *reversed < begin.run.as_str())
}

/// Returns the names of a run and of all later ones, and of the runs from the oldest on that one of these reversed, the
/// oldest first. Returns `None` if these are too many or cannot be listed.
fn runs_since(run: &str, roots: Roots<'_>) -> Option<Vec<String>> {
    let (mut names, mut oldest) = (Vec::new(), run.to_owned());
    walk(roots, |listed, _| {
        if listed.run < oldest {
            return false;
        }
        if let Some(reversed) = listed.begin.and_then(|begin| begin.undoes).filter(|reversed| *reversed < oldest) {
            oldest = reversed;
        }
        names.push(listed.run);
        names.len() <= RUNS
    })
    .ok()?;
    names.reverse();
    (names.len() <= RUNS).then_some(names)
}
