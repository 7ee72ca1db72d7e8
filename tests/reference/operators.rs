//! The rules of operators and of access to parts of values, one case after another.

use neuroscript::engine::ast::BinaryOp;

use super::fault::{
    Fallible, Wrong, by_zero, fixed_text, missing_key, not_indexable, out_of_domain, out_of_range, overflow,
    wrong_type, wrong_types,
};
use super::value::{Value, equal, find, numbers};

/// Number of bytes and values beyond which a program is given up.
pub const LARGE: usize = 20_000;

/// Returns a new value, unless it is too large.
pub fn bounded(value: Value) -> Fallible<Value> {
    if value.size() > LARGE { Err(Wrong::GivenUp) } else { Ok(value) }
}

/// Applies any operator but AND and OR.
pub fn binary(op: BinaryOp, left: &Value, right: &Value) -> Fallible<Value> {
    let symbol = op.symbol();
    let order = |wanted: fn(std::cmp::Ordering) -> bool| match (left, right) {
        (Value::Text(a), Value::Text(b)) => Ok(Value::Truth(wanted(a.chars().cmp(b.chars())))),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            Ok(Value::Truth(numbers(left, right).is_some_and(wanted)))
        }
        _ => wrong_types(symbol, left, right),
    };
    match op {
        BinaryOp::Add => add(left, right),
        BinaryOp::Subtract => number(symbol, left, right, i64::checked_sub, |a, b| a - b),
        BinaryOp::Multiply => number(symbol, left, right, i64::checked_mul, |a, b| a * b),
        BinaryOp::Divide => divide(left, right),
        BinaryOp::Remainder => remainder(left, right),
        BinaryOp::BitAnd => bits(symbol, left, right, |a, b| a & b),
        BinaryOp::BitOr => bits(symbol, left, right, |a, b| a | b),
        BinaryOp::BitXor => bits(symbol, left, right, |a, b| a ^ b),
        BinaryOp::Equal => Ok(Value::Truth(equal(left, right))),
        BinaryOp::NotEqual => Ok(Value::Truth(!equal(left, right))),
        BinaryOp::Less => order(std::cmp::Ordering::is_lt),
        BinaryOp::LessEqual => order(std::cmp::Ordering::is_le),
        BinaryOp::Greater => order(std::cmp::Ordering::is_gt),
        BinaryOp::GreaterEqual => order(std::cmp::Ordering::is_ge),
        BinaryOp::In => Ok(Value::Truth(contains(left, right)?)),
        BinaryOp::NotIn => Ok(Value::Truth(!contains(left, right)?)),
        BinaryOp::And | BinaryOp::Or => unreachable!("these do not evaluate both sides"),
    }
}

fn add(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::List(a), Value::List(b)) => bounded(Value::List([a.clone(), b.clone()].concat())),
        (Value::Text(_), _) | (_, Value::Text(_)) => bounded(Value::Text(left.printed() + &right.printed())),
        _ => number("+", left, right, i64::checked_add, |a, b| a + b),
    }
}

fn number(
    symbol: &str,
    left: &Value,
    right: &Value,
    ints: fn(i64, i64) -> Option<i64>,
    floats: fn(f64, f64) -> f64,
) -> Fallible<Value> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        return match ints(*a, *b) {
            Some(result) => Ok(Value::Int(result)),
            None => overflow(symbol, left, right),
        };
    }
    match (left.as_float(), right.as_float()) {
        (Some(a), Some(b)) => Ok(Value::Float(floats(a, b))),
        _ => wrong_types(symbol, left, right),
    }
}

fn divide(left: &Value, right: &Value) -> Fallible<Value> {
    let (Some(a), Some(b)) = (left.as_float(), right.as_float()) else { return wrong_types("/", left, right) };
    if b == 0.0 {
        return by_zero("/", left, right);
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let (a, b) = (i128::from(*a), i128::from(*b));
        if a % b == 0 {
            return match i64::try_from(a / b) {
                Ok(quotient) => Ok(Value::Int(quotient)),
                Err(_) => overflow("/", left, right),
            };
        }
    }
    Ok(Value::Float(a / b))
}

fn remainder(left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(_), Value::Int(0)) => by_zero("%", left, right),
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int((i128::from(*a) % i128::from(*b)) as i64)),
        _ => wrong_types("%", left, right),
    }
}

fn bits(symbol: &str, left: &Value, right: &Value, apply: fn(i64, i64) -> i64) -> Fallible<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(apply(*a, *b))),
        _ => wrong_types(symbol, left, right),
    }
}

