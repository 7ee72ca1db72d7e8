//! Applies a plan completely, or not at all if the tree has changed since the plan was made.
//!
//! First, entries are removed and moved and directories created or restored, in an order that satisfies their
//! dependencies; a cycle is broken by moving an entry to a temporary name. Then files are put in place. All of this is
//! one run: a failure rolls it back, and `ns undo` reverses it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;

use crate::limits::Meter;

use super::super::changing::backups::BackupStore;
use super::super::changing::copy::{CopyOptions, Copying, Source};
use super::super::changing::journal::{Begin, Change, End, Journal, Roots};
use super::super::changing::overwrite::Overwrite;
use super::super::changing::permissions::SPECIAL_BITS;
use super::super::changing::write::Writing;
use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::{file_metadata, set_access};
use super::super::handles::metadata::{Kind, Metadata, Owner, Timestamp};
use super::super::handles::root::SandboxPath;
use super::super::handles::state::time;
use super::super::reading::stray_links::{FuturePath, link_stays};
use super::super::reading::walk::WalkLimits;
use super::super::runs::reverse::Reverser;
use super::super::runs::{ChangeRules, Conflict};
use super::check::{difference, refused};
use super::{Plan, PlanAction, PlannedChange};

/// The result of applying a plan.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The run that applied it, or `None` if there was nothing to do.
    pub by: Option<String>,
    /// Number of changes made.
    pub changes: usize,
}

