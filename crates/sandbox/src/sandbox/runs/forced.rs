//! Forced undo: restores every entry that it can, whatever other programs did to the tree after the run.
//!
//! A backup is restored to its path, and missing parent directories are created. An entry that occupies the path is
//! displaced to the backup store, so that a redo restores it. Nothing else is removed: an entry that the run created
//! and another program changed stays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Kind;
use super::super::handles::state::State;
use super::below::visit_below;
use super::obstacles::{Conflict, GONE, Obstacle, Obstruction};
use super::origins::Origins;
use super::outcome::RunOutcome;
use super::reverse::{JournaledBackup, Reverser};
use super::rules::Admit;

/// An entry that occupied a path to restore and was moved to the backup store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// The path.
    pub path: Address,
    /// The backup of the entry, below `.ns`.
    pub kept: Address,
}

/// The state of a forced undo: the obstacles that it found, and what it did in addition to reversing steps.
pub(super) struct Forced<'a> {
    outcome: &'a RunOutcome,
    origins: Origins<'a>,
    admit: &'a Admit<'a>,
    /// Paths at which an entry is displaced when the original entry is restored, with the reason for each.
    in_the_way: BTreeMap<Address, String>,
    /// Directories that this undo created as parents of restored entries.
    remade: BTreeSet<Address>,
    /// Paths of entries that cannot be reversed or moved back because they no longer exist, with the reason for each.
    gone: BTreeMap<Address, String>,
    displaced: Vec<Displaced>,
}

/// The result of comparing a path with the entry that a step left there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The entry as the step left it, or an unchanged copy.
    AsLeft,
    /// A directory that this undo created.
    Remade,
    Nothing,
    SomethingElse,
}

impl<'a> Forced<'a> {
    /// Creates the state from the obstacles that the undo can overcome.
    pub fn new(
        history: &'a History,
        outcome: &'a RunOutcome,
        passable: Vec<Obstacle>,
        admit: &'a Admit<'a>,
    ) -> Forced<'a> {
        let in_the_way = passable.into_iter().filter(|obstacle| obstacle.is == Obstruction::InTheWay);
        Forced {
            outcome,
            origins: Origins::of(history),
            admit,
            in_the_way: in_the_way.map(|it| (it.conflict.path, it.conflict.reason)).collect(),
            remade: BTreeSet::new(),
            gone: BTreeMap::new(),
            displaced: Vec::new(),
        }
    }

    /// Returns the displaced entries, and a conflict for each entry that could not be restored because it no longer
    /// exists. An entry that the run created and that is gone is no conflict: the path is as it was before the run.
    pub fn end(self, roots: Roots<'_>) -> (Vec<Displaced>, Vec<Conflict>) {
        let places = &self.outcome.places;
        let is_back = |path: &Address| {
            let place = places.get(path)?;
            let origin = place.from.as_ref().or(place.replaced.as_ref()).unwrap_or(path);
            Some(match (&places.get(origin)?.was, roots.state(origin).ok()?) {
                (Some(was), Some(there)) => there.is_kept_as(was),
                (was, there) => was.is_none() && there.is_none(),
            })
        };
        let is_displaced = |path: &Address| self.displaced.iter().any(|it| *path == it.path || path.is_below(&it.path));
        let is_free = |path: &Address| matches!(roots.state(path), Ok(None));
        let is_settled = |path: &Address| is_displaced(path) || is_free(path) && is_back(path) == Some(true);
        let gone = self.gone.into_iter().filter(|(path, _)| !is_settled(path));
        let gone = gone.map(|(path, reason)| Conflict { path, reason }).collect();
        (self.displaced, gone)
    }

    /// Whether the entry at a path will be displaced, alone or with a directory above it.
    fn is_displaced_later(&self, path: &Address) -> bool {
        path.ancestors().any(|above| self.in_the_way.contains_key(&above))
    }

    /// Records that the entry to reverse no longer exists: at the path of the step's result, and at the path that it had
    /// before the run. Returns an error if another entry is there, unless that one may be displaced.
    fn miss(&mut self, taken: &JournaledStep, found: Found) -> Result<bool, SandboxError> {
        let path = taken.step.destination();
        let reason = match found {
            Found::SomethingElse => self.in_the_way.get(path).cloned(),
            _ => Some(GONE.to_owned()),
        };
        let reason = reason.ok_or_else(|| SandboxError::Changed(path.display().into_owned()))?;
        self.gone.insert(path.clone(), reason);
        if let Some(origin) = self.origins.path_before(taken).filter(|origin| origin != path) {
            let moved = || format!("it was moved to `{}`, where it is no longer", path.display());
            self.gone.entry(origin).or_insert_with(moved);
        }
        Ok(false)
    }
}

