//! The built-in functions that the programs use.

use std::cmp::Ordering;
use std::num::FpCategory;

use super::fault::{Fallible, Wrong, out_of_domain, shortened, wrong_type, wrong_types};
use super::operators::{LARGE, bounded, negate};
use super::value::{Value, numbers};

/// Applies a built-in to its arguments. Returns `None` for an unknown name.
pub fn apply(name: &str, args: &[Value]) -> Option<Fallible<Value>> {
    Some(match (name, args) {
        ("LEN", [value]) => length(value),
        ("TYPEOF", [value]) => Ok(Value::text(value.type_name())),
        ("STR", [value]) => bounded(Value::Text(value.printed())),
        ("INT", [value]) => int(value),
        ("FLOAT", [value]) => float(value),
        ("ABS", [Value::Float(number)]) => Ok(Value::Float(number.abs())),
        ("ABS", [Value::Int(number)]) if *number < 0 => negate(&args[0]),
        ("ABS", [Value::Int(number)]) => Ok(Value::Int(*number)),
        ("ABS", [value]) => wrong_type("ABS", "a number", value),
        ("MIN", args) => extreme("MIN", args, Ordering::Less),
        ("MAX", args) => extreme("MAX", args, Ordering::Greater),
        ("FLOOR", [value]) => whole("FLOOR", value, f64::floor),
        ("CEIL", [value]) => whole("CEIL", value, f64::ceil),
        ("ROUND", [value]) => whole("ROUND", value, f64::round),
        ("RANGE", args) => range(args),
        _ => return None,
    })
}

fn length(value: &Value) -> Fallible<Value> {
    match value {
        Value::Text(text) => Ok(Value::Int(text.chars().count() as i64)),
        Value::List(items) => Ok(Value::Int(items.len() as i64)),
        Value::Map(entries) => Ok(Value::Int(entries.len() as i64)),
        _ => wrong_type("LEN", "a list, map or text", value),
    }
}

fn exact_int(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0 && number.abs() < 1.0e30;
    if fits { i64::try_from(number as i128).ok() } else { None }
}

fn int(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(number) => Ok(Value::Int(*number)),
        Value::Float(number) => match exact_int(number.trunc()) {
            Some(number) => Ok(Value::Int(number)),
            None => no_int("INT", number.trunc(), value),
        },
        Value::Text(text) => {
            let digits = text.trim().replace('_', "");
            let number = digits.parse::<i64>().ok();
            match number.or_else(|| whole_decimal(&digits)) {
                Some(number) => Ok(Value::Int(number)),
                None if is_huge(&digits, 63) => unfit(text, "a 64-bit int"),
                None => Err(Wrong::Fault("NS0307", format!("`{}` is not a whole number", shortened(text)))),
            }
        }
        _ => wrong_type("INT", "a number or a text", value),
    }
}

/// The error for a float without a whole part that is an int.
fn no_int(function: &str, whole: f64, value: &Value) -> Fallible<Value> {
    match whole.classify() {
        FpCategory::Infinite | FpCategory::Nan => out_of_domain(function, &value.preview()),
        _ => {
            let message = format!("`{function}({})` does not fit into a 64-bit int", value.preview());
            Err(Wrong::Fault("NS0309", message))
        }
    }
}

/// Whether a text is a number in digits of at least two to a power.
fn is_huge(text: &str, power: i32) -> bool {
    let is_written_out = text.bytes().any(|byte| byte.is_ascii_digit());
    is_written_out && text.parse::<f64>().is_ok_and(|number| number.abs() >= 2_f64.powi(power))
}

fn unfit(text: &str, holder: &str) -> Fallible<Value> {
    Err(Wrong::Fault("NS0307", format!("`{}` does not fit into {holder}", shortened(text))))
}

/// Returns the whole number that a decimal text with a fraction or an exponent denotes, digit by digit.
fn whole_decimal(text: &str) -> Option<i64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{whole}{fraction}");
    let shift = exponent.parse::<i64>().ok()? - fraction.len() as i64;
    if digits.bytes().all(|byte| !(b'1'..=b'9').contains(&byte)) {
        return Some(0);
    }
    for _ in 0..shift.unsigned_abs().min(1000) {
        if shift > 0 {
            digits.push('0');
        } else if digits.pop() != Some('0') {
            return None;
        }
    }
    digits.parse().ok()
}

fn float(value: &Value) -> Fallible<Value> {
    match (value.as_float(), value) {
        (Some(number), _) => Ok(Value::Float(number)),
        (None, Value::Text(text)) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            Ok(_) if is_huge(text.trim(), 1024) => unfit(text, "a float"),
            _ => Err(Wrong::Fault("NS0307", format!("`{}` is not a number", shortened(text)))),
        },
        _ => wrong_type("FLOAT", "a number or a text", value),
    }
}

fn extreme(name: &str, args: &[Value], wanted: Ordering) -> Fallible<Value> {
    let items = match args {
        [Value::List(items)] => items,
        [value @ (Value::Nil | Value::Truth(_) | Value::Map(_))] => {
            return wrong_type(name, "numbers, texts or one list of them", value);
        }
        args => args,
    };
    let Some(mut best) = items.first() else { return out_of_domain(name, "an empty list") };
    for item in &items[1..] {
        let order = match (item, best) {
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => numbers(item, best),
            _ => return wrong_types(name, item, best),
        };
        if order == Some(wanted) {
            best = item;
        }
    }
    Ok(best.clone())
}

fn whole(name: &str, value: &Value, apply: fn(f64) -> f64) -> Fallible<Value> {
    match value {
        Value::Int(number) => Ok(Value::Int(*number)),
        Value::Float(number) => match exact_int(apply(*number)) {
            Some(number) => Ok(Value::Int(number)),
            None => no_int(name, apply(*number), value),
        },
        _ => wrong_type(name, "a number", value),
    }
}

/// Returns `RANGE(…)` as a list.
fn range(args: &[Value]) -> Fallible<Value> {
    let mut bounds = Vec::new();
    for arg in args {
        bounds.push(match arg {
            Value::Int(number) => i128::from(*number),
            Value::Float(number) if exact_int(*number).is_some() => *number as i128,
            _ => return wrong_type("RANGE", "ints", arg),
        });
    }
    let (mut at, end, step) = match bounds[..] {
        [end] => (0, end, 1),
        [start, end] => (start, end, 1),
        [start, end, step] => (start, end, step),
        _ => return Err(Wrong::GivenUp),
    };
    if step == 0 {
        return out_of_domain("RANGE", "a step of 0");
    }
    let mut items = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        items.push(Value::Int(at as i64));
        at += step;
        if items.len() > LARGE {
            return Err(Wrong::GivenUp);
        }
    }
    Ok(Value::List(items))
}
