//! Ranges of lists and texts, as in `STR.Sub` and `LIST.Slice`.

use std::ops::Range;

use crate::toolkit::ToolError;
use crate::value::operators::position;

/// Returns the range from `start` to `end` in a sequence of the given length; negative indices count from the
/// end.
///
/// Errors: a start or end beyond the length, with the name of the argument.
pub fn bounds(start: i64, end: Option<i64>, length: usize, unit: &str) -> Result<Range<usize>, ToolError> {
    let from = place("start", start, length, unit)?;
    let to = match end {
        Some(end) => place("end", end, length, unit)?,
        None => length,
    };
    if from > to {
        let message = format!("`start` ({start}) lies after `end` ({})", end.unwrap_or_default());
        Err(ToolError::bad_argument("start", message).hint("give the smaller one first"))
    } else {
        Ok(from..to)
    }
}

/// Resolves an index; the length itself is valid.
pub fn place(argument: &'static str, index: i64, length: usize, unit: &str) -> Result<usize, ToolError> {
    let found = if index == length as i64 { Some(length) } else { position(index, length) };
    found.ok_or_else(|| beyond(argument, index, length, unit))
}

/// Returns the error for an index beyond the end.
pub fn beyond(argument: &'static str, index: i64, length: usize, unit: &str) -> ToolError {
    let there = match length {
        1 => format!("is 1 {}", unit.trim_end_matches('s')),
        _ => format!("are {length} {unit}"),
    };
    let message = format!("`{argument}` is {index}, and there {there}");
    ToolError::bad_argument(argument, message).hint("compare with `LEN(…)` first")
}
