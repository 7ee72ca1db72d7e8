//! Moves a tree into an existing directory entry by entry, merging directories that exist in both.
//!
//! If an entry cannot be moved, the entries before it are removed again, as far as they are unchanged. Entries that
//! somebody else has changed, replaced or added in the meantime remain, and the error names them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};

use compact_str::CompactString;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::{Folder, MtimeGuard, Replace};
use super::super::super::handles::metadata::{Kind, Metadata, Timestamp};
use super::super::super::handles::staging::random_name;
use super::super::journal::{FolderState, PendingStep, Step};
use super::super::replace::is_same;
use super::{Finder, Names, TREE, Unpacking, display, last};

pub(super) struct Merge<'a> {
    unpacking: &'a Unpacking<'a>,
    names: &'a Names<'a>,
    /// The indices of the names that were moved, each with its metadata; a directory before its contents.
    moved: Vec<(usize, Metadata)>,
    /// The directories that entries were moved into, with the changes that this made to their modification times.
    traces: BTreeMap<&'a [CompactString], MtimeGuard>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(unpacking: &'a Unpacking<'a>, names: &'a Names<'a>) -> Merge<'a> {
        Merge { unpacking, names, moved: Vec::new(), traces: BTreeMap::new() }
    }

    pub(super) fn run(mut self) -> Result<(), SandboxError> {
        let change = self.unpacking.change;
        let tops = self.tops()?;
        change.open_group()?;
        let pending = self.begin(&tops)?;
        let result = match self.move_all(&tops) {
            Ok(()) => Ok(()),
            Err(reason) => match self.take_back_without_trace() {
                stays if stays.is_empty() => Err(reason),
                stays => Err(SandboxError::Stays { reason: Box::new(reason), stays: listed(&stays) }),
            },
        };
        // Steps of entries that are not at their target are dropped, as if they had not been performed.
        for (number, pending) in tops.iter().zip(pending) {
            self.end(*number, pending);
        }
        change.close_group()?;
        result
    }

    /// Returns the indices of the names that are moved with their contents: those whose target does not exist yet.
    fn tops(&self) -> Result<Vec<usize>, SandboxError> {
        let mut home = Finder::new(&self.unpacking.home).map_err(|error| self.unpacking.target.error(&error))?;
        let (mut tops, mut next) = (Vec::new(), 0);
        while let Some((parts, is_folder)) = self.names.get(next) {
            let folder = home.folder(&parts[..parts.len() - 1]).map_err(|error| self.unpacking.error(parts, &error))?;
            let is_there = *is_folder && folder.metadata(last(parts)).is_ok_and(|found| found.kind == Kind::Folder);
            if is_there {
                next += 1;
                continue;
            }
            tops.push(next);
            next += 1 + self.inside(next);
        }
        Ok(tops)
    }

    /// Returns the number of names below one.
    fn inside(&self, number: usize) -> usize {
        let (parts, _) = self.names[number];
        self.names[number + 1..].iter().take_while(|(below, _)| below.starts_with(parts)).count()
    }

    /// Journals the steps about to be performed.
    fn begin(&self, tops: &[usize]) -> Result<Vec<PendingStep<'a>>, SandboxError> {
        let Unpacking { target, change, home, .. } = self.unpacking;
        let wrap = |error: io::Error| target.error(&error);
        let mut home = Finder::new(home).map_err(wrap)?;
        let mut steps = Vec::with_capacity(tops.len());
        for number in tops {
            let parts = self.names[*number].0;
            let path = parts.iter().fold(target.full_address(), |path, part| path.join(OsStr::new(part.as_str())));
            let step = Step::Put { path, old: None, draft: None, kept: None, from: None, is_empty: false };
            steps.push((step, vec![FolderState::of(home.folder(&parts[..parts.len() - 1]).map_err(wrap)?)]));
        }
        change.begin_all(steps)
    }

    fn move_all(&mut self, tops: &[usize]) -> Result<(), SandboxError> {
        let Unpacking { target, home, .. } = self.unpacking;
        let wrap = |error: io::Error| target.error(&error);
        let tree = self.unpacking.outer().open_folder(OsStr::new(TREE)).map_err(wrap)?;
        let mut from = Finder::new(&tree).map_err(wrap)?;
        let mut to = Finder::new(home).map_err(wrap)?;
        let mut above: Option<&[CompactString]> = None;
        for number in tops {
            let parts = self.names[*number].0;
            let folders = &parts[..parts.len() - 1];
            if let Some(above) = above.replace(folders).filter(|above| *above != folders) {
                to.folder(above).and_then(Folder::sync).map_err(wrap)?;
            }
            let moved = from.folder(folders).and_then(|from| self.move_one(from, to.folder(folders)?, *number));
            moved.map_err(|error| self.unpacking.error(parts, &error))?;
        }
        above.map_or(Ok(()), |above| to.folder(above).and_then(Folder::sync)).map_err(wrap)
    }

    /// Moves an entry with its contents.
    fn move_one(&mut self, from: &Folder, to: &Folder, number: usize) -> io::Result<()> {
        let (parts, _) = self.names[number];
        let before = self.moved.len();
        let mut tree = Finder::new(from)?;
        for at in number..=number + self.inside(number) {
            let below = &self.names[at].0[parts.len() - 1..];
            let folder = tree.folder(&below[..below.len() - 1])?;
            self.moved.push((at, folder.metadata(last(below))?));
        }
        // Windows renames no directory that is open.
        drop(tree);
        let renamed = self.rename(from, to, parts);
        if renamed.is_err() {
            self.moved.truncate(before);
        }
        renamed
    }

    fn rename(&mut self, from: &Folder, to: &Folder, parts: &'a [CompactString]) -> io::Result<()> {
        let rename = || from.rename(last(parts), to, last(parts), Replace::No);
        let folders = &parts[..parts.len() - 1];
        if let Some(trace) = self.traces.get_mut(folders) {
            return trace.extend(to, rename);
        }
        let ((), trace) = MtimeGuard::of(to, rename)?;
        self.traces.insert(folders, trace);
        Ok(())
    }

    /// Ends a step if the moved entry is at its target; otherwise the step is dropped.
    fn end(&self, number: usize, pending: PendingStep<'_>) {
        let parts = self.names[number].0;
        let found = Finder::new(&self.unpacking.home).and_then(|mut home| {
            let folder = home.folder(&parts[..parts.len() - 1])?;
            let found = folder.metadata(last(parts))?;
            let is_ours = |(at, was): &(usize, Metadata)| *at == number && was.identity == found.identity;
            Ok((folder.duplicate()?, found, self.moved.iter().any(is_ours)))
        });
        if let Ok((folder, found, true)) = found {
            pending.done(Some(&found), false, &[&folder]);
        }
    }

    /// Undoes the moves. If all moved entries are gone, restores the modification times of the directories that nobody
    /// else has changed. Returns the entries that remain.
    fn take_back_without_trace(&self) -> Vec<String> {
        let times: Vec<(Folder, Timestamp)> = self.times_before().unwrap_or_default();
        let stays = self.take_back();
        if stays.is_empty() {
            // Failing to restore a modification time is not an error.
            times.iter().for_each(|(folder, before)| drop(folder.set_own_modified(*before)));
        }
        stays
    }

    /// Returns the directories that nobody else has changed, with their modification times before the moves.
    fn times_before(&self) -> io::Result<Vec<(Folder, Timestamp)>> {
        let mut home = Finder::new(&self.unpacking.home)?;
        let mut times = Vec::new();
        for (folders, trace) in &self.traces {
            let folder = home.folder(folders)?;
            times.extend(trace.time_before(folder).map(|before| Ok((folder.duplicate()?, before))));
        }
        times.into_iter().collect()
    }

    /// Undoes the moves. Returns the entries that remain because they were changed.
    fn take_back(&self) -> Vec<String> {
        let Ok(mut home) = Finder::new(&self.unpacking.home) else {
            return vec![self.unpacking.target.display().into()];
        };
        let mut stays = Vec::new();
        for (number, was) in self.moved.iter().rev() {
            let (parts, _) = self.names[*number];
            match self.take_one(&mut home, parts, was) {
                Ok(true) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Ok(false) | Err(_) => stays.push(display(self.unpacking.target, parts)),
            }
        }
        stays
    }

    /// Undoes one move. A directory is removed only if it is empty by now. Returns false if the entry is not ours.
    fn take_one(&self, home: &mut Finder, parts: &[CompactString], was: &Metadata) -> io::Result<bool> {
        let (folder, name) = (home.folder(&parts[..parts.len() - 1])?, last(parts));
        let found = folder.metadata(name)?;
        if was.kind == Kind::Folder {
            let is_ours = found.kind == Kind::Folder && found.identity == was.identity;
            // The system refuses this for a directory that is not empty.
            return if is_ours { folder.remove_folder(name).map(|()| true) } else { Ok(false) };
        }
        if !is_same(was, &found) {
            return Ok(false);
        }
        // In our own directory the entry is checked again; it is removed with that directory.
        let (outer, aside) = (self.unpacking.outer(), random_name());
        folder.rename(name, outer, &aside, Replace::Yes)?;
        if is_same(was, &outer.metadata(&aside)?) {
            Ok(true)
        } else {
            outer.rename(OsStr::new(&aside), folder, name, Replace::No).map(|()| false)
        }
    }
}

/// Formats the first of some paths and the number of the others.
fn listed(paths: &[String]) -> String {
    match paths {
        [one] => format!("`{one}`"),
        [first, others @ ..] => format!("`{first}` and {} more", others.len()),
        [] => String::new(),
    }
}
