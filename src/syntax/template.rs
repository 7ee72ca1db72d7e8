//! `{{name}}` in texts: where the placeholders are and what they name.

use super::keyword::{is_keyword, is_reserved, is_word, is_word_char};

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
        let (length, part) = match next_placeholder(self.rest) {
            Some((0, found)) => (found.length, Some(Part::Placeholder(found.name, self.at + found.offset))),
            Some((start, _)) => (start, None),
            None => (self.rest.len(), None),
        };
        let text = &self.rest[..length];
        self.rest = &self.rest[length..];
        self.at += length;
        Some(part.unwrap_or(Part::Text(text)))
    }
}

/// `{{dotted.name}}`, blanks around the name allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The dotted name.
    pub name: &'a str,
    /// Where it begins, from the first brace.
    pub offset: usize,
    /// Bytes of the whole, braces included.
    pub length: usize,
}

/// The placeholder with which a text begins. Anything else in double braces is text.
pub fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find(|c: char| !(is_word_char(c) || c == '.' || c == ' ' || c == '\t')).unwrap_or(inner.len());
    let name = inner[..end].trim();
    let offset = 2 + (end - inner[..end].trim_start().len());
    let found = Placeholder { name, offset, length: end + 4 };
    (inner[end..].starts_with("}}") && is_dotted(name)).then_some(found)
}

/// The next placeholder and where it begins.
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

/// Whether a text names a value: `{{end}}` does not, since no variable can have that name.
fn is_dotted(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let is_value = !is_reserved(first) || is_keyword(first, "LAST");
    is_value && name.split('.').all(is_word)
}
