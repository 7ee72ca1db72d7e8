//! Display of values: as much as fits, with a reference to the rest.

use crate::engine::{LimitHit, Value};
use crate::terminal::table::{Fit, is_rows, printed, quoted, sections, table};

/// Maximum number of table rows shown.
const ROWS: usize = 20;
/// Maximum size in bytes of a list shown on one line.
const LINE: usize = 2 << 10;
/// Maximum number of lines of a text shown.
const LINES: usize = 500;
/// Maximum size in bytes of a text shown.
const TEXT: usize = 64 << 10;

/// How much of a value to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As much as fits.
    Some,
    /// The whole value.
    All,
}

/// Formats a value for the session. `number` is its number for `:out`; `columns` is the width of the terminal.
///
/// Errors: a limit of the run is exceeded.
pub fn display(value: &Value, number: usize, columns: u16, extent: Extent) -> Result<String, LimitHit> {
    let is_all = extent == Extent::All;
    let fit = Fit { width: Some(columns), rows: if is_all { usize::MAX } else { ROWS } };
    Ok(match value {
        Value::List(list) if is_rows(value) => {
            let rows: Vec<Value> = list.iter().take(fit.rows).collect();
            let hidden = list.len() - rows.len();
            table(&rows, fit)? + &more(hidden, "", number)
        }
        Value::Map(map) if !map.is_empty() => sections(map, fit)?,
        Value::List(list) if !is_all => {
            let mut text = "[".to_owned();
            for (place, item) in list.iter().enumerate() {
                if text.len() > LINE {
                    return Ok(format!("{text}, …]{}", more(list.len() - place, "", number)));
                }
                let comma = if place > 0 { ", " } else { "" };
                text.push_str(&format!("{comma}{}", quoted(&item, TEXT)));
            }
            text + "]"
        }
        value => match value.as_text() {
            Some(text) if !is_all => beginning(&text, number),
            _ => printed(value)?,
        },
    })
}

/// Returns the beginning of a text and the amount that is hidden.
fn beginning(text: &str, number: usize) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lines = text.match_indices('\n').nth(LINES - 1).map(|(end, _)| end);
    match lines.filter(|end| *end <= TEXT) {
        Some(end) => {
            let hidden = text[end + 1..].split('\n').count();
            format!("{}{}", &text[..end], more(hidden, " lines", number))
        }
        None if text.len() <= TEXT => text.to_owned(),
        None => {
            let end = text.floor_char_boundary(TEXT);
            format!("{}{}", &text[..end], more(text[end..].chars().count(), " characters", number))
        }
    }
}

fn more(hidden: usize, of: &str, number: usize) -> String {
    match hidden {
        0 => String::new(),
        hidden => format!("\n… {hidden} more{of}, :out {number}"),
    }
}
