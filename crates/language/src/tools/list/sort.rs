//! `LIST.Sort`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::order::{self, Direction, Unsorted};
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
)
.keywords(&["sort", "sorted", "order", "order by", "arrange", "descending", "slices.Sort", "sort.Slice", "Array.sort"]);

arguments! {
    struct Args {
        list: Rc<List> = Required, Kind::List, "list to sort";
        key: Option<Str> = Absent, Kind::Text, "key of the value to sort by, when the elements are maps";
        descending: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the greatest comes first";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let length = args.list.len();
    context.spend(length)?;
    space::check(length * (size_of::<(Value, usize)>() + 2 * size_of::<Value>()))?;
    if args.key.is_none()
        && let Some(ints) = args.list.values().map(ints).transpose()?.flatten()
    {
        return sorted_ints(ints, args.descending);
    }
    let mut keys = Vec::with_capacity(length);
    for (index, element) in args.list.iter().enumerate() {
        work::charge(1)?;
        keys.push(key::of(&element, args.key.as_ref(), index)?);
    }
    let sorted = order::sorted(&keys, Direction::of(args.descending)).map_err(|unsorted| match unsorted {
        Unsorted::Limit(hit) => ToolError::from(hit),
        Unsorted::Odd(odd) => {
            let message = format!("element {odd} cannot be ordered with the others: {}", print::display(&keys[odd]));
            ToolError::bad_argument("list", message).hint("sort numbers or texts, not both; maps need `key`")
        }
    })?;
    let mut elements = Vec::with_capacity(sorted.len());
    for index in sorted {
        work::charge(1)?;
        elements.extend(args.list.get(index));
    }
    Ok(AnyList(Value::list(elements)?))
}

/// Returns the elements if all are integers; equal integers are indistinguishable, so an unstable sort will do.
fn ints(values: &[Value]) -> Result<Option<Vec<i64>>, LimitHit> {
    order::all(values, |value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    })
}

fn sorted_ints(mut ints: Vec<i64>, descending: bool) -> Result<AnyList, ToolError> {
    order::sort_numbers(&mut ints, i64::cmp)?;
    let values = if descending {
        ints.into_iter().rev().map(Value::Int).collect()
    } else {
        ints.into_iter().map(Value::Int).collect()
    };
    Ok(AnyList(Value::list(values)?))
}
