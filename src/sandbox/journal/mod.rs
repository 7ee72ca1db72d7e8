//! The journal: what a run changes, written down before it is done.
//!
//! `.ns/runs/open/<run>` is the journal of a run that goes on, or that was killed; the run holds a
//! lock of the system on it, which dies with the process. `.ns/runs/<run>` is that of a run that
//! ended. The names sort by time. A step is written and synced first, with all names that it will
//! use; then it is taken; then a mark says so, which needs no sync of its own: where it is missing
//! the disk itself tells ([`recover`]).
//!
//! What a step takes away is kept below `.ns` by a rename, so a journal holds names alone, and what
//! it says can be taken back ([`undo`]).

mod address;
mod aftermath;
mod collect;
mod conflicts;
mod contents;
mod forced;
mod foreign;
mod history;
mod later;
mod list;
mod needs;
mod obstacles;
mod outcome;
mod owner;
mod record;
mod recover;
pub(super) mod reverse;
mod room;
mod roots;
mod run;
mod shown;
mod skipped;
mod times;
mod undo;

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::io;

use crate::limits::Meter;

use super::error::SandboxError;
use super::folder::Folder;
use super::keep::Keeper;
use super::metadata::Metadata;
use super::own::shown;
use super::root::Root;

pub use address::Address;
pub use collect::GcRules;
pub use conflicts::Conflict;
pub(super) use contents::read_content;
pub use contents::{Content, Source};
pub use forced::Displaced;
pub use foreign::{ForeignDeed, ForeignRun, ForeignState};
pub use list::{Listed, Origin, Reversal, Selection};
pub use owner::Ownership;
use record::Record;
pub(super) use record::Step;
pub use record::{Begin, End, State};
pub(super) use record::{Moment, moment, time};
pub use recover::{Abandoned, AllAbandoned, RecoverError, RecoverRules, Recovered};
pub use roots::Roots;
pub use run::JOURNALS;
use run::Run;
pub use shown::{Holds, ShownChange, ShownRun, What};
pub use undo::{UndoError, Undone};

/// The folder of journals in `.ns`.
const JOURNAL: &str = "runs";

/// What the runs of a process change: one after another, each with a journal of its own.
#[derive(Debug)]
pub struct Journal {
    writable: bool,
    /// What the next journal says first.
    about: RefCell<Begin>,
    /// The run that goes on, once it has changed something.
    run: RefCell<Option<Run>>,
}

/// A run that ended and changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its name.
    pub run: String,
    /// How many of its steps stay.
    pub steps: u32,
}

/// The right to change our own files: the audit log, project memory, the journal itself.
#[derive(Debug)]
pub struct OwnChange(());

/// The right to change files for a tool. Each step of it is written down first.
#[derive(Debug)]
pub struct Change<'a> {
    journal: &'a Journal,
    root: &'a Root,
    own: OwnChange,
    /// The step of the same run that the next one takes back.
    reverses: Cell<Option<u32>>,
}

/// A step that was written down and is being taken. Dropped, it was not taken.
#[derive(Debug)]
pub struct UnderWay<'a> {
    change: &'a Change<'a>,
    number: u32,
    /// Whether something of it stays when the run ends.
    stays: bool,
    is_over: bool,
}

impl Journal {
    /// A journal for runs that may change files.
    pub fn writable() -> Journal {
        Journal::new(true)
    }

    /// A journal that refuses every change.
    pub fn read_only() -> Journal {
        Journal::new(false)
    }

    fn new(writable: bool) -> Journal {
        Journal { writable, about: RefCell::default(), run: RefCell::default() }
    }

    /// Says what the next run is. Nothing is written before it changes something.
    pub fn announce(&self, about: Begin) {
        *self.about.borrow_mut() = about;
    }

