//! Reads a tree with `getdents64` and `statx`, relative to the handle of each directory.
//!
//! If only the kind of an entry is wanted, `getdents64` already reports it. One entry of each directory is looked up
//! anyway: a directory whose names can be listed but whose entries cannot be looked up ends the walk with an error,
//! whatever details are wanted.
//!
//! The caller's thread reads small trees alone. After a walk has found a few thousand entries, a second thread takes
//! directories from the same queue, if the call may use more than one thread.

use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rustix::fs::{AtFlags, FileType, Mode, RawDir, StatxFlags};
use rustix::io::Errno;

use crate::limits::{Jobs, LimitHit};

use super::super::super::handles::folder::{
    Folder, LISTING, LinuxFolder, entry_buffer, identity_of, kind_of, open_beneath,
};
use super::super::super::handles::metadata::{Identity, Kind, Timestamp};
use super::super::ignore::{self, Ignore};
use super::entry::{EntryId, EntryStat, FileNames};
use super::filter::{Filter, Position};
use super::reader::{Intake, Reader, Refusal};
use super::{Failure, WalkLimits};

/// Number of entries after which starting a second thread pays off.
const ALONE: usize = 4_000;
/// Number of entries of one directory between two checks of the limits.
const PATIENCE: usize = 4_096;

/// A directory still to be read: the handle of its parent, its name there and its position.
pub struct Task {
    pub parent: Arc<OwnedFd>,
    pub name: OsString,
    pub position: Position,
}

/// The state shared by the threads of one walk.
struct Shared<'a> {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Number of entries kept.
    entries: AtomicUsize,
    /// Number of entries seen.
    met: AtomicUsize,
    stopped: AtomicBool,
    limits: &'a WalkLimits,
    filter: Filter<'a>,
}

impl Shared<'_> {
    /// Checks the limits of entries, with what a thread has found and not yet counted.
    fn check(&self, kept: usize, met: usize) -> Result<(), LimitHit> {
        if self.entries.load(Ordering::Relaxed) + kept > self.limits.entries {
            return Err(self.limits.hit);
        }
        if self.met.load(Ordering::Relaxed) + met > self.limits.looks { Err(self.limits.looks_hit) } else { Ok(()) }
    }
}

#[derive(Default)]
struct Queue {
    tasks: Vec<Task>,
    /// Number of threads that are reading a directory and may still add tasks.
    busy: usize,
    /// Number of threads waiting for tasks. Waking them is a system call, so it is done only if this is not 0.
    waiting: usize,
}

/// A directory that could not be read, identified by its entry.
struct Unreadable {
    entry: Option<EntryId>,
    error: io::Error,
}

enum Stop {
    Unreadable(Unreadable),
    Failure(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

/// Reads everything below a directory and appends it to `reader`.
pub fn read_tree(
    reader: Reader,
    folder: &LinuxFolder,
    position: &Position,
    filter: Filter<'_>,
    limits: &WalkLimits,
) -> Result<Vec<Reader>, Failure> {
    let shared = Shared::new(&reader, filter, limits);
    let mut worker = Worker::new(reader, &shared);
    let mut tasks = Vec::new();
    let folder = folder.for_listing().map_err(Stop::of_start(&filter, position));
    match folder.and_then(|folder| worker.read(Arc::new(folder), position, &mut tasks)) {
        Ok(()) => read_tasks(worker, tasks),
        Err(stop) => finish(vec![(worker.reader, Some(stop))]),
    }
}

/// Continues a walk that `reader`, the first one, has begun: reads everything below the directories of `tasks`.
pub fn go_on(
    reader: Reader,
    tasks: Vec<Task>,
    filter: Filter<'_>,
    limits: &WalkLimits,
) -> Result<Vec<Reader>, Failure> {
    let shared = Shared::new(&reader, filter, limits);
    read_tasks(Worker::new(reader, &shared), tasks)
}

fn read_tasks(mut worker: Worker<'_>, mut tasks: Vec<Task>) -> Result<Vec<Reader>, Failure> {
    let shared = worker.shared;
    let mut stop = None;
    // One thread reads the targets of links, so that a directory reachable in two ways always gets the same path.
    while stop.is_none() && (shared.filter.is_beyond_link() || worker.reader.found.len() < ALONE) {
        let Some(task) = tasks.pop() else { break };
        stop = worker.run(task, &mut tasks).err();
    }
    if stop.is_some() || tasks.is_empty() {
        return finish(vec![(worker.reader, stop)]);
    }
    shared.queue.lock().expect("no thread panics with the queue").tasks = tasks;
    let mut results = std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().name("ns-walk".to_owned());
        let has_helper = shared.limits.jobs != Jobs::ONE;
        let helper = has_helper.then(|| {
            helper.spawn_scoped(scope, || {
                let reader = Reader::new(1, &shared.filter, shared.limits.watch.clone());
                let mut worker = Worker::new(reader, shared);
                let stop = worker.work();
                (worker.reader, stop)
            })
        });
        let stop = worker.work();
        let first = (worker.reader, stop);
        // If no thread can be started, the caller's thread has done all the work.
        let second =
            helper.and_then(Result::ok).map(|helper| helper.join().expect("the walk's second thread does not panic"));
        [Some(first), second]
    });
    finish(results.iter_mut().filter_map(Option::take).collect())
}

