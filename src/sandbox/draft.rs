//! What is not finished: it lies under a name of ours until it takes a place.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind};

use super::folder::{Folder, Replace, Trace};
use super::journal::left;
use super::metadata::{Identity, Metadata};
use super::remove::discard;

/// How the names of unfinished files begin.
const BEGINNING: &str = ".ns-tmp-";

/// A new file, link or folder under a name of ours, which takes a place or vanishes.
#[derive(Debug)]
pub(super) struct Draft {
    folder: Folder,
    name: OsString,
    /// What it was when it was made.
    made: Metadata,
    done: bool,
    /// The trace that making it left in its folder.
    trace: Trace,
}

impl Draft {
    /// Makes an empty file under a name that nobody has ([`random_name`]).
    pub(super) fn create(folder: &Folder, name: OsString, mode: u32) -> io::Result<(Draft, File)> {
        let folder = folder.duplicate()?;
        let (file, trace) = Trace::of(&folder, || folder.create_file(&name, mode))?;
        let made = folder.file_metadata(&file)?;
        Ok((Draft { folder, name, made, done: false, trace }, file))
    }

    /// Takes over what was made under a name of ours, and left a trace.
    pub(super) fn adopt(folder: &Folder, name: OsString, trace: Trace) -> io::Result<Draft> {
        let folder = folder.duplicate()?;
        let made = folder.metadata(&name)?;
        Ok(Draft { folder, name, made, done: false, trace })
    }

    /// What is in the place that it took: itself, as it is now.
    pub(super) fn left(&self, name: &OsStr) -> Metadata {
        left(&self.folder, name, &self.made)
    }

    /// Its inode.
    pub(super) fn inode(&self) -> u64 {
        self.made.identity.inode
    }

    /// Gives it its final name.
    pub(super) fn rename(&mut self, to_folder: &Folder, to: &OsStr, replace: Replace) -> io::Result<()> {
        self.trace.extend(&self.folder, || self.folder.rename(&self.name, to_folder, to, replace))?;
        self.done = true;
        Ok(())
    }

    /// The trace that it left in its folder so far.
    pub(super) fn trace(&self) -> Trace {
        self.trace
    }

    /// Exchanges it for what has a name in its folder, and gives what that was.
    pub(super) fn exchange(&mut self, name: &OsStr) -> io::Result<Taken> {
        let (folder, mut trace) = (self.folder.duplicate()?, self.trace);
        trace.extend(&folder, || folder.exchange(&self.name, &folder, name))?;
        self.done = true;
        Ok(Taken { folder, name: self.name.clone(), successor: self.made.identity, trace })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let is_ours = |metadata: Metadata| metadata.identity == self.made.identity;
        if !self.done && self.folder.metadata(&self.name).is_ok_and(is_ours) {
            // Best effort: what is left of a failed change must not stay visible.
            let _ = self.trace.erase(&self.folder, || discard(&self.folder, &self.name, ""));
        }
    }
}

/// What had a name until a draft took it; it is now under the draft's. Nothing removes it by itself.
pub(super) struct Taken {
    pub(super) folder: Folder,
    pub(super) name: OsString,
    /// What took its name.
    successor: Identity,
    /// The trace that the draft and the exchange left in the folder.
    trace: Trace,
}

impl Taken {
    /// Gives it its name back, and removes what had taken it.
    ///
    /// False when somebody else has put something newer there meanwhile: that stays, and this is
    /// still under the draft's name.
    pub(super) fn put_back(&self, name: &OsStr) -> io::Result<bool> {
        self.trace.erase(&self.folder, || self.exchange_back(name))
    }

    fn exchange_back(&self, name: &OsStr) -> io::Result<bool> {
        match self.folder.exchange(&self.name, &self.folder, name) {
            // What had taken the name was removed: the name is free.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return self.folder.rename(&self.name, &self.folder, name, Replace::No).map(|()| true);
            }
            other => other?,
        }
        if self.folder.metadata(&self.name)?.identity == self.successor {
            return self.remove().map(|()| true);
        }
        self.folder.exchange(&self.name, &self.folder, name).map(|()| false)
    }

    /// Removes the file or link that is under the draft's name for good.
    pub(super) fn remove(&self) -> io::Result<()> {
        self.folder.remove_file(&self.name)
    }
}

/// A name for what is not finished, which nobody can guess.
pub(super) fn random_name() -> OsString {
    OsString::from(format!("{BEGINNING}{:016x}", random_number()))
}

/// Whether a name is one of those.
pub(super) fn is_draft_name(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(BEGINNING.as_bytes())
}

/// A number that nobody can guess.
pub(super) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}
