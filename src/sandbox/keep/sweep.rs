//! One look through all that is kept: gives up what is too old, then the oldest until the rest is not
//! too much, and counts the bytes that stay.
//!
//! Links are never followed and no other file system is entered; what cannot be looked at is left.
//! No depth takes native stack.

use std::collections::BinaryHeap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::time::{Duration, SystemTime};

use crate::limits::Watch;

use super::super::draft::is_draft_name;
use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::{Kind, Metadata};
use super::super::own::open_ours;
use super::super::remove::discard;
use super::{Drawer, Keeper, shown_below, stamp};

/// Things that one look may give up for the sake of bytes; there is another one.
const CANDIDATES: usize = 10_000;
/// For how long an unfinished copy or an empty folder may be somebody's who is just keeping something.
const FRESH: Duration = Duration::from_secs(3600);

/// A look through everything.
pub struct Sweep<'a> {
    keeper: Keeper<'a>,
    watch: &'a Watch,
    /// Names before this are too old.
    oldest: Option<String>,
    total: u64,
    /// What may be given up: the oldest things.
    candidates: BinaryHeap<Candidate>,
    levels: Vec<Level>,
    /// The names of all levels, from `.ns`.
    names: Vec<OsString>,
}

/// Something that may be given up. The oldest is the least.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    name: OsString,
    /// The folders that it is in, from `.ns`.
    names: Vec<OsString>,
    size: u64,
}

/// A folder that is being looked through.
struct Level {
    folder: Folder,
    ahead: Vec<OsString>,
    /// The bytes found in it so far, where it is kept or inside something kept.
    size: Option<u64>,
}

impl Level {
    fn open(folder: Folder, size: Option<u64>) -> io::Result<Level> {
        let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
        Ok(Level { folder, ahead, size })
    }
}

impl<'a> Sweep<'a> {
    pub fn new(keeper: Keeper<'a>, watch: &'a Watch) -> Sweep<'a> {
        let days = Duration::from_secs(keeper.retention.days.saturating_mul(24 * 3600));
        let oldest = SystemTime::now().checked_sub(days).filter(|_| !days.is_zero()).map(stamp::moment);
        let candidates = BinaryHeap::new();
        Sweep { keeper, watch, oldest, total: 0, candidates, levels: Vec::new(), names: Vec::new() }
    }

    /// Gives up what is too old and too much, and gives the bytes that stay.
    pub fn run(mut self) -> Result<u64, SandboxError> {
        let Some(own) = self.keeper.root.own_folder()? else { return Ok(0) };
        let own = own.into_folder();
        for drawer in [Drawer::Backups, Drawer::Trash] {
            let shown = || shown_below(&[drawer.name()]);
            if let Some(folder) = open_ours(&own, OsStr::new(drawer.name()), shown)? {
                self.names = vec![drawer.name().into()];
                self.levels = vec![Level::open(folder, None).map_err(|error| self.wrap(&error))?];
                while !self.levels.is_empty() {
                    self.watch.poll()?;
                    self.advance()?;
                }
            }
        }
        self.give_up_surplus(&own)?;
        Ok(self.total)
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
            // Inside something that is kept, everything only counts.
            Some(size) if metadata.kind != Kind::Folder => level.size = Some(size.saturating_add(metadata.size)),
            Some(_) => self.enter_kept(name, &metadata),
            None if stamp::is_stamp(&name) => return self.look_at(name, &metadata),
            None if is_draft_name(&name) => return self.give_up_stale(&name, &metadata),
            None => {
                self.names.push(name);
                let name = self.names.last().expect("a name was just put there");
                let opened = open_ours(&level.folder, name, || shown_below(&self.names))?;
                match opened.map(|folder| Level::open(folder, None)).transpose().map_err(|error| self.wrap(&error))? {
                    Some(level) => self.levels.push(level),
                    None => drop(self.names.pop()),
                }
            }
        }
        Ok(())
    }

    /// Something that is kept: given up when it is too old, else counted.
    fn look_at(&mut self, name: OsString, metadata: &Metadata) -> Result<(), SandboxError> {
        let too_old = |oldest: &String| name.as_encoded_bytes() < oldest.as_bytes();
        if self.keeper.root.account.is_old(&name) && self.oldest.as_ref().is_some_and(too_old) {
            let folder = &self.levels.last().expect("it is in a folder").folder;
            return discard(folder, &name, &shown_below(&self.names));
        }
        match metadata.kind {
            Kind::Folder => self.enter_kept(name, metadata),
            _ => self.count(name, metadata.size),
        }
        Ok(())
    }

    /// Looks into a folder that is kept, or into one inside it, unless that is another file system.
    fn enter_kept(&mut self, name: OsString, metadata: &Metadata) {
        let above = &self.levels.last().expect("it is in a folder").folder;
        let is_here = above.own_metadata().is_ok_and(|here| here.identity.device == metadata.identity.device);
        let opened = above.open_folder(&name).and_then(|folder| Level::open(folder, Some(0)));
        if let (true, Ok(level)) = (is_here, opened) {
            self.levels.push(level);
            self.names.push(name);
        }
    }

    /// Everything in a folder was looked at.
    fn leave(&mut self) -> Result<(), SandboxError> {
        let done = self.levels.pop().expect("there is a level to leave");
        let name = self.names.pop().expect("each level has a name");
        let Some(above) = self.levels.last_mut() else { return Ok(()) };
        match (done.size, above.size) {
            (Some(size), Some(before)) => above.size = Some(before.saturating_add(size)),
            (Some(size), None) => self.count(name, size),
            (None, _) => {
                let fresh = done.folder.own_metadata().map_or(true, |metadata| is_fresh(&metadata));
                if !fresh {
                    // It stays when something is in it, as it should.
                    let _ = above.folder.remove_folder(&name);
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, name: OsString, size: u64) {
        self.total = self.total.saturating_add(size);
        if self.keeper.root.account.is_old(&name) {
            self.candidates.push(Candidate { name, names: self.names.clone(), size });
            if self.candidates.len() > CANDIDATES {
                self.candidates.pop();
            }
        }
    }

    /// An unfinished copy that nobody goes on with.
    fn give_up_stale(&mut self, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        let folder = &self.levels.last().expect("it is in a folder").folder;
        if is_fresh(metadata) { Ok(()) } else { discard(folder, name, &shown_below(&self.names)) }
    }

    /// Gives up the oldest things until the rest is not too much.
    fn give_up_surplus(&mut self, own: &Folder) -> Result<(), SandboxError> {
        let most = self.keeper.retention.bytes;
        let candidates = std::mem::take(&mut self.candidates).into_sorted_vec();
        for Candidate { name, names, size } in candidates {
            if most == 0 || self.total <= most {
                break;
            }
            self.watch.poll()?;
            let mut folder = own.duplicate().map_err(|error| SandboxError::io(shown_below(&names), &error))?;
            for depth in 0..names.len() {
                let missing = || SandboxError::NotFound(shown_below(&names[..=depth]));
                let opened = open_ours(&folder, &names[depth], || shown_below(&names[..=depth]))?;
                folder = opened.ok_or_else(missing)?;
            }
            discard(&folder, &name, &shown_below(&names))?;
            self.total -= size;
        }
        Ok(())
    }

    fn wrap(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(shown_below(&self.names), error)
    }
}

/// Whether something was changed a moment ago, or will be.
fn is_fresh(metadata: &Metadata) -> bool {
    let changed = metadata.modified.map_or(0, |time| time.seconds.max(0) as u64);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    changed.saturating_add(FRESH.as_secs()) > now.as_secs()
}
