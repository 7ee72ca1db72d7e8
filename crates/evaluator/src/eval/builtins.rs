//! Implementations of the built-in functions.

use std::cmp::Ordering;

use crate::limits::work;
use crate::program::Builtin;
use crate::text::Code;
use crate::value::operators::{compare, negate, wrong_type};
use crate::value::{Fallible, IntRange, Str, Value, ValueError, number, print};

/// Returns the implementation of a built-in with one argument.
pub fn unary(builtin: Builtin) -> fn(&Value) -> Fallible<Value> {
    match builtin {
        Builtin::Len => len,
        Builtin::TypeOf => |value| Ok(value.type_name().into()),
        Builtin::Str => |value| Ok(Str::from_compact(print::to_text(value)?).into()),
        Builtin::Int => int,
        Builtin::Float => float,
        Builtin::Abs => abs,
        Builtin::Min => |value| extreme("MIN", std::slice::from_ref(value), Ordering::Less),
        Builtin::Max => |value| extreme("MAX", std::slice::from_ref(value), Ordering::Greater),
        Builtin::Round => |value| whole("ROUND", value, f64::round),
        Builtin::Floor => |value| whole("FLOOR", value, f64::floor),
        Builtin::Ceil => |value| whole("CEIL", value, f64::ceil),
        Builtin::Sqrt => |value| real("SQRT", value, f64::sqrt),
        Builtin::Ln => |value| real("LN", value, f64::ln),
        Builtin::Log => |value| real("LOG", value, f64::log10),
        Builtin::Sin => |value| real("SIN", value, f64::sin),
        Builtin::Cos => |value| real("COS", value, f64::cos),
        Builtin::Tan => |value| real("TAN", value, f64::tan),
        Builtin::Asin => |value| real("ASIN", value, f64::asin),
        Builtin::Acos => |value| real("ACOS", value, f64::acos),
        Builtin::Atan => |value| real("ATAN", value, f64::atan),
        Builtin::Range => unreachable!("a RANGE is charged for what it makes"),
        Builtin::Eval => unreachable!("EVAL is an expression of its own"),
    }
}

/// Applies a built-in to several arguments.
pub fn apply(builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    match (builtin, args) {
        (Builtin::Min, _) => extreme("MIN", args, Ordering::Less),
        (Builtin::Max, _) => extreme("MAX", args, Ordering::Greater),
        (Builtin::Round, [value, digits]) => round(value, digits),
        _ => unreachable!("lowering checked the number of arguments"),
    }
}

fn len(value: &Value) -> Fallible<Value> {
    let length = match value {
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        _ => match value.as_str() {
            Some(text) => text.char_count(),
            None => return Err(wrong_type("LEN", "a list, map or text", value)),
        },
    };
    Ok(Value::Int(length as i64))
}

fn int(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Float(number) => to_int("INT", number.get().trunc(), value),
        _ => match value.as_text() {
            Some(text) => parse_int(&text).ok_or_else(|| bad_int(&text)),
            None => Err(wrong_type("INT", "a number or a text", value)),
        },
    }
}

fn parse_int(text: &str) -> Option<Value> {
    let digits = text.trim();
    let digits = if digits.contains('_') { digits.replace('_', "") } else { digits.to_owned() };
    // `"4.0"` is a whole number too; `"4.5"` is not.
    digits.parse::<i64>().ok().or_else(|| number::whole_of_decimal(&digits)).map(Value::Int)
}

fn float(value: &Value) -> Fallible<Value> {
    match (value.as_float(), value.as_text()) {
        (Some(number), _) => Ok(number.into()),
        (None, Some(text)) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number.into()),
            Ok(_) if is_in_digits(&text) => Err(too_large(&text, "a float")),
            _ => Err(bad_conversion(&text, "a number")),
        },
        (None, None) => Err(wrong_type("FLOAT", "a number or a text", value)),
    }
}

/// Returns the error for a text that is no int: it is no whole number, or one that 64 bits do not hold.
fn bad_int(text: &str) -> Box<ValueError> {
    let number = text.trim().replace('_', "").parse::<f64>();
    // 2^63; the least int that is no 64-bit one is rounded to -2^63.
    if number.is_ok_and(|number| number.abs() >= 9_223_372_036_854_775_808.0) && is_in_digits(text) {
        too_large(text, number::INT)
    } else {
        bad_conversion(text, "a whole number")
    }
}

/// Whether a number is written in digits, not as `inf` or `nan`.
fn is_in_digits(number: &str) -> bool {
    number.contains(|c: char| c.is_ascii_digit())
}

