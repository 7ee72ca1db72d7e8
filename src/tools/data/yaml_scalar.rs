//! What a plain scalar of YAML means: the core schema of YAML 1.2.

use crate::value::Value;

/// The value of a scalar without quotes.
pub fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Nil,
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    number(text).unwrap_or_else(|| Value::text(text))
}

/// The number of a scalar, if it is one.
pub fn number(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let infinity = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
            return Some(infinity.into());
        }
        ".nan" | ".NaN" | ".NAN" if text == unsigned => return Some(f64::NAN.into()),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let digits = unsigned.as_bytes();
    if !digits.is_empty() && digits.iter().all(is_digit) {
        let whole = text.strip_prefix('+').unwrap_or(text).parse::<i64>().map(Value::Int).ok();
        return whole.or_else(|| Some(text.parse::<f64>().ok()?.into()));
    }
    // A float has a digit, and nothing but digits, a point and an exponent.
    let has_form = digits.iter().any(is_digit)
        && matches!(digits[0], b'0'..=b'9' | b'.')
        && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    has_form.then(|| text.parse::<f64>().ok().map(Value::from)).flatten()
}

fn based(digits: &str, base: u32) -> Option<Value> {
    let fits = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
    fits.then(|| i64::from_str_radix(digits, base).ok().map(Value::Int)).flatten()
}
