//! The gate: every call of every tool goes through [`Gate::call`].
//!
//! The gate binds and checks the arguments, resolves paths, applies the policy, runs the tool, bounds its answer and
//! writes to the audit log, in that order. A tool never sees an unresolved path.

use std::cell::RefCell;
use std::rc::Rc;

use crate::audit::{Audit, LogLocation};
use crate::limits::{Meter, work};
use crate::memory::{Project, Session as SessionMemory};
use crate::sandbox::{PathRule, Root, Roots, TemporaryFolders};
use crate::text::ToolCode;
use crate::value::Value;

use super::admission::Admission;
use super::approval::{Approvals, Approver};
use super::bound::{Bound, BoundArg, ListedPath};
use super::call_record::{CallRecord, LoggedArgument, is_refusal};
use super::caller::Caller;
use super::console::ConsoleHandle;
use super::context::Context;
use super::declaration::Declaration;
use super::error::{FailureMode, ToolError};
use super::library::Library;
use super::literal_path::with_pattern_hint;
use super::locator::{Locator, shown_path};
use super::memory::Memory;
use super::named::NamedPlaces;
use super::observer::CallObservers;
use super::policy::{Approval, Policy};
use super::random::{Clock, RandomSource};
use super::registry::{Registry, ToolId};
use super::settings::Settings;
use super::spec::{Access, Kind};
use super::tool::{ToolRef, Toolbox};
use super::truncate::{Bounds, deliver, done_untold};
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
}

/// The tools, whatever decides about their calls, and the world that they work on.
#[derive(Debug)]
pub struct Gate {
    pub(super) toolbox: Toolbox,
    pub(super) admission: Admission,
    pub(super) world: World,
}

