//! Undo of a finished run, and rollback of the active run or a part of it.

use std::collections::BTreeSet;
use std::io;

use super::super::handles::metadata::Timestamp;
use super::super::handles::private::check_regular;
use crate::limits::Meter;

use super::super::changing::backups::{Retention, UndoLock};
use super::super::changing::journal::folders::Folders;
use super::super::changing::journal::history::{History, HistoryError, JournaledStep};
use super::super::changing::journal::list::Origin;
use super::super::changing::journal::record::{Begin, End, Step};
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::file_metadata;
use super::super::handles::folder::lock::{Locked, try_lock};
use super::super::handles::stamp::{self, short};
use super::super::handles::state::{Moment, time};
use super::super::internal::state_dir::display;
use super::conflicts::Comparison;
use super::forced::{self, Displaced, Forced};
use super::later::Since;
use super::obstacles;
use super::obstacles::{Conflict, Obstacle};
use super::outcome::RunOutcome;
use super::reverse::Reverser;
use super::rules::ChangeRules;
use super::skipped::Skipped;
use super::times::Times;

/// Why a run is not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is no run with this name.
    #[error("there is no run `{}`", short(.0))]
    Unknown(String),
    /// The run is still active.
    #[error("the run `{}` still goes on", short(.0))]
    GoesOn(String),
    /// The run is already undone.
    #[error("the run `{}` is taken back already", short(.0))]
    Undone(String),
    /// The run to redo is not undone.
    #[error("the run `{}` is not taken back", short(.0))]
    NotUndone(String),
    /// No change of the run is in effect, so there is nothing to undo.
    #[error("nothing that the run `{}` changed stays", short(.0))]
    Nothing(String),
    /// This user's key did not seal the journal of the run for this directory.
    #[error("the journal of `{}` cannot be read: {}", short(.0), HistoryError::Foreign)]
    Foreign(String),
    /// The journal of the run cannot be read.
    #[error("the journal of `{}` cannot be read: {reason}", short(run))]
    Unreadable {
        /// The name of the run.
        run: String,
        /// The reason.
        reason: String,
    },
    /// The tree is no longer as the run left it.
    #[error("{} changed since the run `{}`{}", if conflicts.len() == 1 { "1 path has".to_owned() } else { format!("{} paths have", conflicts.len()) }, short(run), if *is_redo { " was taken back" } else { "" })]
    MovedOn {
        /// The original run, to which the undo or redo applies.
        run: String,
        /// Whether the request was a redo.
        is_redo: bool,
        /// Each conflicting path and the reason.
        conflicts: Vec<Conflict>,
        /// Whether a forced undo may take some of it back.
        is_forceable: bool,
        /// Short names of the later runs that stand in the way, newest first.
        later: Vec<String>,
    },
    /// A forced undo could not reverse any change. The run stays as it is.
    #[error("nothing of the run `{}` could be {}", short(run), if *is_redo { "done again" } else { "taken back" })]
    NothingBack {
        /// The original run, to which the undo or redo applies.
        run: String,
        /// Whether the request was a redo.
        is_redo: bool,
        /// Each path that would have been left as it is, and the reason.
        conflicts: Vec<Conflict>,
        /// Short names of the later runs that stand in the way, newest first.
        later: Vec<String>,
    },
    /// The undo failed; its changes were rolled back.
    #[error("nothing of the run `{}` was {}: {error}", short(run), if *is_redo { "done again" } else { "taken back" })]
    RolledBack {
        /// The original run, to which the undo or redo applies.
        run: String,
        /// Whether the request was a redo.
        is_redo: bool,
        /// The reason.
        error: SandboxError,
    },
    /// The undo could not begin, or its changes could not all be rolled back.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// The steps of a run to reverse, and those to leave as they are.
struct UndoSteps<'a> {
    history: &'a History,
    outcome: &'a RunOutcome,
    skipped: Skipped<'a>,
    /// The state of a forced undo; `None` if every step is to be reversed.
    forced: Option<Forced<'a>>,
    /// Roots of copies of what the run left.
    copied: BTreeSet<Address>,
}

