//! After a run that was killed: its last steps are finished or taken back, and what it left unfinished
//! is removed.
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
use super::super::own::shown;
use super::super::remove::discard;
use super::super::root::SandboxPath;
use super::super::temporary::is_temporary_name;
use super::aftermath::Aftermath;
use super::history::{Fate, History, HistoryError, Taken};
use super::record::{Address, End, Record, State, Step};
use super::roots::Roots;
use super::run::{Folders, OPEN, Run};
use super::{JOURNAL, Journal, OwnChange};

/// What was found of a run that was killed.
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

impl Journal {
    /// Looks for runs that were killed and brings them to an end. What is to be said about it comes with
    /// them: a sentence each.
    pub fn recover(
        &self,
        (roots, retention): (Roots<'_>, Retention),
        meter: &mut Meter,
    ) -> Result<(Vec<Recovered>, Vec<String>), SandboxError> {
        let mut recovered = Vec::new();
        let mut notes = Vec::new();
        let Some(folders) = Folders::find(roots.main)? else { return Ok((recovered, notes)) };
        let wrap = |error: io::Error| SandboxError::io(shown(JOURNAL), &error);
        let mut names: Vec<OsString> =
            folders.open.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        // What somebody else put there is left alone.
        names.retain(|name| stamp::is_stamp(name) || is_draft_name(name));
        names.sort_unstable();
        for name in names {
            let Some(file) = abandoned(&folders, &name).map_err(wrap)? else { continue };
            if !self.writable {
                notes.push("a run was interrupted; it is brought to an end by the next that may change files".into());
                break;
            }
            match self.recover_run(&folders, &name, file, roots, retention, meter) {
                Ok(Some(run)) => recovered.push(run),
                Ok(None) => {}
                Err(error) => {
                    notes.push(format!("the journal `{}` was not brought to an end: {error}", place_of(&name)))
                }
            }
        }
        Ok((recovered, notes))
    }

    fn recover_run(
        &self,
        folders: &Folders,
        name: &OsStr,
        file: File,
        roots: Roots<'_>,
        retention: Retention,
        meter: &mut Meter,
    ) -> Result<Option<Recovered>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(place_of(name), &error);
        let history = match History::read(&file) {
            Ok(history) => history,
            // Killed before it wrote anything.
            Err(HistoryError::Foreign) if file.metadata().map_err(wrap)?.len() == 0 || !stamp::is_stamp(name) => {
                folders.open.remove_file(name).map_err(wrap)?;
                return Ok(None);
            }
            Err(error) => return Err(SandboxError::Io { path: place_of(name), reason: error.to_string() }),
        };
        let until = file_metadata(&file).map_err(wrap)?.modified;
        if history.damaged.is_none() {
            file.set_len(history.whole).map_err(wrap)?;
        }
        let (own, begin) = (self.begin_own()?, history.begin.clone());
        *self.run.borrow_mut() = Some(Run::resume(name, folders, file, &history)?);
        let aftermath = RefCell::new(Aftermath::new(&history, until, roots));
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
        if history.end.is_some() {
            // It had ended, and something of it was still to be removed.
            return Ok(None);
        }
        Ok(Some(Recovered { run: begin.run, command: begin.command, end, steps }))
    }
}

fn place_of(name: &OsStr) -> String {
    format!("{}/{OPEN}/{}", shown(JOURNAL), name.to_string_lossy())
}

/// Opens a journal whose run has gone; none while it goes on, and when it ended in this moment.
fn abandoned(folders: &Folders, name: &OsStr) -> io::Result<Option<File>> {
    let opened = folders.open.metadata(name).and_then(|metadata| match metadata.kind {
        Kind::File => folders.open.open_log(name).map(|file| Some((metadata, file))),
        _ => Ok(None),
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
        let all = if history.begin.atomic { Some(1) } else { history.open_from };
        let Some(from) = all.filter(|_| history.end.is_none()) else { return Ok((steps.len(), false)) };
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
                let inode = drafted.or(from.as_ref().map(|(_, state)| state.inode));
                let is_there =
                    now.as_ref().is_some_and(|now| inode.map_or(!is_same(old.as_ref(), now), |it| it == now.inode));
                if let Some(draft) = draft {
                    self.finish_draft(path, draft, (inode, old.as_ref(), is_there), kept.as_ref())?;
                }
                if let (Some((from, state)), Some(kept), true) = (from, kept, is_there) {
                    self.finish_exchange(from, state, kept)?;
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
    fn finish_exchange(&self, from: &Address, state: &State, kept: &Address) -> Result<(), SandboxError> {
        let Some(entry) = self.roots.kept(from)? else { return Ok(()) };
        let (folder, name) = entry.entry()?;
        let metadata = entry.metadata()?;
        if metadata.identity.inode == state.inode || self.roots.kept(kept)?.is_some() {
            return Ok(());
        }
        let last = std::path::Path::new(&kept.0).file_name().unwrap_or(name);
        let wrap = |error: io::Error| SandboxError::io(from.shown(), &error);
        folder.rename(name, folder, last, Replace::No).map_err(wrap)
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
        if let Some((aside, _)) = self.ours(path, draft)? {
            let (folder, name) = aside.entry()?;
            if copied && entry.is_some() {
                return discard(folder, name, aside.shown()).map(|()| Some(true));
            }
            let place = self.roots.place(path)?;
            folder.rename(name, folder, place.name()?, Replace::No).map_err(|error| place.error(&error))?;
        }
        let now = self.roots.state(path)?;
        let is_back = now.as_ref().is_some_and(|now| now.inode == old.inode);
        match entry {
            Some(entry) if is_back => {
                let (folder, name) = entry.entry()?;
                discard(folder, name, entry.shown()).map(|()| None)
            }
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
            return Ok(there.filter(|there| there.inode == old.inode && now.is_none()));
        };
        let discard_at = |place: &SandboxPath| {
            let (folder, name) = place.entry()?;
            discard(folder, name, place.shown())
        };
        if now.is_some_and(|now| is_same(Some(old), now)) {
            // The original is whole: the copy goes.
            let copies = [self.ours(to, draft)?.map(|(place, _)| place)].into_iter().flatten();
            let finished =
                there.filter(|there| drafted == Some(there.inode)).map(|_| self.roots.place(to)).transpose()?;
            copies.chain(finished).try_for_each(|place| discard_at(&place))?;
            return Ok(None);
        }
        if let Some((aside, _)) = self.ours(path, draft)? {
            if copied {
                discard_at(&aside)?;
            } else {
                let (folder, name) = aside.entry()?;
                let place = self.roots.place(path)?;
                folder.rename(name, folder, place.name()?, Replace::No).map_err(|error| place.error(&error))?;
                return Ok(None);
            }
        }
        Ok(there)
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
        let mut slot = locked.slot(&self.roots.place(path)?, drawer, kept)?;
        let (folder, name) = found.entry()?;
        slot.take(folder, name).map_err(|error| found.error(&error))
    }
}

/// Whether something that was there is there.
fn is_same(old: Option<&State>, now: &State) -> bool {
    old.is_some_and(|old| old.inode == now.inode)
}