fn contains(item: &Value, whole: &Value) -> Fallible<bool> {
    match (whole, item) {
        (Value::List(items), _) => Ok(items.iter().any(|value| equal(value, item))),
        (Value::Map(entries), Value::Text(key)) => Ok(find(entries, key).is_some()),
        (Value::Text(whole), Value::Text(part)) => Ok(whole.contains(part.as_str())),
        _ => wrong_types("IN", item, whole),
    }
}

/// `left ** right`
pub fn power(left: &Value, right: &Value) -> Fallible<Value> {
    if let (Value::Int(base), Value::Int(exponent @ 0..)) = (left, right) {
        let mut result: i64 = 1;
        // Beyond 128 iterations, any base other than these three has long exceeded 64 bits.
        let turns = if matches!(base, -1..=1) { 2 + exponent % 2 } else { *exponent };
        for _ in 0..turns.min(*exponent) {
            let Some(next) = result.checked_mul(*base) else { return overflow("**", left, right) };
            result = next;
        }
        return Ok(Value::Int(result));
    }
    let (Some(base), Some(exponent)) = (left.as_float(), right.as_float()) else {
        return wrong_types("**", left, right);
    };
    if base == 0.0 && exponent < 0.0 {
        return by_zero("**", left, right);
    }
    let result = base.powf(exponent);
    if result.is_nan() && !base.is_nan() && !exponent.is_nan() {
        return out_of_domain("**", &format!("{} ** {}", left.preview(), right.preview()));
    }
    Ok(Value::Float(result))
}

/// `-value`
pub fn negate(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(i64::MIN) => {
            Err(Wrong::Fault("NS0302", format!("`-({})` does not fit into a 64-bit int", i64::MIN)))
        }
        Value::Int(number) => Ok(Value::Int(-number)),
        Value::Float(number) => Ok(Value::Float(-number)),
        _ => wrong_type("-", "a number", value),
    }
}

/// `~value`
pub fn invert(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(number) => Ok(Value::Int(!number)),
        _ => wrong_type("~", "an int", value),
    }
}

/// Returns the position that an index denotes.
fn position(index: i64, length: usize) -> Option<usize> {
    let at = if index < 0 { i128::from(index) + length as i128 } else { i128::from(index) };
    (0..length as i128).contains(&at).then_some(at as usize)
}

/// `whole[index]`
pub fn index(whole: &Value, index: &Value) -> Fallible<Value> {
    match (whole, index) {
        (Value::List(items), Value::Int(number)) => match position(*number, items.len()) {
            Some(at) => Ok(items[at].clone()),
            None => out_of_range(*number, "list", items.len(), "elements"),
        },
        (Value::Text(text), Value::Int(number)) => {
            let characters: Vec<char> = text.chars().collect();
            match position(*number, characters.len()) {
                Some(at) => Ok(Value::Text(characters[at].to_string())),
                None => out_of_range(*number, "string", characters.len(), "characters"),
            }
        }
        (Value::Map(entries), Value::Text(key)) => match find(entries, key) {
            Some(value) => Ok(value.clone()),
            None => missing_key(key),
        },
        _ => not_indexable(whole, &index.shown()),
    }
}

/// `whole.name`
pub fn field(whole: &Value, name: &str) -> Fallible<Value> {
    match whole {
        Value::Map(_) => index(whole, &Value::text(name)),
        _ => not_indexable(whole, &format!("`.{name}`")),
    }
}

/// Sets a part of a value. Missing maps on the way are created, and remain if a later step fails.
pub fn set_place(target: &mut Value, steps: &[Value], value: Value) -> Fallible<()> {
    let (step, rest) = steps.split_first().expect("a place has a step");
    match (target, step) {
        (Value::List(items), Value::Int(index)) => {
            let length = items.len();
            match (position(*index, length), rest) {
                (Some(at), []) => items[at] = value,
                (Some(at), rest) => return set_place(&mut items[at], rest, value),
                (None, []) if *index == length as i64 => items.push(value),
                (None, _) => return out_of_range(*index, "list", length, "elements"),
            }
            Ok(())
        }
        (Value::Map(entries), Value::Text(key)) => {
            let at = match entries.iter().position(|(name, _)| name == key) {
                Some(at) => at,
                None if rest.is_empty() || matches!(rest[0], Value::Text(_)) => {
                    entries.push((key.clone(), Value::Map(Vec::new())));
                    entries.len() - 1
                }
                None => return missing_key(key),
            };
            match rest {
                [] => entries[at].1 = value,
                rest => return set_place(&mut entries[at].1, rest, value),
            }
            Ok(())
        }
        (Value::Text(text), Value::Int(_)) if rest.is_empty() => fixed_text(&Value::Text(text.clone())),
        (other, step) => not_indexable(other, &step.shown()),
    }
}
