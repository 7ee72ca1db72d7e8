//! Reads a tree through any kind of directory handle, one directory after another, on one thread.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::rc::Rc;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use super::super::super::handles::folder::Folder;
use super::super::ignore::{self, Ignore};
use super::entry::EntryStat;
use super::filter::{Filter, Position};
#[cfg(target_os = "linux")]
use super::linux;
use super::reader::{Intake, Reader, Refusal};
use super::{Failure, WalkLimits};

/// Maximum number of directory handles kept open for the fast readers; a process can usually have about a thousand.
#[cfg(target_os = "linux")]
const HANDLES: usize = 256;

/// A directory still to be read: its parent, its name there and its position.
struct Task {
    parent: Rc<Folder>,
    name: OsString,
    position: Position,
}

/// The part of a tree that was read, and the tasks left for the fast readers.
struct Begun<'a> {
    filter: &'a Filter<'a>,
    limits: &'a WalkLimits,
    reader: Reader,
    tasks: Vec<Task>,
    /// Directories below which the overlay has no changes.
    #[cfg(target_os = "linux")]
    left: Vec<linux::Task>,
    /// Number of handles in `left`.
    #[cfg(target_os = "linux")]
    handles: usize,
}

/// Reads everything below a directory and appends it to `reader`.
pub fn read_tree(
    reader: Reader,
    folder: &Folder,
    position: &Position,
    filter: Filter<'_>,
    limits: &WalkLimits,
) -> Result<Vec<Reader>, Failure> {
    let mut begun = Begun {
        filter: &filter,
        limits,
        reader,
        tasks: Vec::new(),
        #[cfg(target_os = "linux")]
        left: Vec::new(),
        #[cfg(target_os = "linux")]
        handles: 0,
    };
    let folder = folder.duplicate().map_err(|error| begun.failure(position, error))?;
    begun.read_folder(&Rc::new(folder), position)?;
    while let Some(Task { parent, name, position }) = begun.tasks.pop() {
        match parent.open_folder(&name) {
            Ok(folder) => begun.read_folder(&Rc::new(folder), &position)?,
            Err(error) if error.kind() == ErrorKind::NotFound => filter.check_vanished(&position)?,
            Err(error) => return Err(begun.failure(&position, error)),
        }
    }
    #[cfg(target_os = "linux")]
    if !begun.left.is_empty() {
        return linux::go_on(begun.reader, begun.left, filter, limits);
    }
    Ok(vec![begun.reader])
}

impl Begun<'_> {
    fn read_folder(&mut self, folder: &Rc<Folder>, position: &Position) -> Result<(), Failure> {
        let (filter, limits) = (self.filter, self.limits);
        limits.watch.poll()?;
        let is_new = filter.marks(|| Ok(folder.own_metadata()?.identity));
        if !is_new.map_err(|error| self.failure(position, error))? {
            return Ok(());
        }
        let met = self.reader.met;
        let mut intake = self.reader.open(filter, position, |ignore, path| enter(ignore, folder, path));
        self.take_entries(folder, &mut intake).map_err(|refusal| self.refused(position, refusal))?;
        self.reader.close(&intake);
        let links = self.reader.note_links(&intake, |name| read_link(folder, name));
        links.map_err(|refusal| self.refused(position, refusal))?;
        limits.tell_met(self.reader.met - met);
        self.add_tasks(folder, &intake);
        Ok(())
    }

    fn take_entries(&mut self, folder: &Folder, intake: &mut Intake<'_>) -> Result<(), Refusal> {
        for entry in folder.entries().map_err(Refusal::Io)? {
            if intake.filter.leaves_out(intake.position, &entry.name, &mut self.reader.reserved) {
                continue;
            }
            // The kind in the directory entry is not used: under an overlay the entry may have another one.
            let look = || look(folder, &entry.name);
            self.reader.take(intake, entry.name.as_encoded_bytes(), None, look)?;
            if self.reader.found.len() > self.limits.entries {
                return Err(self.limits.hit.into());
            }
            if self.reader.met > self.limits.looks {
                return Err(self.limits.looks_hit.into());
            }
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn add_tasks(&mut self, folder: &Rc<Folder>, intake: &Intake<'_>) {
        let mut handle = None;
        for (position, name) in self.reader.folders(intake) {
            let name = os_name(name);
            match share(folder.untouched_above(&name), &mut handle, &mut self.handles) {
                Some(parent) => self.left.push(linux::Task { parent, name, position }),
                None => self.tasks.push(Task { parent: folder.clone(), name, position }),
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn add_tasks(&mut self, folder: &Rc<Folder>, intake: &Intake<'_>) {
        let folders = self.reader.folders(intake);
        let task = |(position, name): (_, &[u8])| Task { parent: folder.clone(), name: os_name(name), position };
        self.tasks.extend(folders.map(task));
    }

    fn refused(&self, position: &Position, refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Io(error) => self.failure(position, error),
            Refusal::Limit(hit) => hit.into(),
        }
    }

    fn failure(&self, position: &Position, error: io::Error) -> Failure {
        let by_entry = || position.entry.map(|entry| Reader::path_of(&[&self.reader], entry)).unwrap_or_default();
        Failure::Io { below: self.filter.below(position).unwrap_or_else(by_entry), error }
    }
}

/// Returns a handle for the fast readers, shared by all names in a directory. Returns `None` if `above` is not a plain
/// Linux directory, or if too many handles are open already.
#[cfg(target_os = "linux")]
fn share(above: Option<&Folder>, handle: &mut Option<Arc<OwnedFd>>, handles: &mut usize) -> Option<Arc<OwnedFd>> {
    let Folder::Linux(above) = above? else { return None };
    if handle.is_none() && *handles < HANDLES {
        *handle = above.duplicate().ok().map(|folder| Arc::new(folder.into()));
        *handles += 1;
    }
    handle.clone()
}

fn look(folder: &Folder, name: &OsStr) -> io::Result<EntryStat> {
    Ok(EntryStat::from(&folder.metadata(name)?))
}

fn read_link(folder: &Folder, name: &[u8]) -> io::Result<String> {
    Ok(folder.read_link(&os_name(name))?.to_string_lossy().into_owned())
}

/// Reads the rules that a directory has: its `.gitignore`, and the exclude list of a repository.
fn enter(ignore: &mut Ignore, folder: &Folder, path: &[u8]) {
    ignore.enter_repository(folder, path);
    if let Ok(metadata) = folder.metadata(OsStr::new(ignore::FILE)) {
        ignore.enter(folder, Some(metadata.kind), path);
    }
}

#[cfg(unix)]
fn os_name(name: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(name.to_vec())
}

#[cfg(not(unix))]
fn os_name(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}
