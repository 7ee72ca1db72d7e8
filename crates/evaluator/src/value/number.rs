//! Rules for numbers: 64-bit ints that never wrap, IEEE floats, and comparisons between them.

use std::cmp::Ordering;
use std::fmt::Write as _;

/// The type of whole numbers, in messages.
pub const INT: &str = "a 64-bit int";

/// The result of `left / right` for two ints: an int if it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quotient {
    /// An exact quotient.
    Int(i64),
    /// An inexact quotient.
    Float(f64),
}

/// Divides two ints. Returns `None` if the divisor is zero or the result does not fit into 64 bits.
#[inline]
pub fn divide(left: i64, right: i64) -> Option<Quotient> {
    Some(match left.checked_rem(right) {
        Some(0) => Quotient::Int(left.checked_div(right)?),
        Some(_) => Quotient::Float(left as f64 / right as f64),
        // `MIN % -1` overflows although its remainder is 0.
        None => return None,
    })
}

/// Computes `base ** exponent` for a non-negative exponent. Returns `None` if the result does not fit into 64 bits.
pub fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent),
        (0 | 1, Err(_)) => Some(base),
        (-1, Err(_)) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => None,
    }
}

/// Returns the int with the same value, if there is one.
pub fn exact_int(number: f64) -> Option<i64> {
    // 2^63 is exact as a float; every float below it that has no fraction is an i64.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    (fits && number.fract() == 0.0).then_some(number as i64)
}

/// Returns the int that a decimal number with a point or an exponent exactly equals, without rounding.
pub fn whole_of_decimal(text: &str) -> Option<i64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let shift = exponent.parse::<i64>().ok()?.checked_sub(fraction.len() as i64)?;
    let (sign, digits) = match digits.strip_prefix(['-', '+']) {
        Some(unsigned) => (&digits[..1], unsigned.trim_start_matches('0')),
        None => ("", digits.trim_start_matches('0')),
    };
    let cut = digits.len().checked_sub(usize::try_from(shift.checked_neg()?.max(0)).ok()?);
    let kept = match cut {
        _ if digits.is_empty() => "0",
        Some(cut) if digits[cut..].bytes().all(|digit| digit == b'0') => &digits[..cut],
        _ => return None,
    };
    // More zeros than any int has digits would not fit anyway.
    let zeros = usize::try_from(shift.clamp(0, 20)).ok()?;
    format!("{sign}{kept}{}", if kept == "0" { String::new() } else { "0".repeat(zeros) }).parse().ok()
}

/// Compares an int and a float exactly: neither is rounded to the other's type.
pub fn compare_mixed(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if float < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    let fraction = whole.partial_cmp(&float).unwrap_or(Ordering::Equal);
    Some(int.cmp(&(whole as i64)).then(fraction))
}

/// Writes the shortest text that parses to the same float, with a point and at least one decimal.
pub fn write_float(number: f64, out: &mut impl std::fmt::Write) -> std::fmt::Result {
    if !number.is_finite() {
        let text = if number.is_nan() {
            "nan"
        } else if number > 0.0 {
            "inf"
        } else {
            "-inf"
        };
        return out.write_str(text);
    }
    let mut text = compact_str::CompactString::default();
    write!(text, "{number:?}")?;
    match text.find('e') {
        Some(exponent) if !text[..exponent].contains('.') => {
            write!(out, "{}.0{}", &text[..exponent], &text[exponent..])
        }
        _ => out.write_str(&text),
    }
}
