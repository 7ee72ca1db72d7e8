//! The search of a tree: the thread of the call lists and opens files in order, helpers search ahead, and results are
//! taken in the same order.
//!
//! Everything that the listing would charge, report or fail with while files before are still being searched waits for
//! them: steps, notes, files that cannot be opened, and the failure of the listing itself. So the call ends where it
//! would end with one thread, with the same charges.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::gate::{Visited, Visitor};
use crate::limits::Meter;
use crate::sandbox::{Lister, NoteMark, SandboxError, Step};
use crate::toolkit::ToolError;

use super::super::super::parallel::Feed;
use super::super::patterns::{Entry, Patterns};
use super::attempt::{Attempt, FileTask};
use super::{Search, Subject};

/// Files that may be open per thread while they wait for a search or for their results to be taken.
const OPEN_PER_THREAD: usize = 4;
/// Maximum number of files that are open at once.
const OPEN: usize = 24;
/// Maximum number of steps of the listing that wait for files before.
const OWED: u64 = 4_096;

/// The files of a tree that are searched.
pub struct Scope<'a> {
    pub patterns: &'a Patterns,
    /// The path of the start and a `/`, or nothing for the root.
    pub prefix: &'a str,
}

/// The search of a tree.
pub struct TreeSearch<'a, 'f> {
    search: &'a mut Search,
    feed: &'a mut Feed<'f, FileTask, Attempt>,
    scope: Scope<'a>,
    /// Maximum number of files that wait; 0 if there are no helpers.
    window: usize,
    /// The files that were opened, or could not be, and whose results were not taken.
    waiting: VecDeque<Waiting>,
    /// Steps of the listing since the last file that waits.
    owed: u64,
}

/// A file that waits for the files before.
struct Waiting {
    shown: String,
    /// The error for a path that no tool accepts, if something is found in the file.
    addressable: Result<(), SandboxError>,
    /// Why it could not be opened.
    refused: Option<ToolError>,
    /// Steps of the listing from the file before to this one.
    owed: u64,
    /// The notes of the listing when it reached the file.
    notes: NoteMark,
}

impl<'a, 'f> TreeSearch<'a, 'f> {
    pub fn new(
        search: &'a mut Search,
        feed: &'a mut Feed<'f, FileTask, Attempt>,
        helpers: usize,
        scope: Scope<'a>,
    ) -> TreeSearch<'a, 'f> {
        let window = if helpers == 0 { 0 } else { OPEN.min(OPEN_PER_THREAD * (1 + helpers)) };
        TreeSearch { search, feed, scope, window, waiting: VecDeque::new(), owed: 0 }
    }

    /// Charges a step of the listing, or lets it wait for the files before.
    fn charge(&mut self, steps: u64, meter: &mut Meter) -> Result<(), ToolError> {
        if self.waiting.is_empty() {
            meter.step(steps)?;
        } else {
            self.owed += steps;
        }
        Ok(())
    }

    /// Takes the results of all files that wait; a break leaves none.
    fn take_all(&mut self, lister: &mut Lister<'_>, meter: &mut Meter) -> Result<ControlFlow<()>, ToolError> {
        while !self.waiting.is_empty() {
            if self.take_first(lister, meter)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        meter.step(std::mem::take(&mut self.owed))?;
        Ok(ControlFlow::Continue(()))
    }

    /// Takes the result of the first file that waits.
    fn take_first(&mut self, lister: &mut Lister<'_>, meter: &mut Meter) -> Result<ControlFlow<()>, ToolError> {
        let Some(file) = self.waiting.pop_front() else { return Ok(ControlFlow::Continue(())) };
        meter.step(file.owed)?;
        let subject = Subject { shown: &file.shown, addressable: file.addressable };
        let taken = match file.refused {
            Some(error) => self.search.refused(error, &file.shown)?,
            None => self.search.complete(self.feed.first().expect("the file was pushed"), subject, meter)?,
        };
        if taken.is_break() {
            lister.forget_notes_after(file.notes);
            self.waiting.clear();
            self.owed = 0;
        }
        Ok(taken)
    }
}

impl Visitor<ToolError> for TreeSearch<'_, '_> {
    fn entry(&mut self, entry: &mut Visited<'_, '_>, meter: &mut Meter) -> Result<ControlFlow<()>, ToolError> {
        if let Some(progress) = meter.progress() {
            let found = &self.search.found;
            progress.searched(found.files_searched, found.matches.len());
        }
        self.charge(u64::from(entry.step != Step::Leave), meter)?;
        let lister = &*entry.lister;
        let is_wanted = entry.step == Step::Entry
            && lister.is_file()
            && self.scope.patterns.includes(Entry::of_path(&lister.path(), false));
        if !is_wanted {
            return if self.owed > OWED { self.take_all(entry.lister, meter) } else { Ok(ControlFlow::Continue(())) };
        }
        let shown = format!("{}{}", self.scope.prefix, lister.path());
        let (addressable, notes) = (lister.check_text(self.scope.prefix), lister.note_mark());
        let refused = match entry.open(&shown) {
            Ok(open) if self.window == 0 => {
                return self.search.file(&open, Subject { shown: &shown, addressable }, meter);
            }
            Ok(open) => {
                self.feed.push(FileTask { open, shown: shown.clone() });
                None
            }
            Err(error) => Some(error),
        };
        let owed = std::mem::take(&mut self.owed);
        self.waiting.push_back(Waiting { shown, addressable, refused, owed, notes });
        if self.waiting.len() > self.window {
            return self.take_first(entry.lister, meter);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(
        &mut self,
        lister: &mut Lister<'_>,
        listed: Result<(), SandboxError>,
        meter: &mut Meter,
    ) -> Result<(), ToolError> {
        match self.take_all(lister, meter)? {
            ControlFlow::Break(()) => Ok(()),
            ControlFlow::Continue(()) => Ok(listed?),
        }
    }
}
