//! Operators as types: their fast paths for two ints and two floats, and their general rules.

use std::cmp::Ordering;

use crate::value::{Fallible, Value, equality, number, operators};

/// An operator that returns a value: its fast paths for numbers, and its general rules.
pub trait Arithmetic: 'static {
    /// Whether the operator appends to a text or a list on its left.
    const GROWS: bool = false;

    /// Returns the result for two ints, or `None` if the general rules must decide.
    fn ints(left: i64, right: i64) -> Option<Value>;

    /// Returns the result for two floats, or `None` if the general rules must decide.
    fn floats(left: f64, right: f64) -> Option<f64>;

    fn apply(left: &Value, right: &Value) -> Fallible<Value>;
}

pub struct Add;
pub struct Subtract;
pub struct Multiply;
pub struct Divide;
pub struct Remainder;

impl Arithmetic for Add {
    const GROWS: bool = true;

    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_add(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left + right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::add(left, right)
    }
}

impl Arithmetic for Subtract {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_sub(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left - right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::subtract(left, right)
    }
}

impl Arithmetic for Multiply {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        left.checked_mul(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        Some(left * right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::multiply(left, right)
    }
}

impl Arithmetic for Divide {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        match number::divide(left, right) {
            Some(number::Quotient::Int(quotient)) => Some(Value::Int(quotient)),
            Some(number::Quotient::Float(quotient)) => Some(quotient.into()),
            None => None,
        }
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> Option<f64> {
        (right != 0.0).then(|| left / right)
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::divide(left, right)
    }
}

impl Arithmetic for Remainder {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> Option<Value> {
        // Division of numbers that fit into 32 bits is several times as fast.
        if let (Ok(left), Ok(right)) = (u32::try_from(left), u32::try_from(right)) {
            return left.checked_rem(right).map(|rest| Value::Int(rest.into()));
        }
        left.checked_rem(right).map(Value::Int)
    }

    #[inline(always)]
    fn floats(_: f64, _: f64) -> Option<f64> {
        None
    }

    fn apply(left: &Value, right: &Value) -> Fallible<Value> {
        operators::remainder(left, right)
    }
}

/// An operator that returns a truth value.
pub trait Comparison: 'static {
    fn ints(left: i64, right: i64) -> bool;

    fn floats(left: f64, right: f64) -> bool;

    fn apply(left: &Value, right: &Value) -> Fallible<bool>;
}

pub struct Equal;
pub struct NotEqual;
pub struct Less;
pub struct LessEqual;
pub struct Greater;
pub struct GreaterEqual;
pub struct In;
pub struct NotIn;

macro_rules! ordering {
    ($name:ident, $op:tt, $test:expr) => {
        impl Comparison for $name {
            #[inline(always)]
            fn ints(left: i64, right: i64) -> bool {
                left $op right
            }

            #[inline(always)]
            fn floats(left: f64, right: f64) -> bool {
                left $op right
            }

            fn apply(left: &Value, right: &Value) -> Fallible<bool> {
                Ok(operators::compare(stringify!($op), left, right)?.is_some_and($test))
            }
        }
    };
}

ordering!(Less, <, Ordering::is_lt);
ordering!(LessEqual, <=, Ordering::is_le);
ordering!(Greater, >, Ordering::is_gt);
ordering!(GreaterEqual, >=, Ordering::is_ge);

impl Comparison for Equal {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> bool {
        left == right
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> bool {
        left == right
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(equality::equal(left, right)?)
    }
}

impl Comparison for NotEqual {
    #[inline(always)]
    fn ints(left: i64, right: i64) -> bool {
        left != right
    }

    #[inline(always)]
    fn floats(left: f64, right: f64) -> bool {
        left != right
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(!equality::equal(left, right)?)
    }
}

impl Comparison for In {
    fn ints(_: i64, _: i64) -> bool {
        unreachable!("IN has no shortcut for numbers")
    }

    fn floats(_: f64, _: f64) -> bool {
        unreachable!("IN has no shortcut for numbers")
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        operators::contains(right, left)
    }
}

impl Comparison for NotIn {
    fn ints(_: i64, _: i64) -> bool {
        unreachable!("NOT IN has no shortcut for numbers")
    }

    fn floats(_: f64, _: f64) -> bool {
        unreachable!("NOT IN has no shortcut for numbers")
    }

    fn apply(left: &Value, right: &Value) -> Fallible<bool> {
        Ok(!operators::contains(right, left)?)
    }
}
