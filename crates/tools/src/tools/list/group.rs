//! `LIST.GroupBy`, `LIST.IndexBy`, `LIST.CountBy`, `LIST.Column`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{space, work};
use crate::toolkit::{AnyList, AnyMap, Example, Spec, ToolError, arguments};
use crate::value::{Hashed, List, Map, Str, Value, ValueMap, print};

use super::super::build;
use super::key;

const GROUP_BY: Spec = Spec::pure(
    "LIST.GroupBy",
    "list_group_by",
    "Returns a map from each value of a key to the elements that have it",
    "Elements are maps, unless `key` is the bare name of a procedure, built-in or tool that returns the value \
        of each element: `LIST.GroupBy(paths, PATH.Extension)`. Values that are not texts become keys as EMIT prints \
        them; lists and maps are an error. Groups and their elements keep the order of the list.",
    Example {
        script: "EMIT LIST.GroupBy([{\"e\": \"md\", \"n\": 1}, {\"e\": \"rs\", \"n\": 2}, {\"e\": \"md\", \"n\": 3}], \"e\")",
        output: "{\"md\": [{\"e\": \"md\", \"n\": 1}, {\"e\": \"md\", \"n\": 3}], \"rs\": [{\"e\": \"rs\", \"n\": 2}]}\n",
    },
)
.keywords(&["groupby", "group", "itertools.groupby", "partition", "bucket", "group by"]);
const INDEX_BY: Spec = Spec::pure(
    "LIST.IndexBy",
    "list_index_by",
    "Returns a map from each value of a key to the last element that has it",
    "Keys are made as `LIST.GroupBy` makes them.",
    Example {
        script: "EMIT LIST.IndexBy([{\"id\": 7, \"n\": \"a\"}, {\"id\": 8, \"n\": \"b\"}], \"id\")[\"8\"].n",
        output: "b\n",
    },
)
.keywords(&["indexby", "keyBy", "lookup", "associate", "to map"]);
const COUNT_BY: Spec = Spec::pure(
    "LIST.CountBy",
    "list_count_by",
    "Returns a map from each value to its number of elements",
    "The values are the elements themselves, or with `key` the values of that key in maps. Keys are formed as \
        by `LIST.GroupBy`.",
    Example { script: "EMIT LIST.CountBy([\"a\", \"b\", \"a\"])", output: "{\"a\": 2, \"b\": 1}\n" },
)
.keywords(&[
    "countby",
    "counter",
    "frequency",
    "histogram",
    "collections.Counter",
    "tally",
    "value_counts",
    "array_count_values",
]);
const COLUMN: Spec = Spec::pure(
    "LIST.Column",
    "list_column",
    "Returns the value of a key in each element, a map",
    "An element without the key is an error, unless `default` is given.",
    Example { script: "EMIT LIST.Column([{\"n\": 1}, {\"n\": 2}], \"n\")", output: "[1, 2]\n" },
)
.keywords(&["column", "pluck", "array_column", "field of each", "values of a key"]);

arguments! {
    struct ByKey {
        list: Rc<List> = Required, Kind::List, "list of maps";
        key: Str = Required, Kind::Text, "key of the value";
    }
}

arguments! {
    struct PerhapsByKey {
        list: Rc<List> = Required, Kind::List, "list to look at";
        key: Option<Str> = Absent, Kind::Text, "key of the value, when the elements are maps";
    }
}

arguments! {
    struct Columned {
        list: Rc<List> = Required, Kind::List, "list of maps";
        key: Str = Required, Kind::Text, "key of the value";
        default: Option<Value> = Absent, Kind::Any, "value for elements without the key";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(GROUP_BY, group_by),
        Tool::new(INDEX_BY, index_by),
        Tool::new(COUNT_BY, count_by),
        Tool::new(COLUMN, column),
    ]
}

/// Bytes of one entry in a table of groups.
const ENTRY_BYTES: usize = 2 * size_of::<Value>() + 4 * size_of::<usize>();

/// Groups elements by key: calls `put` with the table entry for the key of each element.
fn grouped<T: Default>(
    context: &mut Context<'_>,
    list: &List,
    key: Option<&Str>,
    mut put: impl FnMut(&mut T, Value) -> Result<(), ToolError>,
) -> Result<ValueMap<T>, ToolError> {
    let mut table: ValueMap<T> = ValueMap::default();
    for (index, element) in list.iter().enumerate() {
        context.spend(1)?;
        if table.len() == table.capacity() {
            space::check(2 * table.capacity() * ENTRY_BYTES)?;
        }
        let name = name_of(&key::of(&element, key, index)?, index)?;
        put(table.entry(Hashed(name.into())).or_default(), element)?;
    }
    Ok(table)
}

/// Converts a table whose keys are texts to a map.
fn named<T>(table: ValueMap<T>, value: impl Fn(T) -> Result<Value, ToolError>) -> Result<AnyMap, ToolError> {
    let mut map = Map::with_capacity(table.len());
    for (Hashed(name), group) in table {
        work::charge(1)?;
        map.put(name.as_str().expect("names are texts"), value(group)?)?;
    }
    Ok(AnyMap(map.into()))
}

/// Returns the text that represents a value as a key.
fn name_of(value: &Value, index: usize) -> Result<Str, ToolError> {
    print::key_text(value).ok_or_else(|| {
        let message = format!("element {index} has a {} where a key is made of a value", value.type_name());
        ToolError::bad_argument("key", message)
    })
}

fn group_by(context: &mut Context<'_>, args: ByKey) -> Result<AnyMap, ToolError> {
    let groups = grouped(context, &args.list, Some(&args.key), |group: &mut Vec<Value>, element| {
        if group.len() == group.capacity() {
            space::check(2 * group.capacity() * size_of::<Value>())?;
        }
        group.push(element);
        Ok(())
    })?;
    named(groups, |group| Ok(Value::list(group)?))
}

fn index_by(context: &mut Context<'_>, args: ByKey) -> Result<AnyMap, ToolError> {
    let groups = grouped(context, &args.list, Some(&args.key), |last: &mut Value, element| {
        *last = element;
        Ok(())
    })?;
    named(groups, Ok)
}

fn count_by(context: &mut Context<'_>, args: PerhapsByKey) -> Result<AnyMap, ToolError> {
    let groups = grouped(context, &args.list, args.key.as_ref(), |count: &mut i64, _| {
        *count += 1;
        Ok(())
    })?;
    named(groups, |count| Ok(count.into()))
}

fn column(context: &mut Context<'_>, args: Columned) -> Result<AnyList, ToolError> {
    let value = |(index, element): (usize, Value)| match (&element, &args.default) {
        (Value::Map(map), Some(default)) => Ok(map.get(&args.key).unwrap_or_else(|| default.clone())),
        _ => key::of(&element, Some(&args.key), index),
    };
    build::try_list(context, args.list.len(), args.list.iter().enumerate().map(value))
}