    /// Opens a change of so many files and folders, counted against the limits of the run.
    pub fn begin<'a>(&'a self, root: &'a Root, files: u64, meter: &mut Meter) -> Result<Change<'a>, SandboxError> {
        let own = self.begin_own()?;
        meter.change_files(files)?;
        Ok(Change { journal: self, root, own, reverses: Cell::new(None) })
    }

    /// Opens a change of our own files, which is not counted.
    pub fn begin_own(&self) -> Result<OwnChange, SandboxError> {
        match self.writable {
            true => Ok(OwnChange(())),
            false => Err(SandboxError::Refused("the run is read-only: nothing may be changed".to_owned())),
        }
    }

    /// The number of the last step of the run that goes on.
    pub fn last_step(&self) -> u32 {
        self.run.borrow().as_ref().map_or(0, Run::last_number)
    }

    /// Says how many steps of the run that goes on stay.
    pub(super) fn count(&self, taken: usize) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.count(u32::try_from(taken).unwrap_or(u32::MAX));
        }
    }

    /// Ends the run that goes on. Gives what stays of it, if it has changed something.
    pub fn end(&self, how: End) -> Result<Option<Ended>, SandboxError> {
        let Some(run) = self.run.borrow_mut().take() else { return Ok(None) };
        let ended = Ended { run: run.id().to_owned(), steps: run.taken() };
        let ended = Some(ended).filter(|_| !run.comes_to_nothing(how));
        run.end(how).map(|()| ended)
    }

    /// Leaves the run that goes on as one that was killed, so that the next start brings it to an end.
    pub fn abandon(&self) {
        self.run.borrow_mut().take();
    }

    /// Says that something unfinished of the run that goes on could not be removed: the next start does that.
    pub fn leave_unswept(&self) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.leave_unswept();
        }
    }

    /// Says that a folder was changed by something of ours that came and went, besides the steps.
    pub(super) fn touched(&self, folder: Address, handle: &Folder) {
        let modified = modified(handle);
        self.mark(&Record::Touched { folder, modified });
    }

    /// Writes something down that the disk tells too, should it be lost.
    fn mark(&self, record: &Record) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.mark(record);
        }
    }
}

impl Change<'_> {
    /// The right to change our own files, which comes with it.
    pub fn own(&self) -> &OwnChange {
        &self.own
    }

    /// A new stamp under which something is kept. The run has begun by then, so that its own stamps are later.
    pub(super) fn kept_stamp(&self, keeper: Keeper<'_>) -> Result<String, SandboxError> {
        self.begin_journal()?;
        Ok(keeper.new_stamp(&self.root.account))
    }

    /// Begins the journal, although no step may follow.
    fn begin_journal(&self) -> Result<(), SandboxError> {
        self.with_run(|_| Ok(()))
    }

    /// The next steps take back this one of the same run, so that both come to nothing.
    fn reverse(&self, number: Option<u32>) {
        self.reverses.set(number);
    }

    /// Whether steps of the same run are being taken back.
    fn is_reversing(&self) -> bool {
        self.reverses.get().is_some()
    }

    /// From here on all steps are taken, or none, until [`Change::close_group`]. Gives the number of the
    /// first.
    pub fn open_group(&self) -> Result<u32, SandboxError> {
        self.with_run(|run| run.append(&Record::Open, false).map(|()| run.last_number() + 1))
    }

    /// All steps since [`Change::open_group`] were taken, or were taken back. Where that cannot be written
    /// down, the next start takes back what was done.
    pub fn close_group(&self) -> Result<(), SandboxError> {
        self.with_run(|run| run.append(&Record::Close, false).or_else(|_| run.append(&Record::Close, false)))
    }

    /// Writes a step down, durably. `folders` are those whose entries it changes.
    pub(super) fn begin(&self, step: Step, folders: &[&Folder]) -> Result<UnderWay<'_>, SandboxError> {
        self.write_down(step, folders.iter().map(|folder| FolderState::of(folder)).collect(), true)
    }

    /// Writes several steps down, durably, each with the state of its folder.
    pub(super) fn begin_all(&self, steps: Vec<(Step, FolderState)>) -> Result<Vec<UnderWay<'_>>, SandboxError> {
        let count = steps.len();
        let begin = |(at, (step, folder))| self.write_down(step, vec![folder], at + 1 == count);
        steps.into_iter().enumerate().map(begin).collect()
    }

    fn write_down(&self, step: Step, folders: Vec<FolderState>, is_synced: bool) -> Result<UnderWay<'_>, SandboxError> {
        let (number, stays) = self.with_run(|run| {
            let (number, stays) = (run.next_number(), run.stays(&step));
            let (before, inodes) = folders.iter().map(|folder| (folder.modified, folder.inode)).unzip();
            let record = Record::Step { number, step, reverses: self.reverses.get(), before, inodes };
            run.append(&record, is_synced).map(|()| (number, stays))
        })?;
        Ok(UnderWay { change: self, number, stays, is_over: false })
    }

    fn with_run<T>(&self, work: impl FnOnce(&mut Run) -> io::Result<T>) -> Result<T, SandboxError> {
        let mut run = self.journal.run.borrow_mut();
        let run = match &mut *run {
            Some(run) => run,
            none => none.insert(Run::begin(self.root, &self.journal.about.borrow(), &self.own)?),
        };
        work(run).map_err(|error| SandboxError::io(shown(JOURNAL), &error))
    }

    /// Says that a folder was changed by something of ours that came and went, besides the steps.
    pub(super) fn touched(&self, address: Address, folder: &Folder) {
        self.journal.touched(address, folder);
    }
}