/// Returns the readers, or the first reason to stop that a thread reported.
fn finish(results: Vec<(Reader, Option<Stop>)>) -> Result<Vec<Reader>, Failure> {
    let (readers, stops): (Vec<Reader>, Vec<Option<Stop>>) = results.into_iter().unzip();
    match stops.into_iter().flatten().next() {
        None => Ok(readers),
        Some(Stop::Failure(failure)) => Err(failure),
        Some(Stop::Unreadable(Unreadable { entry, error })) => {
            let readers: Vec<&Reader> = readers.iter().collect();
            let below = entry.map(|entry| Reader::path_of(&readers, entry)).unwrap_or_default();
            Err(Failure::Io { below, error })
        }
    }
}

impl<'a> Shared<'a> {
    fn new(reader: &Reader, filter: Filter<'a>, limits: &'a WalkLimits) -> Shared<'a> {
        Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            entries: AtomicUsize::new(reader.found.len()),
            met: AtomicUsize::new(reader.met),
            stopped: AtomicBool::new(false),
            limits,
            filter,
        }
    }
}

/// One thread of a walk.
struct Worker<'a> {
    reader: Reader,
    buffer: Vec<std::mem::MaybeUninit<u8>>,
    shared: &'a Shared<'a>,
}

impl<'a> Worker<'a> {
    fn new(reader: Reader, shared: &'a Shared<'a>) -> Worker<'a> {
        Worker { reader, buffer: entry_buffer(), shared }
    }

    /// Reads directories from the shared queue until it is empty and no thread can add to it.
    fn work(&mut self) -> Option<Stop> {
        let mut found = Vec::new();
        while let Some(task) = self.next_task() {
            let result = self.run(task, &mut found);
            let stopped = result.is_err();
            if stopped {
                self.shared.stopped.store(true, Ordering::Relaxed);
            }
            let mut queue = self.shared.queue.lock().expect("no thread panics with the queue");
            queue.busy -= 1;
            queue.tasks.append(&mut found);
            let is_awaited = queue.waiting > 0;
            drop(queue);
            if is_awaited {
                self.shared.changed.notify_all();
            }
            if let Err(stop) = result {
                return Some(stop);
            }
        }
        None
    }

    fn next_task(&self) -> Option<Task> {
        let mut queue = self.shared.queue.lock().expect("no thread panics with the queue");
        loop {
            if self.shared.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(task) = queue.tasks.pop() {
                queue.busy += 1;
                return Some(task);
            }
            if queue.busy == 0 {
                return None;
            }
            queue.waiting += 1;
            queue = self.shared.changed.wait(queue).expect("no thread panics with the queue");
            queue.waiting -= 1;
        }
    }

    fn run(&mut self, task: Task, tasks: &mut Vec<Task>) -> Result<(), Stop> {
        let Task { parent, name, position } = task;
        let poll = || self.shared.limits.watch.poll();
        match open_beneath(parent.as_fd(), &name, LISTING, Mode::empty(), poll).map_err(Failure::Limit)? {
            Ok(folder) => self.read(Arc::new(folder), &position, tasks),
            // The directory has disappeared or was replaced by something else.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(self.shared.filter.check_vanished(&position)?),
            Err(error) => Err(self.unreadable(&position, error.into())),
        }
    }

    fn read(&mut self, folder: Arc<OwnedFd>, position: &Position, tasks: &mut Vec<Task>) -> Result<(), Stop> {
        let shared = self.shared;
        shared.limits.watch.poll().map_err(Failure::Limit)?;
        let is_new = shared.filter.marks(|| identity_of(&folder));
        if !is_new.map_err(|error| self.unreadable(position, error))? {
            return Ok(());
        }
        let (found, met) = (self.reader.found.len(), self.reader.met);
        let mut intake = self.reader.open(&shared.filter, position, |ignore, path| enter(ignore, &folder, path));
        let taken = self.take_entries(&folder, &mut intake);
        taken.map_err(|refusal| self.refused(position, refusal))?;
        self.reader.close(&intake);
        let links = self.reader.note_links(&intake, |name| read_link(&folder, name));
        links.map_err(|refusal| self.refused(position, refusal))?;
        self.count(self.reader.found.len() - found, self.reader.met - met)?;
        tasks.extend(self.reader.folders(&intake).map(|(position, name)| Task {
            parent: folder.clone(),
            name: OsStr::from_bytes(name).to_owned(),
            position,
        }));
        Ok(())
    }

    fn take_entries(&mut self, folder: &OwnedFd, intake: &mut Intake<'_>) -> Result<(), Refusal> {
        let (found, met) = (self.reader.found.len(), self.reader.met);
        let fields = fields(intake.filter);
        let mut raw = RawDir::new(folder.as_fd(), &mut self.buffer);
        let mut number = 0_usize;
        while let Some(entry) = raw.next() {
            number += 1;
            if number.is_multiple_of(PATIENCE) {
                self.shared.limits.watch.poll()?;
                self.shared.check(self.reader.found.len() - found, self.reader.met - met)?;
            }
            let entry = entry.map_err(|error| Refusal::Io(error.into()))?;
            let name = entry.file_name();
            let bytes = name.to_bytes();
            if bytes == b"." || bytes == b".." {
                continue;
            }
            if intake.filter.leaves_out(intake.position, OsStr::from_bytes(bytes), &mut self.reader.reserved) {
                continue;
            }
            self.reader.take(intake, bytes, kind_of(entry.file_type()), || look(folder, name, fields))?;
        }
        Ok(())
    }

    /// Adds to the counts of all threads. Errors: if a limit is exceeded.
    fn count(&self, kept: usize, met: usize) -> Result<(), Failure> {
        let shared = self.shared;
        shared.entries.fetch_add(kept, Ordering::Relaxed);
        shared.met.fetch_add(met, Ordering::Relaxed);
        shared.limits.tell_met(met);
        if self.reader.name_bytes() > u32::MAX as usize / 4 {
            return Err(shared.limits.hit.into());
        }
        Ok(shared.check(0, 0)?)
    }

    fn refused(&self, position: &Position, refusal: Refusal) -> Stop {
        match refusal {
            Refusal::Io(error) => self.unreadable(position, error),
            Refusal::Limit(hit) => Stop::Failure(hit.into()),
        }
    }

    fn unreadable(&self, position: &Position, error: io::Error) -> Stop {
        Stop::unreadable(&self.shared.filter, position, error)
    }
}

