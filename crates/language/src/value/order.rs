//! Ordering of values: numbers among numbers, texts among texts.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::limits::{LimitHit, work};

use super::operators::compare;
use super::{Str, Value};

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
}

/// Number of numbers that are sorted in one piece; work is charged between pieces.
const NUMBERS: usize = 1 << 20;

/// Why values could not be sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unsorted {
    /// The value at this index cannot be compared with the first.
    Odd(usize),
    /// A limit of the run was hit.
    Limit(LimitHit),
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
        return Ok(numbered(ints, direction, i64::cmp, |_, _| 1)?);
    }
    if let Some(texts) = all(values, Value::as_str)? {
        return Ok(numbered(texts, direction, Str::cmp, common_bytes)?);
    }
    if let Some(odd) = odd_one(values) {
        return Err(Unsorted::Odd(odd));
    }
    let order = |a: &&Value, b: &&Value| {
        let ordered = compare("<", a, b).ok().flatten();
        ordered.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
    };
    Ok(numbered(values.iter().collect(), direction, order, |_, _| 1)?)
}

/// Returns the units of work for the comparison of two texts.
pub fn common_bytes(a: &Str, b: &Str) -> usize {
    match (a, b) {
        (Str::Heap(a), Str::Heap(b)) => 1 + a.as_str().len().min(b.as_str().len()) / COMPARED_BYTES,
        _ => 1,
    }
}

/// Number of bytes that are compared in one unit of work.
const COMPARED_BYTES: usize = 256;

/// Sorts stably, and charges `cost` for each comparison.
pub fn sort<T>(
    elements: &mut [T],
    order: impl Fn(&T, &T) -> Ordering,
    cost: impl Fn(&T, &T) -> usize,
) -> Result<(), LimitHit> {
    let order = |a: &T, b: &T| {
        if let Err(hit) = work::charge(cost(a, b)) {
            // The only way to abort the library's sort; it leaves all elements in the slice and does not call the panic
            // hook.
            resume_unwind(Box::new(hit));
        }
        order(a, b)
    };
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

fn numbered<T>(
    keys: Vec<T>,
    direction: Direction,
    order: impl Fn(&T, &T) -> Ordering,
    cost: impl Fn(&T, &T) -> usize,
) -> Result<Vec<usize>, LimitHit> {
    let mut keyed: Vec<(T, usize)> = keys.into_iter().zip(0..).collect();
    let cost = |(a, _): &(T, usize), (b, _): &(T, usize)| cost(a, b);
    match direction {
        Direction::Ascending => sort(&mut keyed, |(a, _), (b, _)| order(a, b), cost)?,
        Direction::Descending => sort(&mut keyed, |(a, _), (b, _)| order(b, a), cost)?,
    }
    Ok(keyed.into_iter().map(|(_, number)| number).collect())
}

/// Returns the index of the first value that cannot be compared with the first one.
fn odd_one(values: &[Value]) -> Option<usize> {
    let first = values.first()?;
    let is_number = |value: &Value| value.as_float().is_some();
    let fits = |value: &Value| if is_number(first) { is_number(value) } else { value.is_text() };
    values.iter().position(|value| !fits(value))
}

fn is_nan(value: &Value) -> bool {
    value.as_float().is_some_and(f64::is_nan)
}
