//! `MAP.Set`, `MAP.Merge`, `MAP.Remove`, `MAP.Pick`, `MAP.SortKeys`, `MAP.FromItems`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{AnyMap, Example, Spec, ToolError, arguments};
use crate::value::{Hashed, List, Map, Str, Value, ValueMap, order, print};

const SET: Spec = Spec::pure(
    "MAP.Set",
    "map_set",
    "Returns the map with a value under a key",
    "In `SET map = MAP.Set(map, key, value)` the map changes in place, as in `SET map[key] = value`.",
    Example { script: "EMIT MAP.Set({\"a\": 1}, \"b\", 2)", output: "{\"a\": 1, \"b\": 2}\n" },
)
.keywords(&["set", "put", "insert key", "setdefault", "change key"]);
const MERGE: Spec = Spec::pure(
    "MAP.Merge",
    "map_merge",
    "Merges the keys and values of two maps",
    "If both have a key, the result has the value of `other` at the place of the first map. With `deep`, maps \
        under the same key are merged too.",
    Example {
        script: "EMIT MAP.Merge({\"a\": 1, \"b\": 2}, {\"b\": 3, \"c\": 4})\n\
            EMIT MAP.Merge({\"p\": {\"x\": 1}}, {\"p\": {\"y\": 2}}, deep: true)",
        output: "{\"a\": 1, \"b\": 3, \"c\": 4}\n{\"p\": {\"x\": 1, \"y\": 2}}\n",
    },
)
.keywords(&["merge", "update", "Object.assign", "assign", "extend", "combine", "array_merge", "union"]);
const REMOVE: Spec = Spec::pure(
    "MAP.Remove",
    "map_remove",
    "Returns the map without one or several keys",
    "Keys that the map does not have are ignored.",
    Example { script: "EMIT MAP.Remove({\"a\": 1, \"b\": 2, \"c\": 3}, [\"a\", \"c\"])", output: "{\"b\": 2}\n" },
)
.keywords(&["remove", "delete key", "MAP.Delete", "pop", "del", "without key", "omit"]);
const PICK: Spec = Spec::pure(
    "MAP.Pick",
    "map_pick",
    "Returns the map with one or several keys only",
    "In the order of `keys`. Keys that the map does not have are left out.",
    Example {
        script: "EMIT MAP.Pick({\"a\": 1, \"b\": 2, \"c\": 3}, [\"c\", \"a\"])",
        output: "{\"c\": 3, \"a\": 1}\n",
    },
)
.keywords(&["pick", "only", "subset", "select keys"]);
const SORT_KEYS: Spec = Spec::pure(
    "MAP.SortKeys",
    "map_sort_keys",
    "Returns the map with its keys in ascending order",
    "By code point.",
    Example { script: "EMIT MAP.SortKeys({\"b\": 1, \"a\": 2})", output: "{\"a\": 2, \"b\": 1}\n" },
)
.keywords(&["sort keys", "ksort"]);
const FROM_ITEMS: Spec = Spec::pure(
    "MAP.FromItems",
    "map_from_items",
    "Returns the map of a list of pairs of key and value",
    "Each pair is a list of two elements, the first a text. A duplicate key keeps its first place and gets \
        its last value.",
    Example { script: "EMIT MAP.FromItems([[\"a\", 1], [\"b\", 2]])", output: "{\"a\": 1, \"b\": 2}\n" },
)
.keywords(&["fromentries", "Object.fromEntries", "dict", "from pairs", "zip to map"]);

arguments! {
    struct SetArgs {
        map: Rc<Map> = Required, Kind::Map, "map to start from";
        key: Str = Required, Kind::Text, "key to set";
        value: Value = Required, Kind::Any, "value that it gets";
    }
}

arguments! {
    struct Merged {
        map | a: Rc<Map> = Required, Kind::Map, "map to start from";
        other | b: Rc<Map> = Required, Kind::Map, "map whose keys are added";
        deep: bool = Is(Literal::Bool(false)), Kind::Bool, "whether maps inside are merged too";
    }
}

arguments! {
    struct Keyed {
        map: Rc<Map> = Required, Kind::Map, "map to take from";
        keys: Value = Required, Kind::TextOrTexts, "the key, or a list of keys";
    }
}

arguments! {
    struct Whole {
        map: Rc<Map> = Required, Kind::Map, "map to sort";
    }
}

arguments! {
    struct Items {
        items: Rc<List> = Required, Kind::List, "pairs of key and value";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SET, set),
        Tool::new(MERGE, |context, args: Merged| Ok(AnyMap(merge(context, args.map, &args.other, args.deep)?))),
        Tool::new(REMOVE, remove),
        Tool::new(PICK, pick),
        Tool::new(SORT_KEYS, sort_keys),
        Tool::new(FROM_ITEMS, from_items),
    ]
}

