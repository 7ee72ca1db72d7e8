//! Splits a document into pieces: text, variables and calls.

use crate::limits::LimitHit;
use crate::syntax::keyword::is_word_char;
use crate::syntax::placeholder;
use crate::text::{Code, Diagnostic, Source, Span, nearest};
use crate::value::{Map, Value};

use super::call::{Call, CallPosition};
use super::markdown::{Structure, run_length};

/// Maximum number of findings in one document; parsing stops there.
pub const MAX_FINDINGS: usize = 100;

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

/// The context for parsing a document.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The values of the variables.
    pub variables: &'a Map,
    /// Maximum nesting of lists and maps.
    pub nesting: usize,
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

/// The parser of one document.
pub(super) struct Scanner<'a, 'r> {
    pub text: &'a str,
    /// The offset of the next byte.
    pub at: usize,
    pub base: usize,
    pub reading: Reading<'r>,
    pub findings: &'r mut Vec<Diagnostic>,
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
                call.place = self.place(start);
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
    fn place(&self, start: usize) -> CallPosition {
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

    /// Returns the value of a dotted name. If there is none, reports a finding and returns nil.
    pub fn variable(&mut self, name: &str, span: Span) -> Value {
        let variables = self.reading.variables;
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or(name);
        let Some(mut value) = variables.get_str(first) else {
            self.unknown_variable(first, span);
            return Value::Nil;
        };
        let mut path = first.to_owned();
        for part in parts {
            match field(&value, part, &path, span) {
                Ok(inner) => value = inner,
                Err(finding) => {
                    self.report(finding);
                    return Value::Nil;
                }
            }
            path = format!("{path}.{part}");
        }
        value
    }

    fn unknown_variable(&mut self, name: &str, span: Span) {
        if self.is_full() {
            return;
        }
        let finding = Diagnostic::error(Code::UnknownName, span, format!("there is no variable `{name}`"));
        let names: Vec<String> = self.reading.variables.keys().map(|key| key.to_string()).collect();
        self.report(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("give it a value: `--var {name}=…`; outside of calls `\\{{{{` is text")),
        });
    }

    fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    /// Adds a finding, unless there are too many.
    pub fn report(&mut self, finding: Diagnostic) {
        if !self.is_full() {
            self.findings.push(finding);
        }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn span_of(&self, at: usize, length: usize) -> Span {
        Span::new(self.base + at, self.base + at + length)
    }

    /// Reports an error at the next character, or at the end.
    pub fn fault(&mut self, code: Code, message: impl Into<String>, help: &str) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = self.span_of(self.at, length);
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a limit that a value exceeds.
    pub fn limit(&mut self, hit: LimitHit, span: Span) {
        let finding = Diagnostic::error(hit.limit.code(), span, hit.to_string());
        self.report(match hit.limit.help() {
            Some(help) => finding.help(help),
            None => finding,
        });
    }

    fn too_many_faults(&mut self) {
        let message = format!("the text has {MAX_FINDINGS} faults; it was not read from here on");
        let span = self.span_of(self.at, 0);
        self.findings.push(Diagnostic::error(Code::TooManyFaults, span, message).help("repair the faults above first"));
    }
}

/// Returns the value of a key in a map: one step of a dotted name.
fn field(value: &Value, name: &str, path: &str, span: Span) -> Result<Value, Diagnostic> {
    let Value::Map(map) = value else {
        let message = format!("`{path}` is no map but of type {}", value.type_name());
        return Err(Diagnostic::error(Code::NotIndexable, span, message).help(format!("write `{{{{{path}}}}}`")));
    };
    map.get_str(name).ok_or_else(|| {
        let finding = Diagnostic::error(Code::MissingKey, span, format!("`{path}` has no key `{name}`"));
        let keys: Vec<String> = map.keys().map(|key| key.to_string()).collect();
        match nearest(name, keys.iter().map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        }
    })
}

/// Returns the length of `{{invoke_tool`, if the text begins with it.
fn call_head(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{{")?.trim_start_matches([' ', '\t']);
    let rest = inner.strip_prefix("invoke_tool")?;
    (!rest.starts_with(|c| is_word_char(c) || c == '.')).then_some(text.len() - rest.len())
}
