//! What a tool may use: the sandbox, the run's account, its settings. Nothing of the evaluator.

use std::ops::ControlFlow;

use chrono::{DateTime, Utc};

use crate::audit::Items;
use crate::limits::{LimitHit, Meter, space};
use crate::sandbox::{
    Change, Details, FoundEntries, Grounds, Keeper, KeptPath, Kind as EntryKind, Lister, ListingPlan, Metadata,
    OpenFile, PathRule, Resolve, Root, SandboxError, SandboxPath, Search, Skip, Step, Tree, WalkLimits, search,
    temporary_name, walk,
};
use crate::text::ToolCode;

use super::call_record::CallRecord;
use super::chance::Chance;
use super::console::Consoles;
use super::error::ToolError;
use super::gate::Gate;
use super::memory::Memory;
use super::policy::Policy;
use super::settings::Settings;
use super::spec::Access;

/// What a tool visits of a tree.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    /// What is listed, and how.
    pub plan: ListingPlan,
    /// Says of a directory, by its path from the start, whether it is wanted at all; links must not be followed.
    pub enters: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

/// One step of a listing, with its entry.
pub struct Visited<'a, 'l> {
    /// What tells of the entry.
    pub lister: &'a mut Lister<'l>,
    /// What kind of step.
    pub step: Step,
    policy: &'a Policy,
    root: &'a Root,
}

impl Visited<'_, '_> {
    /// Opens the entry, a regular file, for reading its content, as far as the policy lets the tool;
    /// `shown` is how messages name it.
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

/// The world as one call of a tool sees it.
pub struct Context<'a> {
    /// What the run has spent and may spend.
    pub meter: &'a mut Meter,
    /// The most bytes that the answer may take as JSON.
    pub answer_bytes: Option<u64>,
    pub(super) gate: &'a Gate,
    pub(super) record: &'a CallRecord<'a>,
}

