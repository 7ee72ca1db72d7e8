//! Whether a file of the tests has changed. Looks at sizes and times again and again: that works on
//! every file system, and a folder of scripts is small.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// How often it is looked.
const PERIOD: Duration = Duration::from_millis(250);

/// How long nothing may change before a change counts as done: whoever saves a file may empty it first.
const SETTLED: Duration = Duration::from_millis(50);

/// How often that is waited for where something changes all the time.
const PATIENCE: usize = 20;

/// What the files were like when it was looked last.
pub struct Watcher {
    paths: Vec<PathBuf>,
    /// Where what is said goes, which is no news.
    said: Vec<(u64, u64)>,
    seen: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
}

impl Watcher {
    /// Looks at files, and at folders with what is below them.
    pub fn new(paths: Vec<PathBuf>) -> Watcher {
        let said = said();
        let seen = look(&paths, &said);
        Watcher { paths, said, seen }
    }

    /// Takes what there is now as known.
    pub fn look_again(&mut self) {
        self.seen = look(&self.paths, &self.said);
    }

    /// Waits until something is other than it was; false when `stop` is set first.
    pub fn wait(&mut self, stop: &AtomicBool) -> bool {
        while !stop.load(Ordering::Relaxed) {
            let now = look(&self.paths, &self.said);
            if now != self.seen {
                self.seen = now;
                self.settle();
                return true;
            }
            std::thread::sleep(PERIOD);
        }
        false
    }

    /// Waits until a change is done.
    fn settle(&mut self) {
        for _ in 0..PATIENCE {
            std::thread::sleep(SETTLED);
            let before = std::mem::take(&mut self.seen);
            self.look_again();
            if self.seen == before {
                break;
            }
        }
    }
}

fn look(paths: &[PathBuf], said: &[(u64, u64)]) -> BTreeMap<PathBuf, (u64, Option<SystemTime>)> {
    let mut seen = BTreeMap::new();
    let mut ahead = paths.to_vec();
    while let Some(path) = ahead.pop() {
        // What is gone, or may not be seen, is no file of the tests.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            ahead.extend(entries.filter(|entry| !is_ours(&entry.path())).map(|entry| entry.path()));
        }
        if identity(&metadata).is_none_or(|identity| !said.contains(&identity)) {
            seen.insert(path, (metadata.len(), metadata.modified().ok()));
        }
    }
    seen
}

/// The files that standard output and standard error are, where they are files.
#[cfg(unix)]
fn said() -> Vec<(u64, u64)> {
    use std::io::{stderr, stdout};
    let streams = [rustix::fs::fstat(stdout()), rustix::fs::fstat(stderr())];
    streams.iter().flatten().map(|stat| (stat.st_dev, stat.st_ino)).collect()
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere nobody knows.
#[cfg(not(unix))]
fn said() -> Vec<(u64, u64)> {
    Vec::new()
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether a name is of what versions and runs are kept in, or of a golden file that is being written.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(&*name, ".git" | ".ns") || name.starts_with(".ns-test-")
}