/// The result of reversing the steps of a run.
#[derive(Default)]
struct TakenBack {
    steps: usize,
    left: Vec<Conflict>,
    displaced: Vec<Displaced>,
    /// Paths that must stay as they are although something that depends on them was reversed already: the undo has to be
    /// rolled back, and tried again without them.
    found_late: Vec<Conflict>,
}

impl TakenBack {
    /// The result if a step had to be left for a reason after something that depends on it was reversed.
    fn too_late(step: &Step, reason: &str) -> TakenBack {
        let conflict = |path: &Address| Conflict { path: path.clone(), reason: reason.to_owned() };
        TakenBack { found_late: step.places().into_iter().map(conflict).collect(), ..TakenBack::default() }
    }
}

/// The result of one attempt to undo a run.
enum Attempt {
    Done(UndoReport),
    /// These paths turned out to have to stay as they are; everything was rolled back.
    Again(Vec<Conflict>),
}

/// The result of an undo.
#[derive(Clone, Debug)]
pub struct UndoReport {
    /// The run that was undone.
    pub run: String,
    /// The run that performed the undo. Undoing it reverses the undo.
    pub by: Option<String>,
    /// The original run.
    pub origin: Origin,
    /// Whether the original run is redone by this; otherwise it is undone.
    pub is_redo: bool,
    /// Number of changes that were undone or redone, out of [`Origin::changes`].
    pub steps: usize,
    /// Paths that a forced undo left as they are, and the reasons.
    pub left: Vec<Conflict>,
    /// Entries that a forced undo displaced, with their backups.
    pub displaced: Vec<Displaced>,
}

/// Returns the error of an undo that was rolled back. A path that is not in the expected state is a conflict: the
/// comparison before looks at a kept directory, but not at what is in it.
fn moved_on(error: SandboxError, run: String, is_redo: bool) -> UndoError {
    let (SandboxError::Changed(path) | SandboxError::NotFound(path)) = &error else { return error.into() };
    let reason = "what is there, or was kept of it, was changed since".to_owned();
    let conflict = Conflict { path: Address::from(path.as_str()), reason };
    UndoError::MovedOn { run, is_redo, conflicts: vec![conflict], is_forceable: true, later: Vec::new() }
}

/// Returns an error if a run is undone already, or if its journal is damaged and its undo is not forced.
fn check_reversible(history: &History, run: &str, force: bool, roots: Roots<'_>) -> Result<(), UndoError> {
    // Another process may have reversed the run while this one waited for the lock.
    let listed = Journal::find(roots, None, run)?.into_iter().find(|listed| listed.run == run);
    if listed.and_then(|listed| listed.reversal).is_some_and(|reversal| reversal.is_undone) {
        return Err(UndoError::Undone(run.to_owned()));
    }
    match history.damaged {
        Some(line) if !force => Err(UndoError::Unreadable { run: run.to_owned(), reason: damage(line) }),
        _ => Ok(()),
    }
}

/// Returns why the changes of a run are not all known.
fn damage(line: impl std::fmt::Display) -> String {
    format!("line {line} is damaged, so that what it did from there on is not known")
}

/// Sorts conflicts by their paths, and keeps the first of each path.
fn in_order(mut conflicts: Vec<Conflict>) -> Vec<Conflict> {
    conflicts.sort_by(|one, other| one.path.cmp(&other.path));
    conflicts.dedup_by(|one, other| one.path == other.path);
    conflicts
}

/// Returns the path of the journal of a run.
fn journal_of(run: &str) -> Address {
    Address::from(format!("{}/{run}", display(JOURNAL)).as_str())
}

impl Journal {
    /// Returns the original run behind an undo or redo, or the run itself.
    pub fn origin(roots: Roots<'_>, begin: &Begin) -> Result<Origin, SandboxError> {
        let itself = || Origin { run: begin.run.clone(), command: begin.command.clone(), changes: None };
        Ok(Folders::find(roots.main)?.map_or_else(itself, |folders| Origin::of(&folders, begin)))
    }

