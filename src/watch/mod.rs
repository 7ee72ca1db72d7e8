//! Detection of changes to files by polling their sizes, times and identities.
//!
//! Polling works on every file system and survives what notifications do not: files that editors replace by renaming,
//! directories that are removed and created again, and paths that do not exist yet. A look at a large tree takes long,
//! so the pauses between looks grow with it, up to [`LONGEST_PERIOD`].
//!
//! This room only looks: it opens no file, and does not decide what a change leads to.

#![allow(clippy::disallowed_methods, reason = "the files are the user's, who names them to a command")]

mod arrivals;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, FileType, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub use arrivals::Arrivals;

/// Minimum interval between looks.
const PERIOD: Duration = Duration::from_millis(200);

/// Maximum interval between looks.
const LONGEST_PERIOD: Duration = Duration::from_secs(5);

/// Maximum time until the end of a watch is noticed.
const SLICE: Duration = Duration::from_millis(20);

/// Time without changes after which a change is complete: an editor may truncate a file before it writes the content.
const SETTLED: Duration = Duration::from_millis(50);

/// Maximum number of such waits if files keep changing.
const PATIENCE: usize = 20;

/// Resolution of the times of a file system: a file may have a time that is this much too early.
const RESOLUTION: Duration = Duration::from_millis(20);

/// Whether an entry of a watched directory is watched, by its name and type. Directories are watched with everything
/// below them.
pub type EntryFilter = fn(&OsStr, FileType) -> bool;

/// A file that the watching process itself has replaced.
#[derive(Debug)]
pub struct Replacement {
    /// The real path, with links resolved.
    place: PathBuf,
    old: State,
    new: State,
}

impl Replacement {
    /// Records the replacement of a file at its real path, by the metadata of the old and the new file.
    pub fn new(place: PathBuf, old: &Metadata, new: &Metadata) -> Replacement {
        Replacement { place, old: State::of(old), new: State::of(new) }
    }
}

/// The watched paths and their state when they were last looked at.
#[derive(Debug)]
pub struct Watcher {
    filter: EntryFilter,
    /// Paths that are watched with everything below them.
    paths: BTreeSet<PathBuf>,
    /// Paths that are watched by themselves: they come from the text of scripts, which may name any directory.
    used: BTreeSet<PathBuf>,
    /// Files that standard output and standard error write to; their changes are ignored.
    outputs: Vec<Identity>,
    seen: BTreeMap<PathBuf, State>,
}

/// Device and number of a file; `None` where the system has neither.
type Identity = Option<(u64, u64)>;

/// The state of an existing path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// A directory; the entries have states of their own.
    Directory,
    File {
        identity: Identity,
        length: u64,
        modified: Option<SystemTime>,
        mode: u32,
    },
    /// Changed while it was looked at for the first time.
    Unknown,
}

impl State {
    fn of(metadata: &Metadata) -> State {
        if metadata.is_dir() {
            return State::Directory;
        }
        let modified = metadata.modified().ok();
        State::File { identity: identity(metadata), length: metadata.len(), modified, mode: mode(metadata) }
    }

    fn changed_since(&self, time: SystemTime) -> bool {
        matches!(self, State::File { modified: Some(modified), .. } if *modified + RESOLUTION >= time)
    }
}

impl Watcher {
    /// Creates a watcher that watches nothing yet.
    pub fn new(filter: EntryFilter) -> Watcher {
        let (paths, used, seen) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        Watcher { filter, paths, used, outputs: output_files(), seen }
    }

    /// Records the state of these paths, which replace the earlier ones: `paths` with everything below them, `used` by
    /// themselves. They need not exist. Call it before the files are read.
    pub fn begin(&mut self, paths: BTreeSet<PathBuf>, used: BTreeSet<PathBuf>) {
        (self.paths, self.used) = (paths, used);
        self.seen = self.look();
    }

    /// Watches these paths too, by themselves. They were read at `since` or later; those that changed meanwhile count
    /// as changed.
    pub fn add(&mut self, used: &BTreeSet<PathBuf>, since: SystemTime) {
        let mut found = BTreeMap::new();
        for path in used.difference(&self.used) {
            self.record(path, &mut found);
        }
        for (path, state) in found {
            let state = if state.changed_since(since) { State::Unknown } else { state };
            self.seen.entry(path).or_insert(state);
        }
        self.used.extend(used.iter().cloned());
    }

