//! The `default` of tools that parse a text.

use crate::text::ToolCode;
use crate::toolkit::{AnyValue, ToolError};
use crate::value::Value;

/// Returns what a text was parsed to, or `default`, if it is given and the text itself is at fault. Limits and other
/// arguments fail all the same.
pub fn parsed_or(parsed: Result<Value, ToolError>, default: Option<Value>) -> Result<AnyValue, ToolError> {
    match (parsed, default) {
        (Err(error), Some(default)) if error.code == ToolCode::BadArgs && error.argument == Some("text") => {
            Ok(AnyValue(default))
        }
        (parsed, _) => parsed.map(AnyValue),
    }
}
