//! Retention during runs: removes the oldest backups when a file has too many, when they are too old, or when all of
//! them have too many bytes.
//!
//! The backups of a file are counted whenever one is added. The whole store is examined when a run first adds a
//! backup ([`Sweep`]), and again when the backups added since exceed the byte limit.
//!
//! Backups of the newest runs are always retained, so that these can be undone ([`UNDOABLE`]). So are backups made
//! since the oldest active run began, or since the oldest run that the newest ones undo or redo, because those put
//! entries back under their old backup names. Errors here never make a tool call fail; they become notes.

use std::ffi::{OsStr, OsString};
use std::io;

use super::super::super::handles::store_usage::StoreUsage;
use crate::limits::Watch;

use super::super::super::handles::discard::discard;
use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::stamp;
use super::slot::Slot;
use super::sweep::{Reclaimer, RetentionRules, Sweep};
use super::tally::SweepReport;
use super::{BackupKind, BackupStore, Retention, shown_below};

/// Maximum number of directories remembered as having no removable backups.
const KNOWN: usize = 10_000;
/// Maximum number of errors of a sweep to report as notes.
const TOLD: usize = 3;

/// Removes backups during a run, which holds the lock.
struct RunReclaimer<'a>(&'a StoreUsage);

impl Reclaimer for RunReclaimer<'_> {
    fn may_take(&self, _names: &[OsString], name: &OsStr) -> bool {
        self.0.is_old(name)
    }

    fn take(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError> {
        discard(folder, name, &shown_below(names)).map(|()| true)
    }

    fn clear(&self, above: &Folder, name: &OsStr, is_fresh: bool) {
        if !is_fresh {
            // A directory that is not empty stays, as it should.
            let _ = above.remove_folder(name);
        }
    }
}

impl BackupStore<'_> {
    /// Applies retention after a backup was added.
    pub(in crate::sandbox) fn retain(self, slot: &Slot, watch: &Watch) {
        let counted = self.retain_count(slot);
        let limited = self.retain_bytes(slot, watch);
        for error in [counted, limited].into_iter().filter_map(Result::err) {
            self.root.usage.note(&error);
        }
    }

    /// Removes backups that exceed the limits on age and bytes, if they may be exceeded.
    fn retain_bytes(self, slot: &Slot, watch: &Watch) -> Result<(), SandboxError> {
        let Retention { days, bytes, .. } = self.retention;
        if days == 0 && bytes == 0 {
            return Ok(());
        }
        let usage = &self.root.usage;
        {
            let mut state = usage.state();
            if let Some(total) = state.total {
                let total = total.saturating_add(slot.size());
                state.total = Some(total);
                if bytes == 0 || total <= state.ceiling {
                    return Ok(());
                }
            }
        }
        // Backups per file are counted whenever one is added.
        let rules = RetentionRules::new(Retention { count: 0, ..self.retention });
        let swept = Sweep::new(self.root, &rules, RunReclaimer(usage), watch).run();
        let left = swept.as_ref().map_or(0, SweepReport::kept_bytes);
        let flaws = swept.map(|swept| swept.flaws.into_iter().chain(swept.failures).collect::<Vec<_>>());
        flaws.iter().flatten().take(TOLD).for_each(|flaw| usage.note(flaw));
        let mut state = usage.state();
        state.total = Some(left);
        // The remaining backups may all be retained, so wait for significant growth before the next sweep.
        state.ceiling = bytes.max(left.saturating_add(bytes / 16));
        flaws.map(drop)
    }

    /// Removes the oldest backups of a file beyond the limit on their number.
    fn retain_count(self, slot: &Slot) -> Result<(), SandboxError> {
        let usage = &self.root.usage;
        let limited = self.retention.count > 0 && slot.kind() == BackupKind::Backups && !slot.is_new();
        if !limited || usage.state().own.contains(slot.names()) {
            return Ok(());
        }
        let wrap = |error: io::Error| SandboxError::io(shown_below(slot.names()), &error);
        let entries = slot.folder().entries().map_err(wrap)?.into_iter();
        let is_ours = |name: &OsString| stamp::is_kept(name, slot.names(), &self.root.seal);
        let mut kept: Vec<OsString> = entries.map(|entry| entry.name).filter(is_ours).collect();
        kept.sort_unstable();
        let surplus = (kept.len() as u64).saturating_sub(self.retention.count);
        for name in kept.iter().take(usize::try_from(surplus).unwrap_or(usize::MAX)) {
            if usage.is_old(name) {
                discard(slot.folder(), name, &shown_below(slot.names()))?;
            }
        }
        if !kept.iter().skip(surplus as usize).any(|name| usage.is_old(name)) {
            let mut state = usage.state();
            if state.own.len() >= KNOWN {
                state.own.clear();
            }
            state.own.insert(slot.names().to_vec());
        }
        Ok(())
    }
}
