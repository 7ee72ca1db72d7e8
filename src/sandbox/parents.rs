//! Folders that are made for something that is to come into them: the missing ones above a place.
//!
//! They go again unless they are kept, so that what fails leaves none behind. Only what was made here
//! goes: a folder that is still the very one, and has nothing in it.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::error::SandboxError;
use super::folder::{Folder, Trace};
use super::journal::{Address, Change, Step, UnderWay};
use super::metadata::{Identity, Kind};
use super::root::SandboxPath;

/// The permission bits of new folders, before the user's mask.
pub(super) const FOLDER_MODE: u32 = 0o777;

/// Folders that were made, each in the one before. They go when this is dropped, unless they are kept.
#[derive(Debug, Default)]
pub struct MadeFolders(Option<Made>);

#[derive(Debug)]
struct Made {
    /// The folder that holds the first of them.
    above: Folder,
    /// The trace that it left there.
    trace: Trace,
    names: Vec<(OsString, Identity)>,
}

/// The folder that holds a place, with the folders that were made to have it.
#[derive(Debug)]
pub(super) struct Parents<'a> {
    nearest: &'a Folder,
    /// They go before the steps that made them are over.
    made: MadeFolders,
    /// The missing folders, each with the step that made it; none where somebody else did meanwhile.
    steps: Vec<(Option<UnderWay<'a>>, Folder)>,
}

impl SandboxPath {
    /// Makes the missing folders above the place.
    pub(super) fn make_parents<'a>(&'a self, change: &'a Change<'a>) -> Result<Parents<'a>, SandboxError> {
        let (nearest, missing) = self.missing_folders();
        let mut parents = Parents { nearest, made: MadeFolders::default(), steps: Vec::new() };
        let above = std::iter::successors(Some(self.full_address()), |address| Some(address.parent()));
        let addresses: Vec<Address> = above.skip(1).take(missing.len()).collect();
        for (name, address) in missing.iter().zip(addresses.into_iter().rev()) {
            let under_way = change.begin(Step::MakeFolder { path: address }, &[parents.folder()])?;
            let (is_ours, folder) = parents.enter(name).map_err(|error| self.error(&error))?;
            parents.steps.push((is_ours.then_some(under_way), folder));
        }
        Ok(parents)
    }
}

impl Parents<'_> {
    /// The folder that holds the place.
    pub(super) fn folder(&self) -> &Folder {
        self.steps.last().map_or(self.nearest, |(_, folder)| folder)
    }

    /// The folders that were made stay.
    pub(super) fn keep(mut self) {
        self.made.keep();
        let (steps, folders): (Vec<_>, Vec<_>) = std::mem::take(&mut self.steps).into_iter().unzip();
        let above = std::iter::once(self.nearest).chain(&folders);
        for ((step, folder), above) in steps.into_iter().zip(&folders).zip(above) {
            if let Some(step) = step {
                step.done(folder.own_metadata().ok().as_ref(), false, &[above]);
            }
        }
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<(bool, Folder)> {
        let folder = self.steps.last().map_or(self.nearest, |(_, folder)| folder);
        let is_ours = self.made.make(folder, name, FOLDER_MODE)?;
        folder.sync()?;
        Ok((is_ours, folder.open_folder(name)?))
    }
}

impl MadeFolders {
    /// Makes a folder in the one that was made before, or in any if none was. False when the name is
    /// taken: then those made before have something in them that is not ours, and are kept.
    pub(super) fn make(&mut self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<bool> {
        let trace = match Trace::of(folder, || folder.create_folder(name, mode)) {
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

    /// They stay.
    pub fn keep(&mut self) {
        self.0 = None;
    }

    /// Makes sure that their names outlive a power cut; the names in the last of them are not meant.
    pub(super) fn sync(&self) -> io::Result<()> {
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
    /// Removes the last of those that are left, if it is what was made and empty.
    fn remove_last(&self, names: &[(OsString, Identity)]) -> io::Result<()> {
        let Some(((name, identity), before)) = names.split_last() else { return Ok(()) };
        let mut folder = self.above.duplicate()?;
        for (name, _) in before {
            folder = folder.open_folder(name)?;
        }
        let found = folder.metadata(name)?;
        match found.kind == Kind::Folder && found.identity == *identity {
            // The system refuses this for one that holds something.
            true => folder.remove_folder(name),
            false => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        let Some(made) = &self.0 else { return };
        // Best effort, the innermost first: the error that matters is the one that brought us here.
        let ours = (1..=made.names.len()).rev().map(|left| made.remove_last(&made.names[..left]));
        made.trace.erase(&made.above, || ours.take_while(Result::is_ok).for_each(drop));
    }
}
