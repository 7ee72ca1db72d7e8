//! Where the sections and keys of an INI text are.

use std::ops::Range;

use memchr::memchr2;

use crate::limits::{LimitHit, MeteredVec};
use crate::value::{Str, Value};

/// The sections and keys of a text, in its order.
#[derive(Default)]
pub struct Layout {
    sections: MeteredVec<Placed>,
    keys: MeteredVec<PlacedKey>,
}

/// A section, or a line of a key with those that continue it.
pub struct Placed {
    /// The name.
    pub name: Str,
    /// The value; nil for a key alone and a section.
    pub value: Value,
    /// The bytes of the lines, without their last line break.
    pub bytes: Range<usize>,
}

/// A key, with the number of sections that begin before it.
struct PlacedKey {
    placed: Placed,
    section: usize,
}

/// How a key is written before its value.
#[derive(Clone, Copy)]
pub struct Style<'t> {
    /// The blanks before the key.
    pub indent: &'t str,
    /// `=` or `:`, with the blanks around it.
    pub separator: &'t str,
}

impl Layout {
    /// Adds the line of a section.
    pub fn add_section(&mut self, name: Str, bytes: Range<usize>) -> Result<(), LimitHit> {
        self.sections.push(Placed { name, value: Value::Nil, bytes })
    }

    /// Adds the lines of a key.
    pub fn add_key(&mut self, key: Placed) -> Result<(), LimitHit> {
        let section = self.sections.as_slice().len();
        self.keys.push(PlacedKey { placed: key, section })
    }

    /// Returns the lines of all sections.
    pub fn sections(&self) -> &[Placed] {
        self.sections.as_slice()
    }

    /// Returns the numbers of the parts of a section, which may come again; 0 is the part before the first section.
    pub fn parts(&self, section: Option<&Str>) -> impl DoubleEndedIterator<Item = usize> {
        let first = section.is_none().then_some(0);
        let named = self.sections().iter().enumerate().filter(move |(_, placed)| section == Some(&placed.name));
        let named = named.map(|(number, _)| number + 1);
        first.into_iter().chain(named)
    }

    /// Returns the keys of a part.
    pub fn keys(&self, part: usize) -> impl DoubleEndedIterator<Item = &Placed> {
        let keys = self.keys.as_slice();
        let from = keys.partition_point(|key| key.section < part);
        let to = keys.partition_point(|key| key.section <= part);
        keys[from..to].iter().map(|key| &key.placed)
    }

    /// Returns the style of a new key in a section: that of the last one there, or in the text.
    pub fn style<'t>(&self, text: &'t str, section: Option<&Str>) -> Style<'t> {
        let here = || self.parts(section).rev().flat_map(|part| self.keys(part).rev());
        let everywhere = self.keys.as_slice().iter().rev().map(|key| &key.placed);
        let style = here().chain(everywhere).find_map(|key| style(&text[key.bytes.clone()]));
        let indent = here().next().map(|key| indent(&text[key.bytes.clone()]));
        let Style { indent: elsewhere, separator } = style.unwrap_or(Style { indent: "", separator: " = " });
        Style { indent: indent.unwrap_or(if section.is_none() { "" } else { elsewhere }), separator }
    }
}

/// Returns the blanks before a key.
pub fn indent(lines: &str) -> &str {
    &lines[..lines.len() - lines.trim_start().len()]
}

/// The parts of a line that a key begins, in bytes of the line.
pub struct KeyLine {
    /// Where the key ends.
    pub key_end: usize,
    /// The separator behind it; `None` for a key alone.
    pub separator: Option<Separator>,
}

/// A `=` or `:`.
pub struct Separator {
    /// Where it stands.
    pub at: usize,
    /// Where the value begins.
    pub value: usize,
}

impl KeyLine {
    /// Returns the parts of the first of some lines.
    pub fn of(lines: &str) -> KeyLine {
        let line = &lines[..memchr2(b'\n', b'\r', lines.as_bytes()).unwrap_or(lines.len())];
        let Some(at) = memchr2(b'=', b':', line.as_bytes()) else {
            return KeyLine { key_end: line.trim_end().len(), separator: None };
        };
        let value = line.len() - line[at + 1..].trim_start().len();
        KeyLine { key_end: line[..at].trim_end().len(), separator: Some(Separator { at, value }) }
    }
}

/// Returns the style of a key that has a value in its line.
pub fn style(lines: &str) -> Option<Style<'_>> {
    let KeyLine { key_end, separator } = KeyLine::of(lines);
    let value = separator?.value;
    let is_empty = lines[value..].is_empty() || lines[value..].starts_with(['\n', '\r']);
    (!is_empty).then(|| Style { indent: indent(lines), separator: &lines[key_end..value] })
}
