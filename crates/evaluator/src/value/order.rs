//! Ordering of values: numbers among numbers, texts among texts, lists of these element by element.

mod rows;

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::limits::{LimitHit, work};

use super::operators::compare;
use super::{Str, Value, print};

pub use rows::{Row, sorted_rows};

/// A sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

impl Direction {
    /// Returns the direction for a `descending` flag.
    pub fn of(descending: bool) -> Direction {
        if descending { Direction::Descending } else { Direction::Ascending }
    }

    /// Returns an ascending order in this direction.
    fn apply(self, order: Ordering) -> Ordering {
        match self {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        }
    }
}

/// Number of numbers that are sorted in one piece; work is charged between pieces.
const NUMBERS: usize = 1 << 20;

/// Why values could not be sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unsorted {
    /// A value cannot be compared with those before it.
    Odd(Odd),
    /// A limit of the run was hit.
    Limit(LimitHit),
}

/// A value that cannot be compared with those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odd {
    /// Its index among the values.
    pub index: usize,
    /// Index of the element that is the reason, if the value is a list of several.
    pub part: Option<usize>,
}

impl Odd {
    /// Describes the value for messages.
    pub fn display(self, values: &[Value]) -> String {
        let value = &values[self.index];
        match (self.part, value) {
            (Some(part), Value::List(list)) => {
                let found = list.get(part).map_or_else(String::new, |part| print::display(&part));
                format!("{found} at index {part} of {}", print::display(value))
            }
            _ => print::display(value),
        }
    }
}

impl From<LimitHit> for Unsorted {
    fn from(hit: LimitHit) -> Unsorted {
        Unsorted::Limit(hit)
    }
}

/// Returns the indices of the values in sorted order. The sort is stable; NaN counts as larger than every other number.
pub fn sorted(values: &[Value], direction: Direction) -> Result<Vec<usize>, Unsorted> {
    if let Some(ints) = all(values, |value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    })? {
        return Ok(numbered(ints, direction, |a, b| {
            work::charge(1)?;
            Ok(a.cmp(b))
        })?);
    }
    if let Some(texts) = all(values, Value::as_str)? {
        return Ok(numbered(texts, direction, compare_texts)?);
    }
    if let Some(Value::List(_)) = values.first() {
        return sorted_rows(&rows::of_lists(values)?, |_| direction);
    }
    if let Some(index) = odd_one(values) {
        return Err(Unsorted::Odd(Odd { index, part: None }));
    }
    Ok(numbered(values.iter().collect(), direction, |a, b| compare_scalars(a, b))?)
}

/// Compares two texts, and charges it.
pub fn compare_texts(a: &Str, b: &Str) -> Result<Ordering, LimitHit> {
    work::charge(common_bytes(a, b))?;
    Ok(a.cmp(b))
}

/// Compares two numbers or two texts, and charges it.
fn compare_scalars(a: &Value, b: &Value) -> Result<Ordering, LimitHit> {
    if let (Value::Text(a), Value::Text(b)) = (a, b) {
        work::charge(a.as_str().len().min(b.as_str().len()) / COMPARED_BYTES)?;
    }
    work::charge(1)?;
    let ordered = compare("<", a, b).ok().flatten();
    Ok(ordered.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b))))
}

/// Returns the units of work for the comparison of two texts.
fn common_bytes(a: &Str, b: &Str) -> usize {
    match (a, b) {
        (Str::Heap(a), Str::Heap(b)) => 1 + a.as_str().len().min(b.as_str().len()) / COMPARED_BYTES,
        _ => 1,
    }
}

/// Number of bytes that are compared in one unit of work.
const COMPARED_BYTES: usize = 256;

/// Sorts stably. `order` charges each comparison.
pub fn sort<T>(elements: &mut [T], order: impl Fn(&T, &T) -> Result<Ordering, LimitHit>) -> Result<(), LimitHit> {
    // A panic is the only way to abort the library's sort; it leaves all elements in the slice, and this one does not
    // call the panic hook.
    let order = |a: &T, b: &T| order(a, b).unwrap_or_else(|hit| resume_unwind(Box::new(hit)));
    let sorted = catch_unwind(AssertUnwindSafe(|| elements.sort_by(order)));
    sorted.map_err(|payload| match payload.downcast::<LimitHit>() {
        Ok(hit) => *hit,
        Err(panic) => resume_unwind(panic),
    })
}

/// Sorts numbers unstably, which is faster: equal ones are indistinguishable.
pub fn sort_numbers<T>(numbers: &mut [T], order: impl Fn(&T, &T) -> Ordering + Copy) -> Result<(), LimitHit> {
    work::charge(numbers.len())?;
    if numbers.len() <= NUMBERS {
        numbers.sort_unstable_by(order);
        return Ok(());
    }
    let middle = numbers.len() / 2;
    numbers.select_nth_unstable_by(middle, order);
    let (low, high) = numbers.split_at_mut(middle);
    sort_numbers(low, order)?;
    sort_numbers(high, order)
}

/// Returns the result of `take` for each value, or `None` if it returns `None` for one of them.
pub fn all<T>(values: &[Value], take: impl Fn(&Value) -> Option<T>) -> Result<Option<Vec<T>>, LimitHit> {
    let mut taken = Vec::new();
    for value in values {
        work::charge(1)?;
        match take(value) {
            Some(it) if taken.is_empty() => {
                taken.reserve_exact(values.len());
                taken.push(it);
            }
            Some(it) => taken.push(it),
            None => return Ok(None),
        }
    }
    Ok(Some(taken))
}

/// Sorts keys, and returns their indices.
fn numbered<T>(
    keys: Vec<T>,
    direction: Direction,
    order: impl Fn(&T, &T) -> Result<Ordering, LimitHit>,
) -> Result<Vec<usize>, LimitHit> {
    let mut keyed: Vec<(T, usize)> = keys.into_iter().zip(0..).collect();
    sort(&mut keyed, |(a, _), (b, _)| Ok(direction.apply(order(a, b)?)))?;
    Ok(keyed.into_iter().map(|(_, number)| number).collect())
}

/// The kinds of values that have an order, each among its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Orderable {
    Number,
    Text,
}

impl Orderable {
    fn of(value: &Value) -> Option<Orderable> {
        match value {
            Value::Int(_) | Value::Float(_) => Some(Orderable::Number),
            value => value.is_text().then_some(Orderable::Text),
        }
    }
}

/// Returns the index of the first value that cannot be compared with the first one.
fn odd_one(values: &[Value]) -> Option<usize> {
    let first = Orderable::of(values.first()?);
    values.iter().position(|value| first.is_none() || Orderable::of(value) != first)
}

fn is_nan(value: &Value) -> bool {
    value.as_float().is_some_and(f64::is_nan)
}