/// Why a plan is not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The planned run would have failed.
    #[error("it is the plan of a run that failed")]
    Failed,
    /// It was made for another directory.
    #[error("it was made for another directory")]
    OtherRoot,
    /// It would change paths that it may not change.
    #[error("the plan may not change {}", if .0.len() == 1 { "1 path".to_owned() } else { format!("{} paths", .0.len()) })]
    Refused(Vec<Conflict>),
    /// These paths have changed since the plan was made.
    #[error("{} changed since the plan was made", if .0.len() == 1 { "1 path has".to_owned() } else { format!("{} paths have", .0.len()) })]
    MovedOn(Vec<Conflict>),
    /// These changes wait for each other, so no order of them is possible.
    #[error("the changes of the plan contradict each other")]
    Contradiction(Vec<Conflict>),
    /// Applying failed; its changes were rolled back.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl Plan {
    /// Applies the plan.
    ///
    /// # Errors
    /// Returns `ApplyError`. Nothing is changed then.
    pub fn apply(
        &self,
        journal: &Journal,
        about: Begin,
        rules: &ChangeRules<'_>,
        meter: &mut Meter,
    ) -> Result<Applied, ApplyError> {
        let ChangeRules { roots, retention, admit } = *rules;
        if self.about.failed {
            return Err(ApplyError::Failed);
        }
        if roots.state(&Address::from(""))?.is_none_or(|root| root.inode != self.about.root) {
            return Err(ApplyError::OtherRoot);
        }
        let is_sealed = self.is_of(roots.main);
        let restored = self.restored();
        let refused = self.each(|change| {
            let refused = refused(change, is_sealed, &restored, roots, admit);
            refused.or_else(|| if is_sealed { None } else { self.strays(change, roots, meter) })
        });
        if !refused.is_empty() {
            return Err(ApplyError::Refused(refused));
        }
        let conflicts = self.conflicts(roots);
        if !conflicts.is_empty() {
            return Err(ApplyError::MovedOn(conflicts));
        }
        journal.announce(Begin { atomic: true, ..about });
        match self.do_all(journal, rules, meter) {
            Ok(()) => {
                // The run counts the changes of the plan, not its own steps.
                journal.count(self.changes.len());
                let by = journal.end(End::Done)?.map(|ended| ended.run);
                journal.check_durable()?;
                Ok(Applied { by, changes: self.changes.len() })
            }
            Err(error) => {
                journal.roll_back(roots, retention, 1, &mut Meter::unlimited())?;
                journal.end(End::TakenBack)?;
                Err(error)
            }
        }
    }

    /// Returns the changes for which `reason` gives a reason not to make them.
    fn each(&self, reason: impl Fn(&PlannedChange) -> Option<String>) -> Vec<Conflict> {
        let conflict = |change: &PlannedChange| Some(Conflict { path: change.path.clone(), reason: reason(change)? });
        self.changes.iter().filter_map(conflict).collect()
    }

    /// Returns why a change of a plan that this user did not make would lead a symbolic link out of the sandbox. In a
    /// plan of this user, the run was refused what no link may do, or the links were there before.
    fn strays(&self, change: &PlannedChange, roots: Roots<'_>, meter: &Meter) -> Option<String> {
        match self.stray_text(change, roots, meter) {
            Ok(None) => None,
            Ok(Some(text)) => {
                let text = text.to_string_lossy();
                Some(format!("a link to `{text}` would lead out of the sandbox, and your key did not seal this plan"))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    /// Returns the text of a symbolic link that a change would lead out of the sandbox. The content and the entry
    /// themselves tell whether there is one, not the kind that the plan claims.
    fn stray_text(
        &self,
        change: &PlannedChange,
        roots: Roots<'_>,
        meter: &Meter,
    ) -> Result<Option<OsString>, SandboxError> {
        let (root, way) = roots.of(&change.path)?;
        let depth = way.components().count();
        if let Some(name) = &change.content {
            let wrap = |error: io::Error| SandboxError::io(change.path.display(), &error);
            let folder = self.store.scratch().folder();
            if folder.metadata(name).map_err(wrap)?.kind == Kind::Link {
                let text = folder.read_link(name).map_err(wrap)?;
                if !link_stays(&text, depth) {
                    return Ok(Some(text));
                }
            }
        }
        let Some((from, _)) = &change.from else { return Ok(None) };
        // If nothing is there, that is a conflict.
        let Some(entry) = roots.entry(from)?.filter(|entry| entry.metadata().is_ok()) else { return Ok(None) };
        let future = FuturePath { depth, is_below_same_root: std::ptr::eq(roots.root_of(from)?, root) };
        Ok(entry.stray_link(future, &WalkLimits::of(meter))?.map(|stray| stray.text))
    }

    /// Returns the backups that the plan restores.
    fn restored(&self) -> BTreeSet<Address> {
        let restored = self.changes.iter().filter(|change| change.change == PlanAction::Restored);
        restored.filter_map(|change| Some(change.from.as_ref()?.0.clone())).collect()
    }

    /// Returns the paths that have changed since the plan was made.
    fn conflicts(&self, roots: Roots<'_>) -> Vec<Conflict> {
        let from = |change: &PlannedChange| change.from.as_ref().map(|(from, _)| from.clone());
        let moved: BTreeSet<Address> = self.changes.iter().filter_map(from).collect();
        self.each(|change| {
            let vacated = moved.contains(change.place());
            difference(change, roots, vacated).unwrap_or_else(|error| Some(error.to_string()))
        })
    }

    fn do_all(&self, journal: &Journal, rules: &ChangeRules<'_>, meter: &mut Meter) -> Result<(), ApplyError> {
        let ChangeRules { roots, retention, .. } = *rules;
        let change = journal.begin(roots.main, self.changes.len() as u64, meter)?;
        let copied = BTreeSet::new();
        let reverser = Reverser { roots, retention, change: &change, meter, copied, cancels_out: false };
        let is_sealed = self.is_of(roots.main);
        let (moved, set_aside) = (Vec::new(), BTreeSet::new());
        let mut application = Application { plan: self, is_sealed, reverser, moved, set_aside };
        application.arrange()?;
        application.fill()?;
        application.dress()?;
        Ok(application.date()?)
    }
}

/// A plan that is being applied.
pub(super) struct Application<'p, 'a, 'c> {
    pub(super) plan: &'p Plan,
    /// Whether the plan is as this user made it. Only such a plan gives files away or sets special bits.
    is_sealed: bool,
    pub(super) reverser: Reverser<'a, 'c>,
    /// The moves so far, in order.
    pub(super) moved: Vec<(Address, Address)>,
    /// Original paths of entries that were moved to a temporary name.
    pub(super) set_aside: BTreeSet<Address>,
}

/// A file or link to be put in place.
struct PlannedCopy<'a> {
    source: SandboxPath,
    target: SandboxPath,
    options: CopyOptions<'a>,
}

impl PlannedCopy<'_> {
    fn copying(&self) -> Copying<'_> {
        let PlannedCopy { source, target, options } = self;
        Copying { source: Source { place: source, kept: None }, target, options: *options }
    }
}

impl<'a> Application<'_, 'a, '_> {
    /// Puts files and links in place. Several are journaled and made durable together.
    fn fill(&mut self) -> Result<(), SandboxError> {
        let begun = Timestamp::now();
        let is_folder = |change: &PlannedChange| change.now.as_ref().is_some_and(|now| now.kind == Kind::Folder);
        let is_restored = |change: &PlannedChange| change.change == PlanAction::Restored && !is_folder(change);
        let fills = |change: &&PlannedChange| change.content.is_some() || is_restored(change);
        let changes: Vec<&PlannedChange> = self.plan.changes.iter().filter(fills).collect();
        for changes in changes.chunks(Writing::most_together()) {
            let mut copies = Vec::with_capacity(changes.len());
            for change in changes {
                self.reverser.meter.poll()?;
                let source =
                    if change.content.is_some() { Some(self.dated(change, begun)?) } else { self.kept(change)? };
                copies.extend(source.map(|source| self.copy_of(change, source)).transpose()?);
            }
            self.copy_all(&copies)?;
        }
        Ok(())
    }

