//! Reads a tree through any kind of folder handle, one folder after another.

use std::ffi::OsString;
use std::io::ErrorKind;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::rc::Rc;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use super::super::folder::Folder;
use super::super::metadata::Kind;
#[cfg(target_os = "linux")]
use super::linux;
use super::{EntryId, Failure, Filter, Found, Reader, WalkLimits};

/// So many handles of folders are kept for faster readers at most; a process can have a thousand.
#[cfg(target_os = "linux")]
const HANDLES: usize = 256;

/// A folder that waits to be read: in which folder it is, under which entry.
struct Task {
    parent: Rc<Folder>,
    entry: EntryId,
    name: OsString,
}

/// What was read of a tree, and what is left to faster readers.
#[derive(Default)]
pub struct Begun {
    reader: Reader,
    tasks: Vec<Task>,
    /// Folders that nothing lies over.
    #[cfg(target_os = "linux")]
    left: Vec<linux::Task>,
    /// So many handles they hold.
    #[cfg(target_os = "linux")]
    handles: usize,
}

pub fn read_tree(start: &Folder, filter: Filter<'_>, limits: &WalkLimits) -> Result<Begun, Failure> {
    let mut begun = Begun::default();
    let start = Rc::new(start.duplicate().map_err(|error| Failure::Io { below: String::new(), error })?);
    begun.read_folder(&start, None, filter, limits)?;
    while let Some(task) = begun.tasks.pop() {
        match task.parent.open_folder(&task.name) {
            Ok(folder) => begun.read_folder(&Rc::new(folder), Some(task.entry), filter, limits)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(begun.failure(Some(task.entry), error)),
        }
    }
    Ok(begun)
}

impl Begun {
    /// Reads what is left.
    pub fn whole(self, filter: Filter<'_>, limits: &WalkLimits) -> Result<Vec<Reader>, Failure> {
        #[cfg(target_os = "linux")]
        if !self.left.is_empty() {
            return linux::go_on(self.reader, self.left, filter, limits);
        }
        let _ = (filter, limits);
        Ok(vec![self.reader])
    }

    fn read_folder(
        &mut self,
        folder: &Rc<Folder>,
        parent: Option<EntryId>,
        filter: Filter<'_>,
        limits: &WalkLimits,
    ) -> Result<(), Failure> {
        limits.watch.poll()?;
        let mut entries = folder.entries().map_err(|error| self.failure(parent, error))?;
        let reserved = &mut self.reader.reserved;
        entries.retain(|entry| !filter.leaves_out(parent, &entry.name, reserved));
        if self.reader.found.len() + entries.len() > limits.entries {
            return Err(limits.hit.into());
        }
        let below = parent.map(|entry| Reader::path_of(&[&self.reader], entry)).unwrap_or_default();
        entries.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        let start = self.reader.found.len();
        let mut folders = Vec::new();
        for entry in entries {
            let metadata = match folder.metadata(&entry.name) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(|error| self.failure(parent, error))?,
            };
            let is_folder = metadata.kind == Kind::Folder;
            if is_folder && filter.skips(&below, &entry.name.to_string_lossy()) {
                continue;
            }
            let name = entry.name.as_encoded_bytes();
            let found = Found {
                name_start: self.reader.names.len() as u32,
                name_len: name.len() as u16,
                is_folder,
                size: if is_folder { 0 } else { metadata.size },
                modified: metadata.modified.map_or(0, |time| time.seconds),
            };
            self.reader.names.extend_from_slice(name);
            if is_folder {
                folders.push((EntryId { reader: 0, index: self.reader.found.len() as u32 }, entry.name));
            }
            self.reader.found.push(found);
        }
        self.reader.close_block(parent, start);
        self.add_tasks(folder, folders, filter, &below);
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn add_tasks(&mut self, folder: &Rc<Folder>, names: Vec<(EntryId, OsString)>, filter: Filter<'_>, below: &str) {
        let mut handle = None;
        for (entry, name) in names {
            match self.share(folder.untouched_above(&name), &mut handle) {
                Some(parent) => {
                    let below = filter.skip.rule.map(|_| linux::way(below, &name));
                    self.left.push(linux::Task { parent, entry, name, below });
                }
                None => self.tasks.push(Task { parent: folder.clone(), entry, name }),
            }
        }
    }

    /// A handle for the faster readers, the same for all names in a folder; none where they do not know the
    /// kind of the folder, or hold many already.
    #[cfg(target_os = "linux")]
    fn share(&mut self, above: Option<&Folder>, handle: &mut Option<Arc<OwnedFd>>) -> Option<Arc<OwnedFd>> {
        let Folder::Linux(above) = above? else { return None };
        if handle.is_none() && self.handles < HANDLES {
            *handle = above.duplicate().ok().map(|folder| Arc::new(folder.into()));
            self.handles += 1;
        }
        handle.clone()
    }

    #[cfg(not(target_os = "linux"))]
    fn add_tasks(&mut self, folder: &Rc<Folder>, names: Vec<(EntryId, OsString)>, _: Filter<'_>, _: &str) {
        self.tasks.extend(names.into_iter().map(|(entry, name)| Task { parent: folder.clone(), entry, name }));
    }

    fn failure(&self, folder: Option<EntryId>, error: std::io::Error) -> Failure {
        let below = folder.map(|entry| Reader::path_of(&[&self.reader], entry)).unwrap_or_default();
        Failure::Io { below, error }
    }
}
