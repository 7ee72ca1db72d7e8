//! Walks, searches and listings of a call: without what the policy hides, within the limits of the run, and with
//! progress.

use std::ops::ControlFlow;

use crate::limits::{LimitHit, Meter, space};
use crate::sandbox::{
    Details, FoundEntries, FuturePath, Lister, ListingPlan, OpenFile, PathRule, Resolve, Root, SandboxError,
    SandboxPath, Search, SearchScope, Skip, Step, StrayLink, Tree, WalkLimits, search, walk,
};
use crate::toolkit::{Access, ToolError};

use super::context::Context;
use super::policy::Policy;

/// Options of [`Context::visit`].
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    /// The options of the listing.
    pub plan: ListingPlan,
    /// Whether to enter a directory, given its path from the start. Must not be combined with following links.
    pub enters: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

/// One step of a listing, with its entry.
pub struct Visited<'a, 'l> {
    /// The lister, which knows the entry.
    pub lister: &'a mut Lister<'l>,
    /// The kind of step.
    pub step: Step,
    policy: &'a Policy,
    root: &'a Root,
}

/// Receives the entries of a listing.
pub trait Visitor<E: From<SandboxError>> {
    /// Receives a step of the listing; a break ends it.
    fn entry(&mut self, entry: &mut Visited<'_, '_>, meter: &mut Meter) -> Result<ControlFlow<()>, E>;

    /// Receives the end of the listing: its failure, or that it ended or was ended.
    fn end(&mut self, lister: &mut Lister<'_>, listed: Result<(), SandboxError>, meter: &mut Meter) -> Result<(), E> {
        let _ = (lister, meter);
        Ok(listed?)
    }
}

impl<E: From<SandboxError>, F> Visitor<E> for F
where
    F: FnMut(&mut Visited<'_, '_>, &mut Meter) -> Result<ControlFlow<()>, E>,
{
    fn entry(&mut self, entry: &mut Visited<'_, '_>, meter: &mut Meter) -> Result<ControlFlow<()>, E> {
        self(entry, meter)
    }
}

impl Visited<'_, '_> {
    /// Opens the entry, a regular file, for reading, if the policy allows it. `shown` is its name in messages.
    pub fn open(&mut self, shown: &str) -> Result<OpenFile, ToolError> {
        if self.policy.has_path_rules() {
            let address = self.lister.resolved_path();
            self.policy.admit_path(&self.root.address_of(&address), false, Access::Read)?;
        }
        let open = self.lister.open_file().map_err(|error| ToolError::from(SandboxError::io(shown, &error)))?;
        self.policy.admit_content(shown, &open.metadata)?;
        Ok(open)
    }
}

