//! `LIST.Sort`.

use std::rc::Rc;

use crate::limits::space;
use crate::toolkit::{AnyList, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::operators::compare;
use crate::value::{List, Str, Value, print};

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
    let mut keyed = Vec::with_capacity(length);
    for index in 0..length {
        let element = args.list.get(index).expect("the index is below the length");
        keyed.push(Keyed { index, by: key_of(&element, args.key.as_ref(), index)? });
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

fn is_nan(value: &Value) -> bool {
    value.as_float().is_some_and(f64::is_nan)
}

fn key_of(element: &Value, key: Option<&Str>, index: usize) -> Result<Value, ToolError> {
    match (key, element) {
        (None, _) => Ok(element.clone()),
        (Some(key), Value::Map(map)) => map.get(key).ok_or_else(|| {
            let message = format!("element {index} has no key `{}`", key.as_text());
            ToolError::bad_argument("key", message)
        }),
        (Some(_), _) => {
            let message = format!("element {index} is no map, but {} {}", element.type_name(), print::preview(element));
            Err(ToolError::bad_argument("list", message).hint("leave `key` out to sort plain values"))
        }
    }
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
