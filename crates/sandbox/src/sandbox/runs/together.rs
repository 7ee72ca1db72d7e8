//! Reversal of steps that do not depend on each other: moves, and entries that were replaced, created or removed. Each
//! reversal is journaled before the first is carried out, so that their records are synced once instead of one after
//! another. The names are made durable once too, after the last of them.
//!
//! Killed in between, the run has records of steps that were not carried out. Recovery tells them by the entries, as it
//! does for the one step that a killed run may have begun otherwise.

use std::collections::BTreeSet;

use crate::limits::Meter;

use super::super::changing::backups::{BackupKind, BackupStore, StoreLock, SyncedFolders};
use super::super::changing::change::{PendingRenaming, Renaming};
use super::super::changing::exchange::{Exchange, Exchanged, PendingExchange};
use super::super::changing::journal::history::{JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::changing::remove::{PendingRemoval, Removal, Removed};
use super::super::changing::restore::{PendingPutBack, PutBack};
use super::super::changing::write::spare_files;
use super::super::handles::address::{Address, holder};
use super::super::handles::error::{RenameError, SandboxError};
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::reverse::{JournaledBackup, Reverser, WITH_CONTENTS};

/// Maximum number of directories that the steps of a group keep open.
const HELD: u64 = 256;
/// Maximum number of directories that a move keeps open.
const HELD_BY_MOVE: u64 = 2;
/// Maximum number of directories that the reversal of another step keeps open: of the entry, of its backup, and two for
/// the backup of the entry that is there.
const HELD_BY_OTHERS: u64 = 4;

/// A step and the way in which it is reversed.
struct WayBack<'s> {
    taken: &'s JournaledStep,
    /// The path of the entry now, or where it comes back.
    place: SandboxPath,
    action: Action<'s>,
}

/// The way in which a step is reversed.
enum Action<'s> {
    /// The entry moves back.
    Move { path: &'s Address, to: &'s Address, before: SandboxPath, metadata: Metadata },
    /// A backup takes the place of the entry, which gets a backup of its own: `from` if it came from there.
    Exchange { backup: Backup<'s>, from: Option<&'s Address> },
    /// A backup goes to where nothing is.
    PutBack { backup: Backup<'s> },
    /// The entry, which the step created, goes to the backup store: to `from` if it came from there.
    Remove { from: Option<&'s Address> },
}

/// A backup to restore.
struct Backup<'s> {
    kept: &'s Address,
    entry: SandboxPath,
    metadata: Metadata,
    /// Whether it is a copy of the entry that was backed up.
    is_copy: bool,
}