    /// Copies a backup, which stays, to its planned path.
    pub(super) fn restore(&mut self, change: &PlannedChange) -> Result<(), SandboxError> {
        let Some(source) = self.kept(change)? else { return Ok(()) };
        let copy = self.copy_of(change, source)?;
        self.copy_all(&[copy])
    }

    /// Locates the backup that a change restores.
    fn kept(&self, change: &PlannedChange) -> Result<Option<SandboxPath>, SandboxError> {
        let Some((kept, _)) = &change.from else { return Ok(None) };
        let gone = || SandboxError::NotFound(kept.display().into_owned());
        self.reverser.roots.kept(kept)?.ok_or_else(gone).map(Some)
    }

    fn copy_of(&self, change: &PlannedChange, source: SandboxPath) -> Result<PlannedCopy<'a>, SandboxError> {
        let Reverser { roots, retention, .. } = self.reverser;
        let store = BackupStore::new(roots.root_of(&change.path)?, retention);
        let overwrite = if change.was.is_some() { Overwrite::keeping(store) } else { Overwrite::never(store) };
        // Applying a plan does not report its backups.
        let options = CopyOptions::whole(Overwrite { is_told: false, ..overwrite });
        Ok(PlannedCopy { source, target: roots.place(&change.path)?, options })
    }

    /// Makes copies: together if their directories exist, otherwise one after another.
    fn copy_all(&mut self, copies: &[PlannedCopy<'a>]) -> Result<(), SandboxError> {
        let Reverser { change, meter, .. } = &mut self.reverser;
        let are_together = copies.iter().all(|copy| copy.target.missing_folders().1.is_empty());
        for copies in copies.chunks(if are_together { copies.len().max(1) } else { 1 }) {
            Copying::make_all(copies.iter().map(PlannedCopy::copying).collect(), meter, change)?;
        }
        Ok(())
    }

    /// Locates the content to write and sets its modification time.
    fn dated(&self, change: &PlannedChange, begun: Timestamp) -> Result<SandboxPath, SandboxError> {
        let gone = || SandboxError::NotFound(change.path.display().into_owned());
        let source = self.plan.content(change).ok_or_else(gone)?;
        let (folder, name) = source.entry()?;
        let set = folder.set_modified(name, change.modified.map_or(begun, time));
        let is_file = change.now.as_ref().is_some_and(|now| now.kind == Kind::File);
        let owned = set.and_then(|()| if is_file { self.give(change, &folder.open_file(name)?) } else { Ok(()) });
        owned.map_err(|error: io::Error| SandboxError::io(change.path.display(), &error))?;
        Ok(source)
    }

    /// Gives a new entry to its planned owner, as far as the system lets this user do that, with the planned special
    /// bits.
    pub(super) fn give(&self, change: &PlannedChange, entry: &File) -> io::Result<()> {
        let special = change.now.as_ref().map_or(0, |now| now.mode & SPECIAL_BITS);
        if !self.is_sealed || change.owner.is_none() && special == 0 {
            return Ok(());
        }
        let made = file_metadata(entry)?;
        let owner = change.owner.map_or(made.owner, |(user, group)| Owner { user, group });
        set_access(entry, &Metadata { owner, mode: made.mode | special, ..made })
    }

    /// Sets the modification times of directories, and of files that get no new content. This comes last, because a
    /// change of an entry changes the time of its directory.
    fn date(&mut self) -> Result<(), SandboxError> {
        let open: &Change<'_> = self.reverser.change;
        for change in self.plan.changes.iter().rev() {
            self.reverser.meter.poll()?;
            let is_folder = change.now.as_ref().is_some_and(|now| now.kind == Kind::Folder);
            let (true, Some(modified)) = (is_folder || change.content.is_none(), change.modified) else { continue };
            self.reverser.roots.place(&change.path)?.set_modified(time(modified), open)?;
        }
        Ok(())
    }

    /// Changes permission bits.
    fn dress(&mut self) -> Result<(), SandboxError> {
        let open: &Change<'_> = self.reverser.change;
        for change in &self.plan.changes {
            let before = match (change.change, &change.was, &change.from) {
                (PlanAction::Mode, Some(was), _) | (PlanAction::Moved | PlanAction::Restored, _, Some((_, was))) => was,
                _ => continue,
            };
            let Some(now) = change.now.as_ref().filter(|now| now.mode != before.mode) else { continue };
            // A plan that somebody edited lets no file run as its owner.
            let admitted = if self.is_sealed { SPECIAL_BITS } else { before.mode & SPECIAL_BITS };
            let mode = now.mode & (0o777 | admitted);
            self.reverser.roots.place(&change.path)?.restore_permissions(mode, open)?;
        }
        Ok(())
    }
}
