//! Splits a document into pieces: text, variables and calls.

use crate::syntax::keyword::is_word_char;
use crate::syntax::placeholder;
use crate::text::{Diagnostic, Source};
use crate::value::Value;

use super::call::{Call, CallPosition};
use super::markdown::{Structure, run_length};
use super::scanner::{Reading, Scanner};

/// A piece of a document.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// The value of a variable.
    Value(Value),
    /// A call.
    Call(Call),
}

/// Parses a document. The pieces are complete if no finding is an error.
pub fn read<'a>(source: &'a Source, reading: Reading<'_>, findings: &mut Vec<Diagnostic>) -> Vec<Piece<'a>> {
    let text = source.text();
    let mut scanner = Scanner { text, at: 0, base: source.base(), reading, findings };
    let structure = match Structure::of(text) {
        Ok(structure) => structure,
        Err(hit) => {
            scanner.limit(hit, source.span());
            return Vec::new();
        }
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    while let Some(found) = text[scanner.at..].find(['`', '\\', '{', '<']) {
        scanner.at += found;
        let at = scanner.at;
        if let Some(piece) = scanner.piece(&structure) {
            pieces.push(Piece::Text(&text[start..at]));
            pieces.push(piece);
            start = scanner.at;
        }
        if scanner.is_full() {
            scanner.too_many_faults();
            break;
        }
    }
    pieces.push(Piece::Text(&text[start..]));
    pieces
}

impl<'a> Scanner<'a, '_> {
    /// Parses the piece that begins here, if there is one; advances by at least one character.
    fn piece(&mut self, structure: &Structure) -> Option<Piece<'a>> {
        let rest = self.rest();
        if let Some(end) = structure.block_end(self.at) {
            self.at = end;
        } else if rest.starts_with('`') {
            let length = run_length(rest);
            self.at = structure.code_end(self.at, length).unwrap_or(self.at + length);
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            // An escaped character is text.
            self.at += 1 + escaped.chars().next().map_or(0, char::len_utf8);
        } else if rest.starts_with("<!--") {
            self.at = structure.comment_end(self.text, self.at).unwrap_or(self.at + 1);
        } else if let Some(head) = call_head(rest) {
            return Some(self.call_piece(head));
        } else if let Some(found) = placeholder(rest) {
            let name = self.span_of(self.at + found.offset, found.name.len());
            self.at += found.length;
            return Some(Piece::Value(self.variable(found.name, name)));
        } else {
            self.at += 1;
        }
        None
    }

    fn call_piece(&mut self, head: usize) -> Piece<'a> {
        let start = self.at;
        self.at += head;
        match self.call(start) {
            Some(mut call) => {
                call.position = self.position(start);
                Piece::Call(call)
            }
            None => {
                self.skip_broken_call();
                Piece::Text("")
            }
        }
    }

    /// Skips a call that could not be parsed, up to its end or the start of another one.
    fn skip_broken_call(&mut self) {
        let rest = self.rest();
        let close = rest.find("}}").map_or(rest.len(), |close| close + 2);
        self.at += rest.find("{{").map_or(close, |open| open.min(close));
    }

    /// Returns the place of the call that began at `start` and ends here.
    fn position(&self, start: usize) -> CallPosition {
        let blank = |c| matches!(c, ' ' | '\t' | '\r');
        let before = self.text[..start].trim_end_matches([' ', '\t']);
        let after = self.rest().trim_start_matches(blank);
        let alone = (["", "\u{feff}"].contains(&before) || before.ends_with('\n'))
            && (after.is_empty() || after.starts_with('\n'));
        if !alone {
            return CallPosition::InLine;
        }
        let is_windows =
            if after.is_empty() { before } else { &self.text[..self.text.len() - after.len() + 1] }.ends_with("\r\n");
        let indent = self.text[before.len()..start].to_owned();
        CallPosition::Alone { indent, line_end: if is_windows { "\r\n" } else { "\n" } }
    }
}

/// Returns the length of `{{invoke_tool`, if the text begins with it.
fn call_head(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{{")?.trim_start_matches([' ', '\t']);
    let rest = inner.strip_prefix("invoke_tool")?;
    (!rest.starts_with(|c| is_word_char(c) || c == '.')).then_some(text.len() - rest.len())
}