/// A reversal that is in the journal.
enum Pending<'p> {
    Move(PendingRenaming<'p>),
    Exchange(Box<PendingExchange<'p>>),
    PutBack(PendingPutBack<'p>),
    Remove(Box<PendingRemoval<'p>>),
}

/// A reversal that was carried out.
enum CarriedOut<'p> {
    /// Its step is marked as done.
    Done(Result<(), RenameError>),
    /// Its names may not be durable.
    Exchanged(Box<Exchanged<'p>>),
    Removed(Box<Removed<'p>>),
}

/// Returns the paths that the reversal of a step concerns, and how many directories it keeps open. Returns `None` for
/// steps that are reversed alone.
fn concerned(taken: &JournaledStep) -> Option<(Vec<&Address>, u64)> {
    let StepOutcome::Done { kept: has_kept, now, .. } = &taken.fate else { return None };
    let is_leaf = |state: &State| matches!(state.kind, Kind::File | Kind::Link);
    match &taken.step {
        Step::Move { path, to, .. } => Some((vec![path, to], HELD_BY_MOVE)),
        Step::Put { path, kept, from, old, is_empty: false, .. } => {
            let are_leaves = now.as_ref().is_some_and(is_leaf) && old.as_ref().is_none_or(is_leaf);
            let from = from.as_ref().map(|(from, _)| from);
            let paths = [Some(path), kept.as_ref().filter(|_| *has_kept), from].into_iter().flatten().collect();
            are_leaves.then_some((paths, HELD_BY_OTHERS))
        }
        Step::Take { path, old, kept, .. } => is_leaf(old).then(|| (vec![path, kept], HELD_BY_OTHERS)),
        _ => None,
    }
}

/// Returns the steps with which these begin and that can be reversed together: up to the first one that is reversed
/// alone or concerns an entry, a directory above it or an entry below it that another of them concerns.
fn independent<'s>(steps: &[&'s JournaledStep]) -> Vec<&'s JournaledStep> {
    let (mut entries, mut above) = (BTreeSet::new(), BTreeSet::new());
    let mut together = Vec::new();
    let mut spare = spare_files().min(HELD);
    for taken in steps {
        let Some((addresses, held)) = concerned(taken) else { break };
        let Some(rest) = spare.checked_sub(held) else { break };
        spare = rest;
        if addresses.iter().any(|address| holder(&entries, address).is_some() || above.contains(*address)) {
            break;
        }
        for address in addresses {
            above.extend(address.ancestors().skip(1));
            entries.insert(address.clone());
        }
        together.push(*taken);
    }
    together
}

impl Reverser<'_, '_> {
    /// Reverses the first of these steps, and with it those that follow, as far as none depends on another: their
    /// records are synced together. Returns the result of each.
    pub fn reverse_next(&mut self, steps: &[&JournaledStep]) -> Vec<Result<(), SandboxError>> {
        let steps_together = independent(steps);
        if steps_together.len() > 1
            && let Some(results) = self.reverse_together(&steps_together)
        {
            return results;
        }
        steps[..steps_together.len().max(1)].iter().map(|taken| self.reverse_alone(taken)).collect()
    }

    fn reverse_alone(&mut self, taken: &JournaledStep) -> Result<(), SandboxError> {
        self.cancel_out(taken.number);
        self.reverse(taken)
    }

    /// Reverses steps that do not depend on each other, and returns the result of each. Returns `None` if one of them
    /// cannot be begun: nothing is changed then, and each that is reversed alone tells why.
    fn reverse_together(&mut self, steps: &[&JournaledStep]) -> Option<Vec<Result<(), SandboxError>>> {
        let ways = self.ways_back(steps).ok()?;
        let store = self.common_store(&ways).ok()?;
        // It is held until the last step is carried out, so that no other run comes between.
        let locked = match store {
            Some(store) => Some((store, store.lock(self.meter, self.change.own()).ok()?)),
            None => None,
        };
        let change = self.change;
        let begun = change.begin_together(|| {
            let mut pending = Vec::with_capacity(ways.len());
            for way in &ways {
                self.cancel_out(way.taken.number);
                pending.push(self.begin(way, locked.as_ref())?);
            }
            Ok(pending)
        });
        let mut carried_out = Vec::with_capacity(ways.len());
        for (way, pending) in ways.iter().zip(begun.ok()?) {
            self.cancel_out(way.taken.number);
            carried_out.push(pending.carry_out());
        }
        let (mut results, mut synced) = (Vec::with_capacity(ways.len()), SyncedFolders::new());
        for (way, carried_out) in ways.iter().zip(carried_out) {
            self.cancel_out(way.taken.number);
            results.push(carried_out.finish(self.meter, &mut synced));
        }
        drop(locked);
        Some(ways.into_iter().zip(results).map(|(way, result)| self.settle(way, result)).collect())
    }
}

impl<'a, 'c> Reverser<'a, 'c> {
    /// Returns the ways back of steps whose entries are as the steps left them. Errors: if one is not.
    fn ways_back<'s>(&self, steps: &[&'s JournaledStep]) -> Result<Vec<WayBack<'s>>, SandboxError> {
        let mut ways: Vec<WayBack<'s>> = Vec::with_capacity(steps.len());
        for taken in steps {
            let mut way = self.way_back(taken)?;
            if let Some(last) = ways.last() {
                way.share_folders(last);
            }
            ways.push(way);
        }
        Ok(ways)
    }

    fn way_back<'s>(&self, taken: &'s JournaledStep) -> Result<WayBack<'s>, SandboxError> {
        let StepOutcome::Done { kept: has_kept, now, .. } = &taken.fate else { return Err(changed(taken)) };
        let now = now.as_ref();
        let (place, action) = match &taken.step {
            Step::Move { path, to, .. } => {
                let (place, metadata) = self.left_at(to, now)?;
                (place, Action::Move { path, to, before: self.roots.place(path)?, metadata })
            }
            Step::Put { path, kept, from, old, .. } => {
                let (place, _) = self.left_at(path, now)?;
                let from = from.as_ref().map(|(from, _)| from);
                let action = match kept.as_ref().filter(|_| *has_kept) {
                    Some(kept) => Action::Exchange { backup: self.backup(kept, old.as_ref())?, from },
                    None => Action::Remove { from },
                };
                (place, action)
            }
            Step::Take { path, kept, old, .. } => {
                let place = self.roots.place(path)?;
                if !matches!(place.metadata(), Err(SandboxError::NotFound(_))) {
                    return Err(changed(taken));
                }
                (place, Action::PutBack { backup: self.backup(kept, Some(old))? })
            }
            _ => return Err(changed(taken)),
        };
        Ok(WayBack { taken, place, action })
    }

    /// Returns the path and the metadata of an entry. Errors: unless it is as a step left it.
    fn left_at(&self, path: &Address, left: Option<&State>) -> Result<(SandboxPath, Metadata), SandboxError> {
        let place = self.roots.place(path)?;
        let metadata = place.metadata()?;
        if left.is_none_or(|left| self.is_still(path, left, &State::of(&metadata))) {
            Ok((place, metadata))
        } else {
            Err(SandboxError::Changed(path.display().into_owned()))
        }
    }

    fn backup<'s>(&self, kept: &'s Address, old: Option<&State>) -> Result<Backup<'s>, SandboxError> {
        let (entry, metadata) = self.kept_entry(JournaledBackup { kept, old })?;
        let is_copy = old.is_some_and(|old| metadata.identity.inode != old.inode);
        Ok(Backup { kept, entry, metadata, is_copy })
    }

    /// Returns the backup store to which these steps move entries, or `None` if they move none. Errors: if there are
    /// several.
    fn common_store(&self, ways: &[WayBack<'_>]) -> Result<Option<BackupStore<'a>>, SandboxError> {
        let mut common = None;
        for way in ways.iter().filter(|way| matches!(way.action, Action::Exchange { .. } | Action::Remove { .. })) {
            let root = self.roots.root_of(way.taken.step.path())?;
            if !std::ptr::eq(root, *common.get_or_insert(root)) {
                return Err(changed(way.taken));
            }
        }
        Ok(common.map(|root| BackupStore::new(root, self.retention)))
    }

    /// Journals a reversal.
    fn begin<'p>(
        &self,
        WayBack { place, action, .. }: &'p WayBack<'_>,
        locked: Option<&(BackupStore<'p>, StoreLock)>,
    ) -> Result<Pending<'p>, SandboxError>
    where
        'c: 'p,
    {
        let change = self.change;
        let store = || locked.expect("the store of such steps is locked");
        match action {
            Action::Move { before, metadata, .. } => {
                let renaming = Renaming { source: place, target: before, metadata: *metadata };
                renaming.begin(change).map(Pending::Move)
            }
            Action::Exchange { backup: Backup { kept, entry, metadata, .. }, from } => {
                let (store, locked) = store();
                let id = self.id_of(*store, BackupKind::Backups, *from)?;
                let exchange = Exchange { place, entry, kept, metadata: *metadata };
                exchange.begin(*store, locked, &id, change).map(Box::new).map(Pending::Exchange)
            }
            Action::PutBack { backup: Backup { kept, entry, .. } } => {
                let put_back = PutBack { entry, address: kept, place, folder: place.entry()?.0 };
                put_back.begin(change).map(Pending::PutBack)
            }
            Action::Remove { from } => {
                let (store, locked) = store();
                let id = self.id_of(*store, BackupKind::Trash, *from)?;
                let removal = Removal { place, options: WITH_CONTENTS, store: *store };
                removal.begin(locked, &id, change).map(Box::new).map(Pending::Remove)
            }
        }
    }

    /// Notes the reversal of a step. One that cannot be made by renaming, or for which there is no room, is made alone.
    fn settle(&mut self, way: WayBack<'_>, result: Result<(), RenameError>) -> Result<(), SandboxError> {
        let WayBack { taken, place, action } = way;
        self.cancel_out(taken.number);
        // Handles of directories are not held while a tree is copied.
        drop(place);
        let is_copy = match action {
            Action::Move { path, to, .. } => return self.moved_back(path, to, result),
            Action::Exchange { backup, .. } | Action::PutBack { backup } => backup.is_copy,
            Action::Remove { .. } => false,
        };
        match result {
            Err(RenameError::OtherDevice | RenameError::Sandbox(SandboxError::NoSpace(_))) => self.reverse(taken),
            Err(RenameError::Sandbox(error)) => Err(error),
            Ok(()) => {
                let path = taken.step.path();
                self.forget_copies(path);
                if is_copy {
                    self.copied.insert(path.clone());
                }
                Ok(())
            }
        }
    }
}

impl WayBack<'_> {
    /// Uses the handles of another way where both are in the same directories.
    fn share_folders(&mut self, other: &WayBack<'_>) {
        self.place.share_folder(&other.place);
        if let (Action::Move { before, .. }, Action::Move { before: other, .. }) = (&mut self.action, &other.action) {
            before.share_folder(other);
        }
    }
}

