//! Tool calls through the gate, and the handling of their failures.

use crate::limits::LimitHit;
use crate::program::truncation::TRUNCATED;
use crate::text::Span;
use crate::toolkit::{ArgError, BELOW_ROOT, Failure, FailureMode, ToolError, ToolId};
use crate::value::{Map, Str, Value};

use super::fault::Fault;
use super::machine::{EvalResult, Machine, Thrown};
use super::refusals;

/// How a failure is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// As the tool declares.
    AsDeclared,
    /// As the tool declares, with a warning to the user, since nothing checks the result.
    Warned,
    /// As an error.
    AsError,
}

/// How the result and the failure of a call are handled.
#[derive(Clone, Copy, Debug)]
pub struct Handling {
    /// How a failure is handled.
    pub failing: Failing,
    /// Whether the user is warned about a truncated result, since the script never checks for truncation.
    pub warns_of_truncation: bool,
}

/// Calls a tool with arguments in declaration order.
pub fn call(
    machine: &mut Machine,
    id: ToolId,
    args: &mut [Option<Value>],
    span: Span,
    handling: Handling,
) -> EvalResult<Value> {
    machine.step(span)?;
    let result = machine.world.gate.call(id, args, &mut machine.meter, &machine.world.memory);
    tell_notes(machine, id, span)?;
    match result {
        Ok(value) => {
            machine.last_error = Value::Nil;
            if handling.warns_of_truncation && is_truncated(&value) {
                warn_of_truncation(machine, id, &value, span);
            }
            Ok(value)
        }
        Err(error) => failed(machine, id, *error, span, handling.failing),
    }
}

/// Displays the notes of a tool, if it has any.
#[inline]
pub fn tell_notes(machine: &mut Machine, id: ToolId, span: Span) -> EvalResult<()> {
    if machine.world.gate.has_to_say() { tell(machine, id, span) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn tell(machine: &mut Machine, id: ToolId, span: Span) -> EvalResult<()> {
    let gate = machine.world.gate.clone();
    for note in gate.take_notes() {
        warn(machine, gate.registry().get(id).spec.name, Some(span), &note);
    }
    for value in gate.console().take_printed() {
        machine.world.output.emit(&[value], &mut machine.meter).map_err(|error| machine.throw(span, error))?;
    }
    Ok(())
}

/// Returns whether a result says that it is truncated.
fn is_truncated(value: &Value) -> bool {
    matches!(value, Value::Map(map) if map.get_str(TRUNCATED).is_some_and(|cut| cut.is_true()))
}

/// Warns about a truncated result.
#[cold]
#[inline(never)]
fn warn_of_truncation(machine: &mut Machine, id: ToolId, value: &Value, span: Span) {
    let spec = machine.world.gate.registry().get(id).spec;
    let shown = match value {
        Value::Map(map) => map.iter().find_map(|(_, value)| match value {
            Value::List(list) => Some(format!(" after {} entries", list.len())),
            _ => None,
        }),
        _ => None,
    };
    let message = format!("the result is cut{}; look at its `truncated`", shown.unwrap_or_default());
    warn(machine, spec.name, Some(span), &message);
}

/// Refuses a call whose arguments are invalid: always an error.
pub fn refuse(machine: &mut Machine, id: ToolId, error: ArgError, span: Span) -> Thrown {
    let name = machine.world.gate.registry().get(id).spec.name;
    let error = ToolError { tool: Some(name), ..error.into() };
    raise(machine, error, span)
}

/// Raises the failure of a call.
#[cold]
#[inline(never)]
pub fn raise(machine: &mut Machine, error: ToolError, span: Span) -> Thrown {
    let fault = noted(machine, error, span);
    machine.rethrow(Box::new(fault))
}

/// Returns the fault of a failed call, which is now the outcome of the latest call.
fn noted(machine: &mut Machine, error: ToolError, span: Span) -> Fault {
    let mut fault = Fault::from(error);
    fault.span = Some(span);
    fault.refused = refusals::is_refusal(fault.code) || refusals::follows(&fault, &machine.last_error);
    machine.last_error = fault.to_value(&machine.world.sources);
    fault
}

#[cold]
#[inline(never)]
fn failed(machine: &mut Machine, id: ToolId, error: ToolError, span: Span, failing: Failing) -> EvalResult<Value> {
    let manner = error.manner;
    let fault = noted(machine, error, span);
    let raised = manner == FailureMode::Raised || failing == Failing::AsError || machine.world.strict;
    let spec = machine.world.gate.registry().get(id).spec;
    let comes_as_map = matches!(spec.failure, Failure::ErrorMap | Failure::SuccessMap);
    if failing == Failing::Warned && comes_as_map && !raised {
        warn_of_failure(machine, spec.name, &fault);
    }
    match spec.failure {
        _ if raised => Err(machine.rethrow(Box::new(fault))),
        Failure::Raise => Err(machine.rethrow(Box::new(fault))),
        Failure::Nil => {
            if manner != FailureMode::Quiet {
                warn_of_failure(machine, spec.name, &fault);
            }
            Ok(Value::Nil)
        }
        _ if fault.answer.is_some() => answer(fault).map_err(|hit| machine.throw(span, hit)),
        Failure::ErrorMap => Ok(error_map(&fault).into()),
        Failure::SuccessMap => Ok(error_map(&fault).with("success", false).into()),
    }
}

fn error_map(fault: &Fault) -> Map {
    Map::with_capacity(2).with("error", fault.message_text())
}

/// Returns the answer of a call that failed in part. If it was refused, the `error` of the answer is marked.
fn answer(fault: Fault) -> Result<Value, LimitHit> {
    let Some(Value::Map(mut map)) = fault.answer else { return Ok(fault.answer.unwrap_or_default()) };
    if fault.refused
        && let Some(error) = map.get_str("error").as_ref().and_then(Value::as_text)
    {
        let error = Str::new(&error);
        error.mark_refusal();
        Map::insert(&mut map, Str::new("error"), error.into())?;
    }
    Ok(Value::Map(map))
}

/// Warns about a failure that the script may not check.
fn warn_of_failure(machine: &mut Machine, tool: &str, fault: &Fault) {
    warn(machine, tool, fault.span, &fault.message);
    if fault.hint.as_deref() == Some(BELOW_ROOT) {
        machine.world.output.refuse_path();
    }
}

/// Displays one warning: a failure that the script sees only as nil, or a note of a tool.
fn warn(machine: &mut Machine, tool: &str, span: Option<Span>, message: &str) {
    let sources = machine.world.sources.clone();
    let place = span.and_then(|span| {
        let source = sources.of(span)?;
        Some(format!("{}:{}: ", source.name(), source.position(span).line))
    });
    let text = format!("{}{tool}: {message}", place.unwrap_or_default());
    machine.world.output.warn(&text);
}
