//! `MAP`: functions on maps. They never change their arguments; keys keep the order of insertion.

mod change;
mod sort;

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyList, AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::build;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![
        Tool::new(LENGTH, |_, args: Whole| Ok(args.map.len() as u64)),
        Tool::new(GET, |_, args: Looked| Ok(AnyValue(args.map.get(&args.key).unwrap_or(args.default)))),
        Tool::new(HAS, |_, args: Asked| Ok(args.map.contains(&args.key))),
        Tool::new(KEYS, |context, args: Whole| listed(context, &args.map, |key, _| Ok(key.into()))),
        Tool::new(VALUES, |context, args: Whole| listed(context, &args.map, |_, value| Ok(value))),
        Tool::new(ITEMS, |context, args: Whole| {
            listed(context, &args.map, |key, value| Ok(Value::list(vec![key.into(), value])?))
        }),
    ];
    tools.extend(change::tools());
    tools.push(sort::tool());
    tools
}

const LENGTH: Spec = Spec::pure(
    "MAP.Length",
    "map_length",
    "Returns the number of keys",
    "The same as `LEN` of a map.",
    Example { script: "EMIT MAP.Length({\"a\": 1})", output: "1\n" },
)
.keywords(&["length", "len", "size", "number of keys"]);
const GET: Spec = Spec::pure(
    "MAP.Get",
    "map_get",
    "Returns the value of a key, or a default if there is none",
    "`map[key]` is an error where the key is missing.",
    Example { script: "EMIT MAP.Get({\"a\": 1}, \"a\"), \" \", MAP.Get({\"a\": 1}, \"b\", 0)", output: "1 0\n" },
)
.keywords(&["get", "getordefault", "dict.get", "default value", "lookup", "fetch key", "get_or"]);
const HAS: Spec = Spec::pure(
    "MAP.Has",
    "map_has",
    "Tells whether a map has a key",
    "The same as `key IN map`; a key whose value is nil counts.",
    Example { script: "EMIT MAP.Has({\"a\": nil}, \"a\")", output: "true\n" },
)
.keywords(&[
    "has",
    "haskey",
    "has_key",
    "containskey",
    "contains_key",
    "hasOwnProperty",
    "key exists",
    "array_key_exists",
]);
const KEYS: Spec = Spec::pure(
    "MAP.Keys",
    "map_keys",
    "Returns the keys",
    "In the order of insertion. `FOR EACH key IN map` goes through them without a list.",
    Example { script: "EMIT MAP.Keys({\"b\": 1, \"a\": 2})", output: "[\"b\", \"a\"]\n" },
)
.keywords(&["keys", "Object.keys", "array_keys", "dict.keys"]);
const VALUES: Spec = Spec::pure(
    "MAP.Values",
    "map_values",
    "Returns the values",
    "In the order of insertion.",
    Example { script: "EMIT MAP.Values({\"b\": 1, \"a\": 2})", output: "[1, 2]\n" },
)
.keywords(&["values", "Object.values", "array_values", "dict.values"]);
const ITEMS: Spec = Spec::pure(
    "MAP.Items",
    "map_items",
    "Returns pairs of key and value, each a list of two",
    "In the order of insertion; `MAP.FromItems` is the counterpart.",
    Example { script: "EMIT MAP.Items({\"b\": 1, \"a\": 2})", output: "[[\"b\", 1], [\"a\", 2]]\n" },
)
.keywords(&["items", "entries", "Object.entries", "dict.items", "pairs"]);

arguments! {
    struct Whole {
        map: Rc<Map> = Required, Kind::Map, "map to look at";
    }
}

arguments! {
    struct Looked {
        map: Rc<Map> = Required, Kind::Map, "map to look at";
        key: Str = Required, Kind::Text, "key of the value";
        default: Value = Absent, Kind::Any, "value where there is no such key; nil when left out";
    }
}

arguments! {
    struct Asked {
        map: Rc<Map> = Required, Kind::Map, "map to look at";
        key: Str = Required, Kind::Text, "key to look for";
    }
}

fn listed(
    context: &mut Context<'_>,
    map: &Map,
    shape: impl Fn(Str, Value) -> Result<Value, ToolError>,
) -> Result<AnyList, ToolError> {
    build::try_list(context, map.len(), map.iter().map(|(key, value)| shape(key, value)))
}
