//! Operators on values of any type.
//!
//! The evaluator has fast paths for numbers; these are the general rules, which every fast path falls back to.

use std::cmp::Ordering;

use crate::limits::{space, work};

use super::equality::equal;
use super::number::{self, Quotient};
use super::print::display;
use super::string::join;
use super::{Fallible, List, Map, Str, Value, ValueError, print};

/// `left + right`: adds numbers, concatenates lists, and concatenates text if either operand is a text.
pub fn add(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(|| overflow("+", left, right)),
        (Value::List(a), Value::List(b)) => {
            let mut joined = a.clone();
            List::extend(&mut joined, b)?;
            Ok(Value::List(joined))
        }
        _ if left.is_text() || right.is_text() => concatenate(left, right),
        _ => float_operation("+", left, right, |a, b| a + b),
    }
}

/// Concatenates both values as text.
fn concatenate(left: &Value, right: &Value) -> Fallible<Value> {
    if let (Some(a), Some(b)) = (print::to_small(left), print::to_small(right))
        && let Some(joined) = a.joined(b)
    {
        space::check_string(joined.len())?;
        return Ok(Value::Small(joined));
    }
    let joined = print::with_text(left, |a| print::with_text(right, |b| Ok(join(a, b)?)))?;
    if left.quotes_refusal() || right.quotes_refusal() {
        joined.mark_refusal();
    }
    Ok(joined.into())
}

/// `target = target + right`, in place if the target's text or list is not shared.
pub fn add_in_place(target: &mut Value, right: &Value) -> Fallible<()> {
    match (&mut *target, right) {
        (Value::Text(_) | Value::Small(_), _) => {
            let Some(mut text) = take_str(target) else { unreachable!("the target is a text") };
            let appended = print::with_text(right, |piece| Ok(text.append(piece)?));
            if appended.is_ok() && right.quotes_refusal() {
                text.mark_refusal();
            }
            *target = text.into();
            appended
        }
        (Value::List(list), Value::List(other)) => Ok(List::extend(list, other)?),
        _ => {
            *target = add(target, right)?;
            Ok(())
        }
    }
}

/// Takes the text out of a value and leaves nil.
fn take_str(value: &mut Value) -> Option<Str> {
    match std::mem::replace(value, Value::Nil) {
        Value::Small(small) => Some(Str::Small(small)),
        Value::Text(text) => Some(Str::Heap(text)),
        other => {
            *value = other;
            None
        }
    }
}

/// `left - right`
pub fn subtract(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int).ok_or_else(|| overflow("-", left, right)),
        _ => float_operation("-", left, right, |a, b| a - b),
    }
}

/// `left * right`
pub fn multiply(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int).ok_or_else(|| overflow("*", left, right)),
        _ => float_operation("*", left, right, |a, b| a * b),
    }
}

/// `left / right`: an int if both operands are ints and the result is exact.
pub fn divide(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (_, Value::Int(0)) if is_number(left) => Err(division_by_zero("/", left, right)),
        (_, Value::Float(b)) if is_number(left) && b.get() == 0.0 => Err(division_by_zero("/", left, right)),
        (Value::Int(a), Value::Int(b)) => match number::divide(*a, *b) {
            Some(Quotient::Int(quotient)) => Ok(Value::Int(quotient)),
            Some(Quotient::Float(quotient)) => Ok(quotient.into()),
            None => Err(overflow("/", left, right)),
        },
        _ => float_operation("/", left, right, |a, b| a / b),
    }
}

/// `left % right` of ints, with the sign of the left operand.
pub fn remainder(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(_), Value::Int(0)) => Err(division_by_zero("%", left, right)),
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(a.wrapping_rem(*b))),
        _ => Err(wrong_types("%", left, right)),
    }
}

/// `left ** right`
pub fn power(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(base), Value::Int(exponent)) if *exponent >= 0 => {
            number::power(*base, *exponent).map(Value::Int).ok_or_else(|| overflow("**", left, right))
        }
        _ => {
            let (Some(base), Some(exponent)) = (left.as_float(), right.as_float()) else {
                return Err(wrong_types("**", left, right));
            };
            if base == 0.0 && exponent < 0.0 {
                return Err(division_by_zero("**", left, right));
            }
            let result = base.powf(exponent);
            if result.is_nan() && !base.is_nan() && !exponent.is_nan() {
                let found = format!("{} ** {}", print::preview(left), print::preview(right));
                return Err(Box::new(ValueError::OutOfDomain { function: "**", found }));
            }
            Ok(result.into())
        }
    }
}

/// `-value`
pub fn negate(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(number) => number
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(|| Box::new(ValueError::NegationOverflow { value: *number })),
        Value::Float(number) => Ok((-number.get()).into()),
        _ => Err(wrong_type("-", "a number", value)),
    }
}

/// `~value`
pub fn invert(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(number) => Ok(Value::Int(!number)),
        _ => Err(wrong_type("~", "an int", value)),
    }
}

/// `&`, `|` and `^` of ints.
pub fn bits(op: &'static str, left: &Value, right: &Value, apply: fn(i64, i64) -> i64) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(apply(*a, *b))),
        _ => Err(wrong_types(op, left, right)),
    }
}

/// Compares two numbers or two texts for the operator `op`. Returns `None` if one is NaN.
pub fn compare(op: &'static str, left: &Value, right: &Value) -> Fallible<Option<Ordering>> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Ok(Some(a.cmp(b))),
        (Value::Float(a), Value::Float(b)) => Ok(a.get().partial_cmp(&b.get())),
        (Value::Int(a), Value::Float(b)) => Ok(number::compare_mixed(*a, b.get())),
        (Value::Float(a), Value::Int(b)) => Ok(number::compare_mixed(*b, a.get()).map(Ordering::reverse)),
        _ => match (left.as_text(), right.as_text()) {
            (Some(a), Some(b)) => Ok(Some(a.as_bytes().cmp(b.as_bytes()))),
            _ => Err(wrong_types(op, left, right)),
        },
    }
}