/// Returns the error for a text with a number that a type does not hold.
fn too_large(text: &str, holder: &'static str) -> Box<ValueError> {
    Box::new(ValueError::TooLarge { number: format!("`{}`", shortened(text)), holder, code: Code::BadConversion })
}

fn bad_conversion(text: &str, wanted: &'static str) -> Box<ValueError> {
    Box::new(ValueError::BadConversion { text: shortened(text), wanted })
}

fn shortened(text: &str) -> String {
    print::shortened(text, 40)
}

fn abs(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(number) if *number >= 0 => Ok(value.clone()),
        Value::Int(_) => negate(value),
        Value::Float(number) => Ok(number.get().abs().into()),
        _ => Err(wrong_type("ABS", "a number", value)),
    }
}

/// Returns the smallest or largest of the arguments, or of the elements of a single list.
fn extreme(name: &'static str, args: &[Value], wanted: Ordering) -> Fallible<Value> {
    match args {
        [Value::List(list)] => extreme_of(name, list.iter(), wanted),
        [only] if !matches!(only, Value::Int(_) | Value::Float(_)) && !only.is_text() => {
            Err(wrong_type(name, "numbers, texts or one list of them", only))
        }
        args => extreme_of(name, args.iter().cloned(), wanted),
    }
}

fn extreme_of(name: &'static str, mut items: impl Iterator<Item = Value>, wanted: Ordering) -> Fallible<Value> {
    let Some(mut best) = items.next() else {
        return Err(Box::new(ValueError::OutOfDomain { function: name, found: "an empty list".to_owned() }));
    };
    for item in items {
        work::charge(1)?;
        if compare(name, &item, &best)? == Some(wanted) {
            best = item;
        }
    }
    Ok(best)
}

fn whole(name: &'static str, value: &Value, apply: fn(f64) -> f64) -> Fallible<Value> {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Float(number) => to_int(name, apply(number.get()), value),
        _ => Err(wrong_type(name, "a number", value)),
    }
}

fn to_int(name: &'static str, whole: f64, value: &Value) -> Fallible<Value> {
    number::exact_int(whole).map(Value::Int).ok_or_else(|| {
        if whole.is_finite() {
            let number = format!("`{name}({})`", print::preview(value));
            Box::new(ValueError::TooLarge { number, holder: number::INT, code: Code::OutOfDomain })
        } else {
            out_of_domain(name, value)
        }
    })
}

/// `ROUND(number, digits)`: a float with that many decimals; halves round away from zero.
fn round(value: &Value, digits: &Value) -> Fallible<Value> {
    let Value::Int(digits) = digits else { return Err(wrong_type("ROUND", "an int as its second argument", digits)) };
    let Some(number) = value.as_float() else { return Err(wrong_type("ROUND", "a number", value)) };
    let digits = (*digits).clamp(-308, 308) as i32;
    let scale = 10_f64.powi(digits);
    let scaled = number * scale;
    // Beyond 2^53 a float has no decimals left to round.
    let rounded = if scaled.is_finite() && scaled.abs() < 9.0e15 { scaled.round() / scale } else { number };
    Ok(rounded.into())
}

fn real(name: &'static str, value: &Value, apply: fn(f64) -> f64) -> Fallible<Value> {
    let Some(number) = value.as_float() else { return Err(wrong_type(name, "a number", value)) };
    let result = apply(number);
    let lost = (result.is_nan() && !number.is_nan()) || (result.is_infinite() && number.is_finite());
    if lost { Err(out_of_domain(name, value)) } else { Ok(result.into()) }
}

fn out_of_domain(function: &'static str, value: &Value) -> Box<ValueError> {
    Box::new(ValueError::OutOfDomain { function, found: print::preview(value) })
}

/// Returns the ints of a RANGE with these arguments.
pub fn int_range(args: &[Value]) -> Fallible<IntRange> {
    let int = |value: &Value| value.as_integer().ok_or_else(|| wrong_type("RANGE", "ints", value));
    let (start, end, step) = match args {
        [end] => (0, int(end)?, 1),
        [start, end] => (int(start)?, int(end)?, 1),
        [start, end, step, ..] => (int(start)?, int(end)?, int(step)?),
        [] => unreachable!("lowering checked the number of arguments"),
    };
    if step == 0 {
        return Err(Box::new(ValueError::OutOfDomain { function: "RANGE", found: "a step of 0".to_owned() }));
    }
    Ok(IntRange { start, end, step })
}