impl Reverser<'_, '_> {
    /// Reverses a step as far as possible. Returns whether anything was changed.
    pub(super) fn reverse_by_force(
        &mut self,
        taken: &JournaledStep,
        forced: &mut Forced<'_>,
    ) -> Result<bool, SandboxError> {
        let StepOutcome::Done { now, .. } = &taken.fate else { return Ok(false) };
        let path = taken.step.path();
        let found = self.find(taken.step.destination(), now.as_ref(), forced)?;
        match &taken.step {
            Step::Put { is_empty: true, .. } | Step::MakeFolder { .. } => self.reverse_folder(taken, found, forced),
            Step::Put { .. } => self.reverse_put(taken, found, forced),
            Step::Take { kept, old, .. } => {
                self.bring_back(path, JournaledBackup { kept, old: Some(old) }, None, forced)
            }
            Step::Move { .. } => self.reverse_move(taken, found, forced),
            // The directory exists again.
            Step::RemoveFolder { .. } if self.is_folder(path)? => Ok(false),
            Step::RemoveFolder { .. } => {
                self.make_way(path, forced)?;
                self.reverse(taken).map(|()| true)
            }
            Step::SetMode { old, .. } | Step::SetModified { old, .. } => match (found, now) {
                (Found::Nothing, _) => forced.miss(taken, found),
                (Found::SomethingElse, Some(now)) if !self.is_same_thing(path, now)? => forced.miss(taken, found),
                _ if matches!(taken.step, Step::SetModified { .. }) => self.restore_modified(path, old).map(|()| true),
                _ => self.roots.place(path)?.restore_permissions(old.mode, self.change).map(|()| true),
            },
            Step::Draft { .. } | Step::Temporary { .. } => Ok(false),
        }
    }

    fn reverse_put(
        &mut self,
        taken: &JournaledStep,
        found: Found,
        forced: &mut Forced<'_>,
    ) -> Result<bool, SandboxError> {
        let (Step::Put { path, kept, from, old, .. }, StepOutcome::Done { kept: has_kept, .. }) =
            (&taken.step, &taken.fate)
        else {
            return Ok(false);
        };
        let backup = kept.as_ref().filter(|_| *has_kept).map(|kept| JournaledBackup { kept, old: old.as_ref() });
        let from = from.as_ref().map(|(from, _)| from);
        match (found, backup) {
            // The directory contains changes by another program.
            (Found::AsLeft, None) if forced.in_the_way.contains_key(path) => self.make_way(path, forced).map(|()| true),
            (Found::AsLeft, _) if !forced.in_the_way.contains_key(path) => self.reverse(taken).map(|()| true),
            (Found::Remade, backup) => {
                self.take(path, None)?;
                backup.map_or(Ok(true), |backup| self.bring_back(path, backup, from, forced))
            }
            (_, Some(backup)) => self.bring_back(path, backup, from, forced),
            (found, None) => forced.miss(taken, found),
        }
    }

    fn reverse_move(
        &mut self,
        taken: &JournaledStep,
        found: Found,
        forced: &mut Forced<'_>,
    ) -> Result<bool, SandboxError> {
        if matches!(found, Found::Nothing | Found::SomethingElse) {
            return forced.miss(taken, found);
        }
        let (path, to) = (taken.step.path(), taken.step.destination());
        self.make_way(path, forced)?;
        self.move_back(path, to)?;
        forced.gone.remove(path);
        // The original directory is gone; only the entries that this undo restored moved back.
        if found == Found::Remade {
            forced.gone.insert(to.clone(), GONE.to_owned());
        }
        Ok(true)
    }

    fn reverse_folder(
        &mut self,
        taken: &JournaledStep,
        found: Found,
        forced: &mut Forced<'_>,
    ) -> Result<bool, SandboxError> {
        let path = taken.step.path();
        if matches!(found, Found::Nothing | Found::SomethingElse) {
            return forced.miss(taken, found);
        }
        match self.reverse(taken) {
            // It is displaced later, together with its entries: by itself, or with a directory above it.
            Err(SandboxError::NotEmpty(_)) if forced.is_displaced_later(path) => Ok(false),
            other => other.map(|()| true),
        }
    }

    fn is_folder(&self, path: &Address) -> Result<bool, SandboxError> {
        Ok(self.roots.state(path)?.is_some_and(|there| there.kind == Kind::Folder))
    }

