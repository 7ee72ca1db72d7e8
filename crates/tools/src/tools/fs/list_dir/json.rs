//! Formats a listing as JSON text, byte for byte as Python's `json.dumps(…, indent=2)`.

use std::fmt::Write as _;

use crate::limits::LimitHit;
use crate::sandbox::{ListedAs, Lister, Step};
use crate::value::Value;

use super::{Filter, Form, Page, type_word};

/// A JSON text under construction.
pub struct Json {
    page: Page,
    filter: Filter,
    /// Number of objects whose children are being written.
    depth: usize,
    /// Whether nothing has been written between the current brackets yet.
    is_empty: bool,
}

impl Json {
    pub fn new(page: Page, filter: Filter, start: &str) -> Json {
        let mut json = Json { page, filter, depth: 0, is_empty: true };
        match filter {
            Filter::Both => {
                json.page.text.push('{');
                json.pair(2, "name", start);
                json.page.text.push(',');
                json.pair(2, "type", "folder");
                json.open_children(2);
            }
            Filter::Files | Filter::Folders => json.page.text.push('['),
        }
        json
    }

    /// Returns the indentation of the braces of an entry.
    fn margin(&self) -> usize {
        if self.filter == Filter::Both { 4 * self.depth } else { 2 }
    }

    /// Writes an entry without its closing brace.
    fn entry(&mut self, key: &str, name: &str, lister: &Lister<'_>) -> Result<(), LimitHit> {
        let margin = self.margin();
        let is_link = matches!(lister.listed_as(), ListedAs::Link | ListedAs::DeadLink);
        let target = if is_link { lister.target() } else { "".into() };
        // A byte becomes at most six; the keys and punctuation of an entry are shorter than the rest of this
        // sum.
        self.page.check(6 * (name.len() + target.len()) + 8 * margin + 128)?;
        self.page.text.push_str(if self.is_empty { "\n" } else { ",\n" });
        self.is_empty = false;
        self.page.indent(margin);
        self.page.text.push('{');
        self.pair(margin + 2, key, name);
        self.page.text.push(',');
        self.pair(margin + 2, "type", type_word(lister.listed_as()));
        if is_link {
            self.page.text.push(',');
            self.pair(margin + 2, "link_target", &target);
        }
        Ok(())
    }

    /// Writes a key and a text on a new line.
    fn pair(&mut self, indent: usize, key: &str, value: &str) {
        self.line(indent);
        push_text(&mut self.page.text, key);
        self.page.text.push_str(": ");
        push_text(&mut self.page.text, value);
    }

    fn open_children(&mut self, indent: usize) {
        self.page.text.push(',');
        self.line(indent);
        self.page.text.push_str("\"children\": [");
        self.depth += 1;
        self.is_empty = true;
    }

    fn close_children(&mut self) {
        self.depth -= 1;
        let margin = self.margin();
        if !self.is_empty {
            self.line(margin + 2);
        }
        self.page.text.push(']');
        self.line(margin);
        self.page.text.push('}');
        self.is_empty = false;
    }

    fn line(&mut self, indent: usize) {
        self.page.text.push('\n');
        self.page.indent(indent);
    }
}

impl Form for Json {
    fn take(&mut self, lister: &Lister<'_>, step: Step) -> Result<(), LimitHit> {
        if self.filter != Filter::Both {
            if self.filter.shows(lister, step) {
                self.entry("path", &lister.path(), lister)?;
                self.line(2);
                self.page.text.push('}');
            }
            return Ok(());
        }
        if step == Step::Leave {
            self.page.check(8 * self.margin() + 16)?;
            self.close_children();
            return Ok(());
        }
        self.entry("name", &lister.name(), lister)?;
        let margin = self.margin();
        match (step, lister.listed_as()) {
            (Step::Entry, ListedAs::Folder) => {
                self.open_children(margin + 2);
                self.close_children();
            }
            (Step::Entry, _) => {
                self.line(margin);
                self.page.text.push('}');
            }
            _ => self.open_children(margin + 2),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Value, LimitHit> {
        match self.filter {
            Filter::Both => self.close_children(),
            Filter::Files | Filter::Folders => {
                if !self.is_empty {
                    self.line(0);
                }
                self.page.text.push(']');
            }
        }
        Ok(self.page.into_value())
    }
}

/// Writes a text in quotes and escapes everything but printable ASCII.
fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| !matches!(c, ' '..='~') || matches!(c, '"' | '\\')) {
        out.push_str(&rest[..at]);
        let c = rest[at..].chars().next().expect("a character was found there");
        push_escaped(out, c);
        rest = &rest[at + c.len_utf8()..];
    }
    out.push_str(rest);
    out.push('"');
}

fn push_escaped(out: &mut String, c: char) {
    let short = match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a String takes all that is written to it");
            }
            return;
        }
    };
    out.push_str(short);
}
