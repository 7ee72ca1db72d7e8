//! The order in which a plan removes, creates, restores and moves entries.
//!
//! Each operation waits until its path is free and the directory above it is the final one. If all of them wait, one
//! of the entries to move gets a temporary name, so that the others can proceed.

use std::collections::BTreeSet;

use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Kind;
use super::super::handles::staging::random_name;
use super::super::handles::state::State;
use super::super::runs::Conflict;
use super::apply::{Application, ApplyError};
use super::{Plan, PlanAction, PlannedChange};

/// Operations still to do before files can be put in place.
#[derive(Default)]
struct Pending<'p> {
    goes: Vec<&'p PlannedChange>,
    /// Directories to create or restore and entries to move, with the source of each move.
    comes: Vec<(Option<Address>, &'p PlannedChange)>,
}

impl<'p> Pending<'p> {
    fn of(plan: &'p Plan) -> Pending<'p> {
        let is_folder = |state: &Option<State>| state.as_ref().is_some_and(|state| state.kind == Kind::Folder);
        let mut pending = Pending::default();
        for change in &plan.changes {
            // A file replaces another one in a single step.
            let is_exchanged = change.content.is_some() && !is_folder(&change.was);
            if change.change != PlanAction::Mode && change.was.is_some() && !is_exchanged {
                pending.goes.push(change);
            }
            match (change.change, &change.from) {
                (PlanAction::Created | PlanAction::Changed, _) if is_folder(&change.now) => {
                    pending.comes.push((None, change))
                }
                (PlanAction::Moved, Some((from, _))) => pending.comes.push((Some(from.clone()), change)),
                (PlanAction::Restored, _) if is_folder(&change.now) => pending.comes.push((None, change)),
                _ => {}
            }
        }
        // Directories come before their entries.
        pending.comes.sort_by(|(_, one), (_, other)| one.path.cmp(&other.path));
        pending
    }

    /// Returns each operation, with what it waits for.
    fn contradictions(&self) -> Vec<Conflict> {
        let goes = self
            .goes
            .iter()
            .map(|change| (&change.path, "it would be removed, with an entry that is moved".to_owned()));
        let comes = self.comes.iter().map(|(from, change)| {
            let reason = match from {
                Some(from) => format!(
                    "`{}` would be moved there, where its directory is missing or something stays",
                    from.display()
                ),
                None => "it would be created where its directory is missing or something stays".to_owned(),
            };
            (&change.path, reason)
        });
        goes.chain(comes).map(|(path, reason)| Conflict { path: path.clone(), reason }).collect()
    }

    fn len(&self) -> usize {
        self.goes.len() + self.comes.len()
    }
}

/// Paths that are not yet in their final state.
struct Unsettled {
    /// Paths to which an entry will come.
    coming: BTreeSet<Address>,
    /// Paths from which the entry will be removed or moved away.
    leaving: BTreeSet<Address>,
}

impl Unsettled {
    fn of(doing: &Application<'_, '_, '_>, pending: &Pending<'_>) -> Unsettled {
        let going = pending.goes.iter().map(|change| doing.place_of(change));
        let moving = pending.comes.iter().filter_map(|(from, _)| from.as_ref()).map(|from| doing.current(from));
        Unsettled {
            coming: pending.comes.iter().map(|(_, change)| change.path.clone()).collect(),
            leaving: going.chain(moving).collect(),
        }
    }

    /// Whether an ancestor of `path` will be replaced.
    fn is_above(&self, path: &Address) -> bool {
        let above = std::iter::successors(Some(path.parent()), |address| {
            let parent = address.parent();
            (parent != *address).then_some(parent)
        });
        above.into_iter().any(|address| self.coming.contains(&address) || self.leaving.contains(&address))
    }

    /// Updates the paths after an entry was moved with everything in it.
    fn moved(&mut self, from: &Address, to: &Address) {
        self.leaving.remove(from);
        let inside: Vec<Address> = self.leaving.iter().filter(|address| address.is_below(from)).cloned().collect();
        for address in inside {
            self.leaving.remove(&address);
            self.leaving.insert(address.moved(from, to));
        }
    }
}

impl Application<'_, '_, '_> {
    /// Returns the current path of an entry that was at `address` before the plan.
    fn current(&self, address: &Address) -> Address {
        self.moved.iter().fold(address.clone(), |address, (from, to)| {
            if address == *from {
                to.clone()
            } else if address.is_below(from) {
                address.moved(from, to)
            } else {
                address
            }
        })
    }