fn set(context: &mut Context<'_>, mut args: SetArgs) -> Result<AnyMap, ToolError> {
    charge_change(context, &args.map)?;
    Map::insert(&mut args.map, args.key, args.value)?;
    Ok(AnyMap(Value::Map(args.map)))
}

/// Number of keys that are removed one by one.
const FEW: usize = 4;
/// Number of entries that are moved in a map for one step.
const MOVED: usize = 16;

/// Charges the copy of a map that has other holders.
fn charge_change(context: &mut Context<'_>, map: &Rc<Map>) -> Result<(), ToolError> {
    let copied = if Map::is_shared(map) { map.len() } else { 0 };
    Ok(context.spend(1 + copied)?)
}

/// Recursion is bounded by the limit on nesting.
fn merge(context: &mut Context<'_>, mut map: Rc<Map>, other: &Map, deep: bool) -> Result<Value, ToolError> {
    charge_change(context, &map)?;
    context.spend(other.len())?;
    for (key, value) in other.iter() {
        work::charge(1)?;
        let value = match (deep, map.get(&key), value) {
            (true, Some(Value::Map(inner)), Value::Map(other)) => merge(context, inner, &other, true)?,
            (_, _, value) => value,
        };
        Map::insert(&mut map, key, value)?;
    }
    Ok(Value::Map(map))
}

/// Returns the keys that an argument names.
fn named(keys: &Value) -> Result<Vec<Str>, ToolError> {
    let Value::List(list) = keys else { return Ok(keys.as_str().into_iter().collect()) };
    space::check(list.len().saturating_mul(size_of::<Str>()))?;
    let mut named = Vec::with_capacity(list.len());
    list.try_each(|key| {
        work::charge(1)?;
        named.extend(key.as_str());
        Ok::<(), LimitHit>(())
    })?;
    Ok(named)
}

fn remove(context: &mut Context<'_>, args: Keyed) -> Result<AnyMap, ToolError> {
    let Keyed { mut map, keys } = args;
    let keys = named(&keys)?;
    context.spend(keys.len())?;
    if !Map::is_shared(&map) && keys.len() <= FEW {
        for key in &keys {
            let moved = Map::remove(&mut map, key)?;
            context.spend(1 + moved / MOVED)?;
        }
        return Ok(AnyMap(Value::Map(map)));
    }
    context.spend(map.len())?;
    space::check(keys.len().saturating_mul(4 * size_of::<Value>()))?;
    let mut gone: ValueMap<()> = ValueMap::default();
    for key in keys {
        work::charge(1)?;
        gone.insert(Hashed(key.into()), ());
    }
    let mut rest = Map::with_capacity(map.len());
    for (key, value) in map.iter() {
        work::charge(1)?;
        if !gone.contains_key(&Hashed(key.clone().into())) {
            rest.put(key, value)?;
        }
    }
    Ok(AnyMap(rest.into()))
}

fn pick(context: &mut Context<'_>, args: Keyed) -> Result<AnyMap, ToolError> {
    let keys = named(&args.keys)?;
    context.spend(keys.len())?;
    let mut picked = Map::with_capacity(keys.len());
    for key in keys {
        work::charge(1)?;
        if let Some(value) = args.map.get(&key) {
            picked.put(key, value)?;
        }
    }
    Ok(AnyMap(picked.into()))
}

fn sort_keys(context: &mut Context<'_>, args: Whole) -> Result<AnyMap, ToolError> {
    context.spend(args.map.len())?;
    space::check(args.map.len().saturating_mul(size_of::<(Str, Value)>()))?;
    let mut entries: Vec<(Str, Value)> = args.map.iter().collect();
    order::sort(&mut entries, |(a, _), (b, _)| order::compare_texts(a, b))?;
    let mut sorted = Map::with_capacity(entries.len());
    for (key, value) in entries {
        work::charge(1)?;
        sorted.put(key, value)?;
    }
    Ok(AnyMap(sorted.into()))
}

fn from_items(context: &mut Context<'_>, args: Items) -> Result<AnyMap, ToolError> {
    context.spend(args.items.len())?;
    let mut map = Map::with_capacity(args.items.len());
    for (index, item) in args.items.iter().enumerate() {
        work::charge(1)?;
        let pair = match &item {
            Value::List(pair) if pair.len() == 2 => pair.get(0).and_then(|key| Some((key.as_str()?, pair.get(1)?))),
            _ => None,
        };
        let (key, value) = pair.ok_or_else(|| {
            let message = format!("element {index} is no pair of a text and a value: {}", print::preview(&item));
            ToolError::bad_argument("items", message)
        })?;
        map.put(key, value)?;
    }
    Ok(AnyMap(map.into()))
}