    /// Compares a path with the entry that a step left there.
    fn find(&self, path: &Address, left: Option<&State>, forced: &Forced<'_>) -> Result<Found, SandboxError> {
        Ok(match self.roots.state(path)? {
            None => Found::Nothing,
            Some(_) if forced.remade.contains(path) => Found::Remade,
            Some(now) if left.is_none_or(|left| self.is_still(path, left, &now)) => Found::AsLeft,
            Some(_) => Found::SomethingElse,
        })
    }

    /// Whether the entry at a path is the one that a step left there, changed or not.
    fn is_same_thing(&self, path: &Address, left: &State) -> Result<bool, SandboxError> {
        let now = self.roots.state(path)?;
        Ok(now.is_some_and(|now| (now.kind, now.inode) == (left.kind, left.inode)))
    }

    /// Restores a backup to its original path. An entry that occupies the path is displaced.
    fn bring_back(
        &mut self,
        path: &Address,
        backup: JournaledBackup<'_>,
        from: Option<&Address>,
        forced: &mut Forced<'_>,
    ) -> Result<bool, SandboxError> {
        self.kept_entry(backup)?;
        let is_exchanged = self.roots.state(path)?.is_some_and(|there| matches!(there.kind, Kind::File | Kind::Link));
        if is_exchanged && forced.in_the_way.contains_key(path) {
            // The exchange is atomic, so that the name always exists.
            let displaced = self.put_kept(path, backup, from)?;
            forced.in_the_way.remove(path);
            forced.displaced.extend(displaced.map(|kept| Displaced { path: path.clone(), kept }));
        } else {
            self.make_way(path, forced)?;
            self.put_kept(path, backup, from)?;
        }
        forced.gone.remove(path);
        Ok(true)
    }

    /// Displaces the entry at a path, or creates missing parent directories. Returns an error if the entry must stay.
    fn make_way(&mut self, path: &Address, forced: &mut Forced<'_>) -> Result<(), SandboxError> {
        let Some(there) = self.roots.state(path)? else { return self.make_folders_above(path, forced) };
        if !forced.in_the_way.contains_key(path) {
            return Err(SandboxError::Changed(path.display().into_owned()));
        }
        match there.kind {
            Kind::Special => return Err(SandboxError::Special(path.display().into_owned())),
            Kind::Folder => self.admit_below(path, forced.admit)?,
            Kind::File | Kind::Link => {}
        }
        let kept = self.set_aside(path)?;
        forced.in_the_way.remove(path);
        forced.displaced.push(Displaced { path: path.clone(), kept });
        Ok(())
    }

    fn make_folders_above(&mut self, path: &Address, forced: &mut Forced<'_>) -> Result<(), SandboxError> {
        let mut missing = Vec::new();
        let mut above = path.parent();
        loop {
            match self.roots.state(&above)? {
                None => missing.push(above.clone()),
                Some(there) if there.kind == Kind::Folder => break,
                Some(_) => return Err(SandboxError::NotAFolder(above.display().into_owned())),
            }
            above = above.parent();
        }
        for folder in missing.into_iter().rev() {
            (forced.admit)(&folder, true).map_err(SandboxError::Refused)?;
            self.roots.place(&folder)?.create_folder(self.change)?;
            forced.remade.insert(folder);
        }
        Ok(())
    }

    /// Returns an error if the policy refuses to change an entry in a directory, at any depth.
    fn admit_below(&mut self, path: &Address, admit: &Admit<'_>) -> Result<(), SandboxError> {
        let folder = self.roots.place(path)?.open_folder()?;
        let meter = &mut *self.meter;
        let refused = visit_below(folder, path, |address, metadata| {
            let polled = meter.poll().map_err(SandboxError::from);
            let admitted = || admit(address, metadata.kind == Kind::Folder).map_err(SandboxError::Refused);
            match polled.and_then(|()| admitted()) {
                Ok(()) => ControlFlow::Continue(true),
                Err(error) => ControlFlow::Break(error),
            }
        });
        refused.map_err(|error| SandboxError::io(path.display(), &error))?.map_or(Ok(()), Err)
    }
}

/// Adds the path of the backup, if it exists, to the reason of each conflict.
pub(super) fn name_kept(conflicts: &mut [Conflict], outcome: &RunOutcome, roots: Roots<'_>) {
    for Conflict { path, reason } in conflicts {
        let kept = outcome.places.get(path).and_then(|place| place.kept.as_ref());
        let Some(kept) = kept.filter(|kept| !reason.contains(&*kept.display())) else { continue };
        if matches!(roots.kept(kept), Ok(Some(_))) {
            reason.push_str(&format!("; what was there before the run is kept as `{}`", kept.display()));
        }
    }
}
