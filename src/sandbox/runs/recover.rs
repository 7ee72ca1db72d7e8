//! Recovery of killed runs: finishes or reverses their last steps and removes their leftovers.
//!
//! Recovery acts only on journals that this user's key sealed for this root, and changes a path only where the policy
//! in force would let a tool change it. A run that the ledger lists as finished is not recovered again.
//!
//! Steps with a done or void mark are settled. The outcome of the others is inferred from the file system, which
//! works because each step uses unique temporary names. Recovery removes only entries that are known to be unfinished
//! and backs up all others.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;

use super::super::changing::backups::{BackupKind, BackupStore, Retention, slot_of};
use super::super::handles::state::{Moment, State};
use crate::limits::Meter;

use super::super::changing::journal::folders::{Folders, OPEN};
use super::super::changing::journal::history::{History, HistoryError, JournaledStep, StepOutcome};
use super::super::changing::journal::record::{End, Record, Step};
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::run::JournalWriter;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::changing::temporary::is_temporary_name;
use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Replace, file_metadata};
use super::super::handles::metadata::Kind;
use super::super::handles::private::check_regular;
use super::super::handles::root::{Root, SandboxPath};
use super::super::handles::seal::RootSeal;
use super::super::handles::staging::is_draft_name;
use super::super::handles::stamp;
use super::super::handles::user_state::Ledger;
use super::super::internal::internal_change::InternalChange;
use super::super::internal::state_dir::display;
use super::aftermath::DirectoryTimes;
use super::obstacles::Conflict;

/// A recovered run.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The name of the run.
    pub run: String,
    /// The command that the user started.
    pub command: String,
    /// How the run ended.
    pub end: End,
    /// Number of steps that are still in effect.
    pub steps: usize,
}

/// The journal of a killed run, open and locked.
#[derive(Debug)]
pub struct Abandoned {
    name: OsString,
    file: File,
    folders: Folders,
    history: History,
}

impl Abandoned {
    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.history.begin.run
    }
}

/// The open journals of runs that are no longer active.
#[derive(Debug, Default)]
pub struct AllAbandoned {
    /// Journals of this user's runs, the oldest first.
    pub runs: Vec<Abandoned>,
    /// Names of foreign journals and of journals whose runs are already finished.
    pub foreign: Vec<OsString>,
    /// Errors for journals that cannot be read, one sentence each.
    pub unreadable: Vec<String>,
}

/// Why a run is not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The policy in force refuses changes of these paths.
    #[error("the policy in force refuses {}", named(.0))]
    Refused(Vec<Conflict>),
    /// Recovery failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

fn named(refused: &[Conflict]) -> String {
    let first = refused.first().map(|conflict| format!("`{}` ({})", conflict.path.display(), conflict.reason));
    let more = refused.len().saturating_sub(1);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", first.unwrap_or_default())
}

impl Journal {
    /// Finds the journals of killed runs. The only change it makes is to remove journals of runs that never began.
    pub fn abandoned(&self, roots: Roots<'_>) -> Result<AllAbandoned, SandboxError> {
        let mut all = AllAbandoned::default();
        let Some(folders) = Folders::find(roots.main)? else { return Ok(all) };
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let mut names: Vec<OsString> =
            folders.open.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        // Files of other origin are left alone.
        names.retain(|name| stamp::is_stamp(name) || is_draft_name(name));
        names.sort_unstable();
        for name in names {
            let Some(file) = abandoned(&folders, &name).map_err(wrap)? else { continue };
            if self.is_writable() && is_unbegun(&name, &file, &folders.seal).map_err(wrap)? {
                folders.open.remove_file(&name).map_err(wrap)?;
                continue;
            }
            match self.read_abandoned(roots.main, &name, &file) {
                Ok(Some(history)) => {
                    let folders = folders.duplicate().map_err(wrap)?;
                    all.runs.push(Abandoned { name, file, folders, history });
                }
                Ok(None) if is_draft_name(&name) => {}
                Ok(None) => all.foreign.push(name),
                Err(error) => all.unreadable.push(format!("the journal `{}` cannot be read: {error}", place_of(&name))),
            }
        }
        Ok(all)
    }

