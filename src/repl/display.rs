//! What is shown of a value: as much as fits, and where the rest is.

use crate::cli::{Fit, is_rows, printed, quoted, sections, table};
use crate::engine::{LimitHit, Value};

/// Rows of a table that are shown at once.
const ROWS: usize = 20;
/// Bytes of a list on one line that are shown at once.
const LINE: usize = 2 << 10;
/// Lines of a text that are shown at once.
const LINES: usize = 500;
/// Bytes of a text that are shown at once.
const TEXT: usize = 64 << 10;

/// How much of a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What fits.
    Some,
    /// All of it.
    All,
}

/// A value as a session shows it, within the limits of runs; `number` is what `:out` calls it, `columns` how wide the terminal is.
pub fn shown(value: &Value, number: usize, columns: u16, extent: Extent) -> Result<String, LimitHit> {
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

/// The beginning of a text, and how much there is behind it.
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
