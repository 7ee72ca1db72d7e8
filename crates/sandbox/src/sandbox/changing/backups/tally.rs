//! The result of a sweep.

use std::ffi::{OsStr, OsString};

use super::super::super::handles::error::SandboxError;
use super::{BackupKind, shown_below};

/// Maximum number of removed entries, and of errors, to list individually.
const NAMED: usize = 1_000;

/// A number of entries and their total size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of entries.
    pub things: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Retained and removed entries of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries that are retained.
    pub kept: Amount,
    /// Entries that are removed.
    pub gone: Amount,
}

/// A removed entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reclaimed {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The reason for its removal.
    pub why: ReclaimReason,
}

/// Why an entry is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReclaimReason {
    /// No retained run needs it, and everything not needed was to be removed.
    Unneeded,
    /// There are too many, of one file or in total.
    Many,
    /// It is too old.
    Old,
    /// The total size exceeds its limit.
    Large,
    /// It was never finished, and no run is using it.
    Unfinished,
    /// This user's key did not seal it for this root.
    Foreign,
}

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct SweepReport {
    /// Earlier content of files.
    pub backups: Tally,
    /// Deleted entries.
    pub trash: Tally,
    /// Journals of runs.
    pub journals: Tally,
    /// Leftovers of unfinished work.
    pub unfinished: Tally,
    /// Entries that this user's key did not seal for this root.
    pub foreign: Tally,
    /// The first removed entries.
    pub named: Vec<Reclaimed>,
    /// Unexpected entries, which are left alone.
    pub flaws: Vec<SandboxError>,
    /// Errors from removals that failed.
    pub failures: Vec<SandboxError>,
    /// Whether the byte limit may require another sweep.
    pub is_cut: bool,
}

impl Amount {
    /// Adds an entry.
    pub fn add(&mut self, bytes: u64) {
        self.things += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn remove(&mut self, bytes: u64) {
        self.things = self.things.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn add_all(&mut self, other: Amount) {
        self.things += other.things;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl SweepReport {
    /// Returns the total size of retained backups and deleted entries in bytes.
    pub fn kept_bytes(&self) -> u64 {
        self.backups.kept.bytes.saturating_add(self.trash.kept.bytes)
    }

    /// Returns the total of removed entries of all kinds.
    pub fn reclaimed(&self) -> Amount {
        let mut sum = Amount::default();
        [self.backups, self.trash, self.journals, self.unfinished, self.foreign]
            .iter()
            .for_each(|tally| sum.add_all(tally.gone));
        sum
    }

    /// Counts a retained backup; `names` are its directories from `.ns`.
    pub(super) fn stays(&mut self, names: &[OsString], size: u64) {
        self.of(names).kept.add(size);
    }

    /// Takes back the count of a retained backup that is now to be removed.
    pub(super) fn reconsiders(&mut self, names: &[OsString], size: u64) {
        self.of(names).kept.remove(size);
    }

    /// Counts and lists a removed backup.
    pub(super) fn add_reclaimed(&mut self, names: &[OsString], name: &OsStr, bytes: u64, why: ReclaimReason) {
        self.of(names).gone.add(bytes);
        self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, why);
    }

    /// Counts a foreign entry, as removed if `is_handled`.
    pub(in crate::sandbox) fn meets_foreign(&mut self, names: &[OsString], name: &OsStr, bytes: u64, is_handled: bool) {
        if is_handled {
            self.foreign.gone.add(bytes);
            self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, ReclaimReason::Foreign);
        } else {
            self.foreign.kept.add(bytes);
        }
    }

    /// Counts and lists a removed leftover.
    pub(in crate::sandbox) fn sweeps(&mut self, names: &[OsString], name: &OsStr, bytes: u64) {
        self.unfinished.gone.add(bytes);
        self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, ReclaimReason::Unfinished);
    }

    /// Lists a removed entry.
    pub(in crate::sandbox) fn name(&mut self, path: String, bytes: u64, why: ReclaimReason) {
        if self.named.len() < NAMED {
            self.named.push(Reclaimed { path, bytes, why });
        }
    }

    /// Reports an unexpected entry.
    pub(in crate::sandbox) fn flaw(&mut self, error: SandboxError) {
        if self.flaws.len() < NAMED {
            self.flaws.push(error);
        }
    }

    /// Reports a removal that failed.
    pub(in crate::sandbox) fn fails(&mut self, error: SandboxError) {
        if self.failures.len() < NAMED {
            self.failures.push(error);
        }
    }

    /// Adds the result of a sweep of another root.
    pub(in crate::sandbox) fn add(&mut self, other: SweepReport) {
        for (own, other) in self.sorts(&other) {
            own.kept.add_all(other.kept);
            own.gone.add_all(other.gone);
        }
        self.is_cut |= other.is_cut;
        other.named.into_iter().for_each(|Reclaimed { path, bytes, why }| self.name(path, bytes, why));
        other.flaws.into_iter().for_each(|flaw| self.flaw(flaw));
        other.failures.into_iter().for_each(|failure| self.fails(failure));
    }

    /// Adds the result of a later sweep of the same root.
    pub(in crate::sandbox) fn go_on(&mut self, later: SweepReport) {
        for (own, later) in self.sorts(&later) {
            own.kept = later.kept;
            own.gone.add_all(later.gone);
        }
        self.is_cut = later.is_cut;
        later.named.into_iter().for_each(|Reclaimed { path, bytes, why }| self.name(path, bytes, why));
    }

    fn sorts(&mut self, other: &SweepReport) -> [(&mut Tally, Tally); 5] {
        [
            (&mut self.backups, other.backups),
            (&mut self.trash, other.trash),
            (&mut self.journals, other.journals),
            (&mut self.unfinished, other.unfinished),
            (&mut self.foreign, other.foreign),
        ]
    }

    fn of(&mut self, names: &[OsString]) -> &mut Tally {
        if names.first().is_some_and(|name| name == BackupKind::Trash.name()) {
            &mut self.trash
        } else {
            &mut self.backups
        }
    }
}