impl Stop {
    /// Returns the stop at a directory that cannot be read, identified by its path, or by its entry if positions have
    /// no paths.
    fn unreadable(filter: &Filter<'_>, position: &Position, error: io::Error) -> Stop {
        match filter.below(position) {
            Some(below) => Stop::Failure(Failure::Io { below, error }),
            None => Stop::Unreadable(Unreadable { entry: position.entry, error }),
        }
    }

    fn of_start<'p>(filter: &'p Filter<'p>, position: &'p Position) -> impl FnOnce(io::Error) -> Stop + 'p {
        move |error| Stop::unreadable(filter, position, error)
    }
}

/// Returns the fields of metadata that a walk needs.
fn fields(filter: &Filter<'_>) -> StatxFlags {
    let of_all = StatxFlags::TYPE | StatxFlags::SIZE | StatxFlags::MTIME;
    if filter.wants_identities() { of_all | StatxFlags::INO | StatxFlags::NLINK | StatxFlags::CTIME } else { of_all }
}

/// Reads the metadata of an entry.
fn look(folder: &OwnedFd, name: &CStr, fields: StatxFlags) -> io::Result<EntryStat> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let stat = rustix::fs::statx(folder, name, flags, fields)?;
    let kind = kind_of(FileType::from_raw_mode(stat.stx_mode.into())).unwrap_or(Kind::Special);
    let device = rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor);
    let identity = Identity { device, inode: stat.stx_ino };
    let changed = Timestamp { seconds: stat.stx_ctime.tv_sec, nanos: stat.stx_ctime.tv_nsec };
    let file = FileNames { identity, links: stat.stx_nlink.into(), changed };
    Ok(EntryStat { kind, size: stat.stx_size, modified: stat.stx_mtime.tv_sec, nanos: stat.stx_mtime.tv_nsec, file })
}

fn read_link(folder: &OwnedFd, name: &[u8]) -> io::Result<String> {
    let target = rustix::fs::readlinkat(folder, OsStr::from_bytes(name), Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()).to_string_lossy().into_owned())
}

/// Reads the rules that a directory has: its `.gitignore`, and the exclude list of a repository.
fn enter(ignore: &mut Ignore, folder: &OwnedFd, path: &[u8]) {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let kind = |name: &str| {
        let stat = rustix::fs::statx(folder, name, flags, StatxFlags::TYPE).ok()?;
        Some(kind_of(FileType::from_raw_mode(stat.stx_mode.into())).unwrap_or(Kind::Special))
    };
    let (rules, git) = (kind(ignore::FILE), kind(ignore::GIT));
    if rules.is_none() && git != Some(Kind::Folder) {
        return;
    }
    let Ok(folder) = folder.try_clone().map(|folder| Folder::Linux(LinuxFolder::from(folder))) else { return };
    if git == Some(Kind::Folder) {
        ignore.enter_repository(&folder, path);
    }
    if rules.is_some() {
        ignore.enter(&folder, rules, path);
    }
}
