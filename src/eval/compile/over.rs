//! Functions that take a procedure: they run it for each element, each a step.

use std::rc::Rc;

use crate::limits::space;
use crate::program::Over;
use crate::program::tree::{Args, Call, Callee};
use crate::text::Span;
use crate::toolkit::ToolError;
use crate::value::{List, Value, order};

use super::super::builtins;
use super::super::machine::{Machine, Run};
use super::super::tool_call::{self, Failing};
use super::call::run_procedure;
use super::{Compiler, ValueFn};

/// Runs what was named with one argument, or with two.
type Apply = Box<dyn Fn(&mut Machine, Value, Option<Value>) -> Run<Value>>;

impl Compiler {
    pub(super) fn over_call(&self, over: Over, callee: Callee, call: &Call, failing: Failing) -> ValueFn {
        let Args::Placed { values, params } = &call.args else { unreachable!("lowering places these arguments") };
        let (args, params, span) = (self.placed(values), *params, call.span);
        let apply = self.apply(callee, span, failing);
        Box::new(move |machine| {
            machine.step(span)?;
            let mut given = vec![None; params];
            for (place, arg) in &args {
                given[*place] = Some(arg(machine)?);
            }
            let options = given.split_off(Over::PROCEDURE + 1);
            let list = given.swap_remove(0).expect("lowering demands the list");
            check(machine, over, 0, &list, span)?;
            let Value::List(list) = list else { unreachable!("the list was just checked") };
            run(machine, over, &list, options.into_iter().next().flatten(), &apply, span)
        })
    }

    fn apply(&self, callee: Callee, span: Span, failing: Failing) -> Apply {
        let frame = self.frame;
        match callee {
            Callee::Procedure(id, params) => Box::new(move |machine, first, second| {
                let given = 1 + usize::from(second.is_some());
                let absent = std::iter::repeat_n(Value::Nil, params - given);
                run_procedure(machine, id.0 as usize, frame, span, [first].into_iter().chain(second).chain(absent))
            }),
            Callee::Builtin(crate::program::Builtin::Range) => Box::new(move |machine, first, second| {
                let args: Vec<Value> = [first].into_iter().chain(second).collect();
                super::call::range_of(machine, &args, span)
            }),
            Callee::Builtin(builtin) => Box::new(move |machine, first, second| {
                let result = match second {
                    None => builtins::unary(builtin)(&first),
                    Some(second) => builtins::apply(builtin, &[first, second]),
                };
                result.map_err(|error| machine.throw(span, error))
            }),
            Callee::Tool(id) => Box::new(move |machine, first, second| {
                let params = machine.world.gate.registry.get(id).params.len();
                let mut args = vec![None; params];
                args[0] = Some(first);
                if second.is_some() {
                    args[1] = second;
                }
                tool_call::call(machine, id, args, span, failing)
            }),
        }
    }
}

fn run(
    machine: &mut Machine,
    over: Over,
    list: &Rc<List>,
    option: Option<Value>,
    apply: &Apply,
    span: Span,
) -> Run<Value> {
    match over {
        Over::Map => collect(machine, list, span, |machine, element| Ok(Some(apply(machine, element, None)?))),
        Over::Filter => collect(machine, list, span, |machine, element| {
            Ok(apply(machine, element.clone(), None)?.is_true().then_some(element))
        }),
        Over::Reduce => reduce(machine, list, option, apply, span),
        Over::SortBy => sort_by(machine, list, option, apply, span),
        Over::Any => Ok(first(machine, list, apply, true, span)?.into()),
        Over::All => Ok((!first(machine, list, apply, false, span)?).into()),
    }
}

/// The list of what is made of each element, those left out of which nothing is made.
fn collect(
    machine: &mut Machine,
    list: &List,
    span: Span,
    make: impl Fn(&mut Machine, Value) -> Run<Option<Value>>,
) -> Run<Value> {
    let mut made = Rc::new(List::empty());
    for element in list.iter() {
        machine.step(span)?;
        if let Some(value) = make(machine, element)? {
            List::push(&mut made, value).map_err(|hit| machine.throw(span, hit))?;
        }
    }
    Ok(Value::List(made))
}

fn reduce(machine: &mut Machine, list: &List, start: Option<Value>, apply: &Apply, span: Span) -> Run<Value> {
    let mut elements = list.iter();
    let Some(mut made) = start.or_else(|| elements.next()) else { return Ok(Value::Nil) };
    for element in elements {
        machine.step(span)?;
        made = apply(machine, made, Some(element))?;
    }
    Ok(made)
}

/// Whether the procedure gives for any element what is as true as `wanted`.
fn first(machine: &mut Machine, list: &List, apply: &Apply, wanted: bool, span: Span) -> Run<bool> {
    for element in list.iter() {
        machine.step(span)?;
        if apply(machine, element, None)?.is_true() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn sort_by(machine: &mut Machine, list: &Rc<List>, descending: Option<Value>, apply: &Apply, span: Span) -> Run<Value> {
    if let Some(descending) = &descending {
        check(machine, Over::SortBy, 2, descending, span)?;
    }
    let keys = collect(machine, list, span, |machine, element| Ok(Some(apply(machine, element, None)?)))?;
    let Value::List(keys) = keys else { unreachable!("what was collected is a list") };
    let needed = list.len() * (size_of::<usize>() + size_of::<Value>());
    space::check(needed).map_err(|hit| machine.throw(span, hit))?;
    let keys: Vec<Value> = keys.iter().collect();
    let direction = order::Direction::of(descending.is_some_and(|descending| descending.is_true()));
    let sorted = order::sorted(&keys, direction).map_err(|odd| {
        let message = format!("element {odd} cannot be ordered with the others: {}", order::shown(&keys[odd]));
        let error = ToolError::bad_argument("procedure", message).hint("give numbers or texts, not both");
        machine.throw(span, ToolError { tool: Some(Over::SortBy.spec().name), ..error })
    })?;
    machine.meter.poll().map_err(|hit| machine.throw(span, hit))?;
    Value::list(sorted.into_iter().filter_map(|index| list.get(index)).collect())
        .map_err(|hit| machine.throw(span, hit))
}

/// Checks an argument as the binder checks those of tools.
fn check(machine: &mut Machine, over: Over, place: usize, value: &Value, span: Span) -> Run<()> {
    over.binder().check(place, value).map_err(|error| {
        let error = ToolError { tool: Some(over.spec().name), ..ToolError::from(error) };
        machine.throw(span, error)
    })
}
