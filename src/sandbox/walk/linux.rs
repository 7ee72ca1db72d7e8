//! Reads a tree with `getdents64` and `statx`, relative to the handle of each folder.
//!
//! Where the kind of an entry is all that is wanted, its folder tells it. One entry of each folder is looked at all
//! the same: a folder whose names may be read and whose entries may not ends the walk, whatever is wanted of them.
//!
//! Small trees are read by the caller's thread alone; once a walk has met a few thousand entries a
//! second thread takes folders from the same list.

use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, StatxFlags};
use rustix::io::Errno;

use super::super::folder::{LinuxFolder, entry_buffer};
use super::{Details, EntryId, Failure, Filter, Found, Reader, WalkLimits};

/// Entries after which a second thread is worth its start.
const ALONE: usize = 4_000;

/// A folder that waits to be read: the handle of the folder it is in, and its name there.
pub struct Task {
    pub parent: Arc<OwnedFd>,
    pub entry: EntryId,
    pub name: OsString,
    /// The way from the start to it, which only rules ask for.
    pub below: Option<String>,
}

/// What the threads of one walk share.
struct Shared<'a> {
    queue: Mutex<Queue>,
    changed: Condvar,
    entries: AtomicUsize,
    stopped: AtomicBool,
    limits: &'a WalkLimits,
    filter: Filter<'a>,
}

#[derive(Default)]
struct Queue {
    tasks: Vec<Task>,
    /// Threads that are reading a folder, and may still add tasks.
    busy: usize,
    /// Threads that wait for tasks: only then is there somebody to wake, which is a system call.
    waiting: usize,
}

/// A folder that could not be read.
struct Unreadable {
    entry: Option<EntryId>,
    error: io::Error,
}

enum Stop {
    Unreadable(Unreadable),
    Failure(Failure),
}

/// Reads all below a folder.
pub fn read_tree(start: &LinuxFolder, filter: Filter<'_>, limits: &WalkLimits) -> Result<Vec<Reader>, Failure> {
    let start = start.for_listing().map_err(|error| Failure::Io { below: String::new(), error })?;
    let shared = Shared::new(filter, limits);
    let mut worker = Worker::new(Reader::default(), 0, &shared);
    let mut tasks = Vec::new();
    match worker.read(Arc::new(start), None, filter.skip.rule.map(|_| String::new()), &mut tasks) {
        Ok(()) => read_tasks(worker, tasks),
        Err(stop) => finish(vec![(worker.reader, Some(stop))]),
    }
}

/// Reads all below folders of a tree that `reader`, the first, has begun.
pub fn go_on(
    reader: Reader,
    tasks: Vec<Task>,
    filter: Filter<'_>,
    limits: &WalkLimits,
) -> Result<Vec<Reader>, Failure> {
    let shared = Shared::new(filter, limits);
    shared.entries.store(reader.found.len(), Ordering::Relaxed);
    read_tasks(Worker::new(reader, 0, &shared), tasks)
}

fn read_tasks(mut worker: Worker<'_>, mut tasks: Vec<Task>) -> Result<Vec<Reader>, Failure> {
    let shared = worker.shared;
    let mut stop = None;
    while stop.is_none() && worker.reader.found.len() < ALONE {
        let Some(task) = tasks.pop() else { break };
        stop = worker.run(task, &mut tasks).err();
    }
    if stop.is_some() || tasks.is_empty() {
        return finish(vec![(worker.reader, stop)]);
    }
    shared.queue.lock().expect("no thread panics with the queue").tasks = tasks;
    let mut results = std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().name("ns-walk".to_owned());
        let helper = helper.spawn_scoped(scope, || {
            let mut worker = Worker::new(Reader::default(), 1, shared);
            let stop = worker.work();
            (worker.reader, stop)
        });
        let stop = worker.work();
        let first = (std::mem::take(&mut worker.reader), stop);
        // Where no thread can be had the caller's own has done all of it.
        let second = helper.ok().map(|helper| helper.join().expect("the walk's second thread does not panic"));
        [Some(first), second]
    });
    finish(results.iter_mut().filter_map(Option::take).collect())
}

/// The readers, or the first reason to stop that a thread met.
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
    fn new(filter: Filter<'a>, limits: &'a WalkLimits) -> Shared<'a> {
        Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            entries: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            limits,
            filter,
        }
    }
}

/// One thread of a walk.
struct Worker<'a> {
    number: u8,
    reader: Reader,
    buffer: Vec<std::mem::MaybeUninit<u8>>,
    shared: &'a Shared<'a>,
}

