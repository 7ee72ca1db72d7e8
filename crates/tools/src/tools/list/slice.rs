//! `LIST.Slice`, `LIST.Rest`, `LIST.Tail`, `LIST.Reverse`.

use std::ops::Range;
use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{List, Value};

use super::super::build;
use super::super::range::bounds;

const SLICE: Spec = Spec::pure(
    "LIST.Slice",
    "list_slice",
    "Returns the elements from one index up to another",
    "Indexes count from 0, negative ones from the end; `end` itself is left out. An index beyond the list is an error.",
    Example { script: "EMIT LIST.Slice([1, 2, 3, 4], 1, 3)", output: "[2, 3]\n" },
)
.keywords(&["slice", "subarray", "part of list", "sublist", "array_slice", "range of elements"]);
const REST: Spec = Spec::pure(
    "LIST.Rest",
    "list_rest",
    "Returns the elements after the first ones",
    "If the list has at most `count` elements, the result is empty.",
    Example { script: "EMIT LIST.Rest([1, 2, 3]), LIST.Rest([])", output: "[2, 3][]\n" },
)
.keywords(&["rest", "skip", "drop", "without the first"]);
const TAKE: Spec = Spec::pure(
    "LIST.Take",
    "list_take",
    "Returns the first elements",
    "A list of at most `count` elements is returned whole.",
    Example { script: "EMIT LIST.Take([1, 2, 3], 2)", output: "[1, 2]\n" },
)
.keywords(&["take", "limit", "first elements", "top", "first n"]);
const TAIL: Spec = Spec::pure(
    "LIST.Tail",
    "list_tail",
    "Returns the last elements",
    "A list of at most `count` elements is returned whole.",
    Example { script: "EMIT LIST.Tail([1, 2, 3], 2)", output: "[2, 3]\n" },
)
.keywords(&["tail", "last elements", "takelast", "last n"]);
const REVERSE: Spec = Spec::pure(
    "LIST.Reverse",
    "list_reverse",
    "Returns the elements in reverse order",
    "The list itself stays as it is.",
    Example { script: "EMIT LIST.Reverse([1, 2, 3])", output: "[3, 2, 1]\n" },
)
.keywords(&["reverse", "reversed", "array_reverse", "reverse list"]);

arguments! {
    struct Stretch {
        list: Rc<List> = Required, Kind::List, "list to take from";
        start: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "index of the first element";
        end: Option<i64> = Absent, Kind::Int { min: i64::MIN, max: i64::MAX }, "index after the last element; the list's length when left out";
    }
}

arguments! {
    struct Without {
        list: Rc<List> = Required, Kind::List, "list to take from";
        count: i64 = Is(Literal::Int(1)), Kind::at_least(0), "how many elements are left out";
    }
}

arguments! {
    struct Counted {
        list: Rc<List> = Required, Kind::List, "list to take from";
        count: i64 = Required, Kind::at_least(0), "how many elements";
    }
}

arguments! {
    struct Whole {
        list: Rc<List> = Required, Kind::List, "list to reverse";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SLICE, |context, args: Stretch| {
            let Range { start, end } = bounds(args.start, args.end, args.list.len(), "elements")?;
            stretch(context, args.list, start..end)
        }),
        Tool::new(REST, |context, args: Without| {
            let length = args.list.len();
            stretch(context, args.list, length.min(args.count as usize)..length)
        }),
        Tool::new(TAKE, |context, args: Counted| {
            let end = args.list.len().min(args.count as usize);
            stretch(context, args.list, 0..end)
        }),
        Tool::new(TAIL, |context, args: Counted| {
            let length = args.list.len();
            stretch(context, args.list, length - length.min(args.count as usize)..length)
        }),
        Tool::new(REVERSE, |context, args: Whole| {
            let length = args.list.len();
            build::list(context, length, (0..length).rev().filter_map(|index| args.list.get(index)))
        }),
    ]
}

/// Returns a part of a list. If nothing else holds the list, the other elements are removed from it; they were charged
/// when the list was made.
fn stretch(context: &mut Context<'_>, mut list: Rc<List>, range: Range<usize>) -> Result<AnyList, ToolError> {
    if List::is_shared(&list) || list.rows().is_some() {
        return build::list(context, range.len(), range.filter_map(|index| list.get(index)));
    }
    context.spend(1)?;
    List::retain_range(&mut list, range)?;
    Ok(AnyList(Value::List(list)))
}
