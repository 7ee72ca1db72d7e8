//! `{{name}}` in texts: where the placeholders are and what they name.

use crate::syntax::keyword::{is_keyword, is_reserved, is_word, is_word_char};

/// A text cut into plain parts and placeholders, in order.
#[derive(Debug)]
pub struct Template<'a> {
    rest: &'a str,
    at: usize,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text as it is.
    Text(&'a str),
    /// `{{name.field.field}}`: the dotted name and its byte offset in the text.
    Placeholder(&'a str, usize),
}

impl<'a> Template<'a> {
    /// The parts of a text.
    pub fn new(text: &'a str) -> Template<'a> {
        Template { rest: text, at: 0 }
    }
}

impl<'a> Iterator for Template<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (length, name) = match next_placeholder(self.rest) {
            Some((0, inner, length)) => {
                let name = &self.rest[inner..][..length - 2 * inner];
                (length, Some((name.trim(), self.at + 2 + (name.len() - name.trim_start().len()))))
            }
            Some((start, ..)) => (start, None),
            None => (self.rest.len(), None),
        };
        let text = &self.rest[..length];
        self.rest = &self.rest[length..];
        self.at += length;
        Some(match name {
            Some((name, offset)) => Part::Placeholder(name, offset),
            None => Part::Text(text),
        })
    }
}

/// Where the next `{{dotted.name}}` begins, the length of its braces, and its whole length.
///
/// Anything else in double braces is text.
fn next_placeholder(text: &str) -> Option<(usize, usize, usize)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("{{") {
        let start = from + found;
        let inner = &text[start + 2..];
        let name_end =
            inner.find(|c: char| !(is_word_char(c) || c == '.' || c == ' ' || c == '\t')).unwrap_or(inner.len());
        if inner[name_end..].starts_with("}}") && is_dotted(inner[..name_end].trim()) {
            return Some((start, 2, name_end + 4));
        }
        from = start + 1;
    }
    None
}

/// Whether a text names a value: `{{end}}` does not, since no variable can have that name.
fn is_dotted(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let is_value = !is_reserved(first) || is_keyword(first, "LAST");
    is_value && name.split('.').all(is_word)
}
