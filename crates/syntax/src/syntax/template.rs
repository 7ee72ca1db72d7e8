//! Placeholders `{{name}}` in texts.

use super::keyword::{is_keyword, is_reserved, is_word, is_word_char};

/// An iterator over the literal parts and placeholders of a text, in order.
#[derive(Debug)]
pub struct Template<'a> {
    rest: &'a str,
    at: usize,
    /// The placeholder at the start of the rest, if it was found with the text before it.
    found: Option<Placeholder<'a>>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Literal text.
    Text(&'a str),
    /// `{{name.field.field}}`: the dotted name and its byte offset in the text.
    Placeholder(&'a str, usize),
}

impl<'a> Template<'a> {
    /// Splits a text into parts.
    pub fn new(text: &'a str) -> Template<'a> {
        Template { rest: text, at: 0, found: None }
    }
}

impl<'a> Iterator for Template<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let next = self.found.take().map(|found| (0, found)).or_else(|| next_placeholder(self.rest));
        let (length, part) = match next {
            Some((0, found)) => (found.length, Some(Part::Placeholder(found.name, self.at + found.offset))),
            Some((start, found)) => {
                self.found = Some(found);
                (start, None)
            }
            None => (self.rest.len(), None),
        };
        let text = &self.rest[..length];
        self.rest = &self.rest[length..];
        self.at += length;
        Some(part.unwrap_or(Part::Text(text)))
    }
}

/// `{{dotted.name}}`, with optional blanks around the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The dotted name.
    pub name: &'a str,
    /// Offset of the name from the first brace, in bytes.
    pub offset: usize,
    /// Length in bytes, including the braces.
    pub length: usize,
}

/// Returns the placeholder at the start of a text. Anything else in double braces is literal text.
pub fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find(|c: char| !(is_word_char(c) || c == '.' || c == ' ' || c == '\t')).unwrap_or(inner.len());
    let name = inner[..end].trim();
    let offset = 2 + (end - inner[..end].trim_start().len());
    let found = Placeholder { name, offset, length: end + 4 };
    (inner[end..].starts_with("}}") && is_dotted(name)).then_some(found)
}

/// Returns the next placeholder and its offset.
fn next_placeholder(text: &str) -> Option<(usize, Placeholder<'_>)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("{{") {
        let start = from + found;
        if let Some(found) = placeholder(&text[start..]) {
            return Some((start, found));
        }
        from = start + 1;
    }
    None
}

/// Returns whether a text names a value: `{{end}}` does not, since no variable can have that name.
fn is_dotted(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let is_value = !is_reserved(first) || is_keyword(first, "LAST");
    is_value && name.split('.').all(is_word)
}
