//! `==`: whether two values are equal.
//!
//! Equality is structural. A float that is not a number equals nothing, itself included; inside lists and maps two of them
//! are equal, so that a list equals its copies and sharing storage cannot be observed. For the same reason equality
//! inside a value is transitive, which is what lets shared parts be compared once.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::limits::{LimitHit, work};

use super::memo::{Classes, is_shared, storage};
use super::{List, Map, Text, Value, number};

/// Elements that are compared between two charges.
const STRETCH: usize = 1_024;
/// Bytes from which on the comparison of two texts is charged.
const LONG_TEXT: usize = 4 << 10;

/// `left == right`: structural; an int equals the float of its value; other types are unequal.
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

/// Why two values are not known to be equal.
enum Unequal {
    /// They are not.
    Differ,
    /// The run must stop.
    Limit(LimitHit),
}

impl From<LimitHit> for Unequal {
    fn from(hit: LimitHit) -> Unequal {
        Unequal::Limit(hit)
    }
}

/// Unequal parts end the comparison, so whatever it has met before is equal, or taken to be.
#[derive(Default)]
struct Comparison {
    classes: Classes,
}

impl Comparison {
    /// Compares two values inside others. Calls itself as deep as they nest, which is bounded.
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
        let (Some(a), Some(b)) = (left.values(), right.values()) else { return self.rows(left, right) };
        work::charge(1)?;
        for (a, b) in a.chunks(STRETCH).zip(b.chunks(STRETCH)) {
            work::charge(a.len())?;
            a.iter().zip(b).try_for_each(|(a, b)| self.parts(a, b))?;
        }
        Ok(())
    }

    /// Lists of which one is packed. The maps of its rows live no longer than they are compared, so they are not noted;
    /// they hold no lists or maps, and comparing them again takes no longer than their width.
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

/// Of values that are not both lists, maps or long texts, inside others.
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