    /// Reads a journal if it belongs to an unfinished run of this user; returns `None` otherwise.
    fn read_abandoned(&self, root: &Root, name: &OsStr, file: &File) -> Result<Option<History>, HistoryError> {
        let history = match History::read(file, name, &root.seal) {
            Err(HistoryError::Foreign) => return Ok(None),
            other => other?,
        };
        // Without a ledger, the journal could be an old one that somebody put back.
        let is_over = |ledger: &Ledger| ledger.is_over(root.seal.id(), &history.begin.run);
        let is_over = root.user.ledger.as_ref().map(is_over).transpose()?;
        Ok(Some(history).filter(|_| is_over == Some(false) || root.user.key.lost_because().is_some()))
    }

    /// Recovers a killed run. Returns `None` if the run had already ended and only its leftovers had to be removed.
    ///
    /// # Errors
    /// Returns [`RecoverError::Refused`] before anything is changed.
    pub fn recover(
        &self,
        abandoned: Abandoned,
        rules: &RecoverRules<'_>,
        meter: &mut Meter,
    ) -> Result<Option<Recovered>, RecoverError> {
        let Abandoned { name, file, folders, history } = abandoned;
        let refused = refused(&history, rules.admit);
        if !refused.is_empty() {
            return Err(RecoverError::Refused(refused));
        }
        let wrap = |error: io::Error| SandboxError::io(place_of(&name), &error);
        let until = file_metadata(&file).map_err(wrap)?.modified;
        if history.damaged.is_none() {
            file.set_len(history.whole).map_err(wrap)?;
        }
        let (own, begin) = (self.begin_own()?, history.begin.clone());
        self.resume(JournalWriter::resume(&name, &folders, file, &history, rules.roots.main)?);
        let aftermath = RefCell::new(DirectoryTimes::new(&history, until, rules.roots));
        let RecoverRules { roots, retention, .. } = *rules;
        let resolver = StepResolver { journal: self, roots, retention, meter, own, aftermath };
        let finished = resolver.finish(&history);
        let end = match &finished {
            Ok((_, true)) => End::TakenBack,
            _ => history.end.unwrap_or(End::Interrupted),
        };
        if let Ok((steps, _)) = finished {
            self.count(steps);
        }
        self.end(end)?;
        let (steps, _) = finished?;
        let is_told = history.end.is_none();
        Ok(is_told.then_some(Recovered { run: begin.run, command: begin.command, end, steps }))
    }
}

/// Parameters of recovery.
#[derive(Clone, Copy)]
pub struct RecoverRules<'a> {
    /// The roots of the run.
    pub roots: Roots<'a>,
    /// Retention of backups.
    pub retention: Retention,
    /// Returns an error with the reason if the policy refuses to change a path. The flag tells whether a directory is
    /// or was there.
    pub admit: &'a dyn Fn(&Address, bool) -> Result<(), String>,
}

/// Returns the paths that recovery would change and that the policy refuses.
fn refused(history: &History, admit: &dyn Fn(&Address, bool) -> Result<(), String>) -> Vec<Conflict> {
    let from = if history.end.is_some() { None } else { history.taken_back_from() };
    let concerned = history.steps.iter().filter(|taken| {
        let is_unknown = matches!(taken.fate, StepOutcome::Unknown { .. });
        is_unknown || from.is_some_and(|from| taken.number >= from)
    });
    let places = concerned.flat_map(|taken| match &taken.step {
        // No policy rule applies to a temporary name, so its directory is checked.
        Step::Draft { path } => vec![(path.parent(), true)],
        Step::Temporary { path } | Step::MakeFolder { path } => vec![(path.clone(), true)],
        Step::Move { path, old, to, .. } => [path, to].map(|path| (path.clone(), old.kind == Kind::Folder)).into(),
        Step::Put { path, old, from, .. } => {
            let state = old.as_ref().or(from.as_ref().map(|(_, state)| state));
            vec![(path.clone(), state.is_some_and(|state| state.kind == Kind::Folder))]
        }
        Step::Take { path, old, .. } | Step::RemoveFolder { path, old } | Step::SetMode { path, old, .. } => {
            vec![(path.clone(), old.kind == Kind::Folder)]
        }
    });
    let mut refused: Vec<Conflict> = places
        .filter_map(|(path, is_folder)| admit(&path, is_folder).err().map(|reason| Conflict { path, reason }))
        .collect();
    refused.dedup_by(|one, other| one.path == other.path);
    refused
}

