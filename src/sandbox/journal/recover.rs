//! After a run that was killed: its last steps are finished or taken back, and what it left unfinished
//! is removed.
//!
//! Only what this user's key sealed for this root is acted upon, and only as far as the policy in force
//! lets a tool change the places; a run that is known to be over is not brought to an end again.
//!
//! Steps that have a mark are over. For the others the disk tells, as the names that a step uses are
//! its own. Only what is known to be unfinished is removed; whatever else turns up is kept.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;

use crate::limits::Meter;

use super::super::draft::is_draft_name;
use super::super::error::SandboxError;
use super::super::folder::{Replace, file_metadata};
use super::super::keep::{Drawer, Keeper, Retention, stamp};
use super::super::metadata::Kind;
use super::super::own::{check_regular, shown};
use super::super::remove::discard;
use super::super::root::{Root, SandboxPath};
use super::super::seal::RootSeal;
use super::super::temporary::is_temporary_name;
use super::super::user_state::Ledger;
use super::address::Address;
use super::aftermath::Aftermath;
use super::history::{Fate, History, HistoryError, Taken};
use super::record::{End, Record, State, Step};
use super::roots::Roots;
use super::run::{Folders, OPEN, Run};
use super::{Conflict, JOURNAL, Journal, OwnChange};

/// A run that was killed, and how it ended now.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The run.
    pub run: String,
    /// What the user had begun.
    pub command: String,
    /// How it ended.
    pub end: End,
    /// The steps that stay.
    pub steps: usize,
}

/// The journal of a run that was killed, open and locked.
#[derive(Debug)]
pub struct Abandoned {
    name: OsString,
    file: File,
    folders: Folders,
    history: History,
}

impl Abandoned {
    /// The run.
    pub fn run(&self) -> &str {
        &self.history.begin.run
    }
}

/// The journals of runs that do not go on.
#[derive(Debug, Default)]
pub struct AllAbandoned {
    /// Those of this user's runs, the oldest first.
    pub runs: Vec<Abandoned>,
    /// The names of those that are foreign, or of runs that are known to be over.
    pub foreign: Vec<OsString>,
    /// Those that cannot be read, and why: a sentence each.
    pub unreadable: Vec<String>,
}

/// Why a run is not brought to an end.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The policy in force refuses places that it would change.
    #[error("the policy in force refuses {}", named(.0))]
    Refused(Vec<Conflict>),
    /// It could not be done.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

fn named(refused: &[Conflict]) -> String {
    let first = refused.first().map(|conflict| format!("`{}` ({})", conflict.path.shown(), conflict.reason));
    let more = refused.len().saturating_sub(1);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", first.unwrap_or_default())
}

