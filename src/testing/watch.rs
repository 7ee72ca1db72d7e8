//! Detection of changes to test files by polling sizes and times. That works on every file system, and a directory of
//! scripts is small.

#![allow(clippy::disallowed_methods, reason = "cases and golden files are the user's, who names their directory")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Interval between polls.
const PERIOD: Duration = Duration::from_millis(250);

/// Time without changes after which a change is complete: an editor may truncate a file before it writes the content.
const SETTLED: Duration = Duration::from_millis(50);

/// Maximum number of such waits if files keep changing.
const PATIENCE: usize = 20;

/// The state of the files at the last poll.
pub struct Watcher {
    paths: Vec<PathBuf>,
    /// Files that standard output and standard error write to; their changes are ignored.
    said: Vec<(u64, u64)>,
    seen: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
}

impl Watcher {
    /// Records the state of files, and of directories with everything below them.
    pub fn new(paths: Vec<PathBuf>) -> Watcher {
        let said = output_files();
        let seen = look(&paths, &said);
        Watcher { paths, said, seen }
    }

    /// Records the current state.
    pub fn look_again(&mut self) {
        self.seen = look(&self.paths, &self.said);
    }

    /// Waits until something changes. Returns false if `stop` is set first.
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

    /// Waits until the change is complete.
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
        // Ignore files that have disappeared or are not accessible.
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

/// Returns the identities of the files that standard output and standard error write to.
#[cfg(unix)]
fn output_files() -> Vec<(u64, u64)> {
    use std::io::{stderr, stdout};
    let streams = [rustix::fs::fstat(stdout()), rustix::fs::fstat(stderr())];
    streams.iter().flatten().map(|stat| (stat.st_dev, stat.st_ino)).collect()
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Unknown on other systems.
#[cfg(not(unix))]
fn said() -> Vec<(u64, u64)> {
    Vec::new()
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether an entry belongs to version control or to `ns`, or is a golden file being written.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(&*name, ".git" | ".ns") || name.starts_with(".ns-test-")
}