    /// Undoes a run, its last step first. If the tree is no longer as the run left it, nothing is undone unless
    /// `force` is set, which undoes the rest.
    pub fn undo(
        &self,
        run: &str,
        force: bool,
        about: Begin,
        rules: &ChangeRules<'_>,
        meter: &mut Meter,
    ) -> Result<UndoReport, UndoError> {
        let _lock = UndoLock::wait(rules.roots.main, meter)?;
        let mut staying = Vec::new();
        // Each attempt finds a step to leave that those before have not found.
        loop {
            match self.attempt(run, force, about.clone(), &staying, rules, meter)? {
                Attempt::Done(report) => return Ok(report),
                Attempt::Again(found_late) => staying.extend(found_late),
            }
        }
    }

    /// Undoes a run as [`Journal::undo`] does, under its lock. A forced undo leaves the paths of `staying` as they are.
    fn attempt(
        &self,
        run: &str,
        force: bool,
        about: Begin,
        staying: &[Conflict],
        rules: &ChangeRules<'_>,
        meter: &mut Meter,
    ) -> Result<Attempt, UndoError> {
        let ChangeRules { roots, retention, admit } = *rules;
        let (history, since) = read(roots, run)?;
        check_reversible(&history, run, force, roots)?;
        let (origin, is_redo) = (Journal::origin(roots, &history.begin)?, history.begin.is_undo());
        let outcome = RunOutcome::of(&history);
        let mut comparison = Comparison::new(&outcome, roots, Since::new(run, since, roots, self.client()));
        let (mut found, missing) = (comparison.obstacles(), comparison.missing());
        found.extend(outcome.refused(admit));
        let (later, lost) = (comparison.later_runs(), if force { comparison.lost(&found) } else { Vec::new() });
        let copied = comparison.into_copied();
        let all: Vec<Obstacle> = found.iter().chain(&missing).cloned().collect();
        let ((mut conflicts, passable), (missing, _)) =
            (obstacles::split(found, &outcome), obstacles::split(missing, &outcome));
        conflicts.extend(lost.into_iter().chain(staying.iter().cloned()));
        let skipped = Skipped::new(conflicts, missing, &history, |path| matches!(roots.state(path), Ok(Some(_))));
        if !(force || all.is_empty()) {
            let mut conflicts = obstacles::conflicts(all);
            let is_forceable = !skipped.has_all();
            if !is_forceable {
                forced::name_kept(&mut conflicts, &outcome, roots);
            }
            return Err(UndoError::MovedOn { run: origin.run, is_redo, conflicts, is_forceable, later });
        }
        let forced = force.then(|| Forced::new(&history, &outcome, passable, admit));
        let origin_run = origin.run.clone();
        let redoes = history.begin.undoes.clone().filter(|_| is_redo);
        // A killed undo is rolled back, so that it can be repeated.
        self.announce(Begin { undoes: Some(run.to_owned()), redoes, atomic: true, ..about });
        let steps = UndoSteps { history: &history, outcome: &outcome, skipped, forced, copied };
        let not_done = match self.take_back(steps, rules, meter) {
            Ok(TakenBack { found_late, .. }) if !found_late.is_empty() => Ok(Attempt::Again(found_late)),
            Ok(TakenBack { steps: 0, left, .. }) if force && !left.is_empty() => {
                Err(UndoError::NothingBack { run: origin.run, is_redo, conflicts: left, later })
            }
            Ok(TakenBack { steps, left, displaced, .. }) => {
                // The run counts the changes of the other run that it reverses, not its own steps.
                self.count(steps);
                let by = self.end(End::Done)?.map(|ended| ended.run);
                self.check_durable()?;
                let run = run.to_owned();
                return Ok(Attempt::Done(UndoReport { run, by, origin, is_redo, steps, left, displaced }));
            }
            Err(error) => Err(moved_on(error, origin.run, is_redo)),
        };
        let unreversed = self.roll_back(roots, retention, 1, &mut Meter::unlimited())?;
        self.end(End::TakenBack)?;
        match (not_done, unreversed.into_iter().next()) {
            (Err(UndoError::Sandbox(error)), None) if !matches!(error, SandboxError::Limit(_)) => {
                Err(UndoError::RolledBack { run: origin_run, is_redo, error })
            }
            // Nothing can be tried again while a part of the attempt is in effect.
            (Ok(_), Some((_, error))) => Err(error.into()),
            (not_done, _) => not_done,
        }
    }

