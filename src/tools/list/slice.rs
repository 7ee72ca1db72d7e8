//! `LIST.Slice` and `LIST.Reverse`.

use std::rc::Rc;

use crate::limits::space;
use crate::toolkit::{AnyList, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{List, Value};

use super::super::range::bounds;

const SLICE: Spec = Spec::pure(
    "LIST.Slice",
    "list_slice",
    "Gives the elements from one index up to another",
    "Indexes count from 0, negative ones from the end; `end` itself is left out. An index beyond the list is an error.",
    Example { script: "EMIT LIST.Slice([1, 2, 3, 4], 1, 3)", output: "[2, 3]\n" },
);
const REVERSE: Spec = Spec::pure(
    "LIST.Reverse",
    "list_reverse",
    "Gives the elements in reverse order",
    "The list itself stays as it is.",
    Example { script: "EMIT LIST.Reverse([1, 2, 3])", output: "[3, 2, 1]\n" },
);

arguments! {
    struct Stretch {
        list: Rc<List> = Required, Kind::List, "list to take from";
        start: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "index of the first element";
        end: Option<i64> = Absent, Kind::Int { min: i64::MIN, max: i64::MAX }, "index after the last element; the list's length when left out";
    }
}

arguments! {
    struct Whole {
        list: Rc<List> = Required, Kind::List, "list to reverse";
    }
}

pub fn tool() -> Tool {
    Tool::new(SLICE, slice)
}

pub fn reverse_tool() -> Tool {
    Tool::new(REVERSE, reverse)
}

fn slice(context: &mut Context<'_>, args: Stretch) -> Result<AnyList, ToolError> {
    let (from, to) = bounds(args.start, args.end, args.list.len(), "elements")?;
    collect(context, to - from, (from..to).filter_map(|index| args.list.get(index)))
}

fn reverse(context: &mut Context<'_>, args: Whole) -> Result<AnyList, ToolError> {
    let length = args.list.len();
    collect(context, length, (0..length).rev().filter_map(|index| args.list.get(index)))
}

/// A new list of so many elements.
fn collect(context: &mut Context<'_>, length: usize, items: impl Iterator<Item = Value>) -> Result<AnyList, ToolError> {
    context.spend(length)?;
    space::check(length * size_of::<Value>())?;
    Ok(AnyList(Value::list(items.collect())?))
}