/// `item IN whole`: an element of a list, a key of a map, or a part of a text.
pub fn contains(whole: &Value, item: &Value) -> Fallible<bool> {
    match (whole, item.as_text()) {
        (Value::List(list), _) => list_contains(list, item),
        (Value::Map(map), Some(_)) => Ok(item.as_str().is_some_and(|key| map.contains(&key))),
        (Value::Small(_) | Value::Text(_), Some(part)) => Ok(whole.as_text().is_some_and(|text| text.contains(&*part))),
        _ => Err(wrong_types("IN", item, whole)),
    }
}

fn list_contains(list: &List, item: &Value) -> Fallible<bool> {
    let is_item = |value: &Value| -> Fallible<bool> {
        work::charge(1)?;
        Ok(equal(value, item)?)
    };
    let found = match list.values() {
        Some(values) => values.iter().map(is_item).find(|equal| !matches!(equal, Ok(false))),
        None => list.iter().map(|value| is_item(&value)).find(|equal| !matches!(equal, Ok(false))),
    };
    found.unwrap_or(Ok(false))
}

/// `whole[index]`
pub fn index(whole: &Value, index: &Value) -> Fallible<Value> {
    match (whole, index) {
        (Value::List(list), Value::Int(number)) => {
            let at = position(*number, list.len());
            at.and_then(|at| list.get(at)).ok_or_else(|| out_of_range(*number, "list", list.len(), "elements"))
        }
        (Value::Map(map), Value::Small(_) | Value::Text(_)) => {
            let key = index.as_str().expect("the index is a text");
            map.get(&key).ok_or_else(|| missing_key(map, &key))
        }
        (Value::Small(_) | Value::Text(_), Value::Int(number)) => {
            let text = whole.as_str().expect("the value is a text");
            let at = position(*number, text.char_count());
            let found = at.and_then(|at| text.char_at(at));
            let found = found.ok_or_else(|| out_of_range(*number, "string", text.char_count(), "characters"))?;
            Ok(Value::text(found.encode_utf8(&mut [0; 4])))
        }
        _ => Err(Box::new(ValueError::NotIndexable { found: display(whole), index: display(index) })),
    }
}

/// Resolves an index; a negative one counts from the end.
#[inline]
pub fn position(index: i64, length: usize) -> Option<usize> {
    if index >= 0 {
        let index = index as usize;
        return (index < length).then_some(index);
    }
    length.checked_sub(index.unsigned_abs() as usize)
}

/// `whole.name`
pub fn field(whole: &Value, name: &Str) -> Fallible<Value> {
    match whole {
        Value::Map(map) => map.get(name).ok_or_else(|| missing_key(map, name)),
        _ => {
            let index = format!("`.{}`", name.as_text());
            Err(Box::new(ValueError::NotIndexable { found: display(whole), index }))
        }
    }
}

fn float_operation(op: &'static str, left: &Value, right: &Value, apply: fn(f64, f64) -> f64) -> Fallible<Value> {
    match (left.as_float(), right.as_float()) {
        (Some(a), Some(b)) => Ok(apply(a, b).into()),
        _ => Err(wrong_types(op, left, right)),
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_))
}

/// Maximum number of characters of a failed call's error in the error for a missing key.
pub const FAILURE_CHARS: usize = 200;

/// The error for a missing key.
pub fn missing_key(map: &Map, key: &Str) -> Box<ValueError> {
    let key = key.as_text().to_string();
    let keys: Vec<_> = map.keys().take(200).collect();
    let near = crate::text::nearest(&key, keys.iter().map(|key| key.as_str())).map(str::to_owned);
    let listed: Vec<String> = keys.iter().take(8).map(|key| format!("`{}`", print::shortened(key, 40))).collect();
    let more = if map.len() > 8 { ", …" } else { "" };
    let error = map.get_str("error").filter(Value::is_text);
    let refused = error.as_ref().is_some_and(Value::quotes_refusal);
    let failed = error.map(|text| print::shortened(&text.as_text().expect("it is a text"), FAILURE_CHARS));
    let key = print::shortened(&key, 40);
    Box::new(ValueError::MissingKey { key, near, keys: format!("{}{more}", listed.join(", ")), failed, refused })
}

/// The error for an index out of range.
pub fn out_of_range(index: i64, kind: &'static str, length: usize, unit: &str) -> Box<ValueError> {
    let unit = if length == 1 { unit.trim_end_matches('s') } else { unit };
    Box::new(ValueError::IndexOutOfRange { index, kind, length: format!("{length} {unit}"), is_target: false })
}

/// The error for a binary operator with unsuitable operands.
pub fn wrong_types(op: &'static str, left: &Value, right: &Value) -> Box<ValueError> {
    Box::new(ValueError::WrongTypes { op, left: display(left), right: display(right) })
}

/// The error for a unary operator or a function with an unsuitable operand.
pub fn wrong_type(op: &'static str, expected: &'static str, value: &Value) -> Box<ValueError> {
    Box::new(ValueError::WrongType { op, expected, found: display(value) })
}

fn overflow(op: &'static str, left: &Value, right: &Value) -> Box<ValueError> {
    Box::new(ValueError::Overflow { op, left: print::preview(left), right: print::preview(right) })
}

fn division_by_zero(op: &'static str, left: &Value, right: &Value) -> Box<ValueError> {
    Box::new(ValueError::DivisionByZero { op, left: print::preview(left), right: print::preview(right) })
}
