//! Replaces parts of the text of a file.

use std::borrow::Cow;
use std::ops::Range;

use crate::gate::Context;
use crate::limits::{LimitHit, space};
use crate::sandbox::SandboxPath;

use super::super::diff::{Sides, unified};

/// Number of context lines around a change in a diff.
const CONTEXT_LINES: usize = 3;

/// Bytes that come in the place of others.
pub struct Replacement<'t> {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The new text.
    pub by: Cow<'t, str>,
}

/// Returns the occurrences of a text from the beginning, without overlap.
pub fn occurrences<'t>(text: &str, old: &str, new: &'t str) -> Result<Vec<Replacement<'t>>, LimitHit> {
    space::check(text.matches(old).count().saturating_mul(size_of::<Replacement<'_>>()))?;
    let exact = |(at, found): (usize, &str)| Replacement { range: at..at + found.len(), by: new.into() };
    Ok(text.match_indices(old).map(exact).collect())
}

/// Makes all replacements, which are in order and do not overlap.
pub fn replaced(text: &str, found: &[Replacement<'_>]) -> Result<String, LimitHit> {
    let gone: usize = found.iter().map(|replacement| replacement.range.len()).sum();
    let come = found.iter().fold(0_usize, |sum, replacement| sum.saturating_add(replacement.by.len()));
    let size = (text.len() - gone).saturating_add(come);
    space::check_string(size)?;
    space::check(size.saturating_mul(2))?;
    let mut edited = String::with_capacity(size);
    let mut rest = 0;
    for Replacement { range, by } in found {
        edited.push_str(&text[rest..range.start]);
        edited.push_str(by);
        rest = range.end;
    }
    edited.push_str(&text[rest..]);
    Ok(edited)
}

/// The line ends of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    Lf,
    Crlf,
    /// Both, or none.
    Any,
}

impl LineEnds {
    /// Returns the line ends of a text.
    pub fn of(text: &str) -> LineEnds {
        let bytes = text.as_bytes();
        let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
        let both = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        if feeds == 0 {
            LineEnds::Any
        } else if both == feeds {
            LineEnds::Crlf
        } else if both == 0 {
            LineEnds::Lf
        } else {
            LineEnds::Any
        }
    }

    /// Converts a text to these line ends.
    pub fn given_to(self, text: &str) -> String {
        match self {
            LineEnds::Any => text.to_owned(),
            LineEnds::Lf => text.replace("\r\n", "\n"),
            LineEnds::Crlf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

/// Returns the change of a file as a unified diff.
pub fn difference(path: &SandboxPath, text: Sides<&str>, context: &Context<'_>) -> Result<String, LimitHit> {
    let names = Sides { old: format!("a/{}", path.display()), new: format!("b/{}", path.display()) };
    let names = Sides { old: names.old.as_str(), new: names.new.as_str() };
    Ok(unified(text, names, CONTEXT_LINES, &context.meter.watch())?.text)
}