fn place_of(name: &OsStr) -> String {
    format!("{}/{OPEN}/{}", display(JOURNAL), name.to_string_lossy())
}

/// Whether the run was killed before its journal began: the file is empty, or still has its temporary name and
/// contains no steps.
fn is_unbegun(name: &OsStr, file: &File, seal: &RootSeal) -> io::Result<bool> {
    let is_empty = file.metadata()?.len() == 0;
    Ok(is_empty
        || is_draft_name(name)
            && History::claimed_run(file)?.is_some_and(|run| {
                History::read(file, run.as_ref(), seal).is_ok_and(|history| history.steps.is_empty())
            }))
}

/// Opens the journal of a run whose process is gone. Returns `None` if the run is active or has just ended, or if the
/// file is not a regular file of this user's with one link.
fn abandoned(folders: &Folders, name: &OsStr) -> io::Result<Option<File>> {
    let opened = folders.open.metadata(name).and_then(|metadata| {
        let is_ours = check_regular(String::new(), &metadata).is_ok();
        Ok(if is_ours { Some((metadata, folders.open.open_log(name)?)) } else { None })
    });
    let (metadata, file) = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => match other? {
            Some(opened) => opened,
            None => return Ok(None),
        },
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        // Without locks, an active run cannot be recognized.
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    // The run may have ended between opening and locking.
    let is_there = folders.open.metadata(name).is_ok_and(|there| there.identity == metadata.identity);
    Ok(is_there.then_some(file))
}

/// Determines the outcome of the last steps.
struct StepResolver<'a, 'm> {
    journal: &'a Journal,
    roots: Roots<'a>,
    retention: Retention,
    meter: &'m mut Meter,
    own: InternalChange,
    aftermath: RefCell<DirectoryTimes>,
}

impl StepResolver<'_, '_> {
    /// Settles all steps. Returns the number that are still in effect, and whether all were reversed.
    fn finish(self, history: &History) -> Result<(usize, bool), SandboxError> {
        for taken in history.steps.iter().rev() {
            if let Step::Draft { path } | Step::Temporary { path } = &taken.step {
                self.remove_unfinished(path)?;
            }
        }
        let mut steps = history.clone().without_temporary().steps;
        for at in (0..steps.len()).rev() {
            if let StepOutcome::Unknown { drafted, copied } = steps[at].fate
                && !self.resolve(&steps[at], drafted, copied)?
            {
                steps.remove(at);
            }
        }
        self.aftermath.borrow().settle(self.journal, self.roots);
        let Some(from) = history.taken_back_from().filter(|_| history.end.is_none()) else {
            return Ok((steps.len(), false));
        };
        // Temporary directories of the run are gone, so entries moved out of them count as new.
        let Some(history) = self.journal.history()?.map(History::without_temporary) else { return Ok((0, false)) };
        let failed = self.journal.roll_back_steps(history, (self.roots, self.retention), from, self.meter)?;
        if let Some((_, error)) = failed.into_iter().next() {
            return Err(error);
        }
        let left = steps.iter().filter(|taken| taken.number < from).count();
        Ok((left, left == 0 && !steps.is_empty()))
    }

