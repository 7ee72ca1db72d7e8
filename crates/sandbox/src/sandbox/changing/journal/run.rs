//! The journal of a run while it is written.

use std::ffi::{OsStr, OsString};
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;

use super::super::super::handles::address::Address;
use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::File;
use super::super::super::handles::folder::lock::try_lock;
use super::super::super::handles::folder::{Folder, Replace};
use super::super::super::handles::metadata::Metadata;
use super::super::super::handles::private::FILE_MODE;
use super::super::super::handles::root::Root;
use super::super::super::handles::seal::Chain;
use super::super::super::handles::staging::random_name;
use super::super::super::handles::stamp;
use super::super::super::handles::store_usage::UNDOABLE;
use super::super::super::handles::user_state::UserState;
use super::super::super::internal::internal_change::InternalChange;
use super::super::super::internal::state_dir::display;
use super::barrier::{Barrier, Durability};
use super::folders::Folders;
use super::history::History;
use super::list::is_sealed;
use super::preallocate::Preallocation;
use super::record::{Begin, End, Record, Step, VERSION, line};
use super::{JOURNAL, needs};

/// Bytes needed for the marks of a step and for its reversal.
const RESERVED: u64 = 1536;
/// Number of journals of finished runs to retain.
pub const JOURNALS: usize = 10_000;
/// Maximum number of attempts to create a journal, in case other processes remove its file.
const DRAFTS: usize = 1_000;

/// A journal that is being written.
#[derive(Debug)]
pub struct JournalWriter {
    id: String,
    folders: Folders,
    /// The journal file, locked until the process ends.
    file: Arc<File>,
    /// Its length, which only this process changes.
    length: u64,
    /// The device that it is on.
    pub(super) device: u64,
    /// Makes the records durable.
    barrier: Arc<Barrier>,
    /// Whether each record is synced before its step: because the policy says so, or because the run takes effect
    /// completely or not at all, so that recovery must know every step.
    syncs_steps: bool,
    /// Whether a group of steps is open, which takes effect completely or not at all.
    is_in_group: bool,
    steps: u32,
    /// Number of steps that are still in effect.
    taken: u32,
    /// Space reserved on the disk.
    room: Preallocation,
    /// Temporary directories, which are removed when the run ends.
    temporary: Vec<Address>,
    /// The chain of seals after the last line, including marks not yet written.
    chain: Chain,
    /// Whether the run is an undo or redo. Its journal is retained even if no step could be reversed.
    takes_back: bool,
    /// User state, whose ledger records that the run is over.
    user: Arc<UserState>,
    /// Marks that could not be written. They are written before the next record.
    missing: String,
    /// Whether the file may end with part of a record. Nothing may be changed any more.
    is_broken: bool,
    /// Whether leftovers could not be removed. The next start removes them.
    is_unswept: bool,
    /// Whether the run was killed and is now being recovered.
    is_resumed: bool,
}

