//! Values of arguments: JSON with `{{name}}` expanded in texts, or `{{name}}` itself.
//!
//! The value of a variable is inserted as it is and is not parsed again.

use crate::limits::{LimitHit, space};
use crate::syntax::{escape, keyword, placeholder};
use crate::text::{Code, Diagnostic, Span};
use crate::value::{Map, Str, TextBudget, Value, json};

use super::scanner::Scanner;

impl Scanner<'_, '_> {
    /// Parses a value; its lists and maps may nest at most `deep` levels. Returns `None` if the end of the value is
    /// unknown. If only a finding is reported, the returned value must not be used.
    pub fn value(&mut self, deep: usize) -> Option<Value> {
        let start = self.at;
        let rest = self.rest();
        if let Some(found) = placeholder(rest) {
            let name = self.span_of(start + found.offset, found.name.len());
            self.at += found.length;
            return Some(self.variable(found.name, name));
        }
        match rest.bytes().next() {
            Some(b'"') => self.text_value().map(Value::from),
            Some(b'[' | b'{') if deep == 0 => {
                let message = format!("lists and maps are nested more than {} deep (`nesting`)", self.reading.nesting);
                self.fault(Code::TooDeep, message, "give the value with `--vars`, or raise `nesting` in `[limits]` of your own policy file or `--policy`");
                None
            }
            Some(b'[') => self.list(deep - 1),
            Some(b'{') => self.map(deep - 1),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    /// Parses `true`, `false` or `null`.
    fn word(&mut self) -> Option<Value> {
        let word = keyword::first_word(self.rest());
        let value = match word {
            "true" => Value::from(true),
            "false" => Value::from(false),
            "null" => Value::Nil,
            _ => {
                let help = match word.to_ascii_lowercase().as_str() {
                    "true" => "write `true`",
                    "false" => "write `false`",
                    "null" | "nil" | "none" => "write `null`",
                    _ => "write a text in double quotes; numbers, `true`, `false`, `null`, lists and maps as in JSON",
                };
                let span = self.span_of(self.at, word.len().max(self.rest().chars().next().map_or(0, char::len_utf8)));
                let finding = Diagnostic::error(Code::UnexpectedText, span, "expected a value");
                self.report(finding.help(help));
                return None;
            }
        };
        self.at += word.len();
        Some(value)
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let is_part = |c: char| keyword::is_word_char(c) || matches!(c, '+' | '-' | '.');
        let number = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let span = self.span_of(self.at, number.len());
        self.at += number.len();
        let value = json::from_text(number);
        if value.is_err() {
            let finding = Diagnostic::error(Code::BadNumber, span, "the number cannot be read");
            self.report(finding.help("write it as in JSON: `10`, `-0.5`, `1e3`; a text stands in double quotes"));
        }
        Some(value.unwrap_or_default())
    }

    fn list(&mut self, deep: usize) -> Option<Value> {
        let start = self.at;
        let mut items = Vec::new();
        self.items(']', |scanner| {
            items.push(scanner.value(deep)?);
            Some(())
        })?;
        let list = Value::list(items);
        self.within_limits(list, start)
    }

    fn map(&mut self, deep: usize) -> Option<Value> {
        let start = self.at;
        let mut map = Map::with_capacity(4);
        self.items('}', |scanner| {
            let (key, span) = scanner.key()?;
            scanner.space();
            let value = scanner.value(deep)?;
            if map.get_str(&key.as_text()).is_some() {
                let message =
                    format!("the map names the key `{}` twice", crate::value::print::shortened(&key.as_text(), 60));
                scanner.report(Diagnostic::error(Code::DuplicateKey, span, message).help("name it once"));
            }
            let put = map.put(key, value);
            scanner.within_limits(put, start)
        })?;
        Some(map.into())
    }

    /// Parses the key of a map and the colon after it.
    fn key(&mut self) -> Option<(Str, Span)> {
        let start = self.at;
        if !self.rest().starts_with('"') {
            self.fault(Code::MapKey, "expected a key in double quotes", "write `{\"key\": value}`");
            return None;
        }
        let key = self.text_value()?;
        let span = self.span_of(start, self.at - start);
        self.space();
        if !self.take(":") {
            self.fault(Code::UnexpectedText, "expected `:` after the key", "write `{\"key\": value}`");
            return None;
        }
        Some((key, span))
    }

    /// Parses comma-separated items up to the closing bracket; the scanner is at the opening one.
    fn items(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let start = self.at;
        self.at += 1;
        loop {
            self.space();
            if self.rest().starts_with(close) {
                self.at += 1;
                return Some(());
            }
            if self.rest().is_empty() {
                return self.unclosed_bracket(start, close);
            }
            item(self)?;
            self.space();
            if self.take(",") || self.rest().starts_with(close) {
            } else if self.rest().is_empty() {
                return self.unclosed_bracket(start, close);
            } else {
                let message = format!("expected `,` or `{close}`");
                self.fault(Code::UnexpectedText, message, "separate elements by commas");
                return None;
            }
        }
    }

    fn unclosed_bracket(&mut self, start: usize, close: char) -> Option<()> {
        let span = self.span_of(start, 1);
        let finding = Diagnostic::error(Code::UnclosedBracket, span, "the bracket is never closed");
        self.report(finding.help(format!("close it with `{close}`")));
        None
    }

    /// Parses a text in double quotes.
    fn text_value(&mut self) -> Option<Str> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(['"', '\\', '{', '\n']).unwrap_or(rest.len());
            let plain_text = &rest[..plain];
            self.at += plain;
            let pushed = push(&mut text, plain_text);
            self.within_limits(pushed, start)?;
            match self.rest().bytes().next() {
                Some(b'"') => break,
                Some(b'{') => self.expand(&mut text, start)?,
                Some(b'\\') if !self.rest()[1..].starts_with(['\n', '\r']) && self.rest().len() > 1 => {
                    self.escape(&mut text);
                }
                _ => {
                    let message = "the text that begins with `\"` is not closed on its line";
                    let finding = Diagnostic::error(Code::UnclosedText, self.span_of(start, 1), message);
                    self.report(finding.help("close it with `\"`; a line break in it is written `\\n`"));
                    return None;
                }
            }
        }
        self.at += 1;
        let text = space::check(text.len()).map(|()| Str::new(&text));
        self.within_limits(text, start)
    }

