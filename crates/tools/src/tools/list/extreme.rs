//! `LIST.Sum`, `LIST.Min`, `LIST.Max`, `LIST.Average`.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::work;
use crate::toolkit::{AnyValue, Example, Number, Spec, ToolError, arguments};
use crate::value::operators::{add, compare};
use crate::value::{Fallible, List, Str, Value, print};

use super::key;

const SUM: Spec = Spec::pure(
    "LIST.Sum",
    "list_sum",
    "Returns the sum of the elements",
    "The sum of whole numbers is a whole number, or an error beyond 64 bits. The sum of an empty list is 0. \
        With `key`, elements are maps and their values of that key are added.",
    Example {
        script: "EMIT LIST.Sum([1, 2, 3]), \" \", LIST.Sum([{\"size\": 5}, {\"size\": 0.5}], \"size\")",
        output: "6 5.5\n",
    },
)
.keywords(&["sum", "total", "add up", "array_sum", "reduce sum"]);
const MIN: Spec = Spec::pure(
    "LIST.Min",
    "list_min",
    "Returns the smallest element, nil if there is none",
    "Returns the smallest element, the first of equal ones, or nil for an empty list. Elements are all \
        numbers, all texts or lists of these, or maps, with `key` as the value to compare. With several keys, the \
        first whose values differ decides. A float that is not a number is never the smallest while there are others.",
    Example {
        script: "EMIT LIST.Min([3, 1, 2]), \" \", LIST.Min([{\"n\": 2}, {\"n\": 1}], \"n\")",
        output: "1 {\"n\": 1}\n",
    },
)
.keywords(&["min", "minimum", "smallest", "least", "lowest"]);
const MAX: Spec = Spec::pure(
    "LIST.Max",
    "list_max",
    "Returns the largest element, nil if there is none",
    "Like `LIST.Min`, for the largest element.",
    Example { script: "EMIT LIST.Max([\"b\", \"c\", \"a\"])", output: "c\n" },
)
.keywords(&["max", "maximum", "largest", "greatest", "highest"]);
const AVERAGE: Spec = Spec::pure(
    "LIST.Average",
    "list_average",
    "Returns the arithmetic mean of the elements as a float, nil if empty",
    "With `key`, elements are maps and their values of that key count.",
    Example { script: "EMIT LIST.Average([1, 2, 6])", output: "3.0\n" },
)
.keywords(&["average", "mean", "avg", "statistics.mean"]);

arguments! {
    struct Args {
        list: Rc<List> = Required, Kind::List, "list to look at";
        key: Option<Str> = Absent, Kind::Text, "key of the value that counts, when the elements are maps";
    }
}

arguments! {
    struct Compared {
        list: Rc<List> = Required, Kind::List, "list to look at";
        key: Option<Value> = Absent, Kind::TextOrTexts, "key of the value to compare, when the elements are maps, or a list of keys, of which each decides between elements that are equal by those before it";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SUM, |context, args: Args| {
            let mut sum = Value::Int(0);
            numbers(context, &args, |number, index| {
                sum = add(&sum, number).map_err(|error| {
                    at_element(index, &error.to_string()).hint("add floats: `LIST.Sum(LIST.Map(numbers, FLOAT))`")
                })?;
                Ok(())
            })?;
            Ok(Number(sum))
        }),
        Tool::new(MIN, |context, args: Compared| extreme(context, &args, Ordering::Less)),
        Tool::new(MAX, |context, args: Compared| extreme(context, &args, Ordering::Greater)),
        Tool::new(AVERAGE, |context, args: Args| {
            let mut sum = 0.0;
            numbers(context, &args, |number, _| {
                sum += number.as_float().unwrap_or_default();
                Ok(())
            })?;
            let length = args.list.len();
            Ok(AnyValue(if length == 0 { Value::Nil } else { (sum / length as f64).into() }))
        }),
    ]
}

/// Passes the value of each element to `take`. Errors: a value is not a number.
fn numbers(
    context: &mut Context<'_>,
    args: &Args,
    mut take: impl FnMut(&Value, usize) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    context.spend(args.list.len())?;
    for (index, element) in args.list.iter().enumerate() {
        work::charge(1)?;
        let value = key::of(&element, args.key.as_ref(), index)?;
        if !matches!(value, Value::Int(_) | Value::Float(_)) {
            return Err(at_element(index, &format!("{} {} is no number", value.type_name(), print::preview(&value))));
        }
        take(&value, index)?;
    }
    Ok(())
}

fn extreme(context: &mut Context<'_>, args: &Compared, wanted: Ordering) -> Result<AnyValue, ToolError> {
    context.spend(args.list.len())?;
    let keys = key::several(args.key.as_ref())?;
    let mut best: Option<(Value, Value)> = None;
    for (index, element) in args.list.iter().enumerate() {
        work::charge(1)?;
        let by = compared_by(&element, &keys, index)?;
        // The first element is compared with itself, so that one without an order is detected too.
        let than = best.as_ref().map_or(&by, |(than, _)| than);
        let order = compare_keys(&by, than, wanted).map_err(|error| at_element(index, &error.to_string()))?;
        if best.is_none() || order == wanted {
            best = Some((by, element));
        }
    }
    Ok(AnyValue(best.map_or(Value::Nil, |(_, element)| element)))
}

/// Returns the value by which an element is compared: of several keys, the list of their values.
fn compared_by(element: &Value, keys: &[Str], index: usize) -> Result<Value, ToolError> {
    if keys.len() < 2 {
        return key::of(element, keys.first(), index);
    }
    work::charge(keys.len())?;
    let values: Result<Vec<Value>, ToolError> = keys.iter().map(|key| key::of(element, Some(key), index)).collect();
    Ok(Value::list(values?)?)
}

/// Compares two values, or two lists of values. A float that is not a number is never the `wanted` one.
fn compare_keys(a: &Value, b: &Value, wanted: Ordering) -> Fallible<Ordering> {
    let (Value::List(a), Value::List(b)) = (a, b) else { return compare_scalars(a, b, wanted) };
    for (a, b) in a.iter().zip(b.iter()) {
        work::charge(1)?;
        let order = compare_scalars(&a, &b, wanted)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(a.len().cmp(&b.len()))
}

fn compare_scalars(a: &Value, b: &Value, wanted: Ordering) -> Fallible<Ordering> {
    let is_nan = |value: &Value| value.as_float().is_some_and(f64::is_nan);
    Ok(compare("<", a, b)?.unwrap_or_else(|| match (is_nan(a), is_nan(b)) {
        (true, false) => wanted.reverse(),
        (false, true) => wanted,
        _ => Ordering::Equal,
    }))
}

fn at_element(index: usize, reason: &str) -> ToolError {
    ToolError::bad_argument("list", format!("element {index}: {reason}"))
}
