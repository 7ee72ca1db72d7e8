//! `LIST.Sort`.

use std::rc::Rc;

use crate::limits::space;
use crate::toolkit::{AnyList, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::operators::compare;
use crate::value::{List, Str, Value, print};

use super::key;

const SPEC: Spec = Spec::pure(
    "LIST.Sort",
    "list_sort",
    "Gives the elements in ascending or descending order",
    "Elements are all numbers or all texts, or maps when `key` names the value to sort by; texts are ordered by code \
        point, and a float that is not a number comes after all others. Equal elements keep their order.",
    Example {
        script: "EMIT LIST.Sort([3, 1, 2])\nEMIT LIST.Sort([{\"n\": 1}, {\"n\": 2}], key: \"n\", descending: true)",
        output: "[1, 2, 3]\n[{\"n\": 2}, {\"n\": 1}]\n",
    },
);

arguments! {
    struct Args {
        list: Rc<List> = Required, Kind::List, "list to sort";
        key: Option<Str> = Absent, Kind::Text, "key of the value to sort by, when the elements are maps";
        descending: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the greatest comes first";
    }
}

/// An element's number and what it is sorted by.
struct Keyed {
    index: usize,
    by: Value,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let length = args.list.len();
    context.spend(length)?;
    space::check(length * (size_of::<Keyed>() + size_of::<Value>()))?;
    if args.key.is_none()
        && let Some(ints) = args.list.values().and_then(ints)
    {
        return sorted_ints(context, ints, args.descending);
    }
    let mut keyed = Vec::with_capacity(length);
    for (index, element) in args.list.iter().enumerate() {
        keyed.push(Keyed { index, by: key::of(&element, args.key.as_ref(), index)? });
    }
    check_kinds(&keyed)?;
    // All keys are of one kind, so only floats that are no numbers have no order; they come after all others.
    let order = |a: &Keyed, b: &Keyed| {
        let ordered = compare("<", &a.by, &b.by).ok().flatten();
        ordered.unwrap_or_else(|| is_nan(&a.by).cmp(&is_nan(&b.by)))
    };
    match args.descending {
        true => keyed.sort_by(|a, b| order(b, a)),
        false => keyed.sort_by(order),
    }
    context.meter.poll()?;
    let sorted = keyed.into_iter().filter_map(|keyed| args.list.get(keyed.index)).collect();
    Ok(AnyList(Value::list(sorted)?))
}

/// The elements, if they are all whole numbers, of which nobody can tell equal ones apart.
fn ints(values: &[Value]) -> Option<Vec<i64>> {
    let int = |value: &Value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    };
    values.iter().map(int).collect()
}

fn sorted_ints(context: &mut Context<'_>, mut ints: Vec<i64>, descending: bool) -> Result<AnyList, ToolError> {
    ints.sort_unstable();
    context.meter.poll()?;
    let values = match descending {
        true => ints.into_iter().rev().map(Value::Int).collect(),
        false => ints.into_iter().map(Value::Int).collect(),
    };
    Ok(AnyList(Value::list(values)?))
}

fn is_nan(value: &Value) -> bool {
    value.as_float().is_some_and(f64::is_nan)
}

/// All keys must be numbers, or all texts.
fn check_kinds(keyed: &[Keyed]) -> Result<(), ToolError> {
    let is_number = |value: &Value| value.as_float().is_some();
    let Some(first) = keyed.first() else { return Ok(()) };
    let fits = |value: &Value| if is_number(&first.by) { is_number(value) } else { value.is_text() };
    let Some(odd) = keyed.iter().find(|keyed| !fits(&keyed.by)) else { return Ok(()) };
    let message = format!(
        "element {} cannot be ordered with the others: {} {}",
        odd.index,
        odd.by.type_name(),
        print::preview(&odd.by)
    );
    Err(ToolError::bad_argument("list", message).hint("sort numbers or texts, not both; maps need `key`"))
}