    /// Determines and journals the outcome of a step. Returns whether it was carried out.
    fn resolve(&self, taken: &JournaledStep, drafted: Option<u64>, copied: bool) -> Result<bool, SandboxError> {
        let now = self.roots.state(taken.step.path())?;
        let done = match &taken.step {
            Step::Put { path, old, draft, kept, from } => {
                // A copy of a backup has an inode of its own.
                let moved = from.as_ref().filter(|_| draft.is_none());
                let inode = drafted.or(moved.map(|(_, state)| state.inode));
                let is_there =
                    now.as_ref().is_some_and(|now| inode.map_or(!is_same(old.as_ref(), now), |it| it == now.inode));
                if let Some(draft) = draft {
                    self.finish_draft(path, draft, (inode, old.as_ref(), is_there), kept.as_ref())?;
                }
                if let (Some((from, state)), Some(kept), true) = (from, kept, is_there) {
                    self.finish_exchange(path, (from, state), kept)?;
                }
                let is_kept = kept.as_ref().map(|kept| self.roots.kept(kept)).transpose()?.flatten().is_some();
                is_there.then_some((now, is_kept))
            }
            Step::Take { path, old, draft, kept } => {
                self.resolve_take(path, old, draft, kept, copied)?.map(|is_kept| (None, is_kept))
            }
            Step::Move { path, old, to, draft } => {
                let draft = draft.as_deref();
                self.resolve_move((path, to), (old, now.as_ref()), draft, (drafted, copied))?
                    .map(|there| (Some(there), false))
            }
            Step::MakeFolder { .. } => now.filter(|now| now.kind == Kind::Folder).map(|now| (Some(now), false)),
            Step::RemoveFolder { .. } => now.is_none().then_some((None, false)),
            Step::SetMode { mode, .. } => now.filter(|now| now.mode == *mode).map(|now| (Some(now), false)),
            Step::Draft { .. } | Step::Temporary { .. } => None,
        };
        let (number, is_taken) = (taken.number, done.is_some());
        if is_taken {
            self.aftermath.borrow_mut().taken(&taken.step);
        }
        let record = match done {
            Some((now, kept)) => Record::Done { number, now, kept, after: self.times(&taken.step) },
            None => Record::Void { number },
        };
        self.journal.append(&record)?;
        Ok(is_taken)
    }

    /// Returns the modification times of the directories of a step.
    fn times(&self, step: &Step) -> Vec<Option<Moment>> {
        let modified = |address: Address| self.roots.state(&address).ok().flatten().and_then(|state| state.modified);
        step.folders().into_iter().map(modified).collect()
    }

    /// Handles an entry left under the temporary name of a [`Step::Put`]: discards an unfinished new entry, and backs
    /// up the previous one.
    fn finish_draft(
        &self,
        path: &Address,
        draft: &str,
        (inode, old, is_there): (Option<u64>, Option<&State>, bool),
        kept: Option<&Address>,
    ) -> Result<(), SandboxError> {
        let Some((place, state)) = self.staged_by_us(path, draft)? else { return Ok(()) };
        let (folder, name) = place.entry()?;
        let is_unfinished = !is_there && (inode == Some(state.inode) || inode.is_none() && !is_same(old, &state));
        match kept {
            _ if is_unfinished && (inode.is_some() || old.is_none()) => discard(folder, name, place.display()),
            Some(kept) => self.keep(path, &place, slot_of(kept)),
            None => discard(folder, name, place.display()),
        }
    }

    /// Completes an exchange with a backup: moves the previous entry, which is still at the path of that backup, to a
    /// backup of its own.
    fn finish_exchange(
        &self,
        path: &Address,
        (from, state): (&Address, &State),
        kept: &Address,
    ) -> Result<(), SandboxError> {
        let Some(entry) = self.roots.kept(from)? else { return Ok(()) };
        if entry.metadata()?.identity.inode == state.inode || self.roots.kept(kept)?.is_some() {
            return Ok(());
        }
        self.keep(path, &entry, slot_of(kept))
    }

    /// Finishes a [`Step::Take`]. Returns whether the removed entry has a backup, or `None` if the step was reversed.
    fn resolve_take(
        &self,
        path: &Address,
        old: &State,
        draft: &str,
        kept: &Address,
        copied: bool,
    ) -> Result<Option<bool>, SandboxError> {
        let entry = self.roots.kept(kept)?;
        let aside = self.staged_by_us(path, draft)?.filter(|(_, state)| is_same(Some(old), state));
        if let Some((aside, _)) = aside {
            let (folder, name) = aside.entry()?;
            if copied && entry.is_some() {
                return discard(folder, name, aside.display()).map(|()| Some(true));
            }
            let place = self.roots.place(path)?;
            folder.rename(name, folder, place.name()?, Replace::No).map_err(|error| place.error(&error))?;
        }
        let now = self.roots.state(path)?;
        let is_back = now.as_ref().is_some_and(|now| is_same(Some(old), now));
        match entry {
            // The complete copy stays in the backup store until retention removes it.
            Some(_) if is_back => Ok(None),
            Some(_) => Ok(Some(true)),
            // An entry that the run itself created was removed without a backup.
            None => Ok(now.is_none().then_some(false)),
        }
    }

