//! Reads a tree through any kind of folder handle, one folder after another.

use std::io::ErrorKind;
use std::rc::Rc;

use super::super::folder::Folder;
use super::super::metadata::Kind;
use super::{EntryId, Failure, Filter, Found, Reader, WalkLimits};

/// A folder that waits to be read: in which folder it is, under which entry.
struct Task {
    parent: Rc<Folder>,
    entry: EntryId,
    name: std::ffi::OsString,
}

pub fn read_tree(start: &Folder, filter: Filter<'_>, limits: &WalkLimits) -> Result<Vec<Reader>, Failure> {
    let mut reader = Reader::default();
    let mut tasks = Vec::new();
    let start = Rc::new(start.duplicate().map_err(|error| Failure::Io { below: String::new(), error })?);
    reader.read_folder(&start, None, filter, limits, &mut tasks)?;
    while let Some(task) = tasks.pop() {
        match task.parent.open_folder(&task.name) {
            Ok(folder) => reader.read_folder(&Rc::new(folder), Some(task.entry), filter, limits, &mut tasks)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::Io { below: Reader::path_of(&[&reader], task.entry), error }),
        }
    }
    Ok(vec![reader])
}

impl Reader {
    fn read_folder(
        &mut self,
        folder: &Rc<Folder>,
        parent: Option<EntryId>,
        filter: Filter<'_>,
        limits: &WalkLimits,
        tasks: &mut Vec<Task>,
    ) -> Result<(), Failure> {
        limits.watch.poll()?;
        let failure = |reader: &Reader, error| Failure::Io {
            below: parent.map(|entry| Reader::path_of(&[reader], entry)).unwrap_or_default(),
            error,
        };
        let mut entries = folder.entries().map_err(|error| failure(self, error))?;
        entries.retain(|entry| !filter.is_reserved(parent, &entry.name));
        let below = parent.map(|entry| Reader::path_of(&[self], entry)).unwrap_or_default();
        if self.found.len() + entries.len() > limits.entries {
            return Err(limits.hit.into());
        }
        entries.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        let start = self.found.len();
        for entry in entries {
            let metadata = match folder.metadata(&entry.name) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(|error| failure(self, error))?,
            };
            let is_folder = metadata.kind == Kind::Folder;
            if is_folder && filter.skips(&below, &entry.name.to_string_lossy()) {
                continue;
            }
            let name = entry.name.as_encoded_bytes();
            let found = Found {
                name_start: self.names.len() as u32,
                name_len: name.len() as u16,
                is_folder,
                size: if is_folder { 0 } else { metadata.size },
                modified: metadata.modified.map_or(0, |time| time.seconds),
            };
            self.names.extend_from_slice(name);
            if is_folder {
                let entry_id = EntryId { reader: 0, index: self.found.len() as u32 };
                tasks.push(Task { parent: folder.clone(), entry: entry_id, name: entry.name });
            }
            self.found.push(found);
        }
        self.close_block(parent, start);
        Ok(())
    }
}
