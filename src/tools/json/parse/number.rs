//! Numbers of JSON.

use crate::value::Value;

use super::{Parsed, Parser};

impl Parser<'_> {
    /// A number; its first character is a digit or `-`.
    #[inline]
    pub(super) fn number(&mut self) -> Parsed<Value> {
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
        // 18 digits fit whatever they are.
        if length <= 18 && !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
            return Ok(Value::Int(if is_negative { -(whole as i64) } else { whole as i64 }));
        }
        self.long_number(start)
    }

    /// The rest of a number with a fraction, an exponent or many digits.
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
        if is_whole && let Ok(int) = text.parse::<i64>() {
            return Ok(Value::Int(int));
        }
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(float.into()),
            _ => Err(self.fault(start, "the number is beyond all floats")),
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
