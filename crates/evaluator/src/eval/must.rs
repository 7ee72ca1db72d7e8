//! MUST and FAIL.

use crate::limits::LimitHit;
use crate::text::{Span, ToolCode};
use crate::toolkit::{Effect, Failure, ToolId};
use crate::value::{Map, Value, print};

use super::fault::Fault;
use super::machine::{CondFn, EvalResult, Flow, Machine, StmtFn, ValueFn};

/// `MUST value, message`
pub fn value(condition: CondFn, message: Option<ValueFn>, span: Span) -> StmtFn {
    Box::new(move |machine| match condition(machine) {
        Ok(true) => Flow::Next,
        Ok(false) => {
            let fault = Fault::new(ToolCode::Fail, "the condition of MUST does not hold");
            fail_with(machine, message.as_ref(), span, fault)
        }
        Err(_) => Flow::Throw,
    })
}

/// `MUST CALL f(…), message`: errors of the call propagate; nil, false and a map with an `error` are failures.
pub fn call(call: ValueFn, tool: Option<ToolId>, message: Option<ValueFn>, span: Span) -> StmtFn {
    Box::new(move |machine| match call(machine) {
        Ok(Value::Nil) if tool.is_some_and(|tool| says_nothing(machine, tool)) => Flow::Next,
        Ok(value) => match reported(&value) {
            Ok(None) => Flow::Next,
            Ok(Some(failure)) => {
                let fault = Fault { refused: value.quotes_refusal(), ..Fault::new(ToolCode::Fail, failure) };
                fail_with(machine, message.as_ref(), span, fault)
            }
            Err(hit) => {
                machine.throw(span, hit);
                Flow::Throw
            }
        },
        Err(_) => match &message {
            // The script's message explains a failure better than the tool's, which is appended.
            Some(message) if machine.fault_mut().tool.is_some() && machine.fault_mut().is_catchable() => {
                explain(machine, message, span)
            }
            _ => Flow::Throw,
        },
    })
}

/// `FAIL message`
pub fn fail(message: Option<ValueFn>, span: Span) -> StmtFn {
    Box::new(move |machine| fail_with(machine, message.as_ref(), span, Fault::new(ToolCode::Fail, "the script failed")))
}

/// Returns whether a tool returns nil on success: it changes something, and its failures are errors.
fn says_nothing(machine: &Machine, tool: ToolId) -> bool {
    let spec = machine.world.gate.registry().get(tool).spec;
    spec.failure == Failure::Raise && !matches!(spec.effect, Effect::Pure | Effect::Reads)
}

/// Returns the failure that a value reports.
fn reported(value: &Value) -> Result<Option<String>, LimitHit> {
    Ok(match value {
        Value::Nil => Some("the call of MUST gave nil".to_owned()),
        Value::Bool(_) if !value.is_true() => Some("the call of MUST gave false".to_owned()),
        Value::Map(map) => error_of(map)?,
        _ => None,
    })
}

fn error_of(map: &Map) -> Result<Option<String>, LimitHit> {
    match map.get_str("error") {
        None | Some(Value::Nil) => Ok(None),
        Some(error) => print::to_text(&error).map(|text| Some(text.into())),
    }
}

#[cold]
#[inline(never)]
fn fail_with(machine: &mut Machine, message: Option<&ValueFn>, span: Span, mut fault: Fault) -> Flow {
    if let Some(message) = message {
        let Ok((text, quotes_refusal)) = message_text(machine, message, span) else { return Flow::Throw };
        fault.message = text;
        fault.refused |= quotes_refusal;
    }
    machine.throw(span, fault);
    Flow::Throw
}

/// Returns the script's message, and whether it quotes a refusal.
fn message_text(machine: &mut Machine, message: &ValueFn, span: Span) -> EvalResult<(String, bool)> {
    let value = message(machine)?;
    let text = print::to_text(&value).map_err(|hit| machine.throw(span, hit))?;
    Ok((machine.world.gate.console().plain(&text).into_owned(), value.quotes_refusal()))
}

/// Prefixes the tool's message with the script's.
#[cold]
fn explain(machine: &mut Machine, message: &ValueFn, span: Span) -> Flow {
    let mut fault = machine.take_fault();
    if let Ok((text, _)) = message_text(machine, message, span) {
        fault.message = format!("{text}: {}", fault.message);
        machine.rethrow(fault);
    }
    Flow::Throw
}
