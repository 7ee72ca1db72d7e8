//! The gate: its parts, what front ends see of them, and the end of a run.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::audit::{Audit, LogLocation};
use crate::limits::Jobs;
use crate::memory::Project;
use crate::sandbox::{Barrier, Root, Roots, TemporaryFolders};
use crate::text::ToolCode;
use crate::toolkit::{Kind, Registry, Settings};

use super::admission::Admission;
use super::approval::{Approvals, Approver};
use super::console::ConsoleHandle;
use super::library::Library;
use super::locator::Locator;
use super::observer::CallObservers;
use super::policy::Policy;
use super::random::{Clock, RandomSource};
use super::tool::Toolbox;
use super::world::World;

/// The parts of a gate.
#[derive(Debug)]
pub struct GateParts {
    /// All tools.
    pub toolbox: Toolbox,
    /// The sandbox root.
    pub root: Root,
    /// Further roots that the policy allows.
    pub further: Vec<Root>,
    /// Directories of modules.
    pub libraries: Vec<Library>,
    /// The rules that the user sets.
    pub policy: Policy,
    /// The settings of single tools from the policy file.
    pub settings: Settings,
    /// The approver and its replies so far.
    pub approvals: Approvals,
    /// The audit log.
    pub audit: Audit,
    /// The source of the current time.
    pub clock: Clock,
    /// Random numbers.
    pub random: RandomSource,
    /// The number of threads that one call may use.
    pub jobs: Jobs,
    /// The client of a server for which the gate works: its runs are recorded as this client's, and it sees no others.
    pub client: Option<String>,
}

/// The tools, the admission that decides about their calls, and the world that they work on.
#[derive(Debug)]
pub struct Gate {
    pub(super) toolbox: Toolbox,
    pub(super) admission: Admission,
    pub(super) world: World,
}

impl Gate {
    /// Creates a gate.
    pub fn new(parts: GateParts) -> Gate {
        let GateParts {
            toolbox,
            root,
            further,
            libraries,
            policy,
            settings,
            approvals,
            audit,
            clock,
            random,
            jobs,
            client,
        } = parts;
        let journal = policy.journal().for_client(client);
        let barrier = journal.barrier();
        let console = Rc::new(ConsoleHandle::new(barrier.clone()));
        let approvals = approvals.behind(barrier.clone());
        let world = World {
            root,
            further,
            libraries: libraries.into(),
            settings,
            notes: RefCell::default(),
            project: Project::default(),
            observers: Rc::default(),
            temporary: TemporaryFolders::default(),
            audit,
            log_location: policy.log_location(),
            clock,
            random: Rc::new(random),
            jobs,
            console,
            journal,
            overlay: None,
            refusals: RefCell::default(),
        };
        let admission = Admission { registry: toolbox.registry.clone(), policy, approvals: Rc::new(approvals) };
        Gate { toolbox, admission, world }
    }

    /// Returns the declarations of all tools.
    pub fn registry(&self) -> &Registry {
        &self.admission.registry
    }

    /// Returns the rules in force.
    pub fn policy(&self) -> &Policy {
        &self.admission.policy
    }

    /// Returns the settings of single tools from the policy file.
    pub fn settings(&self) -> &Settings {
        &self.world.settings
    }

    /// Returns the sandbox root.
    pub fn root(&self) -> &Root {
        &self.world.root
    }

    /// Returns the sandbox root and the further roots.
    pub fn roots(&self) -> Roots<'_> {
        self.world.roots()
    }

    /// Returns the directories of modules.
    pub fn libraries(&self) -> &[Library] {
        &self.world.libraries
    }

    /// Returns the console.
    pub fn console(&self) -> &ConsoleHandle {
        &self.world.console
    }

    /// Returns the number of threads that one call may use.
    pub fn jobs(&self) -> Jobs {
        self.world.jobs
    }

    /// Returns the barrier that every message about changes passes before it leaves the process.
    pub fn barrier(&self) -> &Arc<Barrier> {
        self.world.journal.barrier()
    }

    /// Returns the audit log.
    pub fn audit(&self) -> &Audit {
        &self.world.audit
    }

    /// Returns whether and where the audit log is kept.
    pub fn log_location(&self) -> LogLocation {
        self.world.log_location
    }

    /// Returns the view that shows progress.
    pub fn observers(&self) -> &CallObservers {
        &self.world.observers
    }

    /// Whether changes are only planned.
    pub fn is_planning(&self) -> bool {
        self.world.overlay.is_some()
    }

    /// Whether planned runs have changed project memory.
    pub fn has_planned_memory(&self) -> bool {
        self.world.project.has_planned_changes()
    }

    /// Sets the approver, which is asked before calls that need approval.
    pub fn set_approver(&self, approver: Rc<dyn Approver>) {
        *self.admission.approvals.approver.borrow_mut() = Some(approver);
    }

    /// Adds a warning: one sentence.
    pub fn note(&self, note: String) {
        self.world.note(note);
    }

    pub(super) fn locator(&self) -> Locator<'_> {
        Locator { roots: self.world.roots(), policy: &self.admission.policy }
    }

    /// Takes the warnings of the calls so far, one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        let World { root, further, .. } = &self.world;
        let mut notes = self.world.take_notes();
        notes.append(&mut self.admission.approvals.notes.borrow_mut());
        notes.extend([root].into_iter().chain(further).flat_map(Root::take_notes));
        notes
    }

    /// Whether there are warnings, or values to print.
    pub fn has_to_say(&self) -> bool {
        let World { root, further, notes, console, .. } = &self.world;
        !notes.borrow().is_empty()
            || !self.admission.approvals.notes.borrow().is_empty()
            || console.has_printed()
            || [root].into_iter().chain(further).any(Root::has_notes)
    }

    /// Returns why a text that is given as a path is outside the sandbox, as far as the text alone shows it.
    pub fn path_refusal(&self, path: &str, kind: Kind) -> Option<String> {
        let (Kind::Path(rule, _) | Kind::Paths(rule, _)) = kind else { return None };
        let refusal = self.locator().root_for(path, rule).refusal(path, rule)?;
        (refusal.code() == ToolCode::SandboxViolation).then(|| refusal.to_string())
    }

    /// Removes temporary directories, clears the status line and discards random numbers. Called when a run ends, in
    /// whatever way. Directories that cannot be removed become warnings.
    pub fn end_run(&self) {
        self.world.random.forget();
        self.world.console.show(None);
        self.remove_temporary();
    }

    /// Whether there are temporary directories.
    pub fn has_temporary(&self) -> bool {
        !self.world.temporary.is_empty()
    }

    /// Removes the temporary directories. One that cannot be removed becomes a warning and is removed at the next
    /// start.
    pub fn remove_temporary(&self) {
        self.world.remove_temporary();
    }
}
