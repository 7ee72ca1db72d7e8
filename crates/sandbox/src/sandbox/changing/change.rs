//! Creates directories and renames entries. Every operation that changes the disk needs an open [`Change`] and journals
//! each of its steps before performing it.
//!
//! Each operation is atomic for other processes: they see either the old state or the new one.

use std::io::ErrorKind;

use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::folder::Folder;
use super::super::handles::metadata::Metadata;
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::journal::{Change, FolderState, PendingStep, Step};
use super::parents::FOLDER_MODE;

impl SandboxPath {
    /// Creates the directory and its missing parents; all of them or none.
    pub fn create_folder(&self, change: &Change<'_>) -> Result<(), SandboxError> {
        let name = self.name()?;
        let parents = self.make_parents(change)?;
        let folder = parents.folder();
        let pending = change.begin(Step::MakeFolder { path: self.full_address() }, &[folder])?;
        folder.create_folder(name, FOLDER_MODE).map_err(|error| self.error(&error))?;
        // The directory exists now, whether or not the rest succeeds.
        let synced = pending.sync(&[folder]);
        pending.done(folder.metadata(name).ok().as_ref(), false, &[folder]);
        parents.keep();
        synced.map_err(|error| self.undurable(&error))
    }

    /// Recreates the directory with its old mode and modification time.
    pub(in crate::sandbox) fn create_folder_like(&self, old: &State, change: &Change<'_>) -> Result<(), SandboxError> {
        let wrap = |error: std::io::Error| self.error(&error);
        let (folder, name) = self.entry()?;
        let pending = change.begin(Step::MakeFolder { path: self.full_address() }, &[folder])?;
        folder.create_folder(name, FOLDER_MODE).map_err(wrap)?;
        let dressed = folder
            .hold(name)
            .and_then(|held| held.set_mode(folder, name, old.mode))
            .and_then(|()| old.modified().map_or(Ok(()), |modified| folder.set_modified(name, modified)))
            .and_then(|()| pending.sync(&[folder]));
        pending.done(folder.metadata(name).ok().as_ref(), false, &[folder]);
        dressed.map_err(|error| self.undurable(&error))
    }

    /// Renames a file, directory or link, whose metadata was just read. Fails if the target exists.
    pub fn rename_to(&self, target: &SandboxPath, metadata: &Metadata, change: &Change<'_>) -> Result<(), RenameError> {
        Renaming { source: self, target, metadata: *metadata }.begin(change)?.carry_out()
    }
}

/// A rename of a file, directory or link, whose metadata was just read.
#[derive(Clone, Copy, Debug)]
pub struct Renaming<'a> {
    /// The entry.
    pub source: &'a SandboxPath,
    /// Its new path.
    pub target: &'a SandboxPath,
    /// Its metadata.
    pub metadata: Metadata,
}

/// A rename that is in the journal.
#[derive(Debug)]
pub struct PendingRenaming<'a> {
    renaming: Renaming<'a>,
    pending: PendingStep<'a>,
}

impl<'a> Renaming<'a> {
    /// Journals the rename.
    pub fn begin(self, change: &'a Change<'_>) -> Result<PendingRenaming<'a>, SandboxError> {
        let (step, folders) = self.step()?;
        Ok(PendingRenaming { renaming: self, pending: change.begin(step, &folders)? })
    }

    /// Journals several renames together, so that records that must be durable are synced once.
    pub fn begin_all(
        renamings: Vec<Renaming<'a>>,
        change: &'a Change<'_>,
    ) -> Result<Vec<PendingRenaming<'a>>, SandboxError> {
        let mut steps = Vec::with_capacity(renamings.len());
        for renaming in &renamings {
            let (step, folders) = renaming.step()?;
            steps.push((step, FolderState::of_all(&folders)));
        }
        let pending = change.begin_all(steps)?;
        let renamings = renamings.into_iter().zip(pending);
        Ok(renamings.map(|(renaming, pending)| PendingRenaming { renaming, pending }).collect())
    }

    /// Returns the step, and the directories that it changes.
    fn step(&self) -> Result<(Step, [&'a Folder; 2]), SandboxError> {
        let (path, to) = (self.source.full_address(), self.target.full_address());
        let step = Step::Move { path, old: State::of(&self.metadata), to, draft: None };
        Ok((step, [self.source.entry()?.0, self.target.entry()?.0]))
    }
}

impl<'a> PendingRenaming<'a> {
    /// Returns the number of the step.
    pub fn number(&self) -> u32 {
        self.pending.number()
    }

    /// Returns the rename.
    pub fn renaming(&self) -> Renaming<'a> {
        self.renaming
    }

    /// Renames the entry. Fails if the target exists.
    pub fn carry_out(self) -> Result<(), RenameError> {
        let PendingRenaming { renaming: Renaming { source, target, metadata }, pending } = self;
        let ((folder, name), (target_folder, target_name)) = (source.entry()?, target.entry()?);
        match pending.change().rename(folder, name, target_folder, target_name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(SandboxError::Exists(target.display().to_owned()).into());
            }
            Err(error) => return Err(source.error(&error).into()),
        }
        let folders = [folder, target_folder];
        let synced = pending.sync(&folders);
        pending.done(Some(&metadata), false, &folders);
        Ok(synced.map_err(|error| target.undurable(&error))?)
    }
}