impl Journal {
    /// Finds the journals of runs that were killed. Nothing is changed, but that those go which a run did not
    /// get to begin.
    pub fn abandoned(&self, roots: Roots<'_>) -> Result<AllAbandoned, SandboxError> {
        let mut all = AllAbandoned::default();
        let Some(folders) = Folders::find(roots.main)? else { return Ok(all) };
        let wrap = |error: io::Error| SandboxError::io(shown(JOURNAL), &error);
        let mut names: Vec<OsString> =
            folders.open.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        // What somebody else put there is left alone.
        names.retain(|name| stamp::is_stamp(name) || is_draft_name(name));
        names.sort_unstable();
        for name in names {
            let Some(file) = abandoned(&folders, &name).map_err(wrap)? else { continue };
            if self.writable && is_unbegun(&name, &file, &folders.seal).map_err(wrap)? {
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

    /// What the journal of one of this user's runs says that is not known to be over; `None` for any other.
    fn read_abandoned(&self, root: &Root, name: &OsStr, file: &File) -> Result<Option<History>, HistoryError> {
        let history = match History::read(file, name, &root.seal) {
            Err(HistoryError::Foreign) => return Ok(None),
            other => other?,
        };
        // Where nobody can tell, it may be a journal that somebody put there again.
        let is_over = |ledger: &Ledger| ledger.is_over(root.seal.id(), &history.begin.run);
        let is_over = root.user.ledger.as_ref().map(is_over).transpose()?;
        Ok(Some(history).filter(|_| is_over == Some(false) || root.user.key.lost_because().is_some()))
    }

    /// Brings a run that was killed to an end. Gives nothing where it had ended, and only something unfinished
    /// of it was to be removed.
    ///
    /// # Errors
    /// [`RecoverError::Refused`] before anything is changed.
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
        *self.run.borrow_mut() = Some(Run::resume(&name, &folders, file, &history, rules.roots.main)?);
        let aftermath = RefCell::new(Aftermath::new(&history, until, rules.roots));
        let RecoverRules { roots, retention, .. } = *rules;
        let resolver = Resolver { journal: self, roots, retention, meter, own, aftermath };
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

/// What a run that was killed is brought to an end by.
#[derive(Clone, Copy)]
pub struct RecoverRules<'a> {
    /// Where its places are.
    pub roots: Roots<'a>,
    /// How long old content is kept.
    pub retention: Retention,
    /// Says of an address, and whether a folder is or was there, why nothing may be changed there.
    pub admit: &'a dyn Fn(&Address, bool) -> Result<(), String>,
}

/// The places that bringing a run to an end may change, and that the policy refuses.
fn refused(history: &History, admit: &dyn Fn(&Address, bool) -> Result<(), String>) -> Vec<Conflict> {
    let from = if history.end.is_some() { None } else { history.taken_back_from() };
    let concerned = history.steps.iter().filter(|taken| {
        let is_unknown = matches!(taken.fate, Fate::Unknown { .. });
        is_unknown || from.is_some_and(|from| taken.number >= from)
    });
    let places = concerned.flat_map(|taken| match &taken.step {
        // A draft has a name of ours, of which no rule knows.
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
    format!("{}/{OPEN}/{}", shown(JOURNAL), name.to_string_lossy())
}

/// Whether a journal is one of ours whose run was killed before the journal had its name.
fn is_unbegun(name: &OsStr, file: &File, seal: &RootSeal) -> io::Result<bool> {
    let is_empty = file.metadata()?.len() == 0;
    Ok(is_empty
        || is_draft_name(name)
            && History::claimed_run(file)?.is_some_and(|run| {
                History::read(file, run.as_ref(), seal).is_ok_and(|history| history.steps.is_empty())
            }))
}

/// Opens a journal whose run has gone; `None` while it goes on, when it ended in this moment, and for what
/// is no file of this user's with one name.
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
        // Without locks nobody can tell whether it goes on.
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    // It may have ended in this moment.
    let is_there = folders.open.metadata(name).is_ok_and(|there| there.identity == metadata.identity);
    Ok(is_there.then_some(file))
}

/// What finds out what became of the last steps.
struct Resolver<'a, 'm> {
    journal: &'a Journal,
    roots: Roots<'a>,
    retention: Retention,
    meter: &'m mut Meter,
    own: OwnChange,
    aftermath: RefCell<Aftermath>,
}

impl Resolver<'_, '_> {
    /// Ends all steps. Gives how many of them stay, and whether all were taken back.
    fn finish(self, history: &History) -> Result<(usize, bool), SandboxError> {
        for taken in history.steps.iter().rev() {
            if let Step::Draft { path } | Step::Temporary { path } = &taken.step {
                self.remove_unfinished(path)?;
            }
        }
        let mut steps = history.clone().without_temporary().steps;
        for at in (0..steps.len()).rev() {
            if let Fate::Unknown { drafted, copied } = steps[at].fate
                && !self.resolve(&steps[at], drafted, copied)?
            {
                steps.remove(at);
            }
        }
        self.aftermath.borrow().settle(self.journal, self.roots);
        let Some(from) = history.taken_back_from().filter(|_| history.end.is_none()) else {
            return Ok((steps.len(), false));
        };
        // The folders that went with the run are gone, and what came out of them was new.
        let Some(history) = self.journal.history()?.map(History::without_temporary) else { return Ok((0, false)) };
        let failed = self.journal.roll_back_steps(history, (self.roots, self.retention), from, self.meter)?;
        if let Some((_, error)) = failed.into_iter().next() {
            return Err(error);
        }
        let left = steps.iter().filter(|taken| taken.number < from).count();
        Ok((left, left == 0 && !steps.is_empty()))
    }

    /// Looks what became of a step, and writes it down. Says whether it was taken.
    fn resolve(&self, taken: &Taken, drafted: Option<u64>, copied: bool) -> Result<bool, SandboxError> {
        let now = self.roots.state(taken.step.path())?;
        let done = match &taken.step {
            Step::Put { path, old, draft, kept, from } => {
                // What is copied from where it was kept has an inode of its own.
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
        let mut run = self.journal.run.borrow_mut();
        let run = run.as_mut().expect("the run was resumed");
        run.append(&record, false).map_err(|error| SandboxError::io(shown(JOURNAL), &error))?;
        Ok(is_taken)
    }

    /// When the folders of a step were changed last.
    fn times(&self, step: &Step) -> Vec<Option<super::Moment>> {
        let modified = |address: Address| self.roots.state(&address).ok().flatten().and_then(|state| state.modified);
        step.folders().into_iter().map(modified).collect()
    }

    /// What a step that puts something left under its name of ours: the new thing, unfinished, or what
    /// was there before.
    fn finish_draft(
        &self,
        path: &Address,
        draft: &str,
        (inode, old, is_there): (Option<u64>, Option<&State>, bool),
        kept: Option<&Address>,
    ) -> Result<(), SandboxError> {
        let Some((place, state)) = self.ours(path, draft)? else { return Ok(()) };
        let (folder, name) = place.entry()?;
        let is_unfinished = !is_there && (inode == Some(state.inode) || inode.is_none() && !is_same(old, &state));
        match kept {
            _ if is_unfinished && (inode.is_some() || old.is_none()) => discard(folder, name, place.shown()),
            Some(kept) => self.keep(path, &place, kept.slot()),
            None => discard(folder, name, place.shown()),
        }
    }

    /// What was exchanged for something kept, and has not got its own place yet.
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
        self.keep(path, &entry, kept.slot())
    }

    /// Whether what was taken away is kept, once that is finished; none where it is taken back.
    fn resolve_take(
        &self,
        path: &Address,
        old: &State,
        draft: &str,
        kept: &Address,
        copied: bool,
    ) -> Result<Option<bool>, SandboxError> {
        let entry = self.roots.kept(kept)?;
        let aside = self.ours(path, draft)?.filter(|(_, state)| is_same(Some(old), state));
        if let Some((aside, _)) = aside {
            let (folder, name) = aside.entry()?;
            if copied && entry.is_some() {
                return discard(folder, name, aside.shown()).map(|()| Some(true));
            }
            let place = self.roots.place(path)?;
            folder.rename(name, folder, place.name()?, Replace::No).map_err(|error| place.error(&error))?;
        }
        let now = self.roots.state(path)?;
        let is_back = now.as_ref().is_some_and(|now| is_same(Some(old), now));
        match entry {
            // A copy that was made stays: it is whole, and retention gives it up.
            Some(_) if is_back => Ok(None),
            Some(_) => Ok(Some(true)),
            // What the run had made itself went without being kept.
            None => Ok(now.is_none().then_some(false)),
        }
    }

    /// What was moved, as it is in its new place, once that is finished; none where it is taken back.
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
            discard(folder, name, place.shown())
        };
        if now.is_some_and(|now| is_same(Some(old), now)) {
            // The original is whole: the copy goes. One that has its place already is kept, since it is a file
            // that others may have seen.
            if let Some((copy, _)) = self.ours(to, draft)? {
                discard_at(&copy)?;
            }
            if there.is_some_and(|there| drafted == Some(there.inode)) {
                let stamp = Keeper::new(self.roots.root_of(to)?, self.retention).new_stamp(&self.roots.main.account);
                self.keep(to, &self.roots.place(to)?, (Drawer::Trash, stamp))?;
            }
            return Ok(None);
        }
        if let Some((aside, _)) = self.ours(path, draft)?.filter(|(_, state)| is_same(Some(old), state)) {
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

    /// What stands under a name of ours beside a path.
    fn ours(&self, path: &Address, draft: &str) -> Result<Option<(SandboxPath, State)>, SandboxError> {
        if !is_draft_name(OsStr::new(draft)) || draft.contains('/') {
            return Ok(None);
        }
        let beside = path.parent().join(OsStr::new(draft));
        match self.roots.state(&beside)? {
            Some(state) => Ok(Some((self.roots.place(&beside)?, state))),
            None => Ok(None),
        }
    }

    /// Removes what goes with the run: a draft or a temporary folder, by a name that is one.
    fn remove_unfinished(&self, path: &Address) -> Result<(), SandboxError> {
        let name = std::path::Path::new(&path.0).file_name().unwrap_or_default();
        let is_temporary = path.0.to_str().is_some_and(is_temporary_name);
        if !(is_temporary || is_draft_name(name)) || self.roots.state(path)?.is_none() {
            return Ok(());
        }
        let place = self.roots.place(path)?;
        let (folder, name) = place.entry()?;
        let modified = folder.own_metadata().ok().and_then(|metadata| metadata.modified);
        discard(folder, name, place.shown())?;
        // That there was something is told by nothing; a time that cannot be set is no reason to fail.
        modified.map(|modified| folder.set_own_modified(modified));
        Ok(())
    }

    /// Keeps what nobody can tell.
    fn keep(&self, path: &Address, found: &SandboxPath, (drawer, kept): (Drawer, String)) -> Result<(), SandboxError> {
        let keeper = Keeper::new(self.roots.root_of(path)?, self.retention);
        let locked = keeper.lock(self.meter, &self.own)?;
        let mut slot = locked.slot(&self.roots.place(path)?, drawer, &kept)?;
        let (folder, name) = found.entry()?;
        slot.take(folder, name).map_err(|error| found.error(&error))
    }
}

/// Whether something that was there is there.
fn is_same(old: Option<&State>, now: &State) -> bool {
    old.is_some_and(|old| (old.kind, old.inode) == (now.kind, now.inode))
}
