//! The order of values: numbers among numbers, texts among texts.

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::limits::{LimitHit, Watch};

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

/// So many comparisons lie between two looks at the clock.
const COMPARISONS: u32 = 1 << 16;
/// So many numbers are sorted at once, and between them the clock is looked at.
const NUMBERS: usize = 1 << 20;

/// Why values were not sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unsorted {
    /// The value of this number has no order with the first.
    Odd(usize),
    /// There was no more time.
    Limit(LimitHit),
}

impl From<LimitHit> for Unsorted {
    fn from(hit: LimitHit) -> Unsorted {
        Unsorted::Limit(hit)
    }
}

/// The numbers of values in their order. Equal ones keep their order, and floats that are no numbers come after
/// all others.
pub fn sorted(values: &[Value], direction: Direction, watch: &Watch) -> Result<Vec<usize>, Unsorted> {
    if let Some(ints) = all(values, |value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }) {
        return Ok(numbered(ints, direction, i64::cmp, watch)?);
    }
    if let Some(texts) = all(values, Value::as_str) {
        return Ok(numbered(texts, direction, Str::cmp, watch)?);
    }
    if let Some(odd) = odd_one(values) {
        return Err(Unsorted::Odd(odd));
    }
    let order = |a: &&Value, b: &&Value| {
        let ordered = compare("<", a, b).ok().flatten();
        ordered.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
    };
    Ok(numbered(values.iter().collect(), direction, order, watch)?)
}

/// Sorts, and looks at the clock meanwhile; equal elements keep their order.
pub fn sort<T>(elements: &mut [T], order: impl Fn(&T, &T) -> Ordering, watch: &Watch) -> Result<(), LimitHit> {
    let compared = Cell::new(0_u32);
    let order = |a: &T, b: &T| {
        compared.set(compared.get().wrapping_add(1));
        if compared.get().is_multiple_of(COMPARISONS)
            && let Err(hit) = watch.poll()
        {
            // The one way out of the library's sort, which leaves all elements in the slice; no hook hears of it.
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

/// The same for numbers, of which nobody can tell equal ones apart: faster.
pub fn sort_numbers<T>(
    numbers: &mut [T],
    order: impl Fn(&T, &T) -> Ordering + Copy,
    watch: &Watch,
) -> Result<(), LimitHit> {
    watch.poll()?;
    if numbers.len() <= NUMBERS {
        numbers.sort_unstable_by(order);
        return Ok(());
    }
    let middle = numbers.len() / 2;
    numbers.select_nth_unstable_by(middle, order);
    let (low, high) = numbers.split_at_mut(middle);
    sort_numbers(low, order, watch)?;
    sort_numbers(high, order, watch)
}

fn all<T>(values: &[Value], take: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(take).collect()
}

fn numbered<T>(
    keys: Vec<T>,
    direction: Direction,
    order: impl Fn(&T, &T) -> Ordering,
    watch: &Watch,
) -> Result<Vec<usize>, LimitHit> {
    let mut keyed: Vec<(T, usize)> = keys.into_iter().zip(0..).collect();
    match direction {
        Direction::Ascending => sort(&mut keyed, |(a, _), (b, _)| order(a, b), watch)?,
        Direction::Descending => sort(&mut keyed, |(a, _), (b, _)| order(b, a), watch)?,
    }
    Ok(keyed.into_iter().map(|(_, number)| number).collect())
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