    /// Accepts files that this process has replaced. A change by somebody else still counts.
    pub fn accept(&mut self, replaced: &[Replacement]) {
        let old: HashSet<&State> = replaced.iter().map(|one| &one.old).collect();
        let by_place: HashMap<&Path, &Replacement> = replaced.iter().map(|one| (&*one.place, one)).collect();
        for (path, state) in self.seen.iter_mut().filter(|(_, state)| old.contains(&**state)) {
            // A link has the state of its target.
            if let Some(replacement) = path.canonicalize().ok().and_then(|place| by_place.get(&*place))
                && replacement.old == *state
            {
                *state = replacement.new.clone();
            }
        }
    }

    /// Accepts all changes to entries with such names.
    pub fn accept_all(&mut self, is_accepted: impl Fn(&OsStr) -> bool) {
        let accepted = |path: &Path| path.file_name().is_some_and(&is_accepted);
        self.seen.retain(|path, _| !accepted(path));
        let now = self.look();
        self.seen.extend(now.into_iter().filter(|(path, _)| accepted(path)));
    }

    /// Waits until something has changed and the change is complete. Returns false if `is_over` returns true first.
    pub fn wait(&mut self, is_over: impl Fn() -> bool) -> bool {
        while !is_over() {
            let begin = Instant::now();
            let now = self.look();
            if now != self.seen {
                self.settle(now);
                return true;
            }
            let end = Instant::now() + (begin.elapsed() * 10).clamp(PERIOD, LONGEST_PERIOD);
            while Instant::now() < end && !is_over() {
                std::thread::sleep(SLICE);
            }
        }
        false
    }

    /// Waits until nothing changes any more.
    fn settle(&mut self, now: BTreeMap<PathBuf, State>) {
        self.seen = now;
        for _ in 0..PATIENCE {
            std::thread::sleep(SETTLED);
            let now = self.look();
            let is_settled = now == self.seen;
            self.seen = now;
            if is_settled {
                break;
            }
        }
    }

    /// Returns the state of all paths and of everything below those that are watched with it. Skips paths that do not
    /// exist or cannot be read.
    fn look(&self) -> BTreeMap<PathBuf, State> {
        let mut seen = BTreeMap::new();
        for path in &self.used {
            self.record(path, &mut seen);
        }
        let mut directories: Vec<PathBuf> = self.paths.iter().cloned().collect();
        directories.retain(|path| self.record(path, &mut seen).is_some_and(|metadata| metadata.is_dir()));
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if !(self.filter)(&entry.file_name(), kind) {
                    continue;
                }
                self.record(&path, &mut seen);
                // Links to directories are not followed, as they may lead back here.
                if kind.is_dir() {
                    directories.push(path);
                }
            }
        }
        seen
    }

    /// Adds the state of a path, if it exists, and returns its metadata.
    fn record(&self, path: &Path, seen: &mut BTreeMap<PathBuf, State>) -> Option<Metadata> {
        let metadata = followed(path).ok()?;
        let identity = identity(&metadata);
        if identity.is_none() || !self.outputs.contains(&identity) {
            seen.insert(path.to_path_buf(), State::of(&metadata));
        }
        Some(metadata)
    }
}

/// Returns the metadata of the target of a path, or of the path itself if it is a link that leads nowhere.
fn followed(path: &Path) -> std::io::Result<Metadata> {
    path.metadata().or_else(|_| path.symlink_metadata())
}

#[cfg(unix)]
fn output_files() -> Vec<Identity> {
    use std::fs::File;
    use std::io::{stderr, stdout};
    use std::os::fd::AsFd;
    let streams = [stdout().as_fd().try_clone_to_owned(), stderr().as_fd().try_clone_to_owned()];
    let files = streams.into_iter().flatten().map(File::from);
    files.filter_map(|file| file.metadata().ok()).map(|metadata| identity(&metadata)).collect()
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

#[cfg(not(unix))]
fn output_files() -> Vec<Identity> {
    Vec::new()
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    None
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0
}
