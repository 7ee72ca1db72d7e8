//! Determines which backups runs still need: the newest runs for undo, and all active runs.
//!
//! The backups of a run have later names than the run. A run that undoes another may in addition put entries back
//! under their old backup names; its journal lists those. Runs may begin and proceed meanwhile, so the state must be
//! refreshed ([`Needs::refresh`]).

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::time::Duration;

use super::super::super::handles::address::Address;
use super::super::super::handles::error::SandboxError;
use super::super::super::handles::metadata::Timestamp;
use super::super::super::handles::stamp;
use super::super::super::internal::state_dir::display;
use super::JOURNAL;
use super::folders::Folders;
use super::history::{History, HistoryError};
use super::list::begin_of;
use super::record::Step;
use super::roots::Roots;

/// A directory changed more recently than this may change again without a change of its modification time.
const UNSETTLED: Duration = Duration::from_millis(50);

/// The needs of runs.
pub(in crate::sandbox) struct Needs {
    folders: Option<Folders>,
    /// Backups and journals with this name or a later one are needed.
    stays_from: String,
    /// Paths of further backups that are needed.
    addresses: HashSet<Address>,
    /// Size in bytes of each journal when it was last read.
    read: HashMap<OsString, u64>,
    /// Modification time of the directory of finished runs when it was last listed.
    listed: Option<Timestamp>,
    /// Whether a run is active.
    pub goes_on: bool,
    /// Journals that cannot be read completely.
    pub flaws: Vec<SandboxError>,
}

impl Needs {
    /// Determines the needs of the `keep_runs` newest runs and of all active runs.
    pub fn of(roots: Roots<'_>, keep_runs: usize) -> Result<Needs, SandboxError> {
        let folders = Folders::find(roots.main)?;
        let runs = folders.as_ref().map(Folders::runs).transpose().map_err(wrap)?.unwrap_or_default();
        let open = folders.as_ref().map(open_runs).transpose().map_err(wrap)?.unwrap_or_default();
        let newest = &runs[runs.len().saturating_sub(keep_runs)..];
        // Runs that begin from now on get a later name, whatever the clock says.
        let from_now = stamp::after(&runs.last().map(|last| stamp::moment_of(last)).unwrap_or_default());
        let oldest = newest.first().into_iter().chain(open.iter().min()).min();
        let stays_from = oldest.map_or(from_now, |oldest| oldest.to_string_lossy().into_owned());
        let (addresses, read, listed) = (HashSet::new(), HashMap::new(), None);
        let mut needs = Needs { folders, stays_from, addresses, read, listed, goes_on: false, flaws: Vec::new() };
        newest.iter().for_each(|name| needs.read(name));
        needs.refresh()?;
        Ok(needs)
    }

    /// Whether a backup is needed.
    pub fn needs(&self, address: &Address, name: &OsStr) -> bool {
        self.is_new(name) || self.addresses.contains(address)
    }

    /// Whether a name is late enough that the entry is needed in any case.
    pub fn is_new(&self, name: &OsStr) -> bool {
        name.as_encoded_bytes() >= self.stays_from.as_bytes()
    }

    /// Returns the directories of journals.
    pub fn folders(&self) -> Option<&Folders> {
        self.folders.as_ref()
    }

    /// Takes into account what runs have done since the last call.
    pub fn refresh(&mut self) -> Result<(), SandboxError> {
        let Some(folders) = &self.folders else { return Ok(()) };
        let open = open_runs(folders).map_err(wrap)?;
        self.goes_on = !folders.open.entries().map_err(wrap)?.is_empty();
        let changed = folders.ended.own_metadata().map_err(wrap)?.modified;
        let mut ended = Vec::new();
        if self.listed.is_none() || self.listed != changed {
            ended = folders.runs().map_err(wrap)?;
            ended.retain(|name| self.is_new(name));
        }
        self.listed = changed.filter(is_settled);
        open.iter().chain(&ended).for_each(|name| self.read(name));
        Ok(())
    }

    /// Reads a journal unless its size is unchanged.
    fn read(&mut self, name: &OsStr) {
        let Some(folders) = &self.folders else { return };
        let Ok(file) = folders.open_journal(name) else { return };
        let bytes = file.size().unwrap_or(0);
        if self.read.insert(name.to_owned(), bytes) == Some(bytes) {
            return;
        }
        let reason = match History::read(&file, name, &folders.seal) {
            Ok(history) => {
                let kept = history.steps.iter().flat_map(|taken| kept_by(&taken.step));
                let old = kept.filter(|kept| stamp::stamp_in(kept).as_str() < self.stays_from.as_str());
                self.addresses.extend(old.cloned());
                history.damaged.map(|line| format!("line {line} is damaged"))
            }
            // Foreign runs need none of this user's backups.
            Err(HistoryError::Foreign) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason {
            let path = format!("{}/{}", display(JOURNAL), name.to_string_lossy());
            self.flaws.push(SandboxError::Io { path, reason });
        }
    }
}

/// Returns the oldest run that some of `runs` undo or redo, directly or indirectly. Backups made since then may be
/// ones that these runs put back under their old names.
pub(super) fn origin(folders: &Folders, runs: &[OsString]) -> Option<OsString> {
    let mut ahead: Vec<OsString> = runs.to_vec();
    let mut seen: HashSet<OsString> = HashSet::new();
    while let Some(name) = ahead.pop() {
        let Some(of) = begin_of(folders, &name).and_then(|begin| begin.undoes).map(OsString::from) else { continue };
        if stamp::is_stamp(&of) && seen.insert(of.clone()) {
            ahead.push(of);
        }
    }
    seen.into_iter().min()
}

/// Returns the names of runs whose journals are open.
fn open_runs(folders: &Folders) -> io::Result<Vec<OsString>> {
    let names = folders.open.entries()?.into_iter().map(|entry| entry.name);
    Ok(names.filter(|name| stamp::is_stamp(name)).collect())
}

/// Returns the backups that a step creates or consumes.
fn kept_by(step: &Step) -> impl Iterator<Item = &Address> {
    let (kept, from) = match step {
        Step::Put { kept, from, .. } => (kept.as_ref(), from.as_ref().map(|(from, _)| from)),
        Step::Take { kept, .. } => (Some(kept), None),
        _ => (None, None),
    };
    kept.into_iter().chain(from)
}

fn is_settled(changed: &Timestamp) -> bool {
    let since_epoch = |time: &Timestamp| Duration::new(time.seconds.max(0).unsigned_abs(), time.nanos);
    since_epoch(changed) + UNSETTLED < since_epoch(&Timestamp::now())
}

fn wrap(error: io::Error) -> SandboxError {
    SandboxError::io(display(JOURNAL), &error)
}
