//! `==`: whether two values are equal.
//!
//! Equality is structural. NaN equals nothing, not even itself; inside lists and maps, however, two NaNs are equal, so
//! that a list equals its copies and shared storage cannot be observed. For the same reason equality inside a value is
//! transitive, which allows shared parts to be compared only once.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::limits::{LimitHit, work};

use super::memo::{Classes, is_shared, storage};
use super::{List, Map, Text, Value, number};

/// Number of elements that are compared between two charges.
const STRETCH: usize = 1_024;
/// Length in bytes from which the comparison of two texts is charged.
const LONG_TEXT: usize = 4 << 10;

/// `left == right`: structural; an int equals the float of the same value; values of other different types are unequal.
#[inline]
pub fn equal(left: &Value, right: &Value) -> Result<bool, LimitHit> {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => Ok(a.get() == b.get()),
        (Value::Text(_), Value::Text(_)) | (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => {
            match Comparison::default().parts(left, right) {
                Ok(()) => Ok(true),
                Err(Unequal::Differ) => Ok(false),
                Err(Unequal::Limit(hit)) => Err(hit),
            }
        }
        _ => Ok(scalars_equal(left, right)),
    }
}

/// Why two values could not be found equal.
enum Unequal {
    /// They differ.
    Differ,
    /// The run must stop.
    Limit(LimitHit),
}

impl From<LimitHit> for Unequal {
    fn from(hit: LimitHit) -> Unequal {
        Unequal::Limit(hit)
    }
}

/// State of a comparison. Unequal parts end it, so all parts compared so far are equal or assumed to be.
#[derive(Default)]
struct Comparison {
    classes: Classes,
}

impl Comparison {
    /// Compares two values inside others. Recursion is bounded by the nesting limit.
    #[inline]
    fn parts(&mut self, left: &Value, right: &Value) -> Result<(), Unequal> {
        match (left, right) {
            (Value::List(a), Value::List(b)) => self.shared(a, b, Comparison::lists),
            (Value::Map(a), Value::Map(b)) => self.shared(a, b, Comparison::maps),
            (Value::Text(a), Value::Text(b)) => texts_equal(a, b),
            _ => equal_if(scalars_equal(left, right)),
        }
    }

    #[inline]
    fn shared<T>(
        &mut self,
        left: &Rc<T>,
        right: &Rc<T>,
        compare: impl FnOnce(&mut Comparison, &T, &T) -> Result<(), Unequal>,
    ) -> Result<(), Unequal> {
        let is_known = Rc::ptr_eq(left, right)
            || (is_shared(left) || is_shared(right)) && self.classes.unite(storage(left), storage(right));
        if is_known { Ok(()) } else { compare(self, left, right) }
    }

    fn lists(&mut self, left: &List, right: &List) -> Result<(), Unequal> {
        equal_if(left.len() == right.len())?;
        if left.rows().is_some() || right.rows().is_some() {
            return self.rows(left, right);
        }
        let (Some(a), Some(b)) = (left.values(), right.values()) else { return self.queues(left, right) };
        work::charge(1)?;
        for (a, b) in a.chunks(STRETCH).zip(b.chunks(STRETCH)) {
            work::charge(a.len())?;
            a.iter().zip(b).try_for_each(|(a, b)| self.parts(a, b))?;
        }
        Ok(())
    }

    /// Compares lists of which at least one is a queue.
    fn queues(&mut self, left: &List, right: &List) -> Result<(), Unequal> {
        for index in 0..left.len() {
            if index % STRETCH == 0 {
                work::charge(STRETCH.min(left.len() - index))?;
            }
            let (a, b) = (left.element(index), right.element(index));
            self.parts(a.expect("the list has the index"), b.expect("the lists have the same length"))?;
        }
        Ok(())
    }

    /// Compares lists of which at least one is packed. The maps of its rows live only during the comparison, so they
    /// are not recorded; they contain no lists or maps, and comparing them again takes time proportional to their
    /// width.
    fn rows(&mut self, left: &List, right: &List) -> Result<(), Unequal> {
        if let (Some(a), Some(b)) = (left.rows(), right.rows())
            && a.is_same_table(b)
        {
            return Ok(());
        }
        left.iter().zip(right.iter()).try_for_each(|(a, b)| match (&a, &b) {
            (Value::Map(a), Value::Map(b)) => self.maps(a, b),
            _ => Err(Unequal::Differ),
        })
    }

    fn maps(&mut self, left: &Map, right: &Map) -> Result<(), Unequal> {
        equal_if(left.len() == right.len())?;
        work::charge(1)?;
        let mut place = 0;
        left.try_each(|key, value| {
            work::charge(1)?;
            let compared = right.with_value(key, place, |other| self.parts(value, other));
            place += 1;
            compared.unwrap_or(Err(Unequal::Differ))
        })
    }
}

fn equal_if(equal: bool) -> Result<(), Unequal> {
    if equal { Ok(()) } else { Err(Unequal::Differ) }
}

#[inline]
fn texts_equal(left: &Rc<Text>, right: &Rc<Text>) -> Result<(), Unequal> {
    let (a, b) = (left.as_str(), right.as_str());
    if a.len() == b.len() && a.len() >= LONG_TEXT {
        work::charge_bytes(a.len())?;
    }
    equal_if(Rc::ptr_eq(left, right) || a == b)
}

/// Compares values inside others that are not both lists, maps or long texts.
#[inline]
fn scalars_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.get() == b.get() || a.get().is_nan() && b.get().is_nan(),
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => {
            number::compare_mixed(*a, b.get()) == Some(Ordering::Equal)
        }
        (Value::Small(a), Value::Small(b)) => a == b,
        _ => false,
    }
}