    fn take_back(
        &self,
        steps: UndoSteps<'_>,
        rules: &ChangeRules<'_>,
        meter: &mut Meter,
    ) -> Result<TakenBack, SandboxError> {
        let UndoSteps { history, outcome, mut skipped, mut forced, copied } = steps;
        let ChangeRules { roots, retention, .. } = *rules;
        let mut times = Times::of_run(history, outcome, roots).restored(roots);
        let change = self.begin(roots.main, history.steps.len() as u64, meter)?;
        let mut reverser = Reverser { roots, retention, change: &change, meter, copied, cancels_out: false };
        let mut steps = 0;
        let mut reversed_steps: Vec<&Step> = Vec::new();
        let mut ahead: &[&JournaledStep] = &history.steps.iter().rev().collect::<Vec<_>>();
        while let Some((first, others)) = ahead.split_first() {
            reverser.meter.poll()?;
            if skipped.has(&first.step) {
                ahead = others;
                continue;
            }
            let results: Vec<Result<bool, SandboxError>> = match &mut forced {
                Some(forced) => vec![reverser.reverse_by_force(first, forced)],
                // Without force, nothing is skipped.
                None => reverser.reverse_next(ahead).into_iter().map(|result| result.map(|()| true)).collect(),
            };
            let (reversed, rest) = ahead.split_at(results.len());
            ahead = rest;
            for (taken, result) in reversed.iter().zip(results) {
                match result {
                    Ok(is_done) => {
                        steps += usize::from(is_done && taken.step.is_change());
                        reversed_steps.extend(is_done.then_some(&taken.step));
                    }
                    // A full disk says nothing about the path: the undo can be tried again.
                    Err(error @ (SandboxError::Limit(_) | SandboxError::NoSpace(_) | SandboxError::Busy(_))) => {
                        return Err(error);
                    }
                    Err(error) if forced.is_some() => {
                        let reason = error.to_string();
                        skipped.add(&taken.step, &reason);
                        if reversed_steps.iter().any(|step| skipped.has(step)) {
                            return Ok(TakenBack::too_late(&taken.step, &reason));
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        // A directory with a skipped entry is not as it was before.
        times.retain(|(folder, _)| !skipped.is_in(folder));
        let (displaced, gone) = forced.map(|forced| forced.end(roots)).unwrap_or_default();
        let mut left = skipped.into_conflicts();
        left.extend(gone);
        if let (Some(line), 0) = (history.damaged, steps) {
            left.push(Conflict { path: journal_of(&history.begin.run), reason: damage(line) });
        }
        let mut left = in_order(left);
        forced::name_kept(&mut left, outcome, roots);
        if steps > 0 || left.is_empty() {
            // A run of which nothing was left to undo counts as undone, so that the next undo concerns the run
            // before it.
            change.begin_journal()?;
            self.restore(times, roots);
        }
        let all = history.stays.filter(|_| left.is_empty() && steps > 0).map(|all| all as usize);
        Ok(TakenBack { steps: all.unwrap_or(steps), left, displaced, found_late: Vec::new() })
    }

    /// Restores the modification times of directories. Failures are ignored.
    fn restore(&self, times: Vec<(Address, Moment)>, roots: Roots<'_>) {
        for (address, moment) in times {
            if let Ok(Some(folder)) =
                roots.entry(&address).and_then(|place| place.map(|it| it.open_folder()).transpose())
                && folder.set_own_modified(time(moment)).is_ok()
            {
                self.touched(address, &folder);
            }
        }
    }

    /// Returns the paths that the active run has changed so far.
    pub fn changed_paths(&self) -> Result<Vec<Address>, SandboxError> {
        let outcome = self.history()?.map(|history| RunOutcome::of(&history));
        Ok(outcome.into_iter().flat_map(|outcome| outcome.places.into_keys()).collect())
    }

    /// Reverses the steps of the active run from number `from` on, the last first. Returns the steps that could not
    /// be reversed, with their errors.
    pub fn roll_back(
        &self,
        roots: Roots<'_>,
        retention: Retention,
        from: u32,
        meter: &mut Meter,
    ) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        match self.history()? {
            Some(history) => self.roll_back_steps(history, roots, retention, from, meter),
            None => Ok(Vec::new()),
        }
    }

    /// Like [`Journal::roll_back`], for a history that is already read.
    pub(super) fn roll_back_steps(
        &self,
        mut history: History,
        roots: Roots<'_>,
        retention: Retention,
        from: u32,
        meter: &mut Meter,
    ) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        history.steps.retain(|taken| taken.number >= from);
        let times = Times::of_steps(&history, &RunOutcome::of(&history)).restored(roots);
        // Its files were charged when they were changed.
        let change = self.begin(roots.main, 0, meter)?;
        let copied = history.copied.iter().map(|(place, _)| place.clone()).collect();
        let mut reverser = Reverser { roots, retention, change: &change, meter, copied, cancels_out: true };
        let mut left = Vec::new();
        let mut ahead: &[&JournaledStep] = &history.steps.iter().rev().collect::<Vec<_>>();
        while !ahead.is_empty() {
            let results = reverser.reverse_next(ahead);
            let (reversed, rest) = ahead.split_at(results.len());
            for (taken, result) in reversed.iter().zip(results) {
                match (result, &taken.step) {
                    // A directory that holds an entry of other origin stays.
                    (Ok(()), _) | (Err(SandboxError::NotEmpty(_)), Step::MakeFolder { .. }) => {}
                    (Err(error), _) => left.push((taken.number, error)),
                }
            }
            ahead = rest;
        }
        change.reverse(None);
        self.restore(times, roots);
        Ok(left)
    }
}

/// Reads the journal of a finished run and the time of its end.
pub(super) fn read(roots: Roots<'_>, run: &str) -> Result<(History, Option<Timestamp>), UndoError> {
    let unknown = || UndoError::Unknown(run.to_owned());
    if !stamp::is_stamp(run.as_ref()) {
        return Err(unknown());
    }
    let folders = Folders::find(roots.main)?.ok_or_else(unknown)?;
    let wrap = |error: io::Error| SandboxError::io(format!("{}/{run}", display(JOURNAL)), &error);
    let opened = folders.open_either(|folder| folder.open_file(run.as_ref()).map(Some)).map_err(wrap)?;
    let file = match opened.ok_or_else(unknown)? {
        (file, true) => file,
        (open, false) if matches!(try_lock(&open), Ok(Locked::Theirs)) => {
            return Err(UndoError::GoesOn(run.to_owned()));
        }
        // Nobody holds it: the run ended since it was opened, or it was killed and is not recovered.
        (_, false) => folders.ended.open_file(run.as_ref()).map_err(|_| unknown())?,
    };
    let metadata = file_metadata(&file).map_err(wrap)?;
    check_regular(format!("{}/{run}", display(JOURNAL)), &metadata)?;
    let unreadable = |error: HistoryError| match error {
        HistoryError::Foreign => UndoError::Foreign(run.to_owned()),
        error => UndoError::Unreadable { run: run.to_owned(), reason: error.to_string() },
    };
    let history = History::read(&file, run.as_ref(), &folders.seal).map_err(unreadable)?;
    Ok((history.without_temporary(), metadata.modified))
}
