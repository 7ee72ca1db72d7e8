//! Doing what a plan says: all of it, or nothing where the tree is no longer what it was made for.
//!
//! Things go, are moved and folders are made in any order that works; what two of them wait for from
//! each other gets a name of ours for a moment. Then files come into their places. It is one run, so a
//! failure on the way takes everything back, and `ns undo` does too.

use std::collections::BTreeSet;
use std::io;

use crate::limits::Meter;

use super::super::copy::Copying;
use super::super::error::SandboxError;
use super::super::journal::reverse::Reverser;
use super::super::journal::{Address, Begin, Change, Conflict, End, Journal, Roots, time};
use super::super::keep::{Keeper, Retention};
use super::super::metadata::Timestamp;
use super::super::take::Overwrite;
use super::check::{difference, refused};
use super::{Deed, Plan, PlannedChange};

/// What came of doing a plan.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The run that did it; none where there was nothing to do.
    pub by: Option<String>,
    /// How many changes were made.
    pub changes: usize,
}

/// Why a plan is not done.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The run that it is of would have failed.
    #[error("it is the plan of a run that failed")]
    Failed,
    /// It was made for another directory.
    #[error("it was made for another directory")]
    OtherRoot,
    /// It would change what it may not.
    #[error("the plan may not change {}", if .0.len() == 1 { "1 path".to_owned() } else { format!("{} paths", .0.len()) })]
    Refused(Vec<Conflict>),
    /// Places are no longer what they were.
    #[error("{} changed since the plan was made", if .0.len() == 1 { "1 path has".to_owned() } else { format!("{} paths have", .0.len()) })]
    MovedOn(Vec<Conflict>),
    /// Something went wrong on the way; what was done until then was taken back.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl Plan {
    /// Does what it says. `admit` says of an address, and whether a folder is or will be there, why nothing
    /// may be changed there.
    ///
    /// # Errors
    /// [`ApplyError`]; nothing is changed then.
    pub fn apply(
        &self,
        journal: &Journal,
        about: Begin,
        admit: &dyn Fn(&Address, bool) -> Result<(), String>,
        (roots, retention): (Roots<'_>, Retention),
        meter: &mut Meter,
    ) -> Result<Applied, ApplyError> {
        if self.about.failed {
            return Err(ApplyError::Failed);
        }
        if roots.state(&Address::from(""))?.is_none_or(|root| root.inode != self.about.root) {
            return Err(ApplyError::OtherRoot);
        }
        let is_sealed = self.is_of(roots.main);
        let refused = self.each(|change| refused(change, is_sealed, roots, admit));
        if !refused.is_empty() {
            return Err(ApplyError::Refused(refused));
        }
        let conflicts = self.conflicts(roots);
        if !conflicts.is_empty() {
            return Err(ApplyError::MovedOn(conflicts));
        }
        journal.announce(Begin { atomic: true, ..about });
        match self.do_all(journal, (roots, retention), meter) {
            Ok(()) => {
                // The run has as many changes as the plan, however many steps those took.
                journal.count(self.changes.len());
                Ok(Applied { by: journal.end(End::Done)?.map(|ended| ended.run), changes: self.changes.len() })
            }
            Err(error) => {
                journal.roll_back((roots, retention), 1, &mut Meter::unlimited())?;
                journal.end(End::TakenBack)?;
                Err(error.into())
            }
        }
    }

    /// The changes for which there is a reason not to make them.
    fn each(&self, reason: impl Fn(&PlannedChange) -> Option<String>) -> Vec<Conflict> {
        let conflict = |change: &PlannedChange| Some(Conflict { path: change.path.clone(), reason: reason(change)? });
        self.changes.iter().filter_map(conflict).collect()
    }

    /// What is no longer as it was when the plan was made.
    fn conflicts(&self, roots: Roots<'_>) -> Vec<Conflict> {
        let from = |change: &PlannedChange| change.from.as_ref().map(|(from, _)| from.clone());
        let moved: BTreeSet<Address> = self.changes.iter().filter_map(from).collect();
        self.each(|change| {
            let vacated = moved.contains(change.place());
            difference(change, roots, vacated).unwrap_or_else(|error| Some(error.to_string()))
        })
    }

    fn do_all(
        &self,
        journal: &Journal,
        (roots, retention): (Roots<'_>, Retention),
        meter: &mut Meter,
    ) -> Result<(), SandboxError> {
        let change = journal.begin(roots.main, self.changes.len() as u64, meter)?;
        let reverser = Reverser { roots, retention, change: &change, meter, copied: BTreeSet::new() };
        let mut doing = Doing { plan: self, reverser, moved: Vec::new(), set_aside: BTreeSet::new() };
        doing.arrange()?;
        doing.fill()?;
        doing.dress()
    }
}

/// A plan that is being done.
pub(super) struct Doing<'p, 'a, 'c> {
    pub(super) plan: &'p Plan,
    pub(super) reverser: Reverser<'a, 'c>,
    /// What was moved so far, in order.
    pub(super) moved: Vec<(Address, Address)>,
    /// What got a name of ours on the way, by where it was first.
    pub(super) set_aside: BTreeSet<Address>,
}

impl Doing<'_, '_, '_> {
    /// Puts files and links into their places.
    fn fill(&mut self) -> Result<(), SandboxError> {
        let begun = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
        let begun = Timestamp { seconds: begun.as_secs().try_into().unwrap_or_default(), nanos: begun.subsec_nanos() };
        for change in &self.plan.changes {
            self.reverser.meter.poll()?;
            let source = match (&change.content, &change.from) {
                (Some(_), _) => self.dated(change, begun)?,
                (None, Some((kept, _))) if change.change == Deed::Restored => {
                    let gone = || SandboxError::NotFound(kept.shown().into_owned());
                    self.reverser.roots.kept(kept)?.ok_or_else(gone)?
                }
                _ => continue,
            };
            let Reverser { roots, retention, change: open, meter, .. } = &mut self.reverser;
            let keeper = Keeper::new(roots.root_of(&change.path)?, *retention);
            let place = roots.place(&change.path)?;
            let overwrite = if change.was.is_some() { Overwrite::keeping(keeper) } else { Overwrite::never(keeper) };
            // Nobody is told of a backup.
            let overwrite = Overwrite { is_told: false, ..overwrite };
            source.copy_to(&place, &Copying::whole(overwrite), meter, open)?;
        }
        Ok(())
    }

    /// What would be written, with the time that it gets.
    fn dated(&self, change: &PlannedChange, begun: Timestamp) -> Result<super::super::root::SandboxPath, SandboxError> {
        let gone = || SandboxError::NotFound(change.path.shown().into_owned());
        let source = self.plan.content(change).ok_or_else(gone)?;
        let (folder, name) = source.entry()?;
        let set = folder.set_modified(name, change.modified.map_or(begun, time));
        set.map_err(|error: io::Error| SandboxError::io(change.path.shown(), &error))?;
        Ok(source)
    }

    /// Gives permission bits to what gets others.
    fn dress(&mut self) -> Result<(), SandboxError> {
        let open: &Change<'_> = self.reverser.change;
        for change in &self.plan.changes {
            let before = match (change.change, &change.was, &change.from) {
                (Deed::Mode, Some(was), _) | (Deed::Moved, _, Some((_, was))) => was,
                _ => continue,
            };
            let Some(now) = change.now.as_ref().filter(|now| now.mode != before.mode) else { continue };
            self.reverser.roots.place(&change.path)?.restore_permissions(now.mode, open)?;
        }
        Ok(())
    }
}