impl UnderWay<'_> {
    /// It came to nothing, and what is unfinished of it could not be removed: the next start does that.
    pub fn leave_unswept(mut self) {
        self.is_over = true;
        self.change.journal.leave_unswept();
    }

    /// The draft was made.
    pub fn drafted(&self, inode: u64) {
        self.change.journal.mark(&Record::Drafted { number: self.number, inode });
    }

    /// What is taken away was copied, whole and synced; the original is about to be removed.
    pub fn copied(&self) -> Result<(), SandboxError> {
        self.change.with_run(|run| run.append(&Record::Copied { number: self.number }, true))
    }

    /// The step was taken: `now` is what is at its path, and `kept` says whether something is kept of
    /// what was there. `folders` are those of [`Change::begin`].
    pub fn done(mut self, now: Option<&Metadata>, kept: bool, folders: &[&Folder]) {
        self.is_over = true;
        let after = folders.iter().map(|folder| modified(folder)).collect();
        let (number, now) = (self.number, now.map(State::of));
        let is_reversal = self.change.reverses.get().is_some();
        if let Some(run) = &mut *self.change.journal.run.borrow_mut() {
            run.mark(&Record::Done { number, now, kept, after });
            if self.stays {
                run.count(if is_reversal { run.taken().saturating_sub(1) } else { run.taken() + 1 });
            }
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.change.journal.mark(&Record::Void { number: self.number });
        }
    }
}

/// What a step left under a name: what is there, unless that is no longer the thing it put there.
pub(super) fn left(folder: &Folder, name: &OsStr, put: &Metadata) -> Metadata {
    folder.metadata(name).ok().filter(|found| found.identity == put.identity).unwrap_or(*put)
}

/// A folder as it is before a step that changes its entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct FolderState {
    /// When it was changed last.
    modified: Option<Moment>,
    /// Its inode.
    inode: Option<u64>,
}

impl FolderState {
    /// The present state of a folder.
    pub(super) fn of(folder: &Folder) -> FolderState {
        let metadata = folder.own_metadata().ok();
        FolderState {
            modified: metadata.and_then(|metadata| metadata.modified).map(moment),
            inode: metadata.map(|metadata| metadata.identity.inode),
        }
    }
}

/// When a folder was changed last.
fn modified(folder: &Folder) -> Option<Moment> {
    folder.modified().map(moment)
}
