//! Stretches of lists and texts, as `STR.Sub` and `LIST.Slice` take them.

use crate::toolkit::ToolError;
use crate::value::operators::position;

/// The places from `start` up to `end` in something of a length; negative ones count from the end.
///
/// A start or end beyond the length is an error that names the argument.
pub fn bounds(start: i64, end: Option<i64>, length: usize, unit: &str) -> Result<(usize, usize), ToolError> {
    let place = |argument, index: i64| {
        let found = if index == length as i64 { Some(length) } else { position(index, length) };
        found.ok_or_else(|| {
            let message = format!("`{argument}` is {index}, and there are {length} {unit}");
            ToolError::bad_argument(argument, message).hint("compare with `LEN(…)` first")
        })
    };
    let from = place("start", start)?;
    let to = match end {
        Some(end) => place("end", end)?,
        None => length,
    };
    match from > to {
        false => Ok((from, to)),
        true => {
            let message = format!("`start` ({start}) lies after `end` ({})", end.unwrap_or_default());
            Err(ToolError::bad_argument("start", message).hint("give the smaller one first"))
        }
    }
}
