//! Taking a run back, and a part of the one that goes on.

use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::io;

use crate::limits::Meter;

use super::super::error::SandboxError;
use super::super::folder::file_metadata;
use super::super::keep::Retention;
use super::super::keep::stamp::{self, short};
use super::super::own::shown;
use super::address::Address;
use super::conflicts::{Comparison, Conflict};
use super::forced::{self, Displaced, Forced};
use super::history::{History, HistoryError};
use super::later::Since;
use super::list::Origin;
use super::obstacles;
use super::outcome::Outcome;
use super::record::{Begin, End, Moment, Step, time};
use super::reverse::Reverser;
use super::roots::Roots;
use super::run::Folders;
use super::skipped::Skipped;
use super::times::Times;
use super::{JOURNAL, Journal};

/// Why a run is not taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is none of that name.
    #[error("there is no run `{}`", short(.0))]
    Unknown(String),
    /// It has not ended.
    #[error("the run `{}` still goes on", short(.0))]
    GoesOn(String),
    /// It was taken back before.
    #[error("the run `{}` is taken back already", short(.0))]
    Undone(String),
    /// It is to be done again, and was not taken back.
    #[error("the run `{}` is not taken back", short(.0))]
    NotUndone(String),
    /// Nothing of it stays that could be taken back.
    #[error("nothing that the run `{}` changed stays", short(.0))]
    Nothing(String),
    /// Its journal cannot be read.
    #[error("the journal of `{}` cannot be read: {reason}", short(run))]
    Unreadable {
        /// The run.
        run: String,
        /// Why.
        reason: String,
    },
    /// The tree is no longer as the run left it.
    #[error("{} changed since the run `{}`{}", if conflicts.len() == 1 { "1 path has".to_owned() } else { format!("{} paths have", conflicts.len()) }, short(run), if *is_redo { " was taken back" } else { "" })]
    MovedOn {
        /// The run that is concerned.
        run: String,
        /// Whether it was to be done again.
        is_redo: bool,
        /// Each place, and what is the matter.
        conflicts: Vec<Conflict>,
    },
    /// Something went wrong on the way; what was taken back until then was restored.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// What came of taking back the steps of a run.
struct TakenBack {
    steps: usize,
    left: Vec<Conflict>,
    displaced: Vec<Displaced>,
}

/// What came of taking a run back.
#[derive(Clone, Debug)]
pub struct Undone {
    /// The run that was taken back.
    pub run: String,
    /// The run that did it, by which it is taken back in turn, unless it took nothing back.
    pub by: Option<String>,
    /// The run that this concerns in the end.
    pub origin: Origin,
    /// Whether that run is done again by this; else it is taken back.
    pub is_redo: bool,
    /// How many changes were taken back, of those that [`Origin::changes`] counts.
    pub steps: usize,
    /// What stayed as it is, by force, and why.
    pub left: Vec<Conflict>,
    /// What gave way to what came back, by force, and where it is kept.
    pub displaced: Vec<Displaced>,
}

impl Journal {
    /// The run that one which may take others back concerns in the end.
    pub fn origin(roots: Roots<'_>, begin: &Begin) -> Result<Origin, SandboxError> {
        let itself = || Origin { run: begin.run.clone(), command: begin.command.clone(), changes: None };
        Ok(Folders::find(roots.main)?.map_or_else(itself, |folders| Origin::of(&folders, begin)))
    }

