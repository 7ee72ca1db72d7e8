//! The meaning of a plain scalar in the core schema of YAML 1.2.

use crate::limits::work;
use crate::value::{BEYOND_FLOATS, BEYOND_INTS, Value};

/// The meaning of a scalar.
pub enum Scalar {
    /// A value.
    Value(Value),
    /// A number that is out of range for a value, and the reason.
    Big(&'static str),
}

/// Returns the meaning of an unquoted scalar.
pub fn plain(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Value(Value::Nil),
        "true" | "True" | "TRUE" => return Scalar::Value(true.into()),
        "false" | "False" | "FALSE" => return Scalar::Value(false.into()),
        _ => {}
    }
    number(text).unwrap_or_else(|| Scalar::Value(Value::text(text)))
}

/// Length in bytes of the longest number that is read. Longer ones are out of range, whatever their digits.
const MAX_NUMBER: usize = 1 << 20;

/// Returns the number that a scalar represents, if any.
pub fn number(text: &str) -> Option<Scalar> {
    if text.len() > MAX_NUMBER {
        return all_of(text, is_part).then_some(Scalar::Big(BEYOND_FLOATS));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let infinity = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
            return Some(Scalar::Value(infinity.into()));
        }
        ".nan" | ".NaN" | ".NAN" if text == unsigned => return Some(Scalar::Value(f64::NAN.into())),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return int(digits, digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return int(digits, digits, 8);
    }
    int(text.strip_prefix('+').unwrap_or(text), unsigned, 10).or_else(|| float(text, unsigned))
}

/// Parses an integer. `signed` is what is parsed; `digits` must consist of digits only.
fn int(signed: &str, digits: &str, base: u32) -> Option<Scalar> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    let int = i64::from_str_radix(signed, base);
    Some(int.map_or(Scalar::Big(BEYOND_INTS), |int| Scalar::Value(Value::Int(int))))
}

/// Parses a number that has at least one digit and otherwise only digits, a point and an exponent.
fn float(text: &str, unsigned: &str) -> Option<Scalar> {
    let has_form = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().any(|byte| byte.is_ascii_digit())
        && all_of(unsigned, is_part);
    let float: f64 = if has_form { text.parse().ok()? } else { return None };
    Some(if float.is_finite() { Scalar::Value(float.into()) } else { Scalar::Big(BEYOND_FLOATS) })
}

fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
}

/// Returns whether all bytes of a text are of a kind; false if the run must stop.
fn all_of(text: &str, is_meant: fn(u8) -> bool) -> bool {
    let pieces = text.as_bytes().chunks(1 << 16);
    pieces.into_iter().all(|piece| work::charge_bytes(piece.len()).is_ok() && piece.iter().copied().all(is_meant))
}
