//! Ordering of rows of numbers and texts, of which the first that differ decide.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::limits::{LimitHit, space, work};

use super::{Direction, Odd, Orderable, Unsorted, compare_scalars, sort};
use crate::value::Value;

/// The values by which an element is ordered, the decisive one first.
pub type Row<'a> = Cow<'a, [Value]>;

/// Returns the indices of the rows in sorted order. `direction` is that of the values at an index. A row that ends where
/// another goes on is the smaller one. The sort is stable.
pub fn sorted_rows(rows: &[Row<'_>], direction: impl Fn(usize) -> Direction) -> Result<Vec<usize>, Unsorted> {
    check(rows)?;
    let mut numbers: Vec<usize> = (0..rows.len()).collect();
    sort(&mut numbers, |a, b| compare(&rows[*a], &rows[*b], &direction))?;
    Ok(numbers)
}

/// Returns lists as rows.
pub fn of_lists(lists: &[Value]) -> Result<Vec<Row<'_>>, Unsorted> {
    space::check(lists.len() * (size_of::<Row<'_>>() + size_of::<usize>()))?;
    let mut rows = Vec::with_capacity(lists.len());
    let mut copied = 0;
    for (index, value) in lists.iter().enumerate() {
        work::charge(1)?;
        let Value::List(list) = value else { return Err(Unsorted::Odd(Odd { index, part: None })) };
        rows.push(match list.values() {
            Some(values) => Cow::Borrowed(values),
            None => {
                work::charge(list.len())?;
                copied += list.len() * size_of::<Value>();
                space::check(copied)?;
                Cow::Owned(list.iter().collect())
            }
        });
    }
    Ok(rows)
}

/// Checks that the values at each index are all numbers or all texts.
fn check(rows: &[Row<'_>]) -> Result<(), Unsorted> {
    let mut kinds: Vec<Orderable> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        work::charge(1 + row.len())?;
        for (part, value) in row.iter().enumerate() {
            let kind = Orderable::of(value).filter(|kind| kinds.get(part).is_none_or(|first| first == kind));
            let Some(kind) = kind else { return Err(Unsorted::Odd(Odd { index, part: Some(part) })) };
            if part == kinds.len() {
                kinds.push(kind);
            }
        }
    }
    Ok(())
}

fn compare(a: &[Value], b: &[Value], direction: &impl Fn(usize) -> Direction) -> Result<Ordering, LimitHit> {
    work::charge(1)?;
    for (part, (a, b)) in a.iter().zip(b).enumerate() {
        let order = compare_scalars(a, b)?;
        if order.is_ne() {
            return Ok(direction(part).apply(order));
        }
    }
    Ok(match a.len().cmp(&b.len()) {
        Ordering::Equal => Ordering::Equal,
        order => direction(a.len().min(b.len())).apply(order),
    })
}