    /// Returns the current path of the entry that a change replaces or removes. In a tree that the plan restores, the
    /// entry comes with the copy of the backup, which is made at its final path.
    fn place_of(&self, change: &PlannedChange) -> Address {
        if self.is_restored(change) { change.path.clone() } else { self.current(change.place()) }
    }

    /// Whether the entry that a change replaces or removes is in a tree that the plan restores.
    fn is_restored(&self, change: &PlannedChange) -> bool {
        self.reverser.roots.is_kept(change.place())
    }

    /// Removes entries, creates and restores directories, and moves entries.
    pub(super) fn arrange(&mut self) -> Result<(), ApplyError> {
        let mut pending = Pending::of(self.plan);
        while pending.len() > 0 {
            let before = pending.len();
            self.let_go(&mut pending)?;
            self.let_come(&mut pending)?;
            if pending.len() == before {
                self.set_aside(&pending)?;
            }
        }
        Ok(())
    }

    /// Removes the entries to remove, except directories that still contain an entry to move, and entries of a tree
    /// that is not restored yet.
    fn let_go(&mut self, pending: &mut Pending<'_>) -> Result<(), SandboxError> {
        for change in std::mem::take(&mut pending.goes) {
            self.reverser.meter.poll()?;
            let place = self.place_of(change);
            let mut moves = pending.comes.iter().filter_map(|(from, _)| from.as_ref());
            let is_awaited = self.is_restored(change) && pending.comes.iter().any(|(_, it)| place.is_below(&it.path));
            if is_awaited || moves.any(|from| self.current(from).is_below(&place)) {
                pending.goes.push(change)
            } else {
                self.reverser.take(&place, None)?
            }
        }
        Ok(())
    }

    /// Creates or restores directories and moves entries whose paths are ready.
    fn let_come(&mut self, pending: &mut Pending<'_>) -> Result<(), SandboxError> {
        let mut unsettled = Unsettled::of(self, pending);
        for (from, change) in std::mem::take(&mut pending.comes) {
            self.reverser.meter.poll()?;
            if unsettled.is_above(&change.path) || !self.is_free(&change.path)? {
                pending.comes.push((from, change));
                continue;
            }
            match &from {
                Some(from) => {
                    let from = self.current(from);
                    self.shift(&from, &change.path)?;
                    unsettled.moved(&from, &change.path);
                }
                None if change.change == PlanAction::Restored => self.restore(change)?,
                None => self.make(change)?,
            }
            unsettled.coming.remove(&change.path);
        }
        Ok(())
    }

    fn shift(&mut self, from: &Address, to: &Address) -> Result<(), SandboxError> {
        self.reverser.move_back(to, from)?;
        self.moved.push((from.clone(), to.clone()));
        Ok(())
    }

    fn make(&self, change: &PlannedChange) -> Result<(), SandboxError> {
        let Some(now) = &change.now else { return Ok(()) };
        let like = State { modified: change.modified, ..now.clone() };
        let place = self.reverser.roots.place(&change.path)?;
        place.create_folder_like(&like, self.reverser.change)?;
        if change.owner.is_none() {
            return Ok(());
        }
        let given = place.open_folder()?.as_file().and_then(|folder| self.give(change, &folder));
        given.map_err(|error| SandboxError::io(change.path.display(), &error))
    }

    /// Whether nothing exists at `path` and its directory exists.
    fn is_free(&self, path: &Address) -> Result<bool, SandboxError> {
        let roots = self.reverser.roots;
        let has_folder = roots.state(&path.parent())?.is_some_and(|state| state.kind == Kind::Folder);
        Ok(has_folder && roots.state(path)?.is_none())
    }

    /// Moves an entry to a temporary name if another operation waits for its path.
    fn set_aside(&mut self, pending: &Pending<'_>) -> Result<(), ApplyError> {
        let is_aside = |from: &Address| self.set_aside.contains(from);
        let moves = pending.comes.iter().filter_map(|(from, _)| from.clone());
        let Some(from) = moves.into_iter().find(|from| !is_aside(from)) else {
            return Err(ApplyError::Contradiction(pending.contradictions()));
        };
        let now_at = self.current(&from);
        let leaving: Vec<Address> = pending.goes.iter().map(|change| self.place_of(change)).collect();
        // Choose a directory outside those to be removed, so as not to block their removal.
        let mut folder = now_at.parent();
        while leaving.iter().any(|place| folder == *place || folder.is_below(place)) {
            folder = folder.parent();
        }
        let aside = folder.join(&random_name());
        self.set_aside.insert(from);
        Ok(self.shift(&now_at, &aside)?)
    }
}
