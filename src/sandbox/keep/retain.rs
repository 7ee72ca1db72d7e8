//! What is kept is given up when there is too much of it: more backups of a file than the policy says,
//! older than it says, more bytes than it says; the oldest first. Backups of a file are counted when
//! one is made; everything is looked through when a run first keeps something ([`Sweep`]), and again
//! when what it kept since makes too many bytes.
//!
//! What the newest runs kept stays, however much it is, so that they can be taken back ([`UNDOABLE`]), and
//! so does what was kept since the oldest run that goes on began, or one that the newest take back or do
//! again: these put things under the names that they had. Nothing here makes a call fail: what
//! went wrong becomes a note.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::Watch;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::remove::discard;
use super::slot::Slot;
use super::sweep::{Hand, Rules, Sweep};
use super::tally::Swept;
use super::{Drawer, Keeper, Retention, shown_below, stamp};

/// So many of the newest runs lose nothing of what they kept.
pub const UNDOABLE: usize = 20;
/// Files whose backups are known to be all of this run.
const KNOWN: usize = 10_000;
/// So many things that could not be given up are told.
const TOLD: usize = 3;

/// What a run knows of what is kept below its root.
#[derive(Debug, Default)]
pub struct Account {
    state: Mutex<State>,
    /// There are notes; every call of a tool asks.
    has_notes: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// Folders in which everything was kept by this run, so that there is nothing to give up.
    own: HashSet<Vec<OsString>>,
    /// The bytes of all that is kept, once everything was looked through.
    total: Option<u64>,
    /// Above so many bytes everything is looked through again.
    ceiling: u64,
    notes: Vec<String>,
    /// What has a name before this one may be given up; nothing, as long as no run has begun.
    stays_from: String,
    /// The newest moment that was used in a name.
    newest: String,
}

impl Account {
    /// Whether there is something that could not be given up.
    pub fn has_notes(&self) -> bool {
        self.has_notes.load(Ordering::Acquire)
    }

    /// Takes what could not be given up: a sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        let mut state = self.state();
        self.has_notes.store(false, Ordering::Release);
        std::mem::take(&mut state.notes)
    }

    /// A run begins, after those with these names, of which the oldest is the first. What was kept since
    /// `oldest` stays besides.
    pub fn begin_run(&self, runs: &[OsString], oldest: Option<&OsString>) {
        let mut state = self.state();
        let first = runs.len().saturating_sub(UNDOABLE - 1);
        let stays_from = runs.get(first).into_iter().chain(oldest).min();
        state.newest = state.newest.clone().max(runs.last().map(|last| stamp::moment_of(last)).unwrap_or_default());
        state.stays_from = match stays_from {
            Some(name) => name.to_string_lossy().into_owned(),
            None => stamp::after(&state.newest),
        };
    }

    /// Keeps for as long as another account does.
    pub fn follow(&self, other: &Account) {
        if !std::ptr::eq(self, other) {
            let stays_from = other.state().stays_from.clone();
            self.state().stays_from = stays_from;
        }
    }

    /// This moment for a name, which is later than all names before, whatever the clock says.
    pub fn now(&self) -> String {
        let mut state = self.state();
        state.newest = stamp::after(&state.newest);
        state.newest.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, error: &SandboxError) {
        // A limit of the run only means that there is no more time for this.
        if !matches!(error, SandboxError::Limit(_)) {
            let mut state = self.state();
            state.notes.push(format!("something old that was kept could not be given up: {error}"));
            self.has_notes.store(true, Ordering::Release);
        }
    }

    /// Whether the policy could give up what has this name.
    pub(super) fn is_old(&self, name: &OsStr) -> bool {
        name.as_encoded_bytes() < self.state().stays_from.as_bytes()
    }
}

/// What a run gives up while it keeps things: without being asked, and holding the lock.
struct InRun<'a>(&'a Account);

impl Hand for InRun<'_> {
    fn may_take(&self, _names: &[OsString], name: &OsStr) -> bool {
        self.0.is_old(name)
    }

    fn take(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError> {
        discard(folder, name, &shown_below(names)).map(|()| true)
    }

    fn clear(&self, above: &Folder, name: &OsStr, is_fresh: bool) {
        if !is_fresh {
            // It stays when something is in it, as it should.
            let _ = above.remove_folder(name);
        }
    }
}

impl Keeper<'_> {
    /// Gives up what is too much, now that something more is kept.
    pub(in super::super) fn retain(self, slot: &Slot, watch: &Watch) {
        let counted = self.retain_count(slot);
        let limited = self.retain_bytes(slot, watch);
        for error in [counted, limited].into_iter().filter_map(Result::err) {
            self.root.account.note(&error);
        }
    }

    /// Gives up what is too old or too much, where that may have come about.
    fn retain_bytes(self, slot: &Slot, watch: &Watch) -> Result<(), SandboxError> {
        let Retention { days, bytes, .. } = self.retention;
        if days == 0 && bytes == 0 {
            return Ok(());
        }
        let account = &self.root.account;
        {
            let mut state = account.state();
            if let Some(total) = state.total {
                let total = total.saturating_add(slot.size());
                state.total = Some(total);
                if bytes == 0 || total <= state.ceiling {
                    return Ok(());
                }
            }
        }
        // Of each file they are counted when one is kept.
        let rules = Rules::new(Retention { count: 0, ..self.retention });
        let swept = Sweep::new(self.root, &rules, InRun(account), watch).run();
        let left = swept.as_ref().map_or(0, Swept::kept_bytes);
        let flaws = swept.map(|swept| swept.flaws.into_iter().chain(swept.failures).collect::<Vec<_>>());
        flaws.iter().flatten().take(TOLD).for_each(|flaw| account.note(flaw));
        let mut state = account.state();
        state.total = Some(left);
        // What this run kept stays, so that there is no use in looking again before there is much more.
        state.ceiling = bytes.max(left.saturating_add(bytes / 16));
        flaws.map(drop)
    }

    /// Gives up the oldest backups of a file.
    fn retain_count(self, slot: &Slot) -> Result<(), SandboxError> {
        let account = &self.root.account;
        let limited = self.retention.count > 0 && slot.drawer() == Drawer::Backups;
        if !limited || account.state().own.contains(slot.names()) {
            return Ok(());
        }
        let wrap = |error: io::Error| SandboxError::io(shown_below(slot.names()), &error);
        let entries = slot.folder().entries().map_err(wrap)?.into_iter();
        let is_ours = |name: &OsString| stamp::is_kept(name, slot.names(), &self.root.seal);
        let mut kept: Vec<OsString> = entries.map(|entry| entry.name).filter(is_ours).collect();
        kept.sort_unstable();
        let surplus = (kept.len() as u64).saturating_sub(self.retention.count);
        for name in kept.iter().take(usize::try_from(surplus).unwrap_or(usize::MAX)) {
            if account.is_old(name) {
                discard(slot.folder(), name, &shown_below(slot.names()))?;
            }
        }
        if !kept.iter().skip(surplus as usize).any(|name| account.is_old(name)) {
            let mut state = account.state();
            if state.own.len() >= KNOWN {
                state.own.clear();
            }
            state.own.insert(slot.names().to_vec());
        }
        Ok(())
    }
}
