//! Detects which FIFOs, sockets and devices were opened: the kernel reports it even if the open had no effect.

use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

use super::arena::Arena;
use super::vector::Op;

/// A watch of the special files of a set-up.
pub struct Watch {
    watcher: OwnedFd,
    specials: BTreeSet<String>,
}

impl Watch {
    /// Starts to watch. Returns `None` if the set-up has no special files.
    pub fn begin(setup: &[Op], arena: &Arena) -> Option<Watch> {
        let specials: Vec<PathBuf> = setup.iter().filter_map(|op| special(op, arena)).collect();
        if specials.is_empty() {
            return None;
        }
        let watcher = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("the kernel has inotify");
        for path in &specials {
            // The directory reports events for its names even if they were moved away and back.
            let folder = path.parent().expect("a special file lies in a folder");
            inotify::add_watch(&watcher, folder, WatchFlags::OPEN).expect("a folder of ours can be watched");
        }
        let name = |path: &PathBuf| path.file_name().expect("it has a name").to_string_lossy().into_owned();
        Some(Watch { specials: specials.iter().map(name).collect(), watcher })
    }

    /// Returns a fault for each file opened so far.
    pub fn faults(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.watcher, &mut buffer);
        let mut opened = BTreeSet::new();
        while let Ok(event) = events.next() {
            opened.extend(event.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        opened.intersection(&self.specials).map(|name| format!("the special file `{name}` was opened")).collect()
    }
}

fn special(op: &Op, arena: &Arena) -> Option<PathBuf> {
    match op {
        Op::Fifo { path } | Op::Socket { path } | Op::MknodChar { path, .. } | Op::MknodBlock { path, .. } => {
            Some(arena.place(path))
        }
        _ => None,
    }
}
