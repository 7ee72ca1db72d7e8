//! The gate: every call of every tool goes through [`Gate::call`].
//!
//! The gate binds and checks the arguments, resolves paths, applies the policy, runs the tool, bounds its answer and
//! writes to the audit log, in that order. A tool never sees an unresolved path.
//!
//! A change begins only after the audit log has reserved space for the line that will report it (`begin_change`). If
//! that line is lost nevertheless, the error of the call says whether the change was made.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::audit::{Audit, AuditError, LogContext, LogLocation};
use crate::limits::{Meter, work};
use crate::memory::Project;
use crate::sandbox::{
    BackupPath, BackupPathText, Change, Journal, Overlay, PathRule, Root, SandboxPath, TemporaryFolders, Unresolved,
};
use crate::text::ToolCode;
use crate::value::Value;

use super::approval::{Approvals, Reason};
use super::bound::{Bound, BoundArg, ListedPath};
use super::call_record::{CallRecord, LoggedArgument, is_refusal};
use super::console::ConsoleHandle;
use super::context::Context;
use super::error::{FailureMode, ToolError};
use super::literal_path::with_pattern_hint;
use super::memory::{Memory, SessionMemory};
use super::module::Library;
use super::named::NamedPlaces;
use super::observer::CallObservers;
use super::policy::{Approval, Policy};
use super::random::{Clock, RandomSource};
use super::registry::{Registry, Tool, ToolId};
use super::settings::Settings;
use super::spec::{Access, Kind};
use super::truncate::{Bounds, deliver, done_untold};

/// The tools of an engine, the sandbox and everything else that calls need.
#[derive(Debug)]
pub struct Gate {
    /// All tools.
    pub registry: Rc<Registry>,
    /// The sandbox root.
    pub root: Root,
    /// Further roots that the policy allows, reached by absolute paths.
    pub further: Vec<Root>,
    /// Directories of modules outside the sandbox, which no tool can reach.
    pub libraries: Rc<[Library]>,
    /// The rules that the user sets.
    pub policy: Policy,
    /// The settings of single tools from the policy file.
    pub settings: Settings,
    /// Warnings of successful calls that have not been shown yet.
    pub notes: RefCell<Vec<String>>,
    /// Project memory: values that scripts store in the sandbox.
    pub project: Project,
    /// The approver and its replies so far.
    pub approvals: Rc<Approvals>,
    /// The view that shows progress.
    pub lookout: Rc<CallObservers>,
    /// Directories that are removed when the run ends.
    pub temporary: TemporaryFolders,
    /// The audit log.
    pub audit: Audit,
    /// The source of the current time.
    pub clock: Clock,
    /// Random numbers.
    pub chance: Rc<RandomSource>,
    /// The console.
    pub consoles: Rc<ConsoleHandle>,
    /// The journal, which makes changes undoable.
    pub journal: Journal,
    /// The overlay over the roots while a run is planned.
    pub overlay: Option<Arc<Overlay>>,
}