impl<'a> Worker<'a> {
    fn new(reader: Reader, number: u8, shared: &'a Shared<'a>) -> Worker<'a> {
        Worker { number, reader, buffer: entry_buffer(), shared }
    }

    /// Reads folders from the shared list until there are none and none can come.
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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&task.parent, &task.name, flags, Mode::empty(), resolve) {
            Ok(folder) => self.read(Arc::new(folder), Some(task.entry), task.below, tasks),
            // Gone, or something else by now: as if it had been so before.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(error) => Err(Stop::Unreadable(Unreadable { entry: Some(task.entry), error: error.into() })),
        }
    }

    fn read(
        &mut self,
        folder: Arc<OwnedFd>,
        parent: Option<EntryId>,
        below: Option<String>,
        tasks: &mut Vec<Task>,
    ) -> Result<(), Stop> {
        self.shared.limits.watch.poll().map_err(|hit| Stop::Failure(hit.into()))?;
        let unreadable = |error: Errno| Stop::Unreadable(Unreadable { entry: parent, error: error.into() });
        let start = self.reader.found.len();
        let filter = self.shared.filter;
        let mut lets_look = false;
        let mut raw = RawDir::new(folder.as_fd(), &mut self.buffer);
        while let Some(entry) = raw.next() {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let bytes = name.to_bytes();
            if bytes == b"." || bytes == b".." {
                continue;
            }
            if filter.leaves_out(parent, OsStr::from_bytes(bytes), &mut self.reader.reserved) {
                continue;
            }
            let told = Some(entry.file_type()).filter(|kind| lets_look && *kind != FileType::Unknown);
            let looked = match told.filter(|_| filter.details == Details::KindAlone) {
                Some(kind) => Look { is_folder: kind == FileType::Directory, size: 0, modified: 0 },
                None => match look(&folder, name) {
                    Err(Errno::NOENT) => continue,
                    other => other.map_err(unreadable)?,
                },
            };
            lets_look = true;
            let is_folder = looked.is_folder;
            if is_folder && below.as_ref().is_some_and(|below| filter.skips(below, &name.to_string_lossy())) {
                continue;
            }
            self.reader.found.push(Found {
                name_start: self.reader.names.len() as u32,
                name_len: bytes.len() as u16,
                is_folder,
                size: if is_folder { 0 } else { looked.size },
                modified: looked.modified,
            });
            self.reader.names.extend_from_slice(bytes);
        }
        self.reader.close_block(parent, start);
        self.count(self.reader.found.len() - start)?;
        self.add_tasks(&folder, below.as_deref(), start, tasks);
        Ok(())
    }

    /// Counts entries of all threads; more than allowed stop the walk.
    fn count(&self, more: usize) -> Result<(), Stop> {
        let total = self.shared.entries.fetch_add(more, Ordering::Relaxed) + more;
        let names_full = self.reader.names.len() > u32::MAX as usize / 4;
        match total > self.shared.limits.entries || names_full {
            true => Err(Stop::Failure(self.shared.limits.hit.into())),
            false => Ok(()),
        }
    }

    fn add_tasks(&self, folder: &Arc<OwnedFd>, below: Option<&str>, start: usize, tasks: &mut Vec<Task>) {
        for (offset, found) in self.reader.found[start..].iter().enumerate().filter(|(_, found)| found.is_folder) {
            let entry = EntryId { reader: self.number, index: (start + offset) as u32 };
            let name = OsStr::from_bytes(self.reader.name(found)).to_owned();
            let below = below.map(|below| way(below, &name));
            tasks.push(Task { parent: folder.clone(), entry, name, below });
        }
    }
}

/// What an entry is.
struct Look {
    is_folder: bool,
    size: u64,
    /// Seconds since 1970.
    modified: i64,
}

/// Looks at an entry of a folder.
fn look(folder: &OwnedFd, name: &CStr) -> Result<Look, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let stat = rustix::fs::statx(folder, name, flags, StatxFlags::TYPE | StatxFlags::SIZE | StatxFlags::MTIME)?;
    let is_folder = FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory;
    Ok(Look { is_folder, size: stat.stx_size, modified: stat.stx_mtime.tv_sec })
}

/// The way from the start to a name, from that to the folder it is in.
pub fn way(below: &str, name: &OsStr) -> String {
    match below {
        "" => name.to_string_lossy().into_owned(),
        below => format!("{below}/{}", name.to_string_lossy()),
    }
}
