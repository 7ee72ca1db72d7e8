//! `LIST.Length`, `LIST.IsEmpty`, `LIST.Get`, `LIST.First`, `LIST.Last`, `LIST.Append`, `LIST.Prepend`,
//! `LIST.Insert`, `LIST.Remove`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyList, AnyValue, Example, Spec, ToolError, arguments};
use crate::value::operators::position;
use crate::value::{List, Value};

use super::super::build;
use super::super::range::{beyond, place};

const LENGTH: Spec = Spec::pure(
    "LIST.Length",
    "list_length",
    "Returns the number of elements",
    "The same as `LEN` of a list.",
    Example { script: "EMIT LIST.Length([1, 2, 3])", output: "3\n" },
)
.keywords(&["length", "len", "size", "number of elements"]);
const IS_EMPTY: Spec = Spec::pure(
    "LIST.IsEmpty",
    "list_is_empty",
    "Tells whether a list has no elements",
    "The same as `LEN(list) == 0`.",
    Example { script: "EMIT LIST.IsEmpty([])", output: "true\n" },
)
.keywords(&["isempty", "empty", "is_empty"]);
const GET: Spec = Spec::pure(
    "LIST.Get",
    "list_get",
    "Returns the element at an index, or a default if there is none",
    "Indexes count from 0, negative ones from the end. `list[index]` is an error where there is no element.",
    Example { script: "EMIT LIST.Get([1, 2], -1), \" \", LIST.Get([1, 2], 5, \"none\")", output: "2 none\n" },
)
.keywords(&["at", "get", "nth", "element", "item", "default"]);
const FIRST: Spec = Spec::pure(
    "LIST.First",
    "list_first",
    "Returns the first element, nil if there is none",
    "`default` is given instead of nil.",
    Example { script: "EMIT LIST.First([1, 2]), \" \", LIST.First([])", output: "1 nil\n" },
)
.keywords(&["first", "head", "front"])
.also(&["LIST.Head"]);
const LAST: Spec = Spec::pure(
    "LIST.Last",
    "list_last",
    "Returns the last element, nil if there is none",
    "`default` is given instead of nil.",
    Example { script: "EMIT LIST.Last([1, 2]), \" \", LIST.Last([], 0)", output: "2 0\n" },
)
.keywords(&["last", "back", "peek"]);
const APPEND: Spec = Spec::pure(
    "LIST.Append",
    "list_append",
    "Returns the list with a value after its last element",
    "In `SET list = LIST.Append(list, value)` the list grows in place, as in `SET list = list + [value]`.",
    Example { script: "EMIT LIST.Append([1, 2], 3)", output: "[1, 2, 3]\n" },
)
.keywords(&["append", "push", "push_back", "array_push", "add element", "add", "list.add", "stack", "queue"]);
const PREPEND: Spec = Spec::pure(
    "LIST.Prepend",
    "list_prepend",
    "Returns the list with a value before its first element",
    "In `SET list = LIST.Prepend(list, value)` the list grows in place.",
    Example { script: "EMIT LIST.Prepend([1, 2], 0)", output: "[0, 1, 2]\n" },
)
.keywords(&["prepend", "unshift", "push_front", "appendleft"]);
const INSERT: Spec = Spec::pure(
    "LIST.Insert",
    "list_insert",
    "Returns the list with a value before the element at an index",
    "Indexes count from 0, negative ones from the end; the list's length appends. An index beyond that is an error.",
    Example { script: "EMIT LIST.Insert([\"a\", \"c\"], 1, \"b\")", output: "[\"a\", \"b\", \"c\"]\n" },
)
.keywords(&["insert", "splice", "insert_at"]);
const REMOVE: Spec = Spec::pure(
    "LIST.Remove",
    "list_remove",
    "Returns the list without the element at an index",
    "Indexes count from 0, negative ones from the end. An index beyond the list is an error.",
    Example { script: "EMIT LIST.Remove([\"a\", \"b\", \"c\"], 1)", output: "[\"a\", \"c\"]\n" },
)
.keywords(&["remove", "removeat", "pop", "del", "delete element", "shift"]);

arguments! {
    struct Whole {
        list: Rc<List> = Required, Kind::List, "list to look at";
    }
}

arguments! {
    struct Placed {
        list: Rc<List> = Required, Kind::List, "list to take from";
        index: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "index of the element";
        default: Value = Absent, Kind::Any, "value where there is no such element; nil when left out";
    }
}

arguments! {
    struct Outer {
        list: Rc<List> = Required, Kind::List, "list to take from";
        default: Value = Absent, Kind::Any, "value where the list is empty; nil when left out";
    }
}

arguments! {
    struct Added {
        list: Rc<List> = Required, Kind::List, "list to start from";
        value: Value = Required, Kind::Any, "value to add";
    }
}

arguments! {
    struct Inserted {
        list: Rc<List> = Required, Kind::List, "list to start from";
        index: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "index that the value gets";
        value: Value = Required, Kind::Any, "value to add";
    }
}

arguments! {
    struct Removed {
        list: Rc<List> = Required, Kind::List, "list to start from";
        index: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "index of the element";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(LENGTH, |_, args: Whole| Ok(args.list.len() as u64)),
        Tool::new(IS_EMPTY, |_, args: Whole| Ok(args.list.is_empty())),
        Tool::new(GET, |_, args: Placed| Ok(element(&args.list, args.index, args.default))),
        Tool::new(FIRST, |_, args: Outer| Ok(element(&args.list, 0, args.default))),
        Tool::new(LAST, |_, args: Outer| Ok(element(&args.list, -1, args.default))),
        Tool::new(APPEND, |context, args: Added| {
            let end = args.list.len();
            insert(context, args.list, end, args.value)
        }),
        Tool::new(PREPEND, |context, args: Added| insert(context, args.list, 0, args.value)),
        Tool::new(INSERT, |context, args: Inserted| {
            let at = place("index", args.index, args.list.len(), "elements")?;
            insert(context, args.list, at, args.value)
        }),
        Tool::new(REMOVE, remove),
    ]
}

fn element(list: &List, index: i64, default: Value) -> AnyValue {
    AnyValue(position(index, list.len()).and_then(|at| list.get(at)).unwrap_or(default))
}

fn insert(context: &mut Context<'_>, mut list: Rc<List>, at: usize, value: Value) -> Result<AnyList, ToolError> {
    build::charge_change(context, &list, at)?;
    List::insert(&mut list, at, value)?;
    Ok(AnyList(Value::List(list)))
}

fn remove(context: &mut Context<'_>, args: Removed) -> Result<AnyList, ToolError> {
    let Removed { mut list, index } = args;
    let Some(at) = position(index, list.len()) else {
        return Err(beyond("index", index, list.len(), "elements"));
    };
    build::charge_change(context, &list, at)?;
    List::remove(&mut list, at)?;
    Ok(AnyList(Value::List(list)))
}
