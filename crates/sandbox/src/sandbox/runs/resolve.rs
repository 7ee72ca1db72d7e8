//! The last steps of a killed run: determines how far each one got, and completes or reverses it.
//!
//! Steps with a done or void mark are settled. The outcome of the others is inferred from the file system, which
//! works because each step uses unique temporary names. Only entries that are known to be unfinished are removed; all
//! others are backed up.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::ErrorKind;

use crate::limits::Meter;

use super::super::changing::backups::{BackupId, BackupKind, BackupStore, Retention};
use super::super::changing::journal::Journal;
use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::record::{Record, Step};
use super::super::changing::journal::roots::Roots;
use super::super::changing::temporary::is_temporary_name;
use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Replace;
use super::super::handles::metadata::Kind;
use super::super::handles::root::SandboxPath;
use super::super::handles::staging::{displaced_name, is_draft_name};
use super::super::handles::state::{Moment, State};
use super::super::internal::internal_change::InternalChange;
use super::aftermath::DirectoryTimes;

/// Determines the outcome of the last steps.
pub(super) struct StepResolver<'a, 'm> {
    pub journal: &'a Journal,
    pub roots: Roots<'a>,
    pub retention: Retention,
    pub meter: &'m mut Meter,
    pub own: InternalChange,
    pub aftermath: RefCell<DirectoryTimes>,
}

/// How far a [`Step::Put`] got.
struct PutProgress<'a> {
    /// The inode of the new entry, if it is known.
    inode: Option<u64>,
    /// The previous entry.
    old: Option<&'a State>,
    /// Whether the new entry is at its path.
    is_there: bool,
}

impl PutProgress<'_> {
    /// Whether the entry under the temporary name is the new one, perhaps unfinished, and not the previous one.
    fn is_new_entry(&self, found: &State) -> bool {
        match self.inode {
            // It has a second name if the system could rename it only by a link.
            Some(inode) => inode == found.inode,
            None => !self.is_there && self.old.is_none(),
        }
    }
}

impl StepResolver<'_, '_> {
    /// Settles all steps. Returns the number that are still in effect, and whether all were reversed.
    pub fn finish(self, history: &History) -> Result<(usize, bool), SandboxError> {
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
        let failed = self.journal.roll_back_steps(history, self.roots, self.retention, from, self.meter)?;
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
            Step::Put { path, old, draft, kept, from, .. } => {
                // A copy of a backup has an inode of its own.
                let moved = from.as_ref().filter(|_| draft.is_none());
                let inode = drafted.or(moved.map(|(_, state)| state.inode));
                let is_new = |now: &State| inode.map_or(!is_same(old.as_ref(), now), |it| it == now.inode);
                let mut is_there = now.as_ref().is_some_and(is_new);
                if let (Some(draft), None, Some(old), true) = (draft, inode, old, is_there) {
                    // Somebody else may have replaced the entry before the new one was made.
                    is_there = self.has_left(path, old, draft, kept.as_ref())?;
                }
                if let Some(draft) = draft {
                    let put = PutProgress { inode, old: old.as_ref(), is_there };
                    self.finish_draft(path, draft, &put, kept.as_ref())?;
                }
                if let (Some((from, state)), Some(kept), true) = (from, kept, is_there) {
                    self.finish_exchange(path, from, state, kept)?;
                }
                let is_kept = kept.as_ref().map(|kept| self.roots.kept(kept)).transpose()?.flatten().is_some();
                is_there.then_some((now, is_kept))
            }
            Step::Take { path, old, draft, kept } => {
                self.resolve_take(path, old, draft, kept, copied)?.map(|is_kept| (None, is_kept))
            }
            Step::Move { .. } => {
                self.resolve_move(&taken.step, now.as_ref(), drafted, copied)?.map(|there| (Some(there), false))
            }
            Step::MakeFolder { .. } => now.filter(|now| now.kind == Kind::Folder).map(|now| (Some(now), false)),
            Step::RemoveFolder { .. } => now.is_none().then_some((None, false)),
            Step::SetMode { mode, .. } => now.filter(|now| now.mode == *mode).map(|now| (Some(now), false)),
            Step::SetModified { old, .. } => {
                now.filter(|now| now.inode == old.inode && now.modified != old.modified).map(|now| (Some(now), false))
            }
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

    /// Whether the previous entry of a [`Step::Put`] is where its successor leaves it: under the temporary name, or in
    /// the backup store.
    fn has_left(&self, path: &Address, old: &State, draft: &str, kept: Option<&Address>) -> Result<bool, SandboxError> {
        let displaced = displaced_name(OsStr::new(draft));
        for name in [OsStr::new(draft), &displaced] {
            let name = name.to_str().expect("a text with a suffix is a text");
            if self.staged_by_us(path, name)?.is_some_and(|(_, state)| is_same(Some(old), &state)) {
                return Ok(true);
            }
        }
        Ok(kept.map(|kept| self.roots.kept(kept)).transpose()?.flatten().is_some())
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
        put: &PutProgress<'_>,
        kept: Option<&Address>,
    ) -> Result<(), SandboxError> {
        self.finish_renames(path, draft, kept)?;
        let Some((place, state)) = self.staged_by_us(path, draft)? else { return Ok(()) };
        let (folder, name) = place.entry()?;
        match kept.filter(|_| !put.is_new_entry(&state)) {
            Some(kept) => self.keep(path, &place, &BackupId::of(kept)),
            None => discard(folder, name, place.display()),
        }
    }

    /// Handles the previous entry if an exchange in several renames was interrupted: gives it its name back, or moves it
    /// to where an exchange at once leaves it.
    fn finish_renames(&self, path: &Address, draft: &str, kept: Option<&Address>) -> Result<(), SandboxError> {
        let displaced = displaced_name(OsStr::new(draft));
        let displaced = displaced.to_str().expect("a text with a suffix is a text");
        let Some((aside, _)) = self.staged_by_us(path, displaced)? else { return Ok(()) };
        let ((folder, name), place) = (aside.entry()?, self.roots.place(path)?);
        for target in [place.name()?, OsStr::new(draft)] {
            match folder.rename(name, folder, target, Replace::No) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                other => return other.map_err(|error| place.error(&error)),
            }
        }
        kept.map_or(Ok(()), |kept| self.keep(path, &aside, &BackupId::of(kept)))
    }

