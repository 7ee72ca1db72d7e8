//! A sweep of the backup store of a root: removes surplus and outdated backups, then the oldest ones until the total
//! size is within its limit, and counts what is removed and what remains.
//!
//! Symbolic links are not followed and other file systems are not entered. Entries that are not ours or cannot be
//! read are left alone and reported. The stack depth does not depend on the nesting of directories. A [`Reclaimer`]
//! decides what may be removed.

use std::collections::{BinaryHeap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::time::Duration;

use chrono::{TimeDelta, Utc};

use crate::limits::Watch;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::metadata::{Kind, Metadata, Timestamp};
use super::super::super::handles::private::open_ours;
use super::super::super::handles::root::Root;
use super::super::super::handles::seal::RootSeal;
use super::super::super::handles::staging::is_draft_name;
use super::super::super::handles::stamp;
use super::tally::{ReclaimReason, SweepReport};
use super::{BackupKind, Retention, shown_below};

/// Maximum number of backups that a single sweep considers for the byte limit; further sweeps can follow.
const CANDIDATES: usize = 10_000;
/// Maximum nesting of directories; no path that a tool accepts has more parts.
const DEEPEST: usize = 2_048;
/// Number of directory names in a message about excessive nesting.
const SHOWN_FOLDERS: usize = 4;
/// Time during which an unfinished copy or empty directory may still be in use by a run.
const FRESH: Duration = Duration::from_secs(3600);

/// Decides what may be removed, and removes it.
pub(in crate::sandbox) trait Reclaimer {
    /// Whether the backup `name` may be removed. `names` are the directories from `.ns`.
    fn may_take(&self, names: &[OsString], name: &OsStr) -> bool;
    /// Removes an entry. Returns false if it turns out to be needed.
    fn take(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError>;
    /// Removes an empty directory of the store; `is_fresh` tells whether it was changed recently.
    fn clear(&self, above: &Folder, name: &OsStr, is_fresh: bool);
    /// Handles a foreign backup. Returns whether it was removed or adopted.
    fn foreign(&self, _folder: &Folder, _names: &[OsString], _name: &OsStr) -> Result<bool, SandboxError> {
        Ok(false)
    }
}

/// Limits of a sweep.
#[derive(Clone, Debug)]
pub(in crate::sandbox) struct RetentionRules {
    /// Maximum number of backups per file and maximum total bytes; zero means no limit.
    pub retention: Retention,
    /// Backups with names before this one are too old.
    pub oldest: Option<String>,
    /// Whether to remove every backup that may be removed.
    pub everything: bool,
}

impl RetentionRules {
    /// Creates the rules of a retention.
    pub fn new(retention: Retention) -> RetentionRules {
        RetentionRules { retention, oldest: moment_before(retention.days), everything: false }
    }

    /// Whether a backup is too old, judging by its name.
    pub fn is_too_old(&self, name: &OsStr) -> bool {
        self.oldest.as_ref().is_some_and(|oldest| name.as_encoded_bytes() < oldest.as_bytes())
    }

    fn reclaim_reason(&self, name: &OsStr, is_surplus: bool) -> Option<ReclaimReason> {
        if self.everything {
            Some(ReclaimReason::Unneeded)
        } else if self.is_too_old(name) {
            Some(ReclaimReason::Old)
        } else if is_surplus {
            Some(ReclaimReason::Many)
        } else {
            None
        }
    }
}

/// Formats the time `days` days ago as a prefix of names, or returns `None` if `days` is zero.
fn moment_before(days: u64) -> Option<String> {
    let span = TimeDelta::try_days(days.try_into().ok()?)?;
    Utc::now().checked_sub_signed(span).filter(|_| days > 0).map(stamp::moment)
}

/// A sweep in progress.
pub(in crate::sandbox) struct Sweep<'a, H> {
    root: &'a Root,
    rules: &'a RetentionRules,
    reclaimer: H,
    watch: &'a Watch,
    swept: SweepReport,
    /// The oldest backups, which may be removed to meet the byte limit.
    candidates: BinaryHeap<Candidate>,
    levels: Vec<Level>,
    /// The names of all levels, from `.ns`.
    names: Vec<OsString>,
}

/// A backup that may be removed. Candidates sort from the oldest to the newest.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    name: OsString,
    /// Its directories, from `.ns`.
    names: Vec<OsString>,
    size: u64,
}

/// A directory that is being examined.
struct Level {
    folder: Folder,
    ahead: Vec<OsString>,
    /// Bytes found so far if the directory is a backup or inside one, otherwise `None`.
    size: Option<u64>,
    /// Backups in it beyond the maximum number per file.
    surplus: HashSet<OsString>,
}

impl Level {
    fn open(folder: Folder, size: Option<u64>) -> io::Result<Level> {
        let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
        Ok(Level { folder, ahead, size, surplus: HashSet::new() })
    }