    /// Appends the value of the variable here, or the brace itself.
    fn expand(&mut self, text: &mut String, start: usize) -> Option<()> {
        let Some(found) = placeholder(self.rest()) else {
            self.at += 1;
            text.push('{');
            return Some(());
        };
        let name = self.span_of(self.at + found.offset, found.name.len());
        self.at += found.length;
        let value = self.variable(found.name, name);
        let pushed = match value.as_text() {
            Some(value) => push(text, &value),
            None => json::to_text(&value, TextBudget::of_text()).and_then(|value| push(text, &value)),
        };
        self.within_limits(pushed, start)
    }

    /// Parses an escape. An invalid one is reported and adds nothing.
    fn escape(&mut self, text: &mut String) {
        match escape(self.rest(), self.base + self.at) {
            Ok(escape) => {
                text.push(escape.character);
                self.at += escape.length;
            }
            Err(finding) => {
                self.at += finding.span().map_or(1, Span::len);
                self.report(finding);
            }
        }
    }

    fn within_limits<T>(&mut self, result: Result<T, LimitHit>, start: usize) -> Option<T> {
        let span = self.span_of(start, self.at - start);
        result.map_err(|hit| self.limit(hit, span)).ok()
    }
}

fn push(text: &mut String, more: &str) -> Result<(), LimitHit> {
    let length = text.len() + more.len();
    space::check_string(length)?;
    space::check(length)?;
    text.push_str(more);
    Ok(())
}
