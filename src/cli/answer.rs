//! Bounded reading of JSON input, and parts of answers, for `ns call` with one call and with many.

use std::io::Read;

use crate::engine::Engine;
use crate::gate::DONE;
use crate::text::ToolCode;
use crate::toolkit::{Body, LEAST, NextPart, Offset, ToolError, excerpt, read_on};
use crate::value::{Map, Value, to_value};

/// Maximum size of JSON input, in bytes.
pub const MAX_JSON: u64 = 256 << 20;

/// A part of an answer, as selected by `--meta`.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The offset of its first byte, or `None` for the beginning of the answer.
    pub offset: Option<Offset>,
    /// Its maximum size in bytes.
    pub bytes: u64,
}

/// Default size of a part, in bytes.
const PART: u64 = 256 << 10;

impl Part {
    /// Selects a part before the call is made.
    ///
    /// # Errors
    /// `bad_args` if the part could be too small for a character.
    pub fn new(offset: Option<Offset>, bytes: Option<u64>) -> Result<Part, ToolError> {
        let bytes = bytes.unwrap_or(PART);
        if bytes < LEAST {
            let message = format!("with `--meta`, `--max-output-bytes` needs at least {LEAST}, not {bytes}");
            return Err(ToolError::new(ToolCode::BadArgs, message).hint("give a larger number; nothing was done"));
        }
        Ok(Part { offset, bytes })
    }

    /// Returns this part of an answer, and its metadata.
    pub fn of(&self, answer: Value) -> Result<(Value, Value), ToolError> {
        let behind = || {
            ToolError::new(ToolCode::BadArgs, "`--offset` lies behind the end of the answer, or inside a character")
                .hint("give the `next_offset` of the part before")
        };
        let part = match self.offset {
            None => excerpt(answer, self.bytes)?,
            Some(offset) => {
                let body = Body::of(&answer, offset)?.ok_or_else(behind)?;
                match read_on(&body, offset.number(), self.bytes)? {
                    NextPart::Part(part) => part,
                    NextPart::Behind => return Err(behind()),
                    NextPart::Needs(least) => return Err(too_small(offset, least)),
                }
            }
        };
        let meta = match part.extent {
            None => Map::with_capacity(1).with("truncated", false).into(),
            Some(extent) => to_value(&extent)?,
        };
        Ok((part.answer, meta))
    }
}

/// Returns the error for an element that does not fit in a part, which happens only if the parts before were larger.
fn too_small(offset: Offset, least: u64) -> ToolError {
    let message = format!("the element at offset {offset} needs a part of at least {least} bytes");
    ToolError::new(ToolCode::BadArgs, message).hint(format!("give `--max-output-bytes {least}` or more"))
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
