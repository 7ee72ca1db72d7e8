//! What the readers of a walk ask before they take an entry or read a folder.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

use crate::limits::LimitHit;

use super::super::ignore::{self, Ignore, Scope, Shape};
use super::super::metadata::{Identity, Kind};
use super::super::reserved::is_reserved;
use super::super::root::SandboxPath;
use super::reader::EntryId;
use super::search::{Candidate, Choice, Search};
use super::{Details, Failure};

/// Rules about folders that a walk leaves out, besides our own files.
#[derive(Clone, Copy)]
pub struct Skip<'a> {
    /// Says of a folder, by its resolved path, that it and all in it are left out.
    pub rule: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

/// Position of a folder in a walk.
#[derive(Clone, Debug)]
pub struct Position {
    /// The entry that the folder is; `None` for the start.
    pub entry: Option<EntryId>,
    /// Path from the root with a `/` at its end. Empty for the root itself, and where no rule asks for paths.
    pub path: Vec<u8>,
    /// Levels below the start; 0 for the start itself.
    pub depth: usize,
    /// `.gitignore` rules of the folders above it.
    pub scope: Option<Arc<Scope>>,
}

impl Position {
    /// Position of the folder where a walk begins.
    pub fn of_start(start: &SandboxPath) -> Position {
        Position { entry: None, path: folder_path(start), depth: 0, scope: None }
    }

    /// Position of a folder in a walk without rules.
    pub fn unnamed(entry: EntryId) -> Position {
        Position { entry: Some(entry), path: Vec::new(), depth: 0, scope: None }
    }

    /// Position of the folder of a name in this one, where `scope` holds.
    pub fn below(&self, entry: EntryId, name: &[u8], scope: Option<Arc<Scope>>) -> Position {
        let path = [&self.path, name, b"/"].concat();
        Position { entry: Some(entry), path, depth: self.depth + 1, scope }
    }
}

/// Resolved path of a folder with a `/` at its end, or empty for the root.
pub fn folder_path(place: &SandboxPath) -> Vec<u8> {
    let mut path = place.resolved_raw().as_encoded_bytes().to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path
}

/// Rules of one walk, shared by its readers.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    pub skip: Skip<'a>,
    pub details: Details,
    pub search: Option<&'a Search<'a>>,
    /// Bytes of a position's path before the path from the start.
    pub start_len: usize,
    /// The folder from which on paths are resolved: the start, or what a link led to.
    pub base: Base<'a>,
    /// Folders that were read, where links are followed.
    pub entered: Option<&'a Mutex<HashSet<Identity>>>,
}

/// A folder from which on the names of a path are the resolved ones.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// Bytes of the path of its position.
    pub path_len: usize,
    /// Its resolved path with a `/` at its end, where that is not its position's path.
    pub resolved: Option<&'a [u8]>,
    /// It is the root, in which our own files lie.
    pub is_root: bool,
    pub depth: usize,
}

impl<'a> Filter<'a> {
    /// Rules of a walk that gives everything.
    pub fn of_walk(start: &SandboxPath, skip: Skip<'a>, details: Details) -> Filter<'a> {
        let start_len = folder_path(start).len();
        let base = Base { path_len: start_len, resolved: None, is_root: start.is_root(), depth: 0 };
        Filter { skip, details, search: None, start_len, base, entered: None }
    }

    /// Whether positions need paths.
    pub fn asks_for_paths(&self) -> bool {
        self.skip.rule.is_some() || self.search.is_some()
    }

    /// Whether links are followed.
    pub fn follows(&self) -> bool {
        self.entered.is_some()
    }

    /// Whether a name in a folder is left out because it is reserved. Adds 1 to `count` for each but the root's
    /// own.
    pub fn leaves_out(&self, folder: &Position, name: &OsStr, count: &mut u64) -> bool {
        let is_left_out = is_reserved(name);
        if is_left_out {
            let is_base = if self.asks_for_paths() { folder.depth == self.base.depth } else { folder.entry.is_none() };
            *count += u64::from(!(is_base && self.base.is_root));
        }
        is_left_out
    }

    /// Decides about an entry: its path, the length of its name, its kind and its level below the start.
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

    /// Whether the folder of a path is left out.
    fn hides(&self, path: &[u8]) -> bool {
        let Some(rule) = self.skip.rule else { return false };
        match self.base.resolved {
            None => rule(&String::from_utf8_lossy(path)),
            Some(base) => rule(&String::from_utf8_lossy(&[base, &path[self.base.path_len..]].concat())),
        }
    }

    /// Whether what a link led to is being read.
    pub fn is_beyond_link(&self) -> bool {
        self.base.resolved.is_some()
    }

    /// Path of a folder from the start, where positions have paths.
    pub fn below(&self, folder: &Position) -> Option<String> {
        let path = &folder.path.get(self.start_len..)?;
        let path = path.strip_suffix(b"/").unwrap_or(path);
        self.asks_for_paths().then(|| String::from_utf8_lossy(path).into_owned())
    }

    /// What it means that a folder is gone that its parent still named: a walk takes it as gone before, a search
    /// fails, since what was in it may be elsewhere by now.
    pub fn check_vanished(&self, folder: &Position) -> Result<(), Failure> {
        match self.search {
            None => Ok(()),
            Some(_) => Err(Failure::Vanished { below: self.below(folder).unwrap_or_default() }),
        }
    }

    /// Marks a folder as read; false where it was read before and is now met through a link.
    pub fn marks(&self, identity: impl FnOnce() -> std::io::Result<Identity>) -> std::io::Result<bool> {
        let Some(entered) = self.entered else { return Ok(true) };
        let is_new = entered.lock().expect("no thread panics with the set").insert(identity()?);
        Ok(is_new || !self.is_beyond_link())
    }
}