    /// Finds the oldest backups beyond the maximum number; `folders` are the names from `.ns` to the directory.
    fn count(mut self, most: u64, folders: &[OsString], seal: &RootSeal) -> Level {
        let mut kept: Vec<&OsString> = self.ahead.iter().filter(|name| stamp::is_kept(name, folders, seal)).collect();
        kept.sort_unstable();
        let surplus = kept.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
        self.surplus = kept.into_iter().take(surplus).cloned().collect();
        self
    }
}

impl<'a, H: Reclaimer> Sweep<'a, H> {
    pub fn new(root: &'a Root, rules: &'a RetentionRules, reclaimer: H, watch: &'a Watch) -> Sweep<'a, H> {
        let (swept, candidates) = (SweepReport::default(), BinaryHeap::new());
        Sweep { root, rules, reclaimer, watch, swept, candidates, levels: Vec::new(), names: Vec::new() }
    }

    /// Performs the sweep, and reports what was removed and what remains.
    pub fn run(mut self) -> Result<SweepReport, SandboxError> {
        let Some(own) = self.root.own_folder()? else { return Ok(self.swept) };
        let own = own.into_folder();
        for kind in BackupKind::ALL {
            self.names = vec![kind.name().into()];
            match open_ours(&own, OsStr::new(kind.name()), || shown_below(&[kind.name()])) {
                Ok(Some(folder)) => {
                    self.levels = vec![Level::open(folder, None).map_err(|error| self.wrap(&error))?];
                }
                Ok(None) => {}
                Err(error) => self.swept.flaw(error),
            }
            while !self.levels.is_empty() {
                self.watch.poll()?;
                self.advance()?;
            }
        }
        self.reclaim_surplus(&own)?;
        Ok(self.swept)
    }

    fn advance(&mut self) -> Result<(), SandboxError> {
        let level = self.levels.last_mut().expect("there is a level while the look lasts");
        let Some(name) = level.ahead.pop() else { return self.leave() };
        let metadata = match level.folder.metadata(&name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            other => other.map_err(|error| self.wrap(&error))?,
        };
        let level = self.levels.last_mut().expect("it is still there");
        match level.size {
            // Inside a backup, only sizes are added up.
            Some(size) if metadata.kind != Kind::Folder => level.size = Some(size.saturating_add(metadata.size)),
            Some(_) => {
                if self.enter_kept(name, &metadata).is_some() {
                    let path = shown_below(&self.names[..self.names.len().min(SHOWN_FOLDERS)]);
                    let reason = "a directory in it cannot be opened, so its size counts for less than it is";
                    self.swept.flaw(SandboxError::NotOurs { path, reason });
                }
            }
            None if stamp::is_kept(&name, &self.names, &self.root.seal) => return self.look_at(name, &metadata),
            None if stamp::is_kept_shape(&name) => return self.meet_foreign(&name, &metadata),
            None if is_draft_name(&name) => return self.reclaim_unfinished(&name, &metadata),
            None => self.enter(name),
        }
        Ok(())
    }

    /// Handles a backup that this user's key did not seal for its directory.
    fn meet_foreign(&mut self, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        let folder = &self.levels.last().expect("it is in a folder").folder;
        match self.reclaimer.foreign(folder, &self.names, name) {
            Ok(is_handled) => self.swept.meets_foreign(&self.names, name, metadata.size, is_handled),
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => {
                self.swept.meets_foreign(&self.names, name, metadata.size, false);
                self.swept.fails(error);
            }
        }
        Ok(())
    }

    /// Enters a directory of the store. Other entries are left alone and reported.
    fn enter(&mut self, name: OsString) {
        if self.levels.len() > DEEPEST {
            let path = shown_below(&self.names[..SHOWN_FOLDERS]);
            return self
                .swept
                .flaw(SandboxError::NotOurs { path, reason: "directories nest deeper in it than in any path" });
        }
        self.names.push(name);
        let (above, name) = (self.levels.last().expect("it is in a folder"), self.names.last().expect("just put"));
        let opened = open_ours(&above.folder, name, || shown_below(&self.names)).and_then(|folder| {
            folder.map(|folder| Level::open(folder, None)).transpose().map_err(|error| self.wrap(&error))
        });
        let counts = self.rules.retention.count > 0 && self.names[0] == BackupKind::Backups.name();
        match opened {
            Ok(Some(level)) if counts => {
                self.levels.push(level.count(self.rules.retention.count, &self.names, &self.root.seal));
            }
            Ok(Some(level)) => self.levels.push(level),
            Ok(None) => drop(self.names.pop()),
            Err(error) => {
                self.names.pop();
                self.swept.flaw(error);
            }
        }
    }

    /// Handles a backup. If it is a directory, its size is determined first.
    fn look_at(&mut self, name: OsString, metadata: &Metadata) -> Result<(), SandboxError> {
        match metadata.kind {
            Kind::Folder => match self.enter_kept(name, metadata) {
                Some(name) => self.decide(name, 0),
                None => Ok(()),
            },
            _ => self.decide(name, metadata.size),
        }
    }

    /// Enters a backup that is a directory, or a directory inside one. Returns the name if it is on another file
    /// system, cannot be opened, or is nested too deeply.
    fn enter_kept(&mut self, name: OsString, metadata: &Metadata) -> Option<OsString> {
        if self.levels.len() > DEEPEST {
            return Some(name);
        }
        let above = &self.levels.last().expect("it is in a folder").folder;
        let is_here = above.own_metadata().is_ok_and(|here| here.identity.device == metadata.identity.device);
        let opened = above.open_folder(&name).and_then(|folder| Level::open(folder, Some(0)));
        let (true, Ok(level)) = (is_here, opened) else { return Some(name) };
        self.levels.push(level);
        self.names.push(name);
        None
    }

    /// Leaves a directory after all its entries were examined.
    fn leave(&mut self) -> Result<(), SandboxError> {
        let done = self.levels.pop().expect("there is a level to leave");
        let name = self.names.pop().expect("each level has a name");
        let Some(above) = self.levels.last_mut() else { return Ok(()) };
        match (done.size, above.size) {
            (Some(size), Some(before)) => above.size = Some(before.saturating_add(size)),
            (Some(size), None) => return self.decide(name, size),
            (None, _) => {
                let is_fresh = done.folder.own_metadata().map_or(true, |metadata| is_fresh(&metadata));
                self.reclaimer.clear(&above.folder, &name, is_fresh);
            }
        }
        Ok(())
    }

    /// Removes a backup that is surplus or too old; counts any other one.
    fn decide(&mut self, name: OsString, size: u64) -> Result<(), SandboxError> {
        let level = self.levels.last().expect("it is in a folder");
        let may_go = self.reclaimer.may_take(&self.names, &name);
        if let (true, Some(why)) = (may_go, self.rules.reclaim_reason(&name, level.surplus.contains(&name))) {
            let taken = self.reclaimer.take(&level.folder, &self.names, &name);
            return self.taken(taken, &Candidate { name, names: self.names.clone(), size }, why);
        }
        self.swept.stays(&self.names, size);
        if may_go {
            self.candidates.push(Candidate { name, names: self.names.clone(), size });
            if self.candidates.len() > CANDIDATES {
                self.swept.is_cut = true;
                self.candidates.pop();
            }
        }
        Ok(())
    }

    /// Records the result of a removal.
    fn taken(
        &mut self,
        taken: Result<bool, SandboxError>,
        Candidate { name, names, size }: &Candidate,
        why: ReclaimReason,
    ) -> Result<(), SandboxError> {
        match taken {
            Ok(true) => self.swept.add_reclaimed(names, name, *size, why),
            Ok(false) => self.swept.stays(names, *size),
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => {
                self.swept.stays(names, *size);
                self.swept.fails(error);
            }
        }
        Ok(())
    }

    /// Removes an unfinished copy that no run is using.
    fn reclaim_unfinished(&mut self, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        if is_fresh(metadata) {
            return Ok(());
        }
        let folder = &self.levels.last().expect("it is in a folder").folder;
        match self.reclaimer.take(folder, &self.names, name) {
            Ok(true) => self.swept.sweeps(&self.names, name, metadata.size),
            Ok(false) => {}
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => self.swept.fails(error),
        }
        Ok(())
    }

    /// Removes the oldest backups until the total size is within its limit.
    fn reclaim_surplus(&mut self, own: &Folder) -> Result<(), SandboxError> {
        let most = self.rules.retention.bytes;
        let candidates = std::mem::take(&mut self.candidates).into_sorted_vec();
        for candidate in candidates {
            if most == 0 || self.swept.kept_bytes() <= most {
                self.swept.is_cut = false;
                break;
            }
            self.watch.poll()?;
            let Candidate { name, names, size } = &candidate;
            self.swept.reconsiders(names, *size);
            let taken = folder_at(own, names).and_then(|folder| self.reclaimer.take(&folder, names, name));
            self.taken(taken, &candidate, ReclaimReason::Large)?;
        }
        Ok(())
    }

    fn wrap(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(shown_below(&self.names), error)
    }
}

/// Opens a directory of the store by its names from `.ns`.
fn folder_at(own: &Folder, names: &[OsString]) -> Result<Folder, SandboxError> {
    let mut folder = own.duplicate().map_err(|error| SandboxError::io(shown_below(names), &error))?;
    for depth in 0..names.len() {
        let shown = || shown_below(&names[..=depth]);
        folder = open_ours(&folder, &names[depth], shown)?.ok_or_else(|| SandboxError::NotFound(shown()))?;
    }
    Ok(folder)
}

/// Whether an entry was changed within the last hour, or has a time in the future.
pub(in crate::sandbox) fn is_fresh(metadata: &Metadata) -> bool {
    let changed = metadata.modified.map_or(0, |time| time.seconds.max(0) as u64);
    changed.saturating_add(FRESH.as_secs()) > Timestamp::now().seconds.unsigned_abs()
}
