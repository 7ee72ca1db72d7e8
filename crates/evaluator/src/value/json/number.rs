//! JSON numbers.

use super::super::Value;
use super::super::big_numbers::{BEYOND_FLOATS, BEYOND_INTS, BigNumbers, REMEDY};
use super::parser::{Fault, Parsed, Parser};

impl Parser<'_> {
    /// Parses a number; its first character is a digit or `-`.
    #[inline]
    pub fn number(&mut self) -> Parsed<Value> {
        let start = self.at;
        let is_negative = self.take(b'-');
        let digits = self.at;
        let mut whole = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let length = self.at - digits;
        if length == 0 {
            return Err(self.unexpected("a digit"));
        }
        if length > 1 && self.bytes[digits] == b'0' {
            return Err(self.fault(start, "a number begins with no further `0`"));
        }
        // Any 18 digits fit.
        if length <= 18 && !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
            return Ok(Value::Int(if is_negative { -(whole as i64) } else { whole as i64 }));
        }
        self.long_number(start)
    }

    /// Parses the rest of a number with a fraction, an exponent or many digits.
    fn long_number(&mut self, start: usize) -> Parsed<Value> {
        let mut is_whole = true;
        if self.take(b'.') {
            is_whole = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            is_whole = false;
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        let (value, reason) = if is_whole {
            (text.parse::<i64>().ok().map(Value::Int), BEYOND_INTS)
        } else {
            (text.parse::<f64>().ok().filter(|float| float.is_finite()).map(Value::from), BEYOND_FLOATS)
        };
        match (value, self.big_numbers) {
            (Some(value), _) => Ok(value),
            (None, BigNumbers::Text) => Ok(Value::checked_text(text)?),
            (None, BigNumbers::Refuse) => Err(Fault::Text { at: start, reason: reason.to_owned(), help: Some(REMEDY) }),
        }
    }

    fn digits(&mut self) -> Parsed<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }
}

/// Returns the first whole number in a JSON text that does not fit into 64 bits, without building any values.
pub fn beyond_ints(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                let end = bytes[at..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |length| at + length);
                let number = &text[at..end];
                if !number.contains(['.', 'e', 'E']) && number.parse::<i64>().is_err() {
                    return Some(number);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns the end of the string whose opening quote is at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}
