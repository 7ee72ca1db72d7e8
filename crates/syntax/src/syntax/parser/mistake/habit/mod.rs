//! Constructs of other languages that are written differently in NeuroScript: the help displays the equivalent line.
//!
//! Each is recognized only where parsing failed inside it, so that a mistake elsewhere on the line keeps its own
//! message.

mod comprehension;
mod conditional;
mod lambda;
mod prefix;
mod slice;

pub use prefix::joined_help;

use crate::text::{Code, Diagnostic};

use super::super::super::keyword::{is_word, is_word_char};
use super::Failure;
use super::structure::outside_quotes;

/// Maximum length in bytes of a line that is searched: longer lines are rarely written by hand, and the search is
/// quadratic.
pub(super) const MAX_LINE: usize = 1_000;

/// A construct of another language.
struct Habit {
    /// Start and end in the line.
    range: (usize, usize),
    code: Code,
    message: String,
    help: String,
}

impl Failure<'_> {
    /// Returns a diagnostic if a construct of another language is at the position of failure.
    pub(super) fn habit(&self) -> Option<Diagnostic> {
        if self.text.len() > MAX_LINE {
            return None;
        }
        let habit = lambda::find(self.text, self.at)
            .or_else(|| comprehension::find(self.text, self.at))
            .or_else(|| slice::find(self.text, self.at))
            .or_else(|| conditional::find(self.text, self.at))
            .or_else(|| prefix::find(self.text, self.at))?;
        let (start, end) = habit.range;
        let finding = Diagnostic::error(habit.code, self.span(start, end - start), habit.message);
        Some(finding.help(habit.help))
    }
}

/// Returns the innermost bracket that is open at the end of a text, and its position.
fn open_bracket(text: &str) -> Option<(usize, char)> {
    let mut open = Vec::new();
    for (at, c) in outside_quotes(text) {
        match c {
            '(' | '[' | '{' => open.push((at, c)),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// Returns the end of the part that begins at `start`: an enclosing closing bracket or, with `at_comma`, a comma on the
/// same level.
fn end_of_part(text: &str, start: usize, at_comma: bool) -> usize {
    let mut depth = 0_usize;
    for (at, c) in outside_quotes(&text[start..]) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return start + at,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 && at_comma => return start + at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the positions of characters outside quotes and nested brackets.
pub(super) fn at_top(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0_usize;
    outside_quotes(text).filter(move |&(_, c)| match c {
        '(' | '[' | '{' => {
            depth += 1;
            depth == 1
        }
        ')' | ']' | '}' => {
            depth = depth.saturating_sub(1);
            depth == 0
        }
        _ => depth == 0,
    })
}

/// Returns the words outside quotes and brackets, with their positions.
pub(super) fn words_at_top(text: &str) -> Vec<(usize, &str)> {
    let begins = |at: usize| !text[..at].ends_with(is_word_char);
    let places = at_top(text).filter(|&(at, c)| is_word_char(c) && begins(at));
    let word = |at: usize| text[at..].split(|c| !is_word_char(c)).next().unwrap_or_default();
    places.map(|(at, _)| (at, word(at))).filter(|(_, word)| is_word(word)).collect()
}

/// Returns the start of the value at the end of a text: a name with fields, indexes and arguments, or a quoted text.
fn value_start(text: &str) -> usize {
    let mut starts = Vec::new();
    let mut start = None;
    for (at, c) in outside_quotes(text) {
        match c {
            '(' | '[' | '{' => {
                starts.push(start.or(Some(at)));
                start = None;
            }
            ')' | ']' | '}' => start = starts.pop().flatten(),
            _ if is_word_char(c) || c == '.' => start = start.or(Some(at)),
            _ => start = None,
        }
    }
    let quoted = || text.char_indices().rfind(|&(at, c)| matches!(c, '"' | '\'') && is_opening(text, at));
    let is_text = text.ends_with(['"', '\'']);
    if is_text { quoted().map_or(text.len(), |(at, _)| at) } else { start.unwrap_or(text.len()) }
}

/// Returns whether a quote opens a text rather than closing one.
fn is_opening(text: &str, at: usize) -> bool {
    let mut quote = None;
    let mut escaped = false;
    for c in text[..at].chars() {
        match quote {
            None => quote = Some(c).filter(|c| matches!(c, '"' | '\'')),
            Some(open) => {
                let closes = c == open && !escaped;
                escaped = c == '\\' && !escaped;
                quote = quote.filter(|_| !closes);
            }
        }
    }
    quote.is_none()
}

/// Returns the source of a procedure that returns a value.
fn procedure(name: &str, params: &str, value: &str) -> String {
    format!("DEFINE PROCEDURE {name}({params})\n  RETURN {value}\nEND")
}
