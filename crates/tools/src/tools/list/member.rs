//! `LIST.Contains`, `LIST.Find`, `LIST.Count`, `LIST.Where`, `LIST.Unique`.

use std::ops::Range;
use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::equality::equal;
use crate::value::{Hashed, List, Str, Value, ValueMap};

use super::super::build::ListBuilder;
use super::super::range::bounds;
use super::key;

const CONTAINS: Spec = Spec::pure(
    "LIST.Contains",
    "list_contains",
    "Tells whether a value is among the elements",
    "The same as `value IN list`: elements are compared as `==` does.",
    Example { script: "EMIT LIST.Contains([1, 2], 2.0)", output: "true\n" },
)
.keywords(&["contains", "includes", "has", "in_array", "member"]);
const FIND: Spec = Spec::pure(
    "LIST.Find",
    "list_find",
    "Returns the index of the first element that equals a value, nil if none does",
    "With `key`, elements are maps and their value of that key is compared. Elements are compared as `==` does.",
    Example {
        script: "EMIT LIST.Find([\"a\", \"b\"], \"b\"), \" \", LIST.Find([{\"n\": 1}, {\"n\": 2}], 2, key: \"n\")",
        output: "1 1\n",
    },
)
.keywords(&["indexof", "index", "position", "array_search", "find index"]);
const COUNT: Spec = Spec::pure(
    "LIST.Count",
    "list_count",
    "Counts the elements that equal a value",
    "With `key`, elements are maps and their value of that key is compared. Elements are compared as `==` does.",
    Example { script: "EMIT LIST.Count([1, 2, 1], 1)", output: "2\n" },
)
.keywords(&["count", "how many"]);
const WHERE: Spec = Spec::pure(
    "LIST.Where",
    "list_where",
    "Returns the maps whose value of a key equals a value",
    "Elements are compared as `==` does; `LIST.Filter` takes a procedure for all other conditions.",
    Example {
        script: "EMIT LIST.Where([{\"n\": 1, \"t\": \"x\"}, {\"n\": 2, \"t\": \"y\"}], \"t\", \"y\")",
        output: "[{\"n\": 2, \"t\": \"y\"}]\n",
    },
)
.keywords(&["where", "filter by key", "find_by", "select rows"]);
const UNIQUE: Spec = Spec::pure(
    "LIST.Unique",
    "list_unique",
    "Returns the elements without those that equal an earlier one",
    "With `key`, elements are maps and their value of that key is compared. The order stays.",
    Example { script: "EMIT LIST.Unique([3, 1, 3, 2, 1])", output: "[3, 1, 2]\n" },
)
.keywords(&[
    "unique",
    "distinct",
    "dedup",
    "duplicates",
    "remove duplicates",
    "uniq",
    "set",
    "array_unique",
    "set union",
]);

arguments! {
    struct Member {
        list: Rc<List> = Required, Kind::List, "list to search";
        value: Value = Required, Kind::Any, "value to look for";
    }
}

arguments! {
    struct Sought {
        list: Rc<List> = Required, Kind::List, "list to search";
        value: Value = Required, Kind::Any, "value to look for";
        start: i64 = Is(Literal::Int(0)), Kind::Int { min: i64::MIN, max: i64::MAX }, "index where the search begins; negative ones count from the end";
        key: Option<Str> = Absent, Kind::Text, "key of the value to compare, when the elements are maps";
    }
}

arguments! {
    struct Counted {
        list: Rc<List> = Required, Kind::List, "list to search";
        value: Value = Required, Kind::Any, "value to look for";
        key: Option<Str> = Absent, Kind::Text, "key of the value to compare, when the elements are maps";
    }
}

arguments! {
    struct Chosen {
        list: Rc<List> = Required, Kind::List, "list of maps to choose from";
        key: Str = Required, Kind::Text, "key of the value to compare";
        value: Value = Required, Kind::Any, "value that it has";
    }
}

arguments! {
    struct Keyed {
        list: Rc<List> = Required, Kind::List, "list to look at";
        key: Option<Str> = Absent, Kind::Text, "key of the value to compare, when the elements are maps";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(CONTAINS, |context, args: Member| Ok(first(context, &args.list, 0, None, &args.value)?.is_some())),
        Tool::new(FIND, |context, args: Sought| {
            let Range { start, .. } = bounds(args.start, None, args.list.len(), "elements")?;
            Ok(first(context, &args.list, start, args.key.as_ref(), &args.value)?.map(|index| index as u64))
        }),
        Tool::new(COUNT, count),
        Tool::new(WHERE, choose),
        Tool::new(UNIQUE, unique),
    ]
}

fn first(
    context: &mut Context<'_>,
    list: &List,
    start: usize,
    key: Option<&Str>,
    wanted: &Value,
) -> Result<Option<usize>, ToolError> {
    for (index, element) in list.iter().enumerate().skip(start) {
        context.spend(1)?;
        if equal(&key::of(&element, key, index)?, wanted)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn count(context: &mut Context<'_>, args: Counted) -> Result<u64, ToolError> {
    let mut count = 0;
    for (index, element) in args.list.iter().enumerate() {
        context.spend(1)?;
        count += u64::from(equal(&key::of(&element, args.key.as_ref(), index)?, &args.value)?);
    }
    Ok(count)
}

fn choose(context: &mut Context<'_>, args: Chosen) -> Result<AnyList, ToolError> {
    let mut chosen = ListBuilder::default();
    for (index, element) in args.list.iter().enumerate() {
        context.spend(1)?;
        if equal(&key::of(&element, Some(&args.key), index)?, &args.value)? {
            chosen.push(context, element)?;
        }
    }
    chosen.finish()
}

/// Bytes of one entry in a table of values.
const ENTRY_BYTES: usize = size_of::<Value>() + 4 * size_of::<usize>();

fn unique(context: &mut Context<'_>, args: Keyed) -> Result<AnyList, ToolError> {
    let mut seen: ValueMap<()> = ValueMap::default();
    let mut kept = ListBuilder::default();
    for (index, element) in args.list.iter().enumerate() {
        context.spend(1)?;
        if seen.len() == seen.capacity() {
            space::check(2 * seen.capacity() * ENTRY_BYTES)?;
        }
        let by = key::of(&element, args.key.as_ref(), index)?;
        if seen.insert(Hashed(by), ()).is_none() {
            kept.push(context, element)?;
        }
    }
    kept.finish()
}