impl Gate {
    /// Creates a gate.
    pub fn new(parts: GateParts) -> Gate {
        let GateParts { toolbox, root, further, libraries, policy, settings, approvals, audit, clock, random } = parts;
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
            console: Rc::default(),
            journal: policy.journal(),
            overlay: None,
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

    /// Removes the temporary directories. One that cannot be removed becomes a warning and is removed at the next
    /// start.
    pub fn remove_temporary(&self) {
        self.world.remove_temporary();
    }

    /// Calls a tool with arguments in the declared order, on behalf of a session.
    pub fn call(
        &self,
        id: ToolId,
        args: &mut [Option<Value>],
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, Box<ToolError>> {
        let tool = self.toolbox.get(id);
        self.admit_and_run(tool, args, meter, session).map_err(|mut error| {
            error.tool = Some(tool.declaration.spec.name);
            Box::new(with_pattern_hint(*error, tool.declaration))
        })
    }

    /// Works with session and project memory for a front end that is not a tool. `called` and `arguments` are
    /// recorded in the audit log.
    pub fn remember<T>(
        &self,
        called: &'static str,
        arguments: Vec<LoggedArgument>,
        caller: Caller<'_>,
        work: impl FnOnce(&mut Memory<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let Caller { meter, session } = caller;
        let record = CallRecord::new(called, arguments, session);
        let Gate { admission, world, .. } = self;
        let result = work(&mut Memory { world, admission, meter, session, record: &record, is_tool: false });
        match self.world.conclude(&record, false, meter, result.as_ref().err()) {
            Some(lost) => result.and(Err(*lost)),
            None => result,
        }
    }

    fn admit_and_run(
        &self,
        callee: ToolRef<'_>,
        args: &mut [Option<Value>],
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, Box<ToolError>> {
        let tool = callee.declaration;
        tool.binder().complete(args)?;
        tool.check_all(args, &self.world.settings)?;
        let (record, located) = if tool.is_plain() {
            (CallRecord::of_untold(tool.spec.name, session), Ok(Bound::of_values(args)))
        } else {
            let record = CallRecord::of_call(tool, args, session);
            let located = self.locate_paths(tool, args, &record);
            (record, located)
        };
        if located.as_ref().is_err_and(|error| error.code == ToolCode::BadArgs) {
            return located.map(|_| Value::Nil);
        }
        let result = match self.admission.policy.admit(&tool.spec) {
            Ok(approval) => {
                located.and_then(|mut bound| self.run_located(callee, &approval, &mut bound, meter, &record))
            }
            Err(error) => {
                record.tell_if_untold(tool, located.iter().flat_map(Bound::all));
                Err(Box::new(error))
            }
        };
        let failure = result.as_ref().err().map(|error| &**error);
        match self.world.conclude(&record, tool.spec.effect.changes_files(), meter, failure) {
            None => result,
            Some(lost) => Err(with_line_lost(*lost, result)),
        }
    }

    fn run_located(
        &self,
        callee: ToolRef<'_>,
        approval: &Approval,
        bound: &mut Bound<'_>,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Value, Box<ToolError>> {
        meter.poll()?;
        let Gate { admission, world, .. } = self;
        let tool = callee.declaration;
        let approved = admission.approve(tool, bound, approval, meter);
        approved.inspect_err(|_| record.tell_if_untold(tool, bound.all()))?;
        let answer_bytes = meter.answer_bytes();
        let mut context = Context { meter, answer_bytes, world, admission, record };
        let named = if tool.is_plain() { NamedPlaces::default() } else { NamedPlaces::of(tool.params, bound) };
        let watched = world.observers.watch(tool, context.meter);
        let result = callee.run(&mut context, bound).map_err(|error| Box::new(named.complete(*error)));
        drop(watched);
        let has_changed = record.has_changed();
        let result = unless_stopped(result, has_changed);
        deliver(result, Bounds { bytes: answer_bytes, has_changed, failure: tool.spec.failure })
    }

    /// Resolves the texts of path parameters. If several are refused, a malformed path is reported first.
    fn locate_paths<'a>(
        &self,
        tool: &Declaration,
        args: &[Option<Value>],
        record: &CallRecord<'_>,
    ) -> Result<Bound<'a>, Box<ToolError>> {
        let mut bound = Vec::with_capacity(args.len());
        let mut refusal: Option<ToolError> = None;
        for (param, arg) in tool.params.iter().zip(args) {
            match self.locate(param.name, param.kind, arg, record) {
                Ok(arg) => bound.push(arg),
                Err(error) if refusal.is_none() || error.code == ToolCode::BadArgs => refusal = Some(error),
                Err(_) => {}
            }
        }
        match refusal {
            None => Ok(Bound::new(bound)),
            Some(error) => Err(Box::new(error)),
        }
    }

    fn locate(
        &self,
        name: &'static str,
        kind: Kind,
        arg: &Option<Value>,
        record: &CallRecord<'_>,
    ) -> Result<BoundArg, ToolError> {
        let locator = self.locator();
        let find = |path: &str, rule: PathRule, access: Access| {
            locator.place(path, rule, access, |address| record.concerns(address))
        };
        match (kind, arg) {
            (_, None) => Ok(BoundArg::Absent),
            (Kind::Path(rule, access), Some(value)) => {
                let text = value.as_text().expect("the binder lets only texts through as paths");
                let place = find(&text, rule, access);
                place.map(BoundArg::Path).map_err(|error| error.argument(name))
            }
            (Kind::Kept, Some(value)) => {
                let text = value.as_text().expect("the binder lets only texts through as paths");
                let kept = locator.kept(&text, |address| record.concerns(address)).map(BoundArg::Kept);
                kept.map_err(|error| ToolError { path: error.path.or(Some(shown_path(&text))), ..error }.argument(name))
            }
            (Kind::Paths(rule, access), Some(Value::List(list))) => {
                let listed = list.iter().map(|item| {
                    let given = item.as_text().expect("the binder lets only texts through as paths").to_string();
                    let place = find(&given, rule, access);
                    if place.as_ref().is_err_and(|error| is_refusal(error.code)) {
                        record.refuses(&given);
                    }
                    ListedPath { place, given }
                });
                Ok(BoundArg::Paths(listed.collect()))
            }
            (_, Some(value)) => Ok(BoundArg::Value(value.clone())),
        }
    }
}

/// Returns the error of a call whose audit line could not be written, with the result of the call.
fn with_line_lost(lost: ToolError, result: Result<Value, Box<ToolError>>) -> Box<ToolError> {
    match result {
        Ok(answer) => Box::new(lost.answering(answer)),
        Err(error) if error.manner == FailureMode::Partly => {
            let lost = lost.followed_by(&format!("; {}", error.message));
            Box::new(ToolError { answer: error.answer, ..lost })
        }
        Err(error) => error,
    }
}

/// Returns the result of a tool, or the limit error if the work was stopped. Comparisons, hashes and walks cannot
/// report that they were stopped early, and their results are then meaningless.
fn unless_stopped(result: Result<Value, Box<ToolError>>, has_changed: bool) -> Result<Value, Box<ToolError>> {
    match (work::check(), result) {
        (Err(hit), Ok(_)) => Err(Box::new(done_untold(hit, has_changed))),
        (Err(hit), Err(error)) if error.limit.is_none() && !has_changed => Err(Box::new(hit.into())),
        (_, result) => result,
    }
}
