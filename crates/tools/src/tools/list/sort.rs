//! `LIST.Sort`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::order::{self, Direction, Row, Unsorted};
use crate::value::{List, Str, Value, print};

use super::key;

const SPEC: Spec = Spec::pure(
    "LIST.Sort",
    "list_sort",
    "Sorts a list in ascending or descending order",
    "Returns the sorted list. Elements are all numbers, all texts or lists of these, or maps, with `key` as \
        the value to sort by. With several keys, the first whose values differ decides. Equal elements keep their \
        order.\n\n\
        Texts are ordered by code point. A float that is not a number comes after all others. Lists are ordered by \
        their first elements that differ; if there are none, the shorter list comes first.",
    Example {
        script: "EMIT LIST.Sort([3, 1, 2])\nEMIT LIST.Sort([{\"n\": 1}, {\"n\": 2}], key: \"n\", descending: true)\n\
            SET words = [{\"w\": \"b\", \"n\": 1}, {\"w\": \"c\", \"n\": 2}, {\"w\": \"a\", \"n\": 1}]\n\
            EMIT LIST.Column(LIST.Sort(words, key: [\"n\", \"w\"], descending: [\"n\"]), \"w\")",
        output: "[1, 2, 3]\n[{\"n\": 2}, {\"n\": 1}]\n[\"c\", \"a\", \"b\"]\n",
    },
)
.keywords(&[
    "sort",
    "sorted",
    "order",
    "order by",
    "arrange",
    "descending",
    "sort by several keys",
    "thenby",
    "slices.Sort",
    "sort.Slice",
    "Array.sort",
]);

arguments! {
    struct Args {
        list: Rc<List> = Required, Kind::List, "list to sort";
        key: Option<Value> = Absent, Kind::TextOrTexts, "key of the value to sort by, when the elements are maps, or a list of keys, of which each decides between elements that are equal by those before it";
        descending: Value = Is(Literal::Bool(false)), Kind::BoolOrTexts, "whether the greatest comes first, or a list of those keys for which it does";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let length = args.list.len();
    context.spend(length)?;
    let keys = key::several(args.key.as_ref())?;
    let directions = directions(&keys, &args.descending)?;
    space::check(length * (size_of::<(Value, usize)>() + 2 * size_of::<Value>()))?;
    if let [direction] = directions[..] {
        return by_one(&args.list, keys.first(), direction);
    }
    by_several(&args.list, &keys, &directions)
}

/// Returns the direction of each key, or the one of the elements if there are no keys.
fn directions(keys: &[Str], descending: &Value) -> Result<Vec<Direction>, ToolError> {
    let Value::List(named) = descending else {
        return Ok(vec![Direction::of(descending.is_true()); keys.len().max(1)]);
    };
    let mut directions = vec![Direction::Ascending; keys.len().max(1)];
    for name in named.iter().filter_map(|name| name.as_str()) {
        work::charge(1 + keys.len())?;
        if !keys.contains(&name) {
            return Err(no_key(&name, keys));
        }
        for (direction, _) in directions.iter_mut().zip(keys).filter(|(_, key)| **key == name) {
            *direction = Direction::Descending;
        }
    }
    Ok(directions)
}

fn no_key(name: &Str, keys: &[Str]) -> ToolError {
    let quoted = |name: &Str| format!("`{}`", print::shortened(&name.as_text(), 40));
    let (message, hint) = match keys {
        [] => (format!("{} is named, but `key` is left out", quoted(name)), "give true, or name keys in `key` too"),
        keys => {
            let keys: Vec<String> = keys.iter().take(8).map(quoted).collect();
            (format!("{} is not among the keys: {}", quoted(name), keys.join(", ")), "name keys of `key`, or give true")
        }
    };
    ToolError::bad_argument("descending", message).hint(hint)
}

fn by_one(list: &List, key: Option<&Str>, direction: Direction) -> Result<AnyList, ToolError> {
    if key.is_none()
        && let Some(ints) = list.values().map(ints).transpose()?.flatten()
    {
        return sorted_ints(ints, direction);
    }
    let mut values = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        work::charge(1)?;
        values.push(key::of(&element, key, index)?);
    }
    let sorted = order::sorted(&values, direction).map_err(|unsorted| match unsorted {
        Unsorted::Limit(hit) => ToolError::from(hit),
        Unsorted::Odd(odd) => cannot_be_ordered(odd.index, &odd.display(&values)),
    })?;
    picked(list, sorted)
}

fn by_several(list: &List, keys: &[Str], directions: &[Direction]) -> Result<AnyList, ToolError> {
    let row_bytes = size_of::<Row<'_>>() + keys.len() * size_of::<Value>();
    space::check(list.len().saturating_mul(row_bytes))?;
    let mut values = Vec::with_capacity(list.len() * keys.len());
    for (index, element) in list.iter().enumerate() {
        work::charge(keys.len())?;
        for key in keys {
            values.push(key::of(&element, Some(key), index)?);
        }
    }
    let rows: Vec<Row<'_>> = values.chunks(keys.len()).map(Row::Borrowed).collect();
    let sorted = order::sorted_rows(&rows, |key| directions[key]).map_err(|unsorted| match unsorted {
        Unsorted::Limit(hit) => ToolError::from(hit),
        Unsorted::Odd(odd) => {
            let key = odd.part.unwrap_or_default();
            let found = print::display(&rows[odd.index][key]);
            let key = print::shortened(&keys[key].as_text(), 40);
            cannot_be_ordered(odd.index, &format!("{found} of `{key}`"))
        }
    })?;
    picked(list, sorted)
}

fn cannot_be_ordered(index: usize, found: &str) -> ToolError {
    let message = format!("element {index} cannot be ordered with the others: {found}");
    ToolError::bad_argument("list", message).hint("sort numbers or texts, not both; maps need `key`")
}

fn picked(list: &List, indices: Vec<usize>) -> Result<AnyList, ToolError> {
    let mut elements = Vec::with_capacity(indices.len());
    for index in indices {
        work::charge(1)?;
        elements.extend(list.get(index));
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

fn sorted_ints(mut ints: Vec<i64>, direction: Direction) -> Result<AnyList, ToolError> {
    order::sort_numbers(&mut ints, i64::cmp)?;
    let values = match direction {
        Direction::Ascending => ints.into_iter().map(Value::Int).collect(),
        Direction::Descending => ints.into_iter().rev().map(Value::Int).collect(),
    };
    Ok(AnyList(Value::list(values)?))
}