impl JournalWriter {
    /// Begins the journal of a run.
    pub fn begin(
        root: &Root,
        about: &Begin,
        durability: Durability,
        barrier: &Arc<Barrier>,
        own: &InternalChange,
    ) -> Result<JournalWriter, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let folders = Folders::make(root, own)?;
        let runs = folders.runs().map_err(wrap)?;
        if runs.is_empty() {
            folders.claim(root)?;
        }
        let open = folders.open.entries().map_err(wrap)?.into_iter().map(|entry| entry.name);
        let origin = needs::origin(&folders, &runs[runs.len().saturating_sub(UNDOABLE - 1)..]);
        let oldest = open.filter(|name| stamp::is_stamp(name)).chain(origin).min();
        root.usage.begin_run(&runs, oldest.as_ref());
        let id = stamp::name_at(&root.usage.now());
        give_up(&folders, &runs);
        let (draft, file) = locked_draft(&folders.open).map_err(wrap)?;
        let chain = root.seal.chain(&id);
        let mut run = JournalWriter::new(id, folders, file, chain, barrier, root).map_err(wrap)?;
        run.takes_back = about.undoes.is_some();
        run.syncs_steps = durability == Durability::Each || about.atomic || run.takes_back;
        let begin = Begin { version: VERSION, run: run.id.clone(), ..about.clone() };
        let named = run.append(&Record::Begin(begin), false).and_then(|()| {
            let open = &run.folders.open;
            // Nobody can guess the name. Not replacing may take two steps, and a journal has one name.
            open.rename(&draft, open, OsStr::new(&run.id), Replace::Yes)?;
            if open.has_one_log() { Ok(()) } else { open.sync() }
        });
        if named.is_err() {
            // Best effort: the first error is the one to report.
            let _ = run.folders.open.remove_file(&draft);
            let _ = run.folders.open.remove_file(OsStr::new(&run.id));
        }
        named.map(|()| run).map_err(wrap)
    }

    /// Continues the journal of a killed run.
    pub fn resume(
        name: &OsStr,
        folders: &Folders,
        file: File,
        history: &History,
        barrier: &Arc<Barrier>,
        root: &Root,
    ) -> Result<JournalWriter, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let folders = folders.duplicate().map_err(wrap)?;
        let id = name.to_string_lossy().into_owned();
        let steps = history.steps.last().map_or(0, |taken| taken.number);
        let chain = history.chain.clone();
        let takes_back = history.begin.undoes.is_some();
        Ok(JournalWriter {
            steps,
            takes_back,
            is_resumed: true,
            syncs_steps: true,
            ..JournalWriter::new(id, folders, file, chain, barrier, root).map_err(wrap)?
        })
    }

    fn new(
        id: String,
        folders: Folders,
        file: File,
        chain: Chain,
        barrier: &Arc<Barrier>,
        root: &Root,
    ) -> io::Result<JournalWriter> {
        barrier.reset(folders.open.has_one_log());
        let Metadata { size, identity, .. } = folders.open.file_metadata(&file)?;
        Ok(JournalWriter {
            id,
            folders,
            file: Arc::new(file),
            length: size,
            device: identity.device,
            barrier: barrier.clone(),
            syncs_steps: false,
            is_in_group: false,
            steps: 0,
            taken: 0,
            room: Preallocation::default(),
            chain,
            takes_back: false,
            user: root.user.clone(),
            temporary: Vec::new(),
            missing: String::new(),
            is_broken: false,
            is_unswept: false,
            is_resumed: false,
        })
    }

    /// Reads the journal so far.
    pub fn history(&self) -> Result<History, SandboxError> {
        let name = OsStr::new(&self.id);
        let file = self.folders.open.open_file(name).map_err(|error| SandboxError::io(display(JOURNAL), &error))?;
        History::read(&file, name, &self.folders.seal)
            .map_err(|error| SandboxError::Io { path: display(JOURNAL), reason: error.to_string() })
    }

    /// Whether the run is an undo or redo.
    pub fn takes_back(&self) -> bool {
        self.takes_back
    }

    /// Returns the name of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the number of the next step.
    pub fn next_number(&mut self) -> u32 {
        self.steps += 1;
        self.steps
    }

    /// Whether a step counts as a change once the run ends. Steps inside temporary directories do not.
    pub fn stays(&mut self, step: &Step) -> bool {
        if let Step::Temporary { path } = step {
            self.temporary.push(path.clone());
        }
        let path = if let Step::Move { to, .. } = step { to } else { step.path() };
        !self.temporary.iter().any(|folder| path == folder || path.is_below(folder))
    }

    /// Sets the number of steps that are still in effect.
    pub fn count(&mut self, taken: u32) {
        self.taken = taken;
    }

    /// Returns the number of steps that are still in effect.
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// Returns the number of the last step.
    pub fn last_number(&self) -> u32 {
        self.steps
    }

    /// Reserves space for the marks of all steps so far and for their reversal, so that a full disk stops the run
    /// before a change and not in the middle of one.
    fn reserve(&mut self, length: u64) -> io::Result<()> {
        self.room.take(&self.file, length + RESERVED * (u64::from(self.steps) + 2))
    }

    /// Appends a record. If `is_synced`, it is durable on return.
    pub fn append(&mut self, record: &Record, is_synced: bool) -> io::Result<()> {
        // The chain advances only if the line is written.
        let mut chain = self.chain.clone();
        let record_line = line(record, &mut chain);
        if matches!(record, Record::Step { reverses: None, .. }) {
            self.reserve(self.length + (self.missing.len() + record_line.len()) as u64)?;
        }
        self.write(&record_line, is_synced)?;
        self.chain = chain;
        Ok(())
    }

    /// Makes the records so far durable.
    pub fn sync(&mut self) -> io::Result<()> {
        self.write("", true)
    }

    /// Writes the marks that could not be written before.
    pub fn catch_up(&mut self) -> io::Result<()> {
        if self.missing.is_empty() { Ok(()) } else { self.write("", false) }
    }

    /// Appends a line after the missing marks. On an error, nothing is appended.
    fn write(&mut self, line: &str, is_synced: bool) -> io::Result<()> {
        if self.is_broken {
            return Err(io::Error::other("a part of an earlier record stands there"));
        }
        let text = format!("{}{line}", self.missing);
        let mut file = &*self.file;
        let written = file.write_all(text.as_bytes());
        self.barrier.add_records(&self.file);
        let synced = written.and_then(|()| if is_synced { self.sync_records() } else { Ok(()) });
        if synced.is_err() {
            // A partial line would damage the lines after it, and so would a gap.
            let cut = file.set_len(self.length).and_then(|()| file.seek(SeekFrom::Start(self.length)));
            self.is_broken |= cut.is_err();
            self.room.lose();
        } else {
            self.length += text.len() as u64;
            self.missing.clear();
        }
        synced
    }

    /// Makes the records in the file durable.
    fn sync_records(&self) -> io::Result<()> {
        self.barrier.sync_records(self.syncs_steps())
    }

    /// Whether each record is synced before its step.
    pub fn syncs_steps(&self) -> bool {
        self.syncs_steps || self.is_in_group
    }

    /// Begins a group of steps that take effect completely or not at all.
    pub fn begin_group(&mut self) -> io::Result<()> {
        self.sync_records()?;
        self.is_in_group = true;
        Ok(())
    }

    /// Ends the group.
    pub fn end_group(&mut self) {
        self.is_in_group = false;
    }

    /// Appends a record that recovery can reconstruct if it is lost. If it cannot be written, it is written with the
    /// next record.
    pub fn mark(&mut self, record: &Record) {
        if self.append(record, false).is_err() {
            self.missing.push_str(&line(record, &mut self.chain));
        }
    }

    /// Records that leftovers could not be removed.
    pub fn leave_unswept(&mut self) {
        self.is_unswept = true;
    }

    /// Whether a run that ends in this way has no effect, so that its journal is removed.
    pub fn comes_to_nothing(&self, how: End) -> bool {
        let counts = self.takes_back && how == End::Done;
        let leaves_none = matches!(how, End::Done | End::Failed) || how == End::Interrupted && !self.is_resumed;
        self.taken == 0 && !self.is_unswept && !counts && leaves_none
    }

    /// Ends the run and moves its journal to those of finished runs.
    pub fn end(mut self, how: End) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let name = OsString::from(&self.id);
        if self.comes_to_nothing(how) {
            self.barrier.end_run();
            self.folders.open.remove_file(&name).map_err(wrap)?;
            self.remember_end();
            return Ok(());
        }
        let steps = self.taken;
        let end = Record::End { how, steps };
        // Without this record, recovery might roll back a completed run, so try twice.
        self.append(&end, false).or_else(|_| self.append(&end, false)).map_err(wrap)?;
        if self.is_unswept {
            // The journal stays open, so that recovery finds it and removes the leftovers.
            self.barrier.end_run();
            return Ok(());
        }
        // Release reserved space that was not used.
        self.file.set_len(self.length).map_err(wrap)?;
        // No other run has the name. Not replacing may take two steps, and a journal has one name.
        let moved = self.folders.open.rename(&name, &self.folders.ended, &name, Replace::Yes);
        if let Ok(metadata) = self.folders.ended.own_metadata() {
            self.barrier.add_folder(metadata.identity, &self.folders.ended);
        }
        self.barrier.end_run();
        moved.map_err(wrap)?;
        // Only now: a journal that a power failure puts back among the open ones would be taken for a forged one.
        self.remember_end();
        Ok(())
    }

    /// Records in the ledger that the run is over, so that nobody triggers a recovery by putting its journal back.
    fn remember_end(&self) {
        if let Some(ledger) = &self.user.ledger {
            // Best effort: the journal also has the end, unless somebody truncates it.
            let _ = ledger.end_run(self.folders.seal.id(), &self.id);
        }
    }
}

