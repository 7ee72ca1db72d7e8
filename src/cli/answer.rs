//! Bounded reading of JSON input, and parts of answers, for `ns call` with one call and with many.

use std::io::Read;

use crate::engine::Engine;
use crate::gate::DONE;
use crate::text::ToolCode;
use crate::toolkit::{ToolError, body_of, excerpt, read_on};
use crate::value::{Map, Value, to_value};

/// Maximum size of JSON input, in bytes.
pub const MAX_JSON: u64 = 256 << 20;

/// A part of an answer, as selected by `--meta`.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The offset of its first byte, or `None` for the beginning of the answer.
    pub offset: Option<usize>,
    /// Its maximum size in bytes.
    pub bytes: u64,
}

impl Part {
    /// Returns this part of an answer, and its metadata.
    pub fn of(&self, answer: Value) -> Result<(Value, Value), ToolError> {
        let behind = || {
            ToolError::new(ToolCode::BadArgs, "`--offset` lies behind the end of the answer, or inside a character")
                .hint("give the `next_offset` of the part before")
        };
        let part = match self.offset {
            None => excerpt(answer, self.bytes)?,
            Some(offset) => {
                let body = body_of(&answer)?.ok_or_else(behind)?;
                read_on(&body, offset, self.bytes)?.ok_or_else(behind)?
            }
        };
        let meta = match part.extent {
            None => Map::with_capacity(1).with("truncated", false).into(),
            Some(extent) => to_value(&extent)?,
        };
        Ok((part.answer, meta))
    }
}

/// Amends the error for an answer that cannot be printed: if the call changed something, the error says that it was
/// done.
pub fn noting_changes(engine: &Engine, error: ToolError) -> ToolError {
    if engine.ended_run().is_some() { error.preceded_by(DONE) } else { error }
}

/// Reads JSON input to its end.
///
/// # Errors
/// Returns the error of the system, or an error for more than [`MAX_JSON`] bytes.
pub fn read_all(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_JSON + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_JSON {
        Err(std::io::Error::other(format!("there are more than {MAX_JSON} bytes")))
    } else {
        Ok(bytes)
    }
}
