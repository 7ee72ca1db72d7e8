//! Watching directories by their handles.
//!
//! The watcher of the system takes paths. A directory is given to it as the path of an open handle (`/proc/self/fd/N`),
//! so that exactly the directory is watched that the gate has found, and no link can lead elsewhere. The handle is
//! closed at once, because a directory that somebody holds open tells nobody that it was removed. Its number stays
//! reserved as the name of the directory.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::engine::WatchPoint;

use super::index::Index;

/// The smallest number of a handle that names a directory: above those that the process uses otherwise.
const FIRST_NUMBER: RawFd = 300;

/// The device and inode of a directory.
type Identity = (u64, u64);

/// The watched directories of a connection.
pub struct Watcher {
    inner: RecommendedWatcher,
    numbers: HashMap<Identity, RawFd>,
}

/// Returns the identity of the directory of a watch point.
pub fn identity(point: &WatchPoint) -> Identity {
    (point.identity.device, point.identity.inode)
}

impl Watcher {
    /// Begins to watch, still without a directory. Changes are recorded in `index`; `changed` is signalled.
    pub fn new(index: Arc<Mutex<Index>>, changed: Arc<Notify>) -> notify::Result<Watcher> {
        let inner = RecommendedWatcher::new(
            move |event| {
                if index.lock().unwrap_or_else(PoisonError::into_inner).record(event) {
                    changed.notify_one();
                }
            },
            Config::default(),
        )?;
        Ok(Watcher { inner, numbers: HashMap::new() })
    }

    /// Returns the path under which a directory is watched.
    pub fn path_of(&self, identity: Identity) -> Option<PathBuf> {
        self.numbers.get(&identity).map(|number| path(*number))
    }

    /// Watches the directory of a watch point, unless it is watched already.
    pub fn watch(&mut self, point: &WatchPoint) -> notify::Result<()> {
        let identity = identity(point);
        if self.numbers.contains_key(&identity) {
            return Ok(());
        }
        let handle = self.numbered(&point.handle)?;
        let number = handle.as_raw_fd();
        self.inner.watch(&path(number), RecursiveMode::NonRecursive)?;
        self.numbers.insert(identity, number);
        Ok(())
    }

    /// Ends the watches of all directories but these.
    pub fn retain(&mut self, needed: &HashSet<Identity>) {
        let Watcher { inner, numbers } = self;
        numbers.retain(|identity, number| {
            let is_needed = needed.contains(identity);
            if !is_needed {
                // Fails if the directory was removed, with which its watch ended.
                let _ = inner.unwatch(&path(*number));
            }
            is_needed
        });
    }

    /// Forgets a directory that was removed, with which its watch ended.
    pub fn forget(&mut self, gone: &Path) {
        let _ = self.inner.unwatch(gone);
        self.numbers.retain(|_, number| path(*number) != gone);
    }

    /// Duplicates a handle to one whose number names no other directory.
    fn numbered(&self, handle: &OwnedFd) -> io::Result<OwnedFd> {
        let taken: HashSet<RawFd> = self.numbers.values().copied().collect();
        let mut least = FIRST_NUMBER;
        loop {
            while taken.contains(&least) {
                least += 1;
            }
            let duplicate = rustix::io::fcntl_dupfd_cloexec(handle, least)?;
            least = duplicate.as_raw_fd();
            if !taken.contains(&least) {
                return Ok(duplicate);
            }
        }
    }
}

fn path(number: RawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{number}"))
}
