//! The order of values: numbers among numbers, texts among texts.

use super::error;
use super::operators::compare;
use super::{Str, Value};

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

impl Direction {
    /// The direction that a flag asks for.
    pub fn of(descending: bool) -> Direction {
        if descending { Direction::Descending } else { Direction::Ascending }
    }
}

/// The numbers of values in their order, or that of one which has no order with the first. Equal ones keep
/// their order, and floats that are no numbers come after all others.
pub fn sorted(values: &[Value], direction: Direction) -> Result<Vec<usize>, usize> {
    if let Some(ints) = all(values, |value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }) {
        return Ok(numbered(ints, direction, i64::cmp));
    }
    if let Some(texts) = all(values, Value::as_str) {
        return Ok(numbered(texts, direction, Str::cmp));
    }
    if let Some(odd) = odd_one(values) {
        return Err(odd);
    }
    Ok(numbered(values.iter().collect(), direction, |a, b| {
        let ordered = compare("<", a, b).ok().flatten();
        ordered.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
    }))
}

fn all<T>(values: &[Value], take: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(take).collect()
}

fn numbered<T>(keys: Vec<T>, direction: Direction, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> Vec<usize> {
    let mut keyed: Vec<(T, usize)> = keys.into_iter().zip(0..).collect();
    match direction {
        Direction::Ascending => keyed.sort_by(|(a, _), (b, _)| order(a, b)),
        Direction::Descending => keyed.sort_by(|(a, _), (b, _)| order(b, a)),
    }
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// The first value that has no order with the one before all.
fn odd_one(values: &[Value]) -> Option<usize> {
    let first = values.first()?;
    let is_number = |value: &Value| value.as_float().is_some();
    let fits = |value: &Value| if is_number(first) { is_number(value) } else { value.is_text() };
    values.iter().position(|value| !fits(value))
}

fn is_nan(value: &Value) -> bool {
    value.as_float().is_some_and(f64::is_nan)
}

/// Type and value, shortened, for messages.
pub fn shown(value: &Value) -> String {
    error::shown(value)
}
