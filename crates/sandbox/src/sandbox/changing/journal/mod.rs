//! The journal: a write-ahead record of every change that a run makes to files.
//!
//! `.ns/runs/open/<run>` is the journal of a run that is active or was killed. The run holds an operating-system lock
//! on it, which the kernel releases when the process ends. `.ns/runs/<run>` is the journal of a finished run. The
//! names sort by time.
//!
//! A step is first journaled with all the names it will use, then carried out, then marked as done. The record is in the
//! kernel before the step, so a killed process loses none. If the mark is lost, recovery infers the outcome from the
//! file system.
//!
//! # Durability
//! Changes become durable many at once, at the [`barrier`], which everything that tells of them passes before it leaves
//! the process. These records are synced before their step, whatever else waits ([`Step::needs_durable_record`]):
//! - of steps that replace, remove or hide an entry, because only the record leads to its content in `.ns`. Backups are
//!   reclaimed after such a step, so its record is on the disk by then;
//! - of steps that prepare an entry under a temporary name, because nothing else leads recovery to it. New content is
//!   synced before it gets its name, so a name never stands for a torn or empty file;
//! - of all steps of runs and groups that take effect completely or not at all: recovery must know what to reverse.
//!
//! Steps that do not depend on each other wait for one sync together ([`Change::begin_together`]): moves and edits of one
//! call, their reversals, and the files that a plan puts in place. All their records are on the disk before the first of
//! them is carried out. Killed in between, such a run has records of steps that were not carried out, and recovery finds
//! out which: the entries tell it.
//!
//! Plain moves, new directories and permission bits wait for the barrier with their records. What the file systems do
//! meanwhile:
//! - ext4 (`data=ordered`, delayed allocation) commits names every few seconds, but writes the blocks of the journal
//!   later, since they are in reserved extents that no commit waits for. So a power failure may leave a step whose record
//!   is missing. It never leaves a mark without its step: the length of the journal is committed in the transaction of
//!   the step or a later one. Blocks that were not written are zeros, which end a journal as a cut does;
//! - XFS logs names and lengths in order, and a length only when its blocks are written: the same holds;
//! - btrfs commits all names at once, but syncing the journal writes it alone. So the directories are synced first.
//!
//! A power failure therefore leaves every acknowledged change in effect and undoable. Of the changes after that, the
//! last ones may be missing, and some may be in effect without a record. Their content is not lost or torn: it is under
//! its old name, under its new name, or in `.ns`.
//!
//! A step moves what it removes into the backup store below `.ns`. A journal therefore holds only names and metadata,
//! and every step can be reversed. [`crate::sandbox::runs`] does that, for finished and for killed runs.
//!
//! A change needs an open [`Change`], by type, and only [`Journal::begin`] creates one, after the limits are charged.
//! There are few kinds of steps (put, take, move, create and remove a directory, set permission bits or a time), and
//! each is reversed by another one. Therefore undo, redo, `--atomic`, `all_or_nothing` and recovery share one
//! implementation.
//! Our own files below `.ns` are changed with an [`InternalChange`], outside of any journal.

mod barrier;
pub(in crate::sandbox) mod folders;
pub(in crate::sandbox) mod history;
pub(in crate::sandbox) mod list;
pub(in crate::sandbox) mod needs;
pub(in crate::sandbox) mod owner;
pub(in crate::sandbox) mod pending;
mod preallocate;
pub(in crate::sandbox) mod record;
pub(in crate::sandbox) mod roots;
pub(in crate::sandbox) mod run;

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use crate::limits::Meter;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::{Folder, Replace};
use super::super::handles::root::Root;
use super::super::internal::internal_change::InternalChange;
use super::super::internal::state_dir::display;
pub use barrier::{Barrier, Durability};
use history::History;
pub use list::{Origin, Reversal, RunSummary, Selection};
pub use owner::Ownership;
pub(in crate::sandbox) use pending::FolderState;
pub use pending::PendingStep;
use pending::modified;
use record::Record;
pub(in crate::sandbox) use record::Step;
pub use record::{Begin, End};
pub use roots::Roots;
pub use run::JOURNALS;
use run::JournalWriter;

/// The directory of journals in `.ns`.
pub(in crate::sandbox) const JOURNAL: &str = "runs";

/// The journal of a process: its runs follow one another, and each has a file of its own.
#[derive(Debug)]
pub struct Journal {
    writable: bool,
    durability: Durability,
    /// The changes that wait to become durable.
    barrier: Arc<Barrier>,
    /// The client for which all runs are made; see [`Begin::client`].
    client: Option<String>,
    /// Header of the next run's journal.
    about: RefCell<Begin>,
    /// The active run, or `None` until it changes something.
    run: RefCell<Option<JournalWriter>>,
}

/// A finished run that changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRun {
    /// The name of the run.
    pub run: String,
    /// Number of its steps that are still in effect.
    pub steps: u32,
}

