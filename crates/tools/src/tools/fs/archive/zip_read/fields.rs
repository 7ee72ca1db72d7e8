//! Little-endian fields of a record in memory.

use crate::toolkit::ToolError;

use super::super::fault::invalid;

/// A cursor that takes fields from the front of some bytes.
#[derive(Clone, Copy)]
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], ToolError> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(|| invalid("a record is cut off"))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self, length: usize) -> Result<u64, ToolError> {
        Ok(self.bytes(length)?.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    pub fn u16(&mut self) -> Result<u16, ToolError> {
        Ok(self.number(2)? as u16)
    }

    pub fn u32(&mut self) -> Result<u32, ToolError> {
        Ok(self.number(4)? as u32)
    }

    pub fn u64(&mut self) -> Result<u64, ToolError> {
        self.number(8)
    }
}
