//! Which FIFOs, sockets and devices were opened: the kernel tells, even where nothing came of it.

use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

use super::arena::Arena;
use super::vector::Op;

/// Watches the special files of a set-up.
pub struct Watch {
    watcher: OwnedFd,
    specials: BTreeSet<String>,
}

impl Watch {
    /// Begins to watch; none where the set-up has nothing special.
    pub fn begin(setup: &[Op], arena: &Arena) -> Option<Watch> {
        let specials: Vec<PathBuf> = setup.iter().filter_map(|op| special(op, arena)).collect();
        if specials.is_empty() {
            return None;
        }
        let watcher = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("the kernel has inotify");
        for path in &specials {
            // The folder tells of its names, also when they were moved away and back.
            let folder = path.parent().expect("a special file lies in a folder");
            inotify::add_watch(&watcher, folder, WatchFlags::OPEN).expect("a folder of ours can be watched");
        }
        let name = |path: &PathBuf| path.file_name().expect("it has a name").to_string_lossy().into_owned();
        Some(Watch { specials: specials.iter().map(name).collect(), watcher })
    }

    /// What was opened so far.
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