impl<'p> Pending<'p> {
    fn carry_out(self) -> CarriedOut<'p> {
        let (Ok(carried_out) | Err(carried_out)) = match self {
            Pending::Move(pending) => Ok(CarriedOut::Done(pending.carry_out())),
            Pending::PutBack(pending) => Ok(CarriedOut::Done(pending.carry_out())),
            Pending::Exchange(pending) => {
                pending.carry_out().map(Box::new).map(CarriedOut::Exchanged).map_err(CarriedOut::failed)
            }
            Pending::Remove(pending) => {
                pending.carry_out().map(Box::new).map(CarriedOut::Removed).map_err(CarriedOut::failed)
            }
        };
        carried_out
    }
}

impl CarriedOut<'_> {
    fn failed(error: RenameError) -> Self {
        CarriedOut::Done(Err(error))
    }

    /// Makes the names durable and marks the step as done.
    fn finish(self, meter: &Meter, synced: &mut SyncedFolders) -> Result<(), RenameError> {
        match self {
            CarriedOut::Done(result) => result,
            CarriedOut::Exchanged(exchanged) => Ok(exchanged.finish(synced).map(drop)?),
            CarriedOut::Removed(removed) => removed.finish(meter, synced).map(drop),
        }
    }
}

/// Returns the error of a step that is not reversed together with others.
fn changed(taken: &JournaledStep) -> SandboxError {
    SandboxError::Changed(taken.step.path().display().into_owned())
}
