//! What runs need of what is kept: the newest, so that they can be taken back, and those that go on.
//!
//! What a run keeps has a later name than the run. Besides, a run that takes another back puts things
//! where they were kept before, under their old names: those its journal tells. Runs may begin and go
//! on while this is asked, so it looks again ([`Needs::refresh`]).

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::time::{Duration, SystemTime};

use super::super::error::SandboxError;
use super::super::keep::stamp;
use super::super::metadata::Timestamp;
use super::super::own::shown;
use super::JOURNAL;
use super::address::Address;
use super::history::{History, HistoryError};
use super::list::begin_of;
use super::record::Step;
use super::roots::Roots;
use super::run::Folders;

/// A folder that was changed so short a time ago may be changed again without its time telling.
const UNSETTLED: Duration = Duration::from_millis(50);

/// What runs need.
pub(super) struct Needs {
    folders: Option<Folders>,
    /// What has this name or a later one is needed, and so are the journals.
    stays_from: String,
    /// What else is needed, by its addresses.
    addresses: HashSet<Address>,
    /// The bytes of journals that were read.
    read: HashMap<OsString, u64>,
    /// When the folder of runs that ended was changed last, when it was read.
    listed: Option<Timestamp>,
    /// Whether a run goes on.
    pub goes_on: bool,
    /// Journals that cannot be read whole.
    pub flaws: Vec<SandboxError>,
}

impl Needs {
    /// What the newest runs need, so many, and those that go on.
    pub fn of(roots: Roots<'_>, keep_runs: usize) -> Result<Needs, SandboxError> {
        let folders = Folders::find(roots.main)?;
        let runs = folders.as_ref().map(Folders::runs).transpose().map_err(wrap)?.unwrap_or_default();
        let open = folders.as_ref().map(open_runs).transpose().map_err(wrap)?.unwrap_or_default();
        let newest = &runs[runs.len().saturating_sub(keep_runs)..];
        // What begins from now on has a later name, whatever the clock says.
        let from_now = stamp::after(&runs.last().map(|last| stamp::moment_of(last)).unwrap_or_default());
        let oldest = newest.first().into_iter().chain(open.iter().min()).min();
        let stays_from = oldest.map_or(from_now, |oldest| oldest.to_string_lossy().into_owned());
        let (addresses, read, listed) = (HashSet::new(), HashMap::new(), None);
        let mut needs = Needs { folders, stays_from, addresses, read, listed, goes_on: false, flaws: Vec::new() };
        newest.iter().for_each(|name| needs.read(name));
        needs.refresh()?;
        Ok(needs)
    }

    /// Whether something that is kept is needed.
    pub fn needs(&self, address: &Address, name: &OsStr) -> bool {
        self.is_new(name) || self.addresses.contains(address)
    }

    /// Whether something has so late a name that it is needed in any case.
    pub fn is_new(&self, name: &OsStr) -> bool {
        name.as_encoded_bytes() >= self.stays_from.as_bytes()
    }

    /// The folders of journals.
    pub fn folders(&self) -> Option<&Folders> {
        self.folders.as_ref()
    }

    /// Looks what runs have begun and done meanwhile.
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

    /// Reads a journal, unless it says no more than when it was read.
    fn read(&mut self, name: &OsStr) {
        let Some(folders) = &self.folders else { return };
        let file = folders.ended.open_file(name).or_else(|_| folders.open.open_file(name));
        let Ok(file) = file else { return };
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        if self.read.insert(name.to_owned(), bytes) == Some(bytes) {
            return;
        }
        let reason = match History::read(&file, name, &folders.seal) {
            Ok(history) => {
                let kept = history.steps.iter().flat_map(|taken| kept_by(&taken.step));
                let old = kept.filter(|kept| kept.slot().1.as_str() < self.stays_from.as_str());
                self.addresses.extend(old.cloned());
                history.damaged.map(|line| format!("line {line} is damaged"))
            }
            // A stranger's runs need nothing of ours.
            Err(HistoryError::Foreign) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason {
            let path = format!("{}/{}", shown(JOURNAL), name.to_string_lossy());
            self.flaws.push(SandboxError::Io { path, reason });
        }
    }
}

/// The oldest run that some runs take back, or do again, at any remove: what was kept since then may be what
/// they put back under its old name.
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

/// The names of runs whose journals have not ended.
fn open_runs(folders: &Folders) -> io::Result<Vec<OsString>> {
    let names = folders.open.entries()?.into_iter().map(|entry| entry.name);
    Ok(names.filter(|name| stamp::is_stamp(name)).collect())
}

/// What a step keeps, and what it takes from where it was kept.
fn kept_by(step: &Step) -> impl Iterator<Item = &Address> {
    let (kept, from) = match step {
        Step::Put { kept, from, .. } => (kept.as_ref(), from.as_ref().map(|(from, _)| from)),
        Step::Take { kept, .. } => (Some(kept), None),
        _ => (None, None),
    };
    kept.into_iter().chain(from)
}

fn is_settled(changed: &Timestamp) -> bool {
    let changed = Duration::new(changed.seconds.max(0).unsigned_abs(), changed.nanos);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    changed + UNSETTLED < now
}

fn wrap(error: io::Error) -> SandboxError {
    SandboxError::io(shown(JOURNAL), &error)
}