/// Permission to change files on behalf of a tool. Each step is journaled before it is carried out.
#[derive(Debug)]
pub struct Change<'a> {
    journal: &'a Journal,
    root: &'a Root,
    own: InternalChange,
    /// The step of the same run that the next steps reverse.
    reverses: Cell<Option<u32>>,
    /// Whether records that must be durable wait for a common sync, and whether there are any.
    together: Cell<Option<bool>>,
}

impl Journal {
    /// Creates a journal for runs that may change files.
    pub fn writable(durability: Durability) -> Journal {
        Journal::new(true, durability)
    }

    /// Creates a journal that refuses every change.
    pub fn read_only() -> Journal {
        Journal::new(false, Durability::default())
    }

    fn new(writable: bool, durability: Durability) -> Journal {
        let (barrier, about, run) = (Arc::default(), RefCell::default(), RefCell::default());
        Journal { writable, durability, barrier, client: None, about, run }
    }

    /// Makes all runs for this client.
    #[must_use]
    pub fn for_client(self, client: Option<String>) -> Journal {
        Journal { client, ..self }
    }

    /// Returns the client for which the runs are made.
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// Returns the barrier that every message about changes passes before it leaves the process.
    pub fn barrier(&self) -> &Arc<Barrier> {
        &self.barrier
    }

    /// Sets the header of the next run. Nothing is written until the run makes its first change.
    pub fn announce(&self, about: Begin) {
        *self.about.borrow_mut() = Begin { client: self.client.clone(), ..about };
    }

    /// Begins a change of `files` files and directories and charges them against the limits of the run.
    pub fn begin<'a>(&'a self, root: &'a Root, files: u64, meter: &mut Meter) -> Result<Change<'a>, SandboxError> {
        let own = self.begin_own()?;
        meter.change_files(files)?;
        Ok(Change { journal: self, root, own, reverses: Cell::new(None), together: Cell::new(None) })
    }

    /// Begins a change of NeuroScript's own files, which is not charged.
    pub fn begin_own(&self) -> Result<InternalChange, SandboxError> {
        if self.writable {
            Ok(InternalChange::allowed())
        } else {
            Err(SandboxError::Refused("the run is read-only: nothing may be changed".to_owned()))
        }
    }

    /// Returns the number of the last step of the active run, or 0 if there is none.
    pub fn last_step(&self) -> u32 {
        self.run.borrow().as_ref().map_or(0, JournalWriter::last_number)
    }

    /// Sets the number of steps of the active run that are still in effect.
    pub(in crate::sandbox) fn count(&self, taken: usize) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.count(u32::try_from(taken).unwrap_or(u32::MAX));
        }
    }

    /// Ends the active run. Returns a summary if the run changed something.
    pub fn end(&self, how: End) -> Result<Option<EndedRun>, SandboxError> {
        let Some(run) = self.run.borrow_mut().take() else { return Ok(None) };
        let ended = EndedRun { run: run.id().to_owned(), steps: run.taken() };
        let ended = Some(ended).filter(|_| !run.comes_to_nothing(how));
        run.end(how).map(|()| ended)
    }

    /// Drops the active run as if its process had been killed; the next start recovers it.
    pub fn abandon(&self) {
        self.barrier.end_run();
        self.run.borrow_mut().take();
    }

    /// Returns the error of a run that ended if its changes may not be durable. They are made nevertheless.
    pub fn check_durable(&self) -> Result<(), SandboxError> {
        self.barrier.take_failure().map_or(Ok(()), Err)
    }

    /// Records that leftovers of the active run could not be removed. The next start removes them.
    pub fn leave_unswept(&self) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.leave_unswept();
        }
    }

    /// Records the modification time of a directory that was changed outside the steps.
    pub(in crate::sandbox) fn touched(&self, folder: Address, handle: &Folder) {
        let modified = modified(handle);
        self.mark(&Record::Touched { folder, modified });
    }

    /// Whether runs may change files.
    pub(in crate::sandbox) fn is_writable(&self) -> bool {
        self.writable
    }

    /// Continues a killed run as the active one.
    pub(in crate::sandbox) fn resume(&self, run: JournalWriter) {
        *self.run.borrow_mut() = Some(run);
    }

    /// Reads the journal of the active run, or returns `None` if it has changed nothing.
    pub(in crate::sandbox) fn history(&self) -> Result<Option<History>, SandboxError> {
        let mut run = self.run.borrow_mut();
        let Some(run) = &mut *run else { return Ok(None) };
        run.catch_up().map_err(|error| SandboxError::io(display(JOURNAL), &error))?;
        run.history().map(Some)
    }

    /// Appends a record to the journal of a run that was resumed.
    pub(in crate::sandbox) fn append(&self, record: &Record) -> Result<(), SandboxError> {
        let mut run = self.run.borrow_mut();
        let run = run.as_mut().expect("the run was resumed");
        run.append(record, false).map_err(|error| SandboxError::io(display(JOURNAL), &error))
    }

    /// Appends a record that recovery can reconstruct from the file system if it is lost.
    fn mark(&self, record: &Record) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.mark(record);
        }
    }
}

