//! EVAL: texts that are expanded at run time.

use std::rc::Rc;

use compact_str::CompactString;

use crate::limits::space;
use crate::program::tree::{Scope, Variable};
use crate::program::{Part, Template};
use crate::text::{Code, Span, nearest};
use crate::value::{Fallible, Str, Value, operators, print};

use super::fault::Fault;
use super::machine::{EvalResult, Machine, ValueFn};

/// `EVAL(text)`: expands `{{name}}` once; inserted values are not expanded again.
pub fn eval(text: ValueFn, scope: Rc<Scope>, last: Option<usize>, span: Span) -> ValueFn {
    Box::new(move |machine| {
        machine.step(span)?;
        let value = text(machine)?;
        let text = print::to_text(&value).map_err(|error| machine.throw(span, error))?;
        let mut expanded = CompactString::default();
        let mut quotes_refusal = value.quotes_refusal();
        for part in Template::new(&text) {
            match part {
                Part::Text(piece) => append(machine, &mut expanded, piece, span)?,
                Part::Placeholder(name, _) => {
                    let value = lookup(machine, name, &scope, last, span)?;
                    quotes_refusal |= value.quotes_refusal();
                    let piece = print::to_text(&value).map_err(|error| machine.throw(span, error))?;
                    append(machine, &mut expanded, &piece, span)?;
                }
            }
        }
        let expanded = Str::from_compact(expanded);
        if quotes_refusal {
            expanded.mark_refusal();
        }
        Ok(expanded.into())
    })
}

fn append(machine: &mut Machine, text: &mut CompactString, piece: &str, span: Span) -> EvalResult<()> {
    let length = text.len() + piece.len();
    let room = || -> Fallible<()> { Ok(space::check_string(length).and_then(|()| space::check(length))?) };
    room().map_err(|error| machine.throw(span, error))?;
    text.push_str(piece);
    Ok(())
}

/// Returns the value of `name.field.field`.
fn lookup(machine: &mut Machine, dotted: &str, scope: &Scope, last: Option<usize>, span: Span) -> EvalResult<Value> {
    let mut words = dotted.split('.');
    let name = words.next().unwrap_or_default();
    let first = match (name, scope.find(name)) {
        ("LAST" | "last", _) => last.map_or(Value::Nil, |slot| machine.local(slot).clone()),
        ("LAST_ERROR" | "last_error", None) => machine.last_error.clone(),
        ("ARGS" | "args", None) => machine.args.clone(),
        (_, Some(Variable::Local(slot))) => machine.local(slot.0 as usize).clone(),
        (_, Some(Variable::Outer(slot))) => machine.outer(slot.0 as usize).clone(),
        (_, None) => return Err(machine.throw(span, unknown(name, scope))),
    };
    let mut value = match first {
        Value::Unset if matches!(name, "LAST" | "last") => Value::Nil,
        Value::Unset => return Err(machine.throw(span, Fault::unset(name))),
        value => value,
    };
    for word in words {
        value = operators::field(&value, &Str::new(word)).map_err(|error| machine.throw(span, error))?;
    }
    Ok(value)
}

fn unknown(name: &str, scope: &Scope) -> Fault {
    let fault = Fault::new(Code::UnknownName, format!("nothing sets `{name}`, which EVAL is to expand"));
    match nearest(name, scope.names.iter().map(|(name, _)| name.as_str())) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None => fault.hint("set it first"),
    }
}