impl Context<'_> {
    /// Returns the limits of a walk that needs `entry_bytes` per entry: the smallest of the remaining elements, bytes
    /// and steps.
    fn walk_limits(&self, entry_bytes: usize) -> WalkLimits {
        let (room, full) = space::room_for(entry_bytes);
        let steps = usize::try_from(self.meter.steps_left()).unwrap_or(usize::MAX);
        let (entries, hit) = if steps < room { (steps, self.meter.step_limit()) } else { (room, full) };
        let (looks_hit, watch, jobs) = (self.meter.step_limit(), self.meter.watch(), self.world.jobs);
        WalkLimits { entries, hit, looks: steps, looks_hit, watch, jobs, progress: self.meter.progress().cloned() }
    }

    /// Performs a walk with progress. The number of entries is remembered, so that the next walk of the same tree can
    /// show the total.
    fn watch_walk<T>(
        &self,
        start: &SandboxPath,
        walk: impl FnOnce() -> Result<T, SandboxError>,
    ) -> Result<T, SandboxError> {
        let Some(progress) = self.meter.progress() else { return walk() };
        let address = start.address();
        progress.begin_walk(self.world.observers.entries_of(&address));
        let walked = walk()?;
        self.world.observers.note_entries(&address, progress.entries().0);
        Ok(walked)
    }

    /// Walks a directory, without what the policy hides.
    pub fn walk(&self, start: &SandboxPath, details: Details) -> Result<Tree, SandboxError> {
        let (policy, root) = (&self.admission.policy, self.world.root_of(start));
        let hides = |resolved: &str| policy.hides(&root.address_of(resolved), true);
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> =
            if policy.has_directory_rules() { Some(&hides) } else { None };
        self.watch_walk(start, || walk(start, &self.walk_limits(Tree::ENTRY_BYTES), Skip { rule }, details))
    }

    /// Searches a directory, without what the policy hides. With `follows`, links stand for their targets, if the
    /// policy allows the tool to look there. Notes about `.gitignore` files become warnings.
    pub fn find(
        &mut self,
        start: &SandboxPath,
        wanted: &Search<'_>,
        follows: bool,
    ) -> Result<FoundEntries, SandboxError> {
        let (policy, root) = (&self.admission.policy, self.world.root_of(start));
        let closed = |resolved: &str| policy.admit_path(&root.address_of(resolved), true, Access::Look).is_err();
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> =
            if policy.has_directory_rules() { Some(&closed) } else { None };
        let resolve = |path: &str| self.place(&root.address_of(path), PathRule::INSIDE, Access::Look).ok();
        let identity_bytes = if wanted.identities { FoundEntries::IDENTITY_BYTES } else { 0 };
        let limits = self.walk_limits(FoundEntries::ENTRY_BYTES + identity_bytes);
        let resolve: Option<&Resolve<'_>> = if follows { Some(&resolve) } else { None };
        let scope = SearchScope { root, skip: Skip { rule }, limits: &limits, resolve };
        let mut found = self.watch_walk(start, || search(start, wanted, &scope))?;
        std::mem::take(&mut found.notes).into_iter().for_each(|note| self.note(note));
        self.spend(found.met)?;
        Ok(found)
    }

    /// Lists a directory step by step, without what the policy hides. A link is not followed to where the policy
    /// refuses access. Notes become warnings.
    pub fn list(
        &mut self,
        start: &SandboxPath,
        plan: ListingPlan,
        mut take: impl FnMut(&Lister<'_>, Step, &mut Meter) -> Result<(), LimitHit>,
    ) -> Result<(), SandboxError> {
        let mut visitor = |entry: &mut Visited<'_, '_>, meter: &mut Meter| -> Result<ControlFlow<()>, SandboxError> {
            take(entry.lister, entry.step, meter).map_err(SandboxError::Limit)?;
            Ok(ControlFlow::Continue(()))
        };
        self.visit(start, Visit { plan, enters: None }, &mut visitor)
    }

    /// Lists a directory like [`Context::list`], for a tool that inspects or opens entries, or stops early.
    pub fn visit<E: From<SandboxError>>(
        &mut self,
        start: &SandboxPath,
        visit: Visit<'_>,
        visitor: &mut impl Visitor<E>,
    ) -> Result<(), E> {
        let (policy, root) = (&self.admission.policy, self.world.root_of(start));
        let has_rules = policy.has_directory_rules();
        let resolved_start = start.resolved();
        let leaves_out = |resolved: &str| {
            let below = resolved.strip_prefix(resolved_start).unwrap_or(resolved).trim_start_matches('/');
            let is_closed = || policy.admit_path(&root.address_of(resolved), true, Access::Look).is_err();
            visit.enters.is_some_and(|enters| !enters(below)) || has_rules && is_closed()
        };
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> =
            if has_rules || visit.enters.is_some() { Some(&leaves_out) } else { None };
        let limits = self.walk_limits(Lister::ENTRY_BYTES);
        let mut lister = Lister::open(root, start, visit.plan, Skip { rule }, &limits)?;
        let listed = loop {
            match lister.advance() {
                Ok(Some(step)) => {
                    let mut entry = Visited { lister: &mut lister, step, policy, root };
                    if visitor.entry(&mut entry, self.meter)?.is_break() {
                        break Ok(());
                    }
                }
                ended => break ended.map(drop),
            }
        };
        visitor.end(&mut lister, listed, self.meter)?;
        lister.take_notes().into_iter().for_each(|note| self.note(note));
        Ok(())
    }

    /// Returns a symbolic link that would lead out of the sandbox from a future path of an entry.
    pub(super) fn stray_link(
        &self,
        start: &SandboxPath,
        future: FuturePath,
    ) -> Result<Option<StrayLink>, SandboxError> {
        let limits = self.walk_limits(Tree::ENTRY_BYTES);
        self.watch_walk(start, || start.stray_link(future, &limits))
    }

    /// Returns everything in a directory.
    pub fn tree(&mut self, start: &SandboxPath) -> Result<Tree, ToolError> {
        let limits = self.walk_limits(Tree::ENTRY_BYTES);
        let tree = self.watch_walk(start, || walk(start, &limits, Skip { rule: None }, Details::All))?;
        self.spend(tree.len())?;
        Ok(tree)
    }
}
