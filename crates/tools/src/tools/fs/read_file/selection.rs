//! The lines that are returned: a range, or those at the end.

use crate::limits::LimitHit;

use super::super::super::build::TextBuilder;
use super::super::last_lines::LastLines;
use super::super::lines::{Lines, line_length};

/// The lines that are collected.
pub enum Selection {
    /// Some lines after the first ones.
    Range(Lines),
    /// The last lines.
    Last(LastLines),
}

/// The collected lines.
pub struct Selected {
    /// Their text.
    pub text: String,
    /// Their number.
    pub lines: usize,
    /// Number of lines of the file before them.
    pub before: usize,
}

impl Selection {
    /// Processes a piece. Returns whether more input can be relevant.
    pub fn take(&mut self, piece: &str) -> Result<bool, LimitHit> {
        match self {
            Selection::Range(lines) => lines.take(piece),
            Selection::Last(lines) => lines.take(piece).map(|()| true),
        }
    }

    /// Returns the number of lines that have ended so far, for the index of a range.
    pub fn ended(&self) -> usize {
        match self {
            Selection::Range(lines) => lines.ended(),
            Selection::Last(_) => 0,
        }
    }

    /// Returns the lines. Those of a range begin after `skip` lines.
    pub fn finish(self, skip: usize) -> Selected {
        match self {
            Selection::Range(lines) => {
                let (text, lines) = lines.finish();
                Selected { text, lines, before: skip }
            }
            Selection::Last(lines) => {
                let (text, lines, before) = lines.finish();
                Selected { text, lines, before }
            }
        }
    }
}

/// Returns lines with their numbers before them.
pub fn numbered(text: &str, before: usize) -> Result<String, LimitHit> {
    let mut numbered = TextBuilder::default();
    let mut rest = text;
    for number in before + 1.. {
        if rest.is_empty() {
            break;
        }
        let (line, others) = rest.split_at(line_length(rest));
        numbered.push(&format!("{number:>6}\t"))?;
        numbered.push(line)?;
        rest = others;
    }
    Ok(numbered.into_held().0)
}
