//! The context of a tool call: the sandbox, the run's budget and settings, but nothing of the evaluator.

use std::ops::ControlFlow;

use chrono::{DateTime, Utc};

use crate::audit::Items;
use crate::limits::{LimitHit, Meter, space};
use crate::sandbox::{
    BackupPath, BackupStore, Change, Details, FoundEntries, Kind as EntryKind, Lister, ListingPlan, Metadata, OpenFile,
    PathRule, Resolve, Root, SandboxError, SandboxPath, Search, SearchScope, Skip, Step, Tree, WalkLimits, search,
    temporary_name, walk,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, Settings, ToolError};

use super::admission::Admission;
use super::call_record::CallRecord;
use super::console::ConsoleHandle;
use super::locator::Locator;
use super::memory::Memory;
use super::policy::Policy;
use super::random::RandomSource;
use super::world::World;

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

/// The sandbox and the run, as one call of a tool sees them.
pub struct Context<'a> {
    /// The budget of the run.
    pub meter: &'a mut Meter,
    /// Maximum size of the answer as JSON, in bytes.
    pub answer_bytes: Option<u64>,
    pub(super) world: &'a World,
    pub(super) admission: &'a Admission,
    pub(super) record: &'a CallRecord<'a>,
}

impl<'a> Context<'a> {
    /// Begins a change of this many files and directories. Nothing can be changed without one.
    pub fn begin_change(&mut self, files: u64) -> Result<Change<'a>, ToolError> {
        self.world.begin_change(files, self.meter, self.record)
    }

    /// Returns the number of the last step of the run.
    pub fn last_step(&self) -> u32 {
        self.world.journal.last_step()
    }

    /// Rolls back the steps from `first_step` on, regardless of the remaining budget. Returns the steps that could
    /// not be rolled back, with the reasons.
    pub fn roll_back(&self, first_step: u32) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.world.roll_back(self.admission.policy.retention, first_step)
    }

    /// Creates a directory directly below the root that is removed when the run ends, and returns its name.
    pub fn make_temporary(&mut self, prefix: &str) -> Result<String, ToolError> {
        let name = temporary_name(prefix);
        self.admit(&name, true, Access::Change)?;
        let change = self.begin_change(1)?;
        self.world.temporary.make(&self.world.root, name.clone(), &change)?;
        Ok(name)
    }

    /// Returns the backup store of the root that contains `place`.
    pub fn keeper(&self, place: &SandboxPath) -> BackupStore<'a> {
        BackupStore::new(self.world.root_of(place), self.admission.policy.retention)
    }

    /// Finds the backup with a path that an earlier result contained, if the policy allows restoring it to its
    /// origin.
    pub fn kept(&self, path: &str) -> Result<BackupPath, ToolError> {
        self.locator().kept(path, |_| {})
    }

    fn locator(&self) -> Locator<'a> {
        Locator { roots: self.world.roots(), policy: &self.admission.policy }
    }

    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.world.clock.now()
    }

    /// Returns the random numbers of the run.
    pub fn random(&self) -> &'a RandomSource {
        &self.world.random
    }

    /// Returns the console.
    pub fn console(&self) -> &'a ConsoleHandle {
        &self.world.console
    }

    /// Returns the settings of single tools from the policy file.
    pub fn settings(&self) -> &Settings {
        &self.world.settings
    }

    /// Returns the memory of scripts. To store a result: `context.memory().store(scope, key, value)`.
    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            world: self.world,
            admission: self.admission,
            meter: self.meter,
            session: self.record.session(),
            record: self.record,
            is_tool: true,
        }
    }

    /// Whether listings omit the directory with this address.
    pub fn hides_directory(&self, address: &str) -> bool {
        self.admission.policy.has_directory_rules() && self.admission.policy.hides(address, true)
    }

    /// Whether the policy has rules about paths, in which case moving a directory requires looking at everything in
    /// it.
    pub fn has_path_rules(&self) -> bool {
        self.admission.policy.has_path_rules()
    }

    /// Returns the limits of a walk that needs `entry_bytes` per entry: the smallest of the remaining elements, bytes
    /// and steps.
    fn walk_limits(&self, entry_bytes: usize) -> WalkLimits {
        let (room, full) = space::room_for(entry_bytes);
        let steps = usize::try_from(self.meter.steps_left()).unwrap_or(usize::MAX);
        let (entries, hit) = if steps < room { (steps, self.meter.step_limit()) } else { (room, full) };
        let (looks_hit, watch) = (self.meter.step_limit(), self.meter.watch());
        WalkLimits { entries, hit, looks: steps, looks_hit, watch, progress: self.meter.progress().cloned() }
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
        let limits = self.walk_limits(FoundEntries::ENTRY_BYTES);
        let resolve: Option<&Resolve<'_>> = if follows { Some(&resolve) } else { None };
        let grounds = SearchScope { root, skip: Skip { rule }, limits: &limits, resolve };
        let mut found = self.watch_walk(start, || search(start, wanted, &grounds))?;
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
        self.visit(start, Visit { plan, enters: None }, |entry, meter| {
            take(entry.lister, entry.step, meter).map_err(SandboxError::Limit)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Lists a directory like [`Context::list`], for a tool that inspects or opens entries, or stops early.
    pub fn visit<E: From<SandboxError>>(
        &mut self,
        start: &SandboxPath,
        visit: Visit<'_>,
        mut take: impl FnMut(&mut Visited<'_, '_>, &mut Meter) -> Result<ControlFlow<()>, E>,
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
        while let Some(step) = lister.advance()? {
            if take(&mut Visited { lister: &mut lister, step, policy, root }, self.meter)?.is_break() {
                break;
            }
        }
        lister.take_notes().into_iter().for_each(|note| self.note(note));
        Ok(())
    }

    /// Adds a warning: one sentence.
    pub fn note(&self, note: String) {
        self.world.note(note);
    }

    /// Returns the name that the root of `place` has outside the sandbox.
    pub fn root_name(&self, place: &SandboxPath) -> String {
        let path = self.world.root_of(place).path();
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Resolves a path that the tool found itself, such as a match of a pattern, if the policy allows the access.
    pub fn place(&self, path: &str, rule: PathRule, access: Access) -> Result<SandboxPath, ToolError> {
        let place = self.locator().place(path, rule, access, |_| {})?;
        if access >= Access::Change {
            self.record.concerns(&place.address());
        }
        Ok(place)
    }

    /// Checks that the policy allows an access to an address. Tools call it for every entry below a path, and for
    /// everything that they create under a name of their own.
    pub fn admit(&self, address: &str, is_directory: bool, access: Access) -> Result<(), ToolError> {
        self.admission.policy.admit_path(address, is_directory, access)
    }

    /// Checks that the policy allows the tool to read the content of a file with this metadata.
    pub fn admit_content(&self, shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
        self.admission.policy.admit_content(shown, metadata)
    }

    /// Checks that the policy allows a file of this size.
    pub fn admit_size(&self, shown: &str, bytes: u64) -> Result<(), ToolError> {
        self.admission.policy.admit_size(shown, bytes)
    }

    /// Checks that the policy allows making a backup of a path that is to be replaced. A file with several hard links
    /// is copied, and so read.
    pub fn admit_keeping(&self, place: &SandboxPath) -> Result<(), ToolError> {
        match place.metadata() {
            Ok(metadata) if metadata.links > 1 && metadata.kind == EntryKind::File => {
                self.admit_content(place.display(), &metadata)
            }
            _ => Ok(()),
        }
    }

    /// Checks that the policy allows moving an entry to another file system. A rename reads nothing, but a copy reads
    /// the content.
    pub fn admit_carrying(&mut self, place: &SandboxPath, metadata: &Metadata) -> Result<(), ToolError> {
        match metadata.kind {
            EntryKind::File => self.admit_content(place.display(), metadata),
            EntryKind::Folder => {
                let tree = self.tree(place)?;
                for entry in (0..tree.len()).filter(|&entry| !tree.is_folder[entry]) {
                    self.admit_size(&joined(place.display(), &tree.path(entry)), tree.sizes[entry].unsigned_abs())?;
                }
                if self.admission.policy.reject_hard_links {
                    place.shared_file(self.meter)?.map_or(Ok(()), |(shown, file)| self.admit_content(&shown, &file))
                } else {
                    Ok(())
                }
            }
            EntryKind::Link | EntryKind::Special => Ok(()),
        }
    }

    /// Whether a path is inside a temporary directory, which is removed when the run ends.
    pub fn is_temporary(&self, place: &SandboxPath) -> bool {
        self.world.temporary.hold(&place.address())
    }

    /// Opens a regular file for reading, if the policy allows it.
    pub fn open(&self, place: &SandboxPath) -> Result<OpenFile, ToolError> {
        let open = place.open_file()?;
        self.admission.policy.admit_content(place.display(), &open.metadata)?;
        Ok(open)
    }

    /// Returns the maximum number of files that one operation lists or changes.
    pub fn files_per_operation(&self) -> u64 {
        self.admission.policy.max_files_per_operation
    }

    /// Refuses an operation that changes more files and directories than the policy allows.
    pub fn admit_files(&self, files: u64) -> Result<(), ToolError> {
        let most = self.admission.policy.max_files_per_operation;
        if files <= most {
            return Ok(());
        }
        let message = format!("the operation concerns {files} files and directories, more than {most}");
        let provenance = &self.admission.policy.provenance;
        let source = match provenance.of("max_files_per_operation") {
            _ if provenance.options.contains(&"max_files_per_operation") => "that of this command".to_owned(),
            Some(stated) => format!("stated at {stated}"),
            None => "built in".to_owned(),
        };
        let hint = format!(
            "do it in parts, or allow as many with `--max-files {files}`, or with `max_files_per_operation` in `[policy]`; the limit of {most} is {source}"
        );
        Err(ToolError::new(ToolCode::LimitExceeded, message).hint(hint))
    }

    /// Walks a directory for an operation on everything in it, and returns the number of files and directories,
    /// including itself. Errors: `policy_denied` if the policy refuses the access to any of them, or a change under
    /// its future name below `future`.
    pub fn admit_tree(&mut self, start: &SandboxPath, access: Access, future: Option<&str>) -> Result<u64, ToolError> {
        Ok(1 + self.admitted_tree(start, access, future)?.len() as u64)
    }

    /// Like [`Context::admit_tree`], but returns the tree.
    pub fn admitted_tree(
        &mut self,
        start: &SandboxPath,
        access: Access,
        future: Option<&str>,
    ) -> Result<Tree, ToolError> {
        let tree = self.tree(start)?;
        let start = start.address();
        for entry in 0..tree.len() {
            let (below, is_folder) = (tree.path(entry), tree.is_folder[entry]);
            if self.admission.policy.has_path_rules() {
                self.admit(&joined(&start, &below), is_folder, access)?;
                future.map_or(Ok(()), |future| self.admit(&joined(future, &below), is_folder, Access::Change))?;
            }
            if access == Access::Read && !is_folder {
                self.admission.policy.admit_size(&joined(&start, &below), tree.sizes[entry].unsigned_abs())?;
                self.admit_links(&joined(&start, &below))?;
            }
        }
        Ok(tree)
    }

    /// Checks that the policy allows reading a file with its number of hard links.
    fn admit_links(&self, address: &str) -> Result<(), ToolError> {
        if !self.admission.policy.reject_hard_links {
            return Ok(());
        }
        let metadata = self.place(address, PathRule::INSIDE.not_following(), Access::Look)?.metadata()?;
        self.admit_content(address, &metadata)
    }

    /// Like [`Context::admit_tree`], for a backup of a directory that is to be restored to its origin.
    pub fn admit_return(&mut self, kept: &SandboxPath, origin: &SandboxPath) -> Result<u64, ToolError> {
        let tree = self.tree(kept)?;
        let future = origin.address();
        for entry in 0..tree.len() {
            let (address, is_folder) = (joined(&future, &tree.path(entry)), tree.is_folder[entry]);
            self.admit(&address, is_folder, Access::Change)?;
            if !is_folder {
                self.admission.policy.admit_size(&address, tree.sizes[entry].unsigned_abs())?;
            }
        }
        Ok(1 + tree.len() as u64)
    }

    /// Returns the same context with another meter, for work that must be done regardless of the remaining budget.
    pub fn on_account<'b>(&'b self, meter: &'b mut Meter) -> Context<'b> {
        Context {
            meter,
            answer_bytes: self.answer_bytes,
            world: self.world,
            admission: self.admission,
            record: self.record,
        }
    }

    /// Returns everything in a directory.
    pub fn tree(&mut self, start: &SandboxPath) -> Result<Tree, ToolError> {
        let limits = self.walk_limits(Tree::ENTRY_BYTES);
        let tree = self.watch_walk(start, || walk(start, &limits, Skip { rule: None }, Details::All))?;
        self.spend(tree.len())?;
        Ok(tree)
    }

    /// Charges bytes that are about to be written to a file, which then has `size` bytes.
    pub fn begin_write(&mut self, place: &SandboxPath, size: u64, written: u64) -> Result<(), ToolError> {
        self.admission.policy.admit_size(place.display(), size)?;
        Ok(self.meter.write_bytes(written)?)
    }

    /// Whether the call may have changed something so far.
    pub(super) fn has_changed(&self) -> bool {
        self.record.has_changed()
    }

    /// Records for the audit log how many items an operation on several items has processed.
    pub fn count_items(&self, items: Items) {
        self.record.count_items(items);
    }

    /// Charges steps for the output of the tool.
    pub fn spend(&mut self, produced: usize) -> Result<(), LimitHit> {
        self.meter.step(produced as u64)
    }

    /// Charges steps for a text of this many bytes: one per KiB.
    pub fn spend_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.meter.step_text(bytes)
    }
}

/// Joins an address and a path below it; the root's own address is empty.
fn joined(address: &str, below: &str) -> String {
    if address.is_empty() { below.to_owned() } else { format!("{address}/{below}") }
}