impl Gate {
    /// Takes the warnings of the calls so far, one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        let mut notes = std::mem::take(&mut *self.notes.borrow_mut());
        notes.append(&mut self.approvals.notes.borrow_mut());
        notes.extend([&self.root].into_iter().chain(&self.further).flat_map(Root::take_notes));
        notes
    }

    /// Whether there are warnings, or values to print.
    pub fn has_to_say(&self) -> bool {
        !self.notes.borrow().is_empty()
            || !self.approvals.notes.borrow().is_empty()
            || self.consoles.has_printed()
            || [&self.root].into_iter().chain(&self.further).any(Root::has_notes)
    }

    /// Returns why a text that is given as a path is outside the sandbox, as far as the text alone shows it.
    pub fn path_refusal(&self, path: &str, kind: Kind) -> Option<String> {
        let (Kind::Path(rule, _) | Kind::Paths(rule, _)) = kind else { return None };
        let refusal = self.root_for(path, rule).refusal(path, rule)?;
        (refusal.code() == ToolCode::SandboxViolation).then(|| refusal.to_string())
    }

    /// Removes temporary directories, clears the status line and discards random numbers. Called when a run ends, in
    /// whatever way. Directories that cannot be removed become warnings.
    pub fn end_run(&self) {
        self.chance.forget();
        self.consoles.show(None);
        self.remove_temporary();
    }

    /// Removes the temporary directories. One that cannot be removed becomes a warning and is removed at the next
    /// start.
    pub fn remove_temporary(&self) {
        let failed = self.temporary.remove_all(&self.root);
        if !failed.is_empty() {
            self.journal.leave_unswept();
        }
        self.notes.borrow_mut().extend(failed);
    }

    /// Calls a tool with arguments in the declared order, on behalf of a session.
    pub fn call(
        &self,
        id: ToolId,
        args: &mut [Option<Value>],
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, Box<ToolError>> {
        let tool = self.registry.get(id);
        self.admit_and_run(tool, args, meter, session).map_err(|mut error| {
            error.tool = Some(tool.spec.name);
            Box::new(with_pattern_hint(*error, tool))
        })
    }

    /// Works with session and project memory for a front end that is not a tool. `called` and `arguments` are
    /// recorded in the audit log.
    pub fn remember<T>(
        &self,
        called: &'static str,
        arguments: Vec<LoggedArgument>,
        (meter, session): (&mut Meter, &SessionMemory),
        work: impl FnOnce(&mut Memory<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let record = CallRecord::new(called, arguments, session);
        let result = work(&mut Memory { gate: self, meter, session, record: &record, is_tool: false });
        match self.conclude(&record, false, meter, result.as_ref().err()) {
            Some(lost) => result.and(Err(*lost)),
            None => result,
        }
    }

    fn admit_and_run(
        &self,
        tool: &Tool,
        args: &mut [Option<Value>],
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, Box<ToolError>> {
        tool.binder().complete(args)?;
        tool.check_all(args, &self.settings)?;
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
        let result = match self.policy.admit(&tool.spec) {
            Ok(approval) => located.and_then(|mut bound| self.run_located(tool, approval, &mut bound, meter, &record)),
            Err(error) => {
                record.tell_if_untold(tool, located.iter().flat_map(Bound::all));
                Err(Box::new(error))
            }
        };
        let failure = result.as_ref().err().map(|error| &**error);
        match self.conclude(&record, tool.spec.effect.changes_files(), meter, failure) {
            None => result,
            Some(lost) => Err(with_line_lost(*lost, result)),
        }
    }

    fn run_located(
        &self,
        tool: &Tool,
        approval: Approval,
        bound: &mut Bound<'_>,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Value, Box<ToolError>> {
        meter.poll()?;
        if let Approval::Needed { reason, instead, lifted_by } = &approval {
            let why = Reason { reason, instead, lifted_by: *lifted_by };
            let approved = self.approvals.approve(tool, bound, why, meter);
            approved.inspect_err(|_| record.tell_if_untold(tool, bound.all()))?;
        }
        let answer_bytes = meter.answer_bytes();
        let mut context = Context { meter, answer_bytes, gate: self, record };
        let named = if tool.is_plain() { NamedPlaces::default() } else { NamedPlaces::of(tool.params, bound) };
        let watched = self.lookout.watch(tool, context.meter);
        let result = tool.run(&mut context, bound).map_err(|error| Box::new(named.complete(*error)));
        drop(watched);
        let has_changed = record.has_changed();
        let result = unless_stopped(result, has_changed);
        deliver(result, Bounds { bytes: answer_bytes, has_changed, failure: tool.spec.failure })
    }

    /// Begins a change, after checking that the audit log can take its line.
    pub(super) fn begin_change<'a>(
        &'a self,
        files: u64,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Change<'a>, ToolError> {
        let change = self.journal.begin(&self.root, files, meter)?;
        if self.keeping() != LogLocation::Off && !record.begins() {
            self.audit.prepare(&self.site(meter), record.bytes()).map_err(unwritable)?;
        }
        record.changes();
        Ok(change)
    }

    /// Adds the audit line of a call that changed something or was refused. Returns an error if the call may have
    /// changed something and its line could not be written.
    pub(super) fn conclude(
        &self,
        record: &CallRecord<'_>,
        changes: bool,
        meter: &Meter,
        failure: Option<&ToolError>,
    ) -> Option<Box<ToolError>> {
        let is_refused = failure.is_some_and(|error| is_refusal(error.code)) || record.has_refused();
        let is_told = changes || record.has_begun() || is_refused;
        if !is_told || self.keeping() == LogLocation::Off {
            return None;
        }
        let appended = record.with_entry(failure, |entry| self.audit.append(&self.site(meter), entry));
        match appended {
            Ok(()) => None,
            Err(error) if record.has_begun() => {
                self.audit.lose(&error);
                Some(Box::new(lost(&error, failure.is_none())))
            }
            // Nothing was changed, so an unwritable log hides nothing.
            Err(error) => {
                if self.audit.tells() {
                    self.notes.borrow_mut().push(format!("the audit log cannot be written: {error}"));
                }
                None
            }
        }
    }

    /// Returns whether and where the audit log is kept.
    pub fn keeping(&self) -> LogLocation {
        // A planned run changes nothing.
        if !self.policy.enable_audit_logging || self.overlay.is_some() {
            LogLocation::Off
        } else if self.policy.read_only {
            LogLocation::State
        } else {
            LogLocation::Root
        }
    }

    fn site(&self, meter: &Meter) -> LogContext<'_> {
        LogContext { root: &self.root, keeping: self.keeping(), watch: meter.watch() }
    }

    /// Resolves the texts of path parameters. If several are refused, a malformed path is reported first.
    fn locate_paths<'a>(
        &self,
        tool: &Tool,
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
        let find = |path: &str, rule: PathRule, access: Access| {
            self.place(path, rule, access, |address| record.concerns(address))
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
                let kept = self.kept(&text, |address| record.concerns(address)).map(BoundArg::Kept);
                kept.map_err(|error| ToolError { path: error.path.or(Some(display(&text))), ..error }.argument(name))
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

    /// Returns the root that a path text leads to: a further root if the path is below it and absolute paths are
    /// accepted.
    fn root_for(&self, path: &str, rule: PathRule) -> &Root {
        let path = Path::new(path);
        let is_further = rule.absolute && path.is_absolute() && self.root.part_below(path).is_none();
        let further = self.further.iter().find(|root| is_further && root.part_below(path).is_some());
        further.unwrap_or(&self.root)
    }

    /// Returns the root that contains a resolved path.
    pub(super) fn root_of(&self, place: &SandboxPath) -> &Root {
        self.further.iter().find(|root| root.has(place)).unwrap_or(&self.root)
    }

    /// Finds the backup with this path, if the policy lets a tool change its origin. `see` receives the address of
    /// the origin.
    pub(super) fn kept(&self, path: &str, see: impl FnOnce(&str)) -> Result<BackupPath, ToolError> {
        let below = |root: &Root| Some(path.strip_prefix(&*root.address_of(""))?.strip_prefix('/')?.to_owned());
        let further = self.further.iter().find_map(|root| Some((root, below(root)?)));
        let (root, path) = further.unwrap_or((&self.root, path.to_owned()));
        let text = BackupPathText::parse(&path)?;
        let rule = PathRule::INSIDE.not_following().returning();
        let origin = self.place(&root.address_of(&text.origin()), rule, Access::Change, see)?;
        Ok(root.locate_kept(&text, origin)?)
    }

    /// Resolves a path, if the policy allows the access. `see` receives the address before the policy is checked.
    pub(super) fn place(
        &self,
        path: &str,
        rule: PathRule,
        access: Access,
        see: impl FnOnce(&str),
    ) -> Result<SandboxPath, ToolError> {
        self.place_in(self.root_for(path, rule), path, rule, access, see)
    }

    /// Like [`Gate::place`], below a given root.
    pub(super) fn place_in(
        &self,
        root: &Root,
        path: &str,
        rule: PathRule,
        access: Access,
        see: impl FnOnce(&str),
    ) -> Result<SandboxPath, ToolError> {
        let refused = |error: ToolError| error.path(display(path));
        match root.locate(path, rule) {
            Ok(place) => {
                see(&place.address());
                self.policy.admit_place(&place, access).map_err(refused)?;
                Ok(place)
            }
            Err(unreached) => Err(refused(self.unreached(root, unreached, access, see))),
        }
    }

    /// Returns the error for a path that cannot be resolved. A policy refusal takes precedence, so that the error
    /// does not reveal what exists there.
    fn unreached(&self, root: &Root, unreached: Unresolved, access: Access, see: impl FnOnce(&str)) -> ToolError {
        let error = ToolError::from(unreached.error);
        let is_final = error.code == ToolCode::BadArgs || is_refusal(error.code);
        let Some(way) = unreached.way.filter(|_| !is_final) else { return error };
        let address = root.address_of(&way.resolved);
        let admitted = if way.is_whole {
            self.policy.admit_absent(&address, access)
        } else {
            self.policy.admit_path(&address, true, access)
        };
        match admitted {
            Ok(()) => error,
            Err(refusal) => {
                see(&address);
                refusal
            }
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

/// Returns the error for a change that is not made because its audit line could not be written.
fn unwritable(error: AuditError) -> ToolError {
    let message = format!("nothing is changed, since the audit log cannot be written: {error}");
    hinted(ToolError::new(error.code(), message), &error)
}

/// Returns the error for a change whose audit line was lost: the change was made, or may have been made in part if
/// the call failed.
fn lost(error: &AuditError, is_done: bool) -> ToolError {
    let change = if is_done { "the change was made" } else { "the change may be made" };
    let message = format!("{change}, but the audit log cannot be written: {error}");
    hinted(ToolError::new(error.code(), message), error)
}

fn hinted(failure: ToolError, error: &AuditError) -> ToolError {
    match error {
        AuditError::Limit(hit) => (*hit).into(),
        error => {
            let without =
                "set `enable_audit_logging = false` in `[policy]` of your own policy file to work without a log";
            failure.hint(error.help().map_or(without.to_owned(), |help| format!("{help}; or {without}")))
        }
    }
}

/// Shortens a path for an error message, so that a huge argument is not repeated.
fn display(path: &str) -> String {
    crate::value::print::shortened(path, 200)
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