impl Change<'_> {
    /// Returns the permission to change NeuroScript's own files, which this permission includes.
    pub fn own(&self) -> &InternalChange {
        &self.own
    }

    /// Returns the root whose journal has the steps.
    pub(in crate::sandbox) fn root(&self) -> &Root {
        self.root
    }

    /// Begins the journal even if no step follows.
    pub(in crate::sandbox) fn begin_journal(&self) -> Result<(), SandboxError> {
        self.with_run(|_| Ok(()))
    }

    /// Declares that the next steps reverse step `number` of the same run, so that both cancel out. `None` ends this.
    pub(in crate::sandbox) fn reverse(&self, number: Option<u32>) {
        self.reverses.set(number);
    }

    /// Whether steps of the same run are being reversed.
    pub(in crate::sandbox) fn is_reversing(&self) -> bool {
        self.reverses.get().is_some()
    }

    /// Renames an entry, replacing nothing. While an earlier state is restored, a directory that its owner may not
    /// write moves as well: this run or an earlier one put it there.
    pub(in crate::sandbox) fn rename(
        &self,
        folder: &Folder,
        name: &OsStr,
        to_folder: &Folder,
        to: &OsStr,
    ) -> io::Result<()> {
        let restores = self.is_reversing() || self.journal.run.borrow().as_ref().is_some_and(JournalWriter::takes_back);
        if restores {
            folder.rename_even_read_only(name, to_folder, to)
        } else {
            folder.rename(name, to_folder, to, Replace::No)
        }
    }

    /// Opens a group: all steps until [`Change::close_group`] take effect, or none. Returns the number of its first
    /// step.
    pub fn open_group(&self) -> Result<u32, SandboxError> {
        self.with_run(|run| {
            run.append(&Record::Open, false)?;
            run.begin_group()?;
            Ok(run.last_number() + 1)
        })
    }

    /// Closes a group whose steps all took effect or were all reversed. If this cannot be written, the next start
    /// rolls the group back.
    pub fn close_group(&self) -> Result<(), SandboxError> {
        self.with_run(|run| {
            run.append(&Record::Close, false).or_else(|_| run.append(&Record::Close, false))?;
            run.end_group();
            Ok(())
        })
    }

    /// Journals a step. `folders` are the directories whose entries it changes.
    pub(in crate::sandbox) fn begin(&self, step: Step, folders: &[&Folder]) -> Result<PendingStep<'_>, SandboxError> {
        self.write_down(step, FolderState::of_all(folders))
    }

    /// Journals several steps, each with the states of its directories. Their records are synced once.
    pub(in crate::sandbox) fn begin_all(
        &self,
        steps: Vec<(Step, Vec<FolderState>)>,
    ) -> Result<Vec<PendingStep<'_>>, SandboxError> {
        let begin = |(step, folders)| self.write_down(step, folders);
        self.begin_together(|| steps.into_iter().map(begin).collect())
    }

    /// Calls `begin`, which journals several steps and carries out none. Their records are synced once.
    pub(in crate::sandbox) fn begin_together<T>(
        &self,
        begin: impl FnOnce() -> Result<T, SandboxError>,
    ) -> Result<T, SandboxError> {
        self.together.set(Some(false));
        let begun = begin();
        let waits = self.together.take().unwrap_or(false);
        let begun = begun?;
        if waits {
            self.with_run(JournalWriter::sync)?;
        }
        Ok(begun)
    }

    fn write_down(&self, step: Step, folders: Vec<FolderState>) -> Result<PendingStep<'_>, SandboxError> {
        let (number, stays, device) = self.with_run(|run| {
            let (number, stays) = (run.next_number(), run.stays(&step));
            let mut is_synced = run.syncs_steps() || step.needs_durable_record();
            if let Some(waits) = self.together.get() {
                self.together.set(Some(waits || is_synced));
                is_synced = false;
            }
            let inode = |folder: &FolderState| folder.identity.map(|identity| identity.inode);
            let (before, inodes) = folders.iter().map(|folder| (folder.modified, inode(folder))).unzip();
            let record = Record::Step { number, step, reverses: self.reverses.get(), before, inodes };
            run.append(&record, is_synced).map(|()| (number, stays, run.device))
        })?;
        let identities = folders.into_iter().map(|folder| folder.identity).collect();
        Ok(PendingStep { change: self, number, stays, is_over: false, device, identities })
    }

    fn with_run<T>(&self, work: impl FnOnce(&mut JournalWriter) -> io::Result<T>) -> Result<T, SandboxError> {
        let mut run = self.journal.run.borrow_mut();
        let run = match &mut *run {
            Some(run) => run,
            none => {
                let Journal { about, durability, barrier, .. } = self.journal;
                none.insert(JournalWriter::begin(self.root, &about.borrow(), *durability, barrier, &self.own)?)
            }
        };
        work(run).map_err(|error| SandboxError::io(display(JOURNAL), &error))
    }

    /// Records the modification time of a directory that was changed outside the steps.
    pub(in crate::sandbox) fn touched(&self, address: Address, folder: &Folder) {
        self.journal.touched(address, folder);
    }
}