impl<'a> Context<'a> {
    /// Opens a change of so many files and folders; nothing can be changed without one.
    pub fn begin_change(&mut self, files: u64) -> Result<Change<'a>, ToolError> {
        self.gate.begin_change(files, self.meter, self.record)
    }

    /// The number of the last step that was taken in the run.
    pub fn last_step(&self) -> u32 {
        self.gate.journal.last_step()
    }

    /// Takes back the steps from a number on, whatever the run may still spend. Gives those that could not
    /// be taken back, and why.
    pub fn roll_back(&self, first_step: u32) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.gate.roll_back(first_step)
    }

    /// Makes a directory directly below the root that is removed when the run ends, and gives its name.
    pub fn make_temporary(&mut self, prefix: &str) -> Result<String, ToolError> {
        let name = temporary_name(prefix);
        self.admit(&name, true, Access::Change)?;
        let change = self.begin_change(1)?;
        self.gate.temporary.make(&self.gate.root, name.clone(), &change)?;
        Ok(name)
    }

    /// What keeps the old content of a place: in `.ns` of the root that the place belongs to.
    pub fn keeper(&self, place: &SandboxPath) -> Keeper<'a> {
        Keeper::new(self.gate.root_of(place), self.gate.policy.retention)
    }

    /// What is kept under a path that a result had, if the policy lets it go back to where it was.
    pub fn kept(&self, path: &str) -> Result<KeptPath, ToolError> {
        self.gate.kept(path, |_| {})
    }

    /// The present moment.
    pub fn now(&self) -> DateTime<Utc> {
        self.gate.clock.now()
    }

    /// The random numbers of the run.
    pub fn chance(&self) -> &'a Chance {
        &self.gate.chance
    }

    /// The terminal, or what stands in its place.
    pub fn consoles(&self) -> &'a Consoles {
        &self.gate.consoles
    }

    /// What the policy file says for single tools.
    pub fn settings(&self) -> &Settings {
        &self.gate.settings
    }

    /// What scripts remember: to keep a result, `context.memory().store(scope, key, value)`.
    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            gate: self.gate,
            meter: self.meter,
            session: self.record.session(),
            record: self.record,
            is_tool: true,
        }
    }

    /// Whether listings leave out the directory with this address.
    pub fn hides_directory(&self, address: &str) -> bool {
        self.gate.policy.has_directory_rules() && self.gate.policy.hides(address, true)
    }

    /// Whether the policy has rules about paths, so that moving a directory means looking at all in it.
    pub fn has_path_rules(&self) -> bool {
        self.gate.policy.has_path_rules()
    }

    /// What bounds the looking at entries of which each takes so many bytes: the fewest of the elements, bytes
    /// and steps that are left.
    fn walk_limits(&self, entry_bytes: usize) -> WalkLimits {
        let (room, full) = space::room_for(entry_bytes);
        let steps = usize::try_from(self.meter.steps_left()).unwrap_or(usize::MAX);
        let (entries, hit) = if steps < room { (steps, self.meter.step_limit()) } else { (room, full) };
        let (looks_hit, watch) = (self.meter.step_limit(), self.meter.watch());
        WalkLimits { entries, hit, looks: steps, looks_hit, watch, progress: self.meter.progress().cloned() }
    }

    /// Walks a tree. Whoever watches is told how far it has come, and the next time also how much there is.
    fn watch_walk<T>(
        &self,
        start: &SandboxPath,
        walk: impl FnOnce() -> Result<T, SandboxError>,
    ) -> Result<T, SandboxError> {
        let Some(progress) = self.meter.progress() else { return walk() };
        let address = start.address();
        progress.begin_walk(self.gate.lookout.entries_of(&address));
        let walked = walk()?;
        self.gate.lookout.note_entries(&address, progress.entries().0);
        Ok(walked)
    }

    /// Walks the directory of a place; what the policy hides is left out.
    pub fn walk(&self, start: &SandboxPath, details: Details) -> Result<Tree, SandboxError> {
        let (policy, root) = (&self.gate.policy, self.gate.root_of(start));
        let hides = |resolved: &str| policy.hides(&root.address_of(resolved), true);
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> = match policy.has_directory_rules() {
            true => Some(&hides),
            false => None,
        };
        self.watch_walk(start, || walk(start, &self.walk_limits(Tree::ENTRY_BYTES), Skip { rule }, details))
    }

    /// Searches the directory of a place; what the policy hides is left out. With `follows`, links stand for what
    /// they lead to, where the policy lets the tool look. Notes on `.gitignore` files become warnings.
    pub fn find(
        &mut self,
        start: &SandboxPath,
        wanted: &Search<'_>,
        follows: bool,
    ) -> Result<FoundEntries, SandboxError> {
        let (policy, root) = (&self.gate.policy, self.gate.root_of(start));
        let closed = |resolved: &str| policy.admit_path(&root.address_of(resolved), true, Access::Look).is_err();
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> = match policy.has_directory_rules() {
            true => Some(&closed),
            false => None,
        };
        let resolve = |path: &str| self.place(&root.address_of(path), PathRule::INSIDE, Access::Look).ok();
        let limits = self.walk_limits(FoundEntries::ENTRY_BYTES);
        let resolve: Option<&Resolve<'_>> = if follows { Some(&resolve) } else { None };
        let grounds = Grounds { root, skip: Skip { rule }, limits: &limits, resolve };
        let mut found = self.watch_walk(start, || search(start, wanted, &grounds))?;
        std::mem::take(&mut found.notes).into_iter().for_each(|note| self.note(note));
        self.spend(found.met)?;
        Ok(found)
    }

    /// Lists the directory of a place step by step; what the policy hides is left out, and a link is
    /// not followed to where it lets nobody in. What is to be said about it becomes a warning.
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

    /// Lists the directory of a place as [`Context::list`] does, for a tool that looks at entries, opens
    /// them, or ends before all were met.
    pub fn visit<E: From<SandboxError>>(
        &mut self,
        start: &SandboxPath,
        visit: Visit<'_>,
        mut take: impl FnMut(&mut Visited<'_, '_>, &mut Meter) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let (policy, root) = (&self.gate.policy, self.gate.root_of(start));
        let has_rules = policy.has_directory_rules();
        let resolved_start = start.resolved();
        let leaves_out = |resolved: &str| {
            let below = resolved.strip_prefix(resolved_start).unwrap_or(resolved).trim_start_matches('/');
            let is_closed = || policy.admit_path(&root.address_of(resolved), true, Access::Look).is_err();
            visit.enters.is_some_and(|enters| !enters(below)) || has_rules && is_closed()
        };
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> = match has_rules || visit.enters.is_some() {
            true => Some(&leaves_out),
            false => None,
        };
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

    /// Says something besides the answer: one sentence.
    pub fn note(&self, note: String) {
        self.gate.notes.borrow_mut().push(note);
    }

    /// The name of the directory that a place which is a root has outside the sandbox.
    pub fn root_name(&self, place: &SandboxPath) -> String {
        let path = self.gate.root_of(place).path();
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The place of a path that the tool found itself, such as a match of a pattern, if the policy
    /// lets it do this there.
    pub fn place(&self, path: &str, rule: PathRule, access: Access) -> Result<SandboxPath, ToolError> {
        let place = self.gate.place(path, rule, access, |_| {})?;
        if access >= Access::Change {
            self.record.concerns(&place.address());
        }
        Ok(place)
    }

    /// Whether the policy lets the tool do this to what has this address: asked for every entry below a
    /// place, and for what a tool makes under a name of its own.
    pub fn admit(&self, address: &str, is_directory: bool, access: Access) -> Result<(), ToolError> {
        self.gate.policy.admit_path(address, is_directory, access)
    }

    /// Whether the policy lets the tool read the content of a file of which this is known.
    pub fn admit_content(&self, shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
        self.gate.policy.admit_content(shown, metadata)
    }

    /// Whether the policy lets a file have so many bytes.
    pub fn admit_size(&self, shown: &str, bytes: u64) -> Result<(), ToolError> {
        self.gate.policy.admit_size(shown, bytes)
    }

    /// Whether the policy lets the tool keep what is at a place that is to be replaced: a file with further
    /// names is copied for that, and so read.
    pub fn admit_keeping(&self, place: &SandboxPath) -> Result<(), ToolError> {
        match place.metadata() {
            Ok(metadata) if metadata.links > 1 && metadata.kind == EntryKind::File => {
                self.admit_content(place.shown(), &metadata)
            }
            _ => Ok(()),
        }
    }

    /// Whether the policy lets the tool carry something to another file system: what is moved by a rename
    /// is not read, but what must be copied is.
    pub fn admit_carrying(&mut self, place: &SandboxPath, metadata: &Metadata) -> Result<(), ToolError> {
        match metadata.kind {
            EntryKind::File => self.admit_content(place.shown(), metadata),
            EntryKind::Folder => {
                let tree = self.tree(place)?;
                for entry in (0..tree.len()).filter(|&entry| !tree.is_folder[entry]) {
                    self.admit_size(&joined(place.shown(), &tree.path(entry)), tree.sizes[entry].unsigned_abs())?;
                }
                match self.gate.policy.reject_hard_links {
                    true => {
                        place.shared_file(self.meter)?.map_or(Ok(()), |(shown, file)| self.admit_content(&shown, &file))
                    }
                    false => Ok(()),
                }
            }
            EntryKind::Link | EntryKind::Special => Ok(()),
        }
    }

    /// Whether something would go with a temporary directory when the run ends.
    pub fn is_temporary(&self, place: &SandboxPath) -> bool {
        self.gate.temporary.hold(&place.address())
    }

    /// Opens a place as a regular file for reading its content, as far as the policy lets the tool.
    pub fn open(&self, place: &SandboxPath) -> Result<OpenFile, ToolError> {
        let open = place.open_file()?;
        self.gate.policy.admit_content(place.shown(), &open.metadata)?;
        Ok(open)
    }

    /// The most files that one operation lists or changes.
    pub fn files_per_operation(&self) -> u64 {
        self.gate.policy.max_files_per_operation
    }

    /// Refuses an operation that changes more files and directories than the policy allows.
    pub fn admit_files(&self, files: u64) -> Result<(), ToolError> {
        let most = self.gate.policy.max_files_per_operation;
        if files <= most {
            return Ok(());
        }
        let message = format!("the operation concerns {files} files and directories, more than {most}");
        let provenance = &self.gate.policy.provenance;
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

    /// Walks the directory of a place for an operation on all that is in it, and gives how many
    /// files and directories that are, itself among them. One to which the policy refuses the access, or
    /// a change under its name below `future`, refuses the operation.
    pub fn admit_tree(&mut self, start: &SandboxPath, access: Access, future: Option<&str>) -> Result<u64, ToolError> {
        Ok(1 + self.admitted_tree(start, access, future)?.len() as u64)
    }

    /// The same, and gives what was found.
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
            if self.gate.policy.has_path_rules() {
                self.admit(&joined(&start, &below), is_folder, access)?;
                future.map_or(Ok(()), |future| self.admit(&joined(future, &below), is_folder, Access::Change))?;
            }
            if access == Access::Read && !is_folder {
                self.gate.policy.admit_size(&joined(&start, &below), tree.sizes[entry].unsigned_abs())?;
                self.admit_links(&joined(&start, &below))?;
            }
        }
        Ok(tree)
    }

    /// Whether the policy lets the tool read a file, as far as its further names are concerned.
    fn admit_links(&self, address: &str) -> Result<(), ToolError> {
        if !self.gate.policy.reject_hard_links {
            return Ok(());
        }
        let metadata = self.place(address, PathRule::INSIDE.not_following(), Access::Look)?.metadata()?;
        self.admit_content(address, &metadata)
    }

    /// The same for what is kept of a directory and is to go back to its origin.
    pub fn admit_return(&mut self, kept: &SandboxPath, origin: &SandboxPath) -> Result<u64, ToolError> {
        let tree = self.tree(kept)?;
        let future = origin.address();
        for entry in 0..tree.len() {
            let (address, is_folder) = (joined(&future, &tree.path(entry)), tree.is_folder[entry]);
            self.admit(&address, is_folder, Access::Change)?;
            if !is_folder {
                self.gate.policy.admit_size(&address, tree.sizes[entry].unsigned_abs())?;
            }
        }
        Ok(1 + tree.len() as u64)
    }

    /// The same world on another account, for what must be done whatever the run may still spend.
    pub fn on_account<'b>(&'b self, meter: &'b mut Meter) -> Context<'b> {
        Context { meter, answer_bytes: self.answer_bytes, gate: self.gate, record: self.record }
    }

    /// Everything in the directory of a place.
    pub fn tree(&mut self, start: &SandboxPath) -> Result<Tree, ToolError> {
        let limits = self.walk_limits(Tree::ENTRY_BYTES);
        let tree = self.watch_walk(start, || walk(start, &limits, Skip { rule: None }, Details::All))?;
        self.spend(tree.len())?;
        Ok(tree)
    }

    /// Counts bytes that are about to be written to a file, which then has `size`.
    pub fn begin_write(&mut self, place: &SandboxPath, size: u64, written: u64) -> Result<(), ToolError> {
        self.gate.policy.admit_size(place.shown(), size)?;
        Ok(self.meter.write_bytes(written)?)
    }

    /// Whether the call may have changed something so far.
    pub(super) fn has_changed(&self) -> bool {
        self.record.has_changed()
    }

    /// Says how far an operation on several items came, for the audit log.
    pub fn count_items(&self, items: Items) {
        self.record.count_items(items);
    }

    /// Charges steps for what the tool produces.
    pub fn spend(&mut self, produced: usize) -> Result<(), LimitHit> {
        self.meter.step(produced as u64)
    }

    /// Charges steps for a text of so many bytes: one for each KiB.
    pub fn spend_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.meter.step_text(bytes)
    }
}

/// An address of something below another; the root's own is empty.
fn joined(address: &str, below: &str) -> String {
    if address.is_empty() { below.to_owned() } else { format!("{address}/{below}") }
}
