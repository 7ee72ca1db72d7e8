//! The move of a tree into a folder that exists, entry by entry; folders of both trees become one.
//!
//! When one cannot be moved those before it are taken back, as far as they are still what was put
//! there: what somebody else has changed, replaced or added meanwhile stays, and the error names it.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};

use compact_str::CompactString;

use super::super::draft::random_name;
use super::super::error::SandboxError;
use super::super::folder::{Folder, Replace};
use super::super::metadata::{Kind, Metadata};
use super::super::take::is_same;
use super::{Finder, Names, Unpacking, last, shown};

pub(super) struct Merge<'a> {
    unpacking: &'a Unpacking<'a>,
    names: &'a Names<'a>,
    /// The numbers of the names that were moved, each with what it was; a folder before what is in it.
    moved: Vec<(usize, Metadata)>,
}

/// A folder of both trees.
struct Level {
    from: Folder,
    to: Folder,
}

impl Merge<'_> {
    pub(super) fn new<'a>(unpacking: &'a Unpacking<'a>, names: &'a Names<'a>) -> Merge<'a> {
        Merge { unpacking, names, moved: Vec::new() }
    }

    pub(super) fn run(mut self) -> Result<(), SandboxError> {
        self.move_all().map_err(|reason| match self.take_back() {
            stays if stays.is_empty() => reason,
            stays => SandboxError::Stays { reason: Box::new(reason), stays: listed(&stays) },
        })
    }

    fn move_all(&mut self) -> Result<(), SandboxError> {
        let Unpacking { target, home, tree, .. } = self.unpacking;
        let wrap = |error: io::Error| target.error(&error);
        let first = Level { from: tree.top.duplicate().map_err(wrap)?, to: home.duplicate().map_err(wrap)? };
        let mut levels = vec![first];
        let mut next = 0;
        while let Some((parts, is_folder)) = self.names.get(next) {
            leave(&mut levels, parts.len()).map_err(wrap)?;
            let (level, name) = (&levels[parts.len() - 1], last(parts));
            let there = if *is_folder { level.to.metadata(name).ok() } else { None };
            if there.is_some_and(|found| found.kind == Kind::Folder) {
                let open =
                    |folder: &Folder| folder.open_folder(name).map_err(|error| self.unpacking.error(parts, &error));
                levels.push(Level { from: open(&level.from)?, to: open(&level.to)? });
                next += 1;
                continue;
            }
            next = self.move_one(level, next).map_err(|error| self.unpacking.error(parts, &error))?;
        }
        leave(&mut levels, 0).map_err(wrap)
    }

    /// Moves an entry with all that is in it, and gives the number of the one after that.
    fn move_one(&mut self, level: &Level, number: usize) -> io::Result<usize> {
        let (parts, _) = self.names[number];
        let inside = self.names[number + 1..].iter().take_while(|(below, _)| below.starts_with(parts)).count();
        let next = number + 1 + inside;
        let before = self.moved.len();
        let mut tree = Finder::new(&level.from)?;
        for at in number..next {
            let below = &self.names[at].0[parts.len() - 1..];
            let folder = tree.folder(&below[..below.len() - 1])?;
            self.moved.push((at, folder.metadata(last(below))?));
        }
        let renamed = level.from.rename(last(parts), &level.to, last(parts), Replace::No);
        if renamed.is_err() {
            self.moved.truncate(before);
        }
        renamed.map(|()| next)
    }

    /// Takes back what was moved, and gives what stays since it is no longer what was put there.
    fn take_back(&self) -> Vec<String> {
        let Ok(mut home) = Finder::new(&self.unpacking.home) else { return vec![self.unpacking.target.shown().into()] };
        let mut stays = Vec::new();
        for (number, was) in self.moved.iter().rev() {
            let (parts, _) = self.names[*number];
            match self.take_one(&mut home, parts, was) {
                Ok(true) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Ok(false) | Err(_) => stays.push(shown(self.unpacking.target, parts)),
            }
        }
        stays
    }

    /// Takes back one name whose folder is empty by now, if it is one; false when it is not ours.
    fn take_one(&self, home: &mut Finder, parts: &[CompactString], was: &Metadata) -> io::Result<bool> {
        let (folder, name) = (home.folder(&parts[..parts.len() - 1])?, last(parts));
        let found = folder.metadata(name)?;
        if was.kind == Kind::Folder {
            let is_ours = found.kind == Kind::Folder && found.identity == was.identity;
            // The system refuses this for one that holds something.
            return if is_ours { folder.remove_folder(name).map(|()| true) } else { Ok(false) };
        }
        if !is_same(was, &found) {
            return Ok(false);
        }
        // In our own folder it is looked at again, and goes with that.
        let (outer, aside) = (&self.unpacking.outer, random_name());
        folder.rename(name, outer, &aside, Replace::Yes)?;
        match is_same(was, &outer.metadata(&aside)?) {
            true => Ok(true),
            false => outer.rename(OsStr::new(&aside), folder, name, Replace::No).map(|()| false),
        }
    }
}

/// Ends the levels beyond so many, with their names on the disk.
fn leave(levels: &mut Vec<Level>, depth: usize) -> io::Result<()> {
    while levels.len() > depth {
        let done = levels.pop().expect("there are more levels than that");
        done.to.sync()?;
    }
    Ok(())
}

/// The first of some paths, and how many more there are.
fn listed(paths: &[String]) -> String {
    match paths {
        [one] => format!("`{one}`"),
        [first, others @ ..] => format!("`{first}` and {} more", others.len()),
        [] => String::new(),
    }
}