    /// Completes an exchange with a backup: moves the previous entry, which is still at the path of that backup, to a
    /// backup of its own.
    fn finish_exchange(
        &self,
        path: &Address,
        from: &Address,
        state: &State,
        kept: &Address,
    ) -> Result<(), SandboxError> {
        let Some(entry) = self.roots.kept(from)? else { return Ok(()) };
        if entry.metadata()?.identity.inode == state.inode || self.roots.kept(kept)?.is_some() {
            return Ok(());
        }
        self.keep(path, &entry, &BackupId::of(kept))
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
                // Best effort: the copy is complete, so what cannot be removed of the original is not missing.
                let _ = discard(folder, name, aside.display());
                return Ok(Some(true));
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
        step: &Step,
        now: Option<&State>,
        drafted: Option<u64>,
        copied: bool,
    ) -> Result<Option<State>, SandboxError> {
        let Step::Move { path, old, to, draft } = step else { return Ok(None) };
        let there = self.roots.state(to)?;
        let Some(draft) = draft else {
            // Another entry may have the name by now. Several moves are journaled before the first of them is made.
            let is_gone = now.is_none_or(|now| !is_same(Some(old), now));
            return Ok(there.filter(|there| is_same(Some(old), there) && is_gone));
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
                let store = BackupStore::new(self.roots.root_of(to)?, self.retention);
                let id = store.new_id(BackupKind::Trash, &self.roots.main.usage);
                self.keep(to, &self.roots.place(to)?, &id)?;
            }
            return Ok(None);
        }
        if let Some((aside, _)) = self.staged_by_us(path, draft)?.filter(|(_, state)| is_same(Some(old), state)) {
            if copied {
                // Best effort: the copy at the new path is complete.
                let _ = discard_at(&aside);
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
    fn keep(&self, path: &Address, found: &SandboxPath, id: &BackupId) -> Result<(), SandboxError> {
        let store = BackupStore::new(self.roots.root_of(path)?, self.retention);
        let locked = store.lock(self.meter, &self.own)?;
        let mut slot = locked.slot(&self.roots.place(path)?, id)?;
        let (folder, name) = found.entry()?;
        slot.take(folder, name).map_err(|error| found.error(&error))
    }
}

/// Whether the entry is the previous one, by kind and inode.
fn is_same(old: Option<&State>, now: &State) -> bool {
    old.is_some_and(|old| (old.kind, old.inode) == (now.kind, now.inode))
}