    /// Takes a run back, its last step first. Where the tree is no longer as the run left it nothing is
    /// done, unless `force`: then the rest is. `admit` says of an address, and whether a folder is or was
    /// there, why nothing may be changed there.
    pub fn undo(
        &self,
        (run, force): (&str, bool),
        about: Begin,
        admit: &dyn Fn(&Address, bool) -> Result<(), String>,
        (roots, retention): (Roots<'_>, Retention),
        meter: &mut Meter,
    ) -> Result<Undone, UndoError> {
        let (history, since) = read(roots, run)?;
        if let (Some(line), false) = (history.damaged, force) {
            let reason = format!("line {line} is damaged, so that what it did from there on is not known");
            return Err(UndoError::Unreadable { run: run.to_owned(), reason });
        }
        let (origin, is_redo) = (Journal::origin(roots, &history.begin)?, history.begin.is_undo());
        let outcome = Outcome::of(&history);
        let mut comparison = Comparison::new(&outcome, roots, Since::new(run, since, roots));
        let (mut found, missing) = (comparison.obstacles(), comparison.missing());
        found.extend(outcome.refused(admit));
        let copied = comparison.into_copied();
        if !(force || found.is_empty() && missing.is_empty()) {
            found.extend(missing);
            return Err(UndoError::MovedOn { run: origin.run, is_redo, conflicts: obstacles::conflicts(found) });
        }
        let ((staying, passable), (missing, _)) =
            (obstacles::split(found, &outcome), obstacles::split(missing, &outcome));
        let skipped = Skipped::new(staying, missing, &history);
        let forced = force.then(|| Forced::new(&outcome, passable, admit));
        let redoes = history.begin.undoes.clone().filter(|_| is_redo);
        self.announce(Begin { undoes: Some(run.to_owned()), redoes, ..about });
        let taken_back = self.take_back((&history, &outcome), (skipped, forced, copied), (roots, retention), meter);
        let end = if taken_back.is_ok() { End::Done } else { End::TakenBack };
        let TakenBack { steps, left, displaced } = match taken_back {
            Ok(done) => done,
            Err(error) => {
                self.roll_back((roots, retention), 1, &mut Meter::unlimited())?;
                self.end(end)?;
                return Err(error.into());
            }
        };
        // The run has as many changes as it takes back of the other, however many steps that took.
        self.count(steps);
        let by = self.end(end)?.map(|ended| ended.run);
        Ok(Undone { run: run.to_owned(), by, origin, is_redo, steps, left, displaced })
    }

    fn take_back(
        &self,
        (history, outcome): (&History, &Outcome),
        (mut skipped, mut forced, copied): (Skipped<'_>, Option<Forced<'_>>, BTreeSet<Address>),
        (roots, retention): (Roots<'_>, Retention),
        meter: &mut Meter,
    ) -> Result<TakenBack, SandboxError> {
        let mut times = outcome.clone().times(roots, &Times::of(&history.begin.run, roots));
        let change = self.begin(roots.main, history.steps.len() as u64, meter)?;
        let mut reverser = Reverser { roots, retention, change: &change, meter, copied };
        let mut steps = 0;
        for taken in history.steps.iter().rev() {
            reverser.meter.poll()?;
            if skipped.has(&taken.step) {
                continue;
            }
            let reversed = match &mut forced {
                Some(forced) => reverser.reverse_by_force(taken, forced),
                None => reverser.reverse(taken).map(|()| true),
            };
            match reversed {
                Ok(is_done) => steps += usize::from(is_done && taken.step.is_change()),
                Err(error) if forced.is_some() && !matches!(error, SandboxError::Limit(_)) => {
                    skipped.add(&taken.step, &error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        // Where nothing could be done the run counts as taken back all the same, so that the one before it is next.
        change.begin_journal()?;
        // A directory in which something is skipped is not as it was before.
        times.retain(|(folder, _)| !skipped.is_in(folder));
        self.restore(times, roots);
        let mut left = skipped.into_conflicts();
        let (displaced, gone) = forced.map(|forced| forced.end(roots)).unwrap_or_default();
        left.extend(gone);
        left.sort_by(|one, other| one.path.cmp(&other.path));
        left.dedup_by(|one, other| one.path == other.path);
        forced::name_kept(&mut left, outcome, roots);
        let all = history.stays.filter(|_| left.is_empty()).map(|all| all as usize);
        Ok(TakenBack { steps: all.unwrap_or(steps), left, displaced })
    }

    /// Gives folders the times that they had. What cannot get them is as good as it was.
    fn restore(&self, times: Vec<(Address, Moment)>, roots: Roots<'_>) {
        for (address, moment) in times {
            if let Ok(folder) = roots.place(&address).and_then(|place| place.open_folder())
                && folder.set_own_modified(time(moment)).is_ok()
            {
                self.touched(address, &folder);
            }
        }
    }

    /// Takes back the steps of the run that goes on, from a number on, the last first. Gives those that
    /// could not be taken back, and why.
    pub fn roll_back(
        &self,
        place: (Roots<'_>, Retention),
        from: u32,
        meter: &mut Meter,
    ) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        match self.history()? {
            Some(history) => self.roll_back_steps(history, place, from, meter),
            None => Ok(Vec::new()),
        }
    }

    /// What the journal of the run that goes on says, if it has changed something.
    pub(super) fn history(&self) -> Result<Option<History>, SandboxError> {
        let mut run = self.run.borrow_mut();
        let Some(run) = &mut *run else { return Ok(None) };
        run.catch_up().map_err(|error| SandboxError::io(shown(JOURNAL), &error))?;
        run.history().map(Some)
    }

    /// The same for what is known of that run.
    pub(super) fn roll_back_steps(
        &self,
        mut history: History,
        (roots, retention): (Roots<'_>, Retention),
        from: u32,
        meter: &mut Meter,
    ) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        history.steps.retain(|taken| taken.number >= from);
        let times = Outcome::of(&history).times(roots, &Times::default());
        // It was counted when it was done.
        let change = self.begin(roots.main, 0, meter)?;
        let copied = history.copied.iter().map(|(place, _)| place.clone()).collect();
        let mut reverser = Reverser { roots, retention, change: &change, meter, copied };
        let mut left = Vec::new();
        for taken in history.steps.iter().rev() {
            change.reverse(Some(taken.number));
            match (reverser.reverse(taken), &taken.step) {
                // It holds something that is not ours, which stays.
                (Ok(()), _) | (Err(SandboxError::NotEmpty(_)), Step::MakeFolder { .. }) => {}
                (Err(error), _) => left.push((taken.number, error)),
            }
        }
        change.reverse(None);
        self.restore(times, roots);
        Ok(left)
    }
}

/// The journal of a run that ended, and when it did.
pub(super) fn read(
    roots: Roots<'_>,
    run: &str,
) -> Result<(History, Option<super::super::metadata::Timestamp>), UndoError> {
    let unknown = || UndoError::Unknown(run.to_owned());
    if !stamp::is_stamp(run.as_ref()) {
        return Err(unknown());
    }
    let folders = Folders::find(roots.main)?.ok_or_else(unknown)?;
    let wrap = |error: io::Error| SandboxError::io(format!("{}/{run}", shown(JOURNAL)), &error);
    let file = match folders.ended.open_file(run.as_ref()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let open = folders.open.open_file(run.as_ref()).map_err(|_| unknown())?;
            return Err(match open.try_lock() {
                Err(TryLockError::WouldBlock) => UndoError::GoesOn(run.to_owned()),
                _ => unknown(),
            });
        }
        Err(error) => return Err(wrap(error).into()),
    };
    let metadata = file_metadata(&file).map_err(wrap)?;
    super::super::own::check_regular(format!("{}/{run}", shown(JOURNAL)), &metadata)?;
    let unreadable = |error: HistoryError| UndoError::Unreadable { run: run.to_owned(), reason: error.to_string() };
    let history = History::read(&file, run.as_ref(), &folders.seal).map_err(unreadable)?;
    Ok((history.without_temporary(), metadata.modified))
}