    /// Finishes a [`Step::Move`]. Returns the state at the new path, or `None` if the step was reversed.
    fn resolve_move(
        &self,
        (path, to): (&Address, &Address),
        (old, now): (&State, Option<&State>),
        draft: Option<&str>,
        (drafted, copied): (Option<u64>, bool),
    ) -> Result<Option<State>, SandboxError> {
        let there = self.roots.state(to)?;
        let Some(draft) = draft else {
            return Ok(there.filter(|there| is_same(Some(old), there) && now.is_none()));
        };
        let discard_at = |place: &SandboxPath| {
            let (folder, name) = place.entry()?;
            discard(folder, name, place.display())
        };
        if now.is_some_and(|now| is_same(Some(old), now)) {
            // The original is complete, so an unfinished copy is discarded. A copy that is already at the new path is
            // backed up, because others may have seen the file.
            if let Some((copy, _)) = self.staged_by_us(to, draft)? {
                discard_at(&copy)?;
            }
            if there.is_some_and(|there| drafted == Some(there.inode)) {
                let stamp =
                    BackupStore::new(self.roots.root_of(to)?, self.retention).new_stamp(&self.roots.main.account);
                self.keep(to, &self.roots.place(to)?, (BackupKind::Trash, stamp))?;
            }
            return Ok(None);
        }
        if let Some((aside, _)) = self.staged_by_us(path, draft)?.filter(|(_, state)| is_same(Some(old), state)) {
            if copied {
                discard_at(&aside)?;
            } else {
                let (folder, name) = aside.entry()?;
                let place = self.roots.place(path)?;
                folder.rename(name, folder, place.name()?, Replace::No).map_err(|error| place.error(&error))?;
                return Ok(None);
            }
        }
        Ok(there.filter(|there| there.kind == old.kind))
    }

    /// Finds the entry with a temporary name in the directory of a path.
    fn staged_by_us(&self, path: &Address, draft: &str) -> Result<Option<(SandboxPath, State)>, SandboxError> {
        if !is_draft_name(OsStr::new(draft)) || draft.contains('/') {
            return Ok(None);
        }
        let beside = path.parent().join(OsStr::new(draft));
        match self.roots.state(&beside)? {
            Some(state) => Ok(Some((self.roots.place(&beside)?, state))),
            None => Ok(None),
        }
    }

    /// Removes a staging file or temporary directory, provided that its name is one.
    fn remove_unfinished(&self, path: &Address) -> Result<(), SandboxError> {
        let name = std::path::Path::new(&path.0).file_name().unwrap_or_default();
        let is_temporary = path.0.to_str().is_some_and(is_temporary_name);
        if !(is_temporary || is_draft_name(name)) || self.roots.state(path)?.is_none() {
            return Ok(());
        }
        let place = self.roots.place(path)?;
        let (folder, name) = place.entry()?;
        let modified = folder.own_metadata().ok().and_then(|metadata| metadata.modified);
        discard(folder, name, place.display())?;
        // Restores the modification time, so that no trace of the entry remains. A failure to set it is ignored.
        modified.map(|modified| folder.set_own_modified(modified));
        Ok(())
    }

    /// Moves an entry that must not be lost to the backup store.
    fn keep(
        &self,
        path: &Address,
        found: &SandboxPath,
        (drawer, kept): (BackupKind, String),
    ) -> Result<(), SandboxError> {
        let keeper = BackupStore::new(self.roots.root_of(path)?, self.retention);
        let locked = keeper.lock(self.meter, &self.own)?;
        let mut slot = locked.slot(&self.roots.place(path)?, drawer, &kept)?;
        let (folder, name) = found.entry()?;
        slot.take(folder, name).map_err(|error| found.error(&error))
    }
}

/// Whether the entry is the previous one, by kind and inode.
fn is_same(old: Option<&State>, now: &State) -> bool {
    old.is_some_and(|old| (old.kind, old.inode) == (now.kind, now.inode))
}
