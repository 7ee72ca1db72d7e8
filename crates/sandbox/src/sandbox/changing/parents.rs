//! Creates missing parent directories.
//!
//! They are removed again unless [`Parents::keep`] is called, so that a failed operation leaves none behind. Only
//! directories created here are removed, and only if they are still the same and empty.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Folder, MtimeGuard};
use super::super::handles::metadata::{Identity, Kind};
use super::super::handles::root::SandboxPath;
use super::journal::{Change, PendingStep, Step};

/// The permission bits of new directories, before the umask.
pub(in crate::sandbox) const FOLDER_MODE: u32 = 0o777;

/// A chain of created directories, each inside the previous one. Removed on drop, unless kept.
#[derive(Debug, Default)]
pub struct MadeFolders(Option<Made>);

#[derive(Debug)]
struct Made {
    /// The directory that contains the first of them.
    above: Folder,
    /// The change that the first of them made to the modification time of `above`.
    trace: MtimeGuard,
    names: Vec<(OsString, Identity)>,
}

/// The parent directory of a path, with the directories created for it.
#[derive(Debug)]
pub(in crate::sandbox) struct Parents<'a> {
    nearest: &'a Folder,
    /// Declared before `steps`: the directories are removed before the steps that created them end.
    made: MadeFolders,
    /// The missing directories, each with the step that created it; `None` if somebody else created it in the meantime.
    steps: Vec<(Option<PendingStep<'a>>, Folder)>,
}

impl SandboxPath {
    /// Creates the missing parent directories of the path.
    pub(in crate::sandbox) fn make_parents<'a>(&'a self, change: &'a Change<'a>) -> Result<Parents<'a>, SandboxError> {
        let (nearest, missing) = self.missing_folders();
        let mut parents = Parents { nearest, made: MadeFolders::default(), steps: Vec::new() };
        let above = std::iter::successors(Some(self.full_address()), |address| Some(address.parent()));
        let addresses: Vec<Address> = above.skip(1).take(missing.len()).collect();
        for (name, address) in missing.iter().zip(addresses.into_iter().rev()) {
            let pending = change.begin(Step::MakeFolder { path: address }, &[parents.folder()])?;
            let (is_ours, folder) = parents.enter(name, &pending).map_err(|error| self.error(&error))?;
            parents.steps.push((is_ours.then_some(pending), folder));
        }
        Ok(parents)
    }
}

impl Parents<'_> {
    /// Returns the parent directory of the path.
    pub(in crate::sandbox) fn folder(&self) -> &Folder {
        self.steps.last().map_or(self.nearest, |(_, folder)| folder)
    }

    /// Keeps the created directories.
    pub(in crate::sandbox) fn keep(mut self) {
        self.made.keep();
        let (steps, folders): (Vec<_>, Vec<_>) = std::mem::take(&mut self.steps).into_iter().unzip();
        let above = std::iter::once(self.nearest).chain(&folders);
        for ((step, folder), above) in steps.into_iter().zip(&folders).zip(above) {
            if let Some(step) = step {
                step.done(folder.own_metadata().ok().as_ref(), false, &[above]);
            }
        }
    }

    /// Keeps the created directories if the entry for which they were created has its name.
    pub(in crate::sandbox) fn keep_if_done<T>(self, taken: &Result<T, SandboxError>) {
        if taken.as_ref().map_or_else(SandboxError::is_done, |_| true) {
            self.keep();
        }
    }

    fn enter(&mut self, name: &OsStr, pending: &PendingStep<'_>) -> io::Result<(bool, Folder)> {
        let folder = self.steps.last().map_or(self.nearest, |(_, folder)| folder);
        let is_ours = self.made.make(folder, name, FOLDER_MODE)?;
        pending.sync(&[folder])?;
        Ok((is_ours, folder.open_folder(name)?))
    }
}

impl MadeFolders {
    /// Creates a directory inside the one created before, or in any directory if none was. Returns false if the name is
    /// taken: then the directories created before contain an entry that is not ours, and are kept.
    pub(in crate::sandbox) fn make(&mut self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<bool> {
        let trace = match MtimeGuard::of(folder, || folder.create_folder(name, mode)) {
            Ok(((), trace)) => trace,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.0 = None;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let identity = folder.metadata(name)?.identity;
        match &mut self.0 {
            Some(made) => made.names.push((name.to_owned(), identity)),
            none => *none = Some(Made { above: folder.duplicate()?, trace, names: vec![(name.to_owned(), identity)] }),
        }
        Ok(true)
    }

    /// Like [`MadeFolders::make`], where nobody sees the modification time of the directory above: it is not restored.
    /// The caller tells the identity of the new directory ([`MadeFolders::identify`]).
    pub(in crate::sandbox) fn make_untraced(&mut self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<bool> {
        match folder.create_folder(name, mode) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.0 = None;
                return Ok(false);
            }
            made => made?,
        }
        let above =
            || Ok::<_, io::Error>(Made { above: folder.duplicate()?, trace: MtimeGuard::default(), names: Vec::new() });
        let made = match &mut self.0 {
            Some(made) => made,
            none => none.insert(above()?),
        };
        made.names.push((name.to_owned(), Identity { device: 0, inode: 0 }));
        Ok(true)
    }

    /// Sets the identity of the last directory.
    pub(in crate::sandbox) fn identify(&mut self, identity: Identity) {
        if let Some((_, of_last)) = self.0.as_mut().and_then(|made| made.names.last_mut()) {
            *of_last = identity;
        }
    }

    /// Keeps the directories.
    pub fn keep(&mut self) {
        self.0 = None;
    }

    /// Syncs the directories that contain them, so that their names survive a power failure. The last directory itself
    /// is not synced.
    pub(in crate::sandbox) fn sync(&self) -> io::Result<()> {
        let Some(Made { above, names, .. }) = &self.0 else { return Ok(()) };
        above.sync()?;
        let mut folder = above.duplicate()?;
        for (name, _) in &names[..names.len() - 1] {
            folder = folder.open_folder(name)?;
            folder.sync()?;
        }
        Ok(())
    }
}

impl Made {
    /// Removes the last of the remaining directories `names`, if it is the one created and empty.
    fn remove_last(&self, names: &[(OsString, Identity)]) -> io::Result<()> {
        let Some(((name, identity), before)) = names.split_last() else { return Ok(()) };
        let mut folder = self.above.duplicate()?;
        for (name, _) in before {
            folder = folder.open_folder(name)?;
        }
        let found = folder.metadata(name)?;
        if found.kind == Kind::Folder && found.identity == *identity {
            // The system refuses this for a directory that is not empty.
            folder.remove_folder(name)
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        let Some(made) = &self.0 else { return };
        // Best effort, the innermost first: the error that led here is the one that matters.
        let ours = (1..=made.names.len()).rev().map(|left| made.remove_last(&made.names[..left]));
        made.trace.erase(&made.above, || ours.take_while(Result::is_ok).for_each(drop));
    }
}
