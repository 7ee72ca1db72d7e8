//! Calls: every call of every tool goes through [`Gate::call`].
//!
//! The gate binds and checks the arguments, resolves paths, applies the policy, asks if somebody must agree, runs the
//! tool, bounds its answer and writes to the audit log, in that order. A tool never sees an unresolved path.

use crate::limits::{Limit, Meter, work};
use crate::memory::Session as SessionMemory;
use crate::sandbox::{PathRule, SharedFolders};
use crate::text::ToolCode;
use crate::toolkit::{Access, Bound, BoundArg, Declaration, FailureMode, Kind, ListedPath, ToolError, ToolId};
use crate::value::Value;

use super::assembly::Gate;
use super::call_record::{CallRecord, LoggedArgument, is_refusal};
use super::caller::Caller;
use super::context::Context;
use super::literal_path::with_pattern_hint;
use super::locator::shown_path;
use super::memory::Memory;
use super::named::NamedPlaces;
use super::policy::Approval;
use super::tool::ToolRef;
use super::truncate::{Bounds, deliver, done_but_unreported};

impl Gate {
    /// Calls a tool with arguments in the declared order, on behalf of a session.
    pub fn call(
        &self,
        id: ToolId,
        args: &mut [Option<Value>],
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, Box<ToolError>> {
        let tool = self.toolbox.get(id);
        self.admit_and_run(tool, args, meter, session).map_err(|error| {
            let error = self.explained(*error, tool.declaration);
            Box::new(if tool.declaration.streams() { with_loop_hint(error) } else { error })
        })
    }

    /// Returns the error of a call with what the gate knows: the tool, and where its limit can be raised.
    pub(super) fn explained(&self, mut error: ToolError, tool: &Declaration) -> ToolError {
        error.tool = Some(tool.spec.name);
        if let Some(hit) = error.limit {
            self.admission.policy.provenance.correct_limit_help(hit.limit, &mut error.hint);
        }
        with_pattern_hint(error, tool)
    }

    /// Returns the result of a call whose run has ended, or the error that its changes may not be durable.
    pub fn acknowledge(&self, result: Result<Value, ToolError>) -> Result<Value, ToolError> {
        match self.world.journal.check_durable() {
            Ok(()) => result,
            Err(error) => Err(*unacknowledged(error.into(), result.map_err(Box::new))),
        }
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

    pub(super) fn admit_and_run(
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
            (CallRecord::without_arguments(tool.spec.name, session), Ok(Bound::of_values(args)))
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
                record.add_arguments(tool, located.iter().flat_map(Bound::all));
                Err(Box::new(error))
            }
        };
        let failure = result.as_ref().err().map(|error| &**error);
        match self.world.conclude(&record, tool.may_change(args), meter, failure) {
            None => result,
            Some(lost) => Err(unacknowledged(*lost, result)),
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
        approved.inspect_err(|_| record.add_arguments(tool, bound.all()))?;
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
                Ok(mut arg) => {
                    share_folder(&mut arg, bound.last());
                    bound.push(arg)
                }
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
                let mut folders = SharedFolders::default();
                let listed = list.iter().map(|item| {
                    let given = item.as_text().expect("the binder lets only texts through as paths").to_string();
                    let mut place = find(&given, rule, access);
                    place.iter_mut().for_each(|place| folders.share(place));
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

/// Adds to the error of a list that does not fit that its elements can be pulled one by one.
fn with_loop_hint(error: ToolError) -> ToolError {
    let is_whole = error.limit.is_some_and(|hit| matches!(hit.limit, Limit::Memory | Limit::Collection));
    match (error.tool, &error.hint) {
        (Some(tool), Some(hint)) if is_whole => {
            let hint =
                format!("loop over the call itself, which makes no list: `FOR EACH item IN {tool}(…)`; or {hint}");
            error.hint(hint)
        }
        _ => error,
    }
}

/// Lets a path use the handle of the argument before it, if both are in one directory.
fn share_folder(arg: &mut BoundArg, before: Option<&BoundArg>) {
    if let (BoundArg::Path(place), Some(BoundArg::Path(before))) = (arg, before) {
        place.share_folder(before);
    }
}

/// Returns the error of a call whose audit line could not be written, or whose changes may not be durable, with the
/// result of the call.
fn unacknowledged(lost: ToolError, result: Result<Value, Box<ToolError>>) -> Box<ToolError> {
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
pub(super) fn unless_stopped<T>(result: Result<T, Box<ToolError>>, has_changed: bool) -> Result<T, Box<ToolError>> {
    match (work::check(), result) {
        (Err(hit), Ok(_)) => Err(Box::new(done_but_unreported(hit, has_changed))),
        (Err(hit), Err(error)) if error.limit.is_none() && !has_changed => Err(Box::new(hit.into())),
        (_, result) => result,
    }
}
