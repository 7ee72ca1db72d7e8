//! The index from watched directories and names to resources. Events arrive on the thread of the watcher, perhaps hundreds
//! of thousands per second, so an event only looks up its directory and name here, and adds a bounded amount.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind};

/// Maximum number of changed entries of directories that are remembered until they are checked.
const MOST_ENTRIES: usize = 256;

/// The names and resources that matter in a watched directory.
#[derive(Debug, Default)]
pub struct Interest {
    /// The resources whose paths lead through a name.
    pub names: HashMap<OsString, Vec<Arc<str>>>,
    /// Whether its entries are of interest: for a resource that is the directory itself, or for the list of resources.
    pub has_entries: bool,
    /// The resources that are the directory itself.
    pub whole: Vec<Arc<str>>,
}

/// The changes since the last look.
#[derive(Debug, Default)]
pub struct Changes {
    /// Resources that may have changed.
    pub uris: BTreeSet<Arc<str>>,
    /// Entries that were created, removed or renamed, each with its watched directory.
    pub entries: BTreeSet<(PathBuf, OsString)>,
    /// Watched directories that were removed.
    pub gone: BTreeSet<PathBuf>,
    /// Whether the system has lost events, so that everything may have changed.
    pub is_lost: bool,
}

impl Changes {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.uris.is_empty() && self.entries.is_empty() && self.gone.is_empty() && !self.is_lost
    }
}

/// The watched directories, and what has changed in them.
#[derive(Debug, Default)]
pub struct Index {
    /// The interests, by the path under which the directory is watched.
    pub directories: HashMap<PathBuf, Interest>,
    /// The changes.
    pub changes: Changes,
}

impl Index {
    /// Records an event. Returns whether it was the first change.
    pub fn record(&mut self, event: notify::Result<Event>) -> bool {
        let was_empty = self.changes.is_empty();
        match event {
            Ok(event) if event.need_rescan() => self.changes.is_lost = true,
            Ok(event) => event.paths.iter().for_each(|path| self.record_path(path, &event.kind)),
            Err(_) => self.changes.is_lost = true,
        }
        was_empty && !self.changes.is_empty()
    }

    fn record_path(&mut self, path: &Path, kind: &EventKind) {
        let Index { directories, changes } = self;
        if let Some(interest) = directories.get(path) {
            if is_structural(kind) {
                changes.uris.extend(interest.names.values().flatten().chain(&interest.whole).cloned());
            }
            if kind.is_remove() {
                changes.gone.insert(path.to_owned());
            }
            return;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let Some(interest) = directories.get(parent) else { return };
        if is_change(kind)
            && let Some(uris) = interest.names.get(name)
        {
            changes.uris.extend(uris.iter().cloned());
        }
        if interest.has_entries && is_structural(kind) && changes.entries.len() < MOST_ENTRIES {
            changes.entries.insert((parent.to_owned(), name.to_owned()));
        }
    }
}

/// Whether an event is a change of a file or of its name. Opening a file is none, nor is a change of its metadata.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => *kind == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => true,
    }
}

/// Whether an event creates, removes or renames something.
fn is_structural(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)))
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, AccessMode, CreateKind, DataChange, Flag, ModifyKind, RemoveKind};
    use notify::{Event, EventKind};

    use super::{Index, Interest, MOST_ENTRIES};

    fn index() -> Index {
        let mut index = Index::default();
        let mut interest = Interest { has_entries: true, ..Interest::default() };
        interest.names.insert("a".into(), vec!["file:///a".into()]);
        index.directories.insert("/d".into(), interest);
        index
    }

    fn event(kind: EventKind, path: &str) -> notify::Result<Event> {
        Ok(Event::new(kind).add_path(path.into()))
    }

    #[test]
    fn only_changes_of_watched_names_count() {
        let mut index = index();
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert!(!index.record(event(EventKind::Access(AccessKind::Open(AccessMode::Any)), "/d/a")));
        assert!(!index.record(event(data, "/d/b")));
        assert!(!index.record(event(data, "/other/a")));
        assert!(index.record(event(data, "/d/a")));
        assert!(!index.record(event(data, "/d/a")), "only the first change wakes somebody up");
        assert!(index.changes.entries.is_empty());
    }

    #[test]
    fn a_storm_is_bounded() {
        let mut index = index();
        for number in 0..100_000 {
            index.record(event(EventKind::Create(CreateKind::File), &format!("/d/{number}")));
        }
        assert_eq!(index.changes.entries.len(), MOST_ENTRIES);
    }

    #[test]
    fn a_removed_directory_and_lost_events_concern_everything_in_it() {
        let mut removed = index();
        assert!(removed.record(event(EventKind::Remove(RemoveKind::Folder), "/d")));
        assert!(removed.changes.uris.contains("file:///a") && removed.changes.gone.len() == 1);
        let mut lost = index();
        assert!(lost.record(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan))));
        assert!(lost.changes.is_lost);
    }
}