/// Creates and locks a journal file under a temporary name, which marks a run that has not begun. The file gets its
/// final name only once it is locked; otherwise it could be taken for that of a killed run.
fn locked_draft(open: &Folder) -> io::Result<(OsString, File)> {
    // Before it is locked, other processes may take it for a leftover and remove it.
    for _ in 0..DRAFTS {
        let draft = random_name();
        let file = open.create_file(&draft, FILE_MODE)?;
        if !try_lock(&file)?.is_free() {
            continue;
        }
        let identity = open.file_metadata(&file)?.identity;
        if open.metadata(&draft).is_ok_and(|there| there.identity == identity) {
            return Ok((draft, file));
        }
    }
    Err(io::Error::other("others removed it each time before it was locked"))
}

/// Removes the oldest journals beyond the limit, if they are this user's.
fn give_up(folders: &Folders, runs: &[OsString]) {
    let surplus = runs.len().saturating_sub(JOURNALS);
    for name in runs.iter().take(surplus).filter(|name| is_sealed(&folders.ended, name, &folders.seal)) {
        // Best effort: the next run tries again.
        let _ = folders.ended.remove_file(name);
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{Folder, locked_draft};

    /// Other processes may take a file that is not yet locked for a leftover.
    #[test]
    fn a_journal_begins_while_others_sweep() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::open_root(place.path()).expect("it opens");
        std::thread::scope(|scope| {
            let runs = scope.spawn(|| (0..2_000).for_each(|_| begin(&folder)));
            while !runs.is_finished() {
                sweep(&folder);
            }
        });
    }

    fn begin(folder: &Folder) {
        let (name, file) = locked_draft(folder).expect("it is made");
        sweep(folder);
        assert!(folder.metadata(&name).is_ok(), "it was removed while it was locked");
        folder.remove_file(&name).expect("it goes");
        drop(file);
    }

    fn sweep(folder: &Folder) {
        for entry in folder.entries().expect("it is listed") {
            let name: &OsStr = &entry.name;
            let Ok(file) = folder.open_file(name) else { continue };
            if file.try_lock().is_ok() {
                // It may have been removed meanwhile.
                let _ = folder.remove_file(name);
            }
        }
    }
}
