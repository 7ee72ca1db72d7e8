//! The rules by which the readers of a walk take entries and enter directories.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

use crate::limits::LimitHit;

use super::super::super::handles::metadata::{Identity, Kind};
use super::super::super::handles::reserved::is_reserved;
use super::super::super::handles::root::SandboxPath;
use super::super::ignore::{self, Ignore, Scope, Shape};
use super::criteria::{Candidate, Choice, Search};
use super::entry::EntryId;
use super::{Details, Failure};

/// Directories that a walk leaves out, in addition to reserved names.
#[derive(Clone, Copy)]
pub struct Skip<'a> {
    /// Returns whether the directory at a resolved path, and everything in it, is left out.
    pub rule: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

/// The position of a directory in a walk.
#[derive(Clone, Debug)]
pub struct Position {
    /// The directory's entry; `None` for the start.
    pub entry: Option<EntryId>,
    /// The path from the root with a trailing `/`. Empty for the root itself, and below the start if no rule needs
    /// paths.
    pub path: Vec<u8>,
    /// The level below the start; 0 for the start itself.
    pub depth: usize,
    /// The `.gitignore` rules of the directories above.
    pub scope: Option<Arc<Scope>>,
}

impl Position {
    /// Returns the position of the directory where a walk starts.
    pub fn of_start(start: &SandboxPath) -> Position {
        Position { entry: None, path: folder_path(start), depth: 0, scope: None }
    }

    /// Returns the position of a directory in a walk without path rules.
    pub fn unnamed(entry: EntryId) -> Position {
        Position { entry: Some(entry), path: Vec::new(), depth: 0, scope: None }
    }

    /// Returns the position of the directory `name` in this one, where the rules `scope` apply.
    pub fn below(&self, entry: EntryId, name: &[u8], scope: Option<Arc<Scope>>) -> Position {
        let path = [&self.path, name, b"/"].concat();
        Position { entry: Some(entry), path, depth: self.depth + 1, scope }
    }
}

/// Returns the resolved path of a directory with a trailing `/`; empty for the root.
pub fn folder_path(place: &SandboxPath) -> Vec<u8> {
    let mut path = place.resolved_raw().as_encoded_bytes().to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path
}

/// The rules of one walk, shared by its readers.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    pub skip: Skip<'a>,
    pub details: Details,
    pub search: Option<&'a Search<'a>>,
    /// Number of bytes of a position's path that precede the path from the start.
    pub start_len: usize,
    /// The directory from which paths are resolved: the start, or the target of a link.
    pub base: Base<'a>,
    /// The directories already read, if links are followed.
    pub entered: Option<&'a Mutex<HashSet<Identity>>>,
}

/// A directory below which the names of a path equal those of the resolved path.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// The length in bytes of its position's path.
    pub path_len: usize,
    /// Its resolved path with a trailing `/`, if different from its position's path.
    pub resolved: Option<&'a [u8]>,
    /// Whether the directory is the root, which contains our own files.
    pub is_root: bool,
    pub depth: usize,
}

impl<'a> Filter<'a> {
    /// Returns the rules of a walk that returns every entry.
    pub fn of_walk(start: &SandboxPath, skip: Skip<'a>, details: Details) -> Filter<'a> {
        let start_len = folder_path(start).len();
        let base = Base { path_len: start_len, resolved: None, is_root: start.is_root(), depth: 0 };
        Filter { skip, details, search: None, start_len, base, entered: None }
    }

    /// Whether positions need paths.
    pub fn asks_for_paths(&self) -> bool {
        self.skip.rule.is_some() || self.search.is_some()
    }

    /// Whether the identity of each entry is wanted.
    pub fn wants_identities(&self) -> bool {
        self.search.is_some_and(|search| search.identities)
    }

    /// Whether links are followed.
    pub fn follows(&self) -> bool {
        self.entered.is_some()
    }

    /// Whether a name in a directory is left out because it is reserved. Adds 1 to `count` for each such name except
    /// the root's own.
    pub fn leaves_out(&self, folder: &Position, name: &OsStr, count: &mut u64) -> bool {
        let is_left_out = is_reserved(name);
        if is_left_out {
            let is_base = if self.asks_for_paths() { folder.depth == self.base.depth } else { folder.entry.is_none() };
            *count += u64::from(!(is_base && self.base.is_root));
        }
        is_left_out
    }

    /// Decides about an entry, given its path, the length of its name, its kind and its level below the start.
    pub fn choose(
        &self,
        path: &[u8],
        name_len: usize,
        kind: Kind,
        depth: usize,
        ignore: Option<&mut Ignore>,
    ) -> Result<Choice, LimitHit> {
        if kind == Kind::Folder && self.hides(path) {
            return Ok(Choice::Neither);
        }
        let Some(search) = self.search else {
            return Ok(Choice::of(true, kind == Kind::Folder));
        };
        if let Some(ignore) = ignore {
            let shape = if kind == Kind::Folder { Shape::Folder } else { Shape::Other };
            let is_git = kind == Kind::Folder && path[path.len() - name_len..] == *ignore::GIT.as_bytes();
            if is_git || ignore.ignores(path, name_len, shape)? {
                return Ok(Choice::Neither);
            }
        }
        let path = String::from_utf8_lossy(&path[self.start_len..]);
        let name = path.rsplit('/').next().unwrap_or(&path);
        let choice = (search.choose)(&Candidate { path: &path, name, kind });
        Ok(Choice::of(choice.gives(), choice.enters() && kind == Kind::Folder && depth < search.depth))
    }

    /// Whether the directory at a path is left out.
    fn hides(&self, path: &[u8]) -> bool {
        let Some(rule) = self.skip.rule else { return false };
        match self.base.resolved {
            None => rule(&String::from_utf8_lossy(path)),
            Some(base) => rule(&String::from_utf8_lossy(&[base, &path[self.base.path_len..]].concat())),
        }
    }

    /// Whether the target of a link is being read.
    pub fn is_beyond_link(&self) -> bool {
        self.base.resolved.is_some()
    }

    /// Returns a directory's path from the start, if positions have paths.
    pub fn below(&self, folder: &Position) -> Option<String> {
        let path = &folder.path.get(self.start_len..)?;
        let path = path.strip_suffix(b"/").unwrap_or(path);
        self.asks_for_paths().then(|| String::from_utf8_lossy(path).into_owned())
    }

    /// Handles a directory that its parent listed but that has disappeared. A walk ignores it; a search fails, because
    /// the contents may have been moved elsewhere.
    pub fn check_vanished(&self, folder: &Position) -> Result<(), Failure> {
        match self.search {
            None => Ok(()),
            Some(_) => Err(Failure::Vanished { below: self.below(folder).unwrap_or_default() }),
        }
    }

    /// Records a directory as read. Returns false if it was read before and is now reached through a link.
    pub fn marks(&self, identity: impl FnOnce() -> std::io::Result<Identity>) -> std::io::Result<bool> {
        let Some(entered) = self.entered else { return Ok(true) };
        let is_new = entered.lock().expect("no thread panics with the set").insert(identity()?);
        Ok(is_new || !self.is_beyond_link())
    }
}
