//! One look through all that is kept below a root: gives up what is too much of one file and what is too
//! old, then the oldest until the rest is not too many bytes, and counts what goes and what stays.
//!
//! Links are never followed and no other file system is entered; what is not ours or cannot be looked
//! at is left alone, and told. No depth takes native stack. Who may give up what says a [`Hand`].

use std::collections::{BinaryHeap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::time::{Duration, SystemTime};

use crate::limits::Watch;

use super::super::draft::is_draft_name;
use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::{Kind, Metadata};
use super::super::own::open_ours;
use super::super::root::Root;
use super::super::seal::RootSeal;
use super::tally::{Swept, Why};
use super::{Drawer, Retention, shown_below, stamp};

/// Things that one look may give up for the sake of bytes; there is another one.
const CANDIDATES: usize = 10_000;
/// Folders in one another that are looked into: no path that a tool takes has more parts.
const DEEPEST: usize = 2_048;
/// So many of them are named in a message about what lies too deep.
const SHOWN_FOLDERS: usize = 4;
/// For how long an unfinished copy or an empty folder may be somebody's who is just keeping something.
const FRESH: Duration = Duration::from_secs(3600);

/// What gives things up, as far as it may.
pub(in super::super) trait Hand {
    /// Whether what is kept under a name, in folders with these names from `.ns`, may be given up.
    fn may_take(&self, names: &[OsString], name: &OsStr) -> bool;
    /// Gives up what has a name in a folder; false where it is needed after all.
    fn take(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError>;
    /// Removes an empty folder of ours; `is_fresh` says whether it was changed a moment ago.
    fn clear(&self, above: &Folder, name: &OsStr, is_fresh: bool);
    /// Does what is to be done with something foreign; says whether it is gone or taken over.
    fn foreign(&self, _folder: &Folder, _names: &[OsString], _name: &OsStr) -> Result<bool, SandboxError> {
        Ok(false)
    }
}

/// What is too much.
#[derive(Clone, Debug)]
pub(in super::super) struct Rules {
    /// The most backups of one file, and the most bytes; a zero is no limit.
    pub retention: Retention,
    /// Names before this are too old.
    pub oldest: Option<String>,
    /// Whether everything goes that may.
    pub everything: bool,
}

impl Rules {
    /// The rules of a retention.
    pub fn new(retention: Retention) -> Rules {
        Rules { retention, oldest: moment_before(retention.days), everything: false }
    }

    /// Whether something is too old by its name.
    pub fn is_too_old(&self, name: &OsStr) -> bool {
        self.oldest.as_ref().is_some_and(|oldest| name.as_encoded_bytes() < oldest.as_bytes())
    }

    fn why(&self, name: &OsStr, is_surplus: bool) -> Option<Why> {
        match () {
            () if self.everything => Some(Why::Unneeded),
            () if self.is_too_old(name) => Some(Why::Old),
            () if is_surplus => Some(Why::Many),
            () => None,
        }
    }
}

/// The moment so many days ago as names begin with it; none for no days.
fn moment_before(days: u64) -> Option<String> {
    let days = Duration::from_secs(days.saturating_mul(24 * 3600));
    SystemTime::now().checked_sub(days).filter(|_| !days.is_zero()).map(stamp::moment)
}

/// A look through everything.
pub(in super::super) struct Sweep<'a, H> {
    root: &'a Root,
    rules: &'a Rules,
    hand: H,
    watch: &'a Watch,
    swept: Swept,
    /// What may be given up for the sake of bytes: the oldest things.
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
    /// Backups in it that are more than there should be of one file.
    surplus: HashSet<OsString>,
}

impl Level {
    fn open(folder: Folder, size: Option<u64>) -> io::Result<Level> {
        let ahead = folder.entries()?.into_iter().map(|entry| entry.name).collect();
        Ok(Level { folder, ahead, size, surplus: HashSet::new() })
    }

    /// Finds the oldest of more than so many backups in a folder, which has these names from `.ns`.
    fn count(mut self, most: u64, folders: &[OsString], seal: &RootSeal) -> Level {
        let mut kept: Vec<&OsString> = self.ahead.iter().filter(|name| stamp::is_kept(name, folders, seal)).collect();
        kept.sort_unstable();
        let surplus = kept.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
        self.surplus = kept.into_iter().take(surplus).cloned().collect();
        self
    }
}

impl<'a, H: Hand> Sweep<'a, H> {
    pub fn new(root: &'a Root, rules: &'a Rules, hand: H, watch: &'a Watch) -> Sweep<'a, H> {
        let (swept, candidates) = (Swept::default(), BinaryHeap::new());
        Sweep { root, rules, hand, watch, swept, candidates, levels: Vec::new(), names: Vec::new() }
    }

    /// Gives up what is too old and too much, and says what went and what stays.
    pub fn run(mut self) -> Result<Swept, SandboxError> {
        let Some(own) = self.root.own_folder()? else { return Ok(self.swept) };
        let own = own.into_folder();
        for drawer in [Drawer::Backups, Drawer::Trash] {
            self.names = vec![drawer.name().into()];
            match open_ours(&own, OsStr::new(drawer.name()), || shown_below(&[drawer.name()])) {
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
        self.give_up_surplus(&own)?;
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
            // Inside something that is kept, everything only counts.
            Some(size) if metadata.kind != Kind::Folder => level.size = Some(size.saturating_add(metadata.size)),
            Some(_) => drop(self.enter_kept(name, &metadata)),
            None if stamp::is_kept(&name, &self.names, &self.root.seal) => return self.look_at(name, &metadata),
            None if stamp::is_kept_shape(&name) => return self.meet_foreign(&name, &metadata),
            None if is_draft_name(&name) => return self.give_up_stale(&name, &metadata),
            None => self.enter(name),
        }
        Ok(())
    }

    /// Something that this user's key did not seal for the folder that it is in.
    fn meet_foreign(&mut self, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        let folder = &self.levels.last().expect("it is in a folder").folder;
        match self.hand.foreign(folder, &self.names, name) {
            Ok(is_handled) => self.swept.meets_foreign(&self.names, name, metadata.size, is_handled),
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => {
                self.swept.meets_foreign(&self.names, name, metadata.size, false);
                self.swept.fails(error);
            }
        }
        Ok(())
    }

    /// Looks into a folder of ours; what is none is left alone.
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
        let counts = self.rules.retention.count > 0 && self.names[0] == Drawer::Backups.name();
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

    /// Something that is kept. Of a folder the bytes are found first.
    fn look_at(&mut self, name: OsString, metadata: &Metadata) -> Result<(), SandboxError> {
        match metadata.kind {
            Kind::Folder => match self.enter_kept(name, metadata) {
                Some(name) => self.decide(name, 0),
                None => Ok(()),
            },
            _ => self.decide(name, metadata.size),
        }
    }

    /// Looks into a folder that is kept, or into one inside it. Gives its name back where it is another
    /// file system, or cannot be opened.
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

    /// Everything in a folder was looked at.
    fn leave(&mut self) -> Result<(), SandboxError> {
        let done = self.levels.pop().expect("there is a level to leave");
        let name = self.names.pop().expect("each level has a name");
        let Some(above) = self.levels.last_mut() else { return Ok(()) };
        match (done.size, above.size) {
            (Some(size), Some(before)) => above.size = Some(before.saturating_add(size)),
            (Some(size), None) => return self.decide(name, size),
            (None, _) => {
                let is_fresh = done.folder.own_metadata().map_or(true, |metadata| is_fresh(&metadata));
                self.hand.clear(&above.folder, &name, is_fresh);
            }
        }
        Ok(())
    }

    /// Gives something up that is too old or of which there is too much; else it counts.
    fn decide(&mut self, name: OsString, size: u64) -> Result<(), SandboxError> {
        let level = self.levels.last().expect("it is in a folder");
        let may_go = self.hand.may_take(&self.names, &name);
        if let (true, Some(why)) = (may_go, self.rules.why(&name, level.surplus.contains(&name))) {
            let taken = self.hand.take(&level.folder, &self.names, &name);
            return self.taken(taken, (&self.names.clone(), &name), size, why);
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

    /// Writes down what became of something that was to go.
    fn taken(
        &mut self,
        taken: Result<bool, SandboxError>,
        (names, name): (&[OsString], &OsStr),
        size: u64,
        why: Why,
    ) -> Result<(), SandboxError> {
        match taken {
            Ok(true) => self.swept.goes(names, name, size, why),
            Ok(false) => self.swept.stays(names, size),
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => {
                self.swept.stays(names, size);
                self.swept.fails(error);
            }
        }
        Ok(())
    }

    /// An unfinished copy that nobody goes on with.
    fn give_up_stale(&mut self, name: &OsStr, metadata: &Metadata) -> Result<(), SandboxError> {
        if is_fresh(metadata) {
            return Ok(());
        }
        let folder = &self.levels.last().expect("it is in a folder").folder;
        match self.hand.take(folder, &self.names, name) {
            Ok(true) => self.swept.sweeps(&self.names, name, metadata.size),
            Ok(false) => {}
            Err(error @ SandboxError::Limit(_)) => return Err(error),
            Err(error) => self.swept.fails(error),
        }
        Ok(())
    }

    /// Gives up the oldest things until the rest is not too much.
    fn give_up_surplus(&mut self, own: &Folder) -> Result<(), SandboxError> {
        let most = self.rules.retention.bytes;
        let candidates = std::mem::take(&mut self.candidates).into_sorted_vec();
        for Candidate { name, names, size } in candidates {
            if most == 0 || self.swept.kept_bytes() <= most {
                self.swept.is_cut = false;
                break;
            }
            self.watch.poll()?;
            self.swept.reconsiders(&names, size);
            let taken = folder_at(own, &names).and_then(|folder| self.hand.take(&folder, &names, &name));
            self.taken(taken, (&names, &name), size, Why::Large)?;
        }
        Ok(())
    }

    fn wrap(&self, error: &io::Error) -> SandboxError {
        SandboxError::io(shown_below(&self.names), error)
    }
}

/// The folder of ours that is reached by these names from `.ns`.
fn folder_at(own: &Folder, names: &[OsString]) -> Result<Folder, SandboxError> {
    let mut folder = own.duplicate().map_err(|error| SandboxError::io(shown_below(names), &error))?;
    for depth in 0..names.len() {
        let shown = || shown_below(&names[..=depth]);
        folder = open_ours(&folder, &names[depth], shown)?.ok_or_else(|| SandboxError::NotFound(shown()))?;
    }
    Ok(folder)
}

/// Whether something was changed a moment ago, or will be.
pub(in super::super) fn is_fresh(metadata: &Metadata) -> bool {
    let changed = metadata.modified.map_or(0, |time| time.seconds.max(0) as u64);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    changed.saturating_add(FRESH.as_secs()) > now.as_secs()
}
