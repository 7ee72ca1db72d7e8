//! Lines that are not executed: comments, `COMMENT:` blocks and `::` lines.

use crate::text::{Code, Diagnostic};

use super::super::keyword::{first_word, is_keyword, is_word_char};
use super::{Line, LineKind, Scanner};

impl<'a> Scanner<'a> {
    pub(super) fn metadata(&mut self, indent: usize) -> Line<'a> {
        let start = self.at;
        self.at += 2;
        let mut value = String::new();
        loop {
            let line = self.rest_of_line();
            self.at += line.len();
            let trimmed = line.trim_end_matches([' ', '\t', '\r']);
            let continued = trimmed.strip_suffix('\\');
            value.push_str(continued.unwrap_or(trimmed).trim_matches([' ', '\t']));
            if continued.is_none() || !self.skip_line_break() {
                break;
            }
            value.push(' ');
        }
        Line { kind: LineKind::Metadata(value), span: self.span(start, self.at), indent }
    }

    pub(super) fn comment_block(&mut self, indent: usize) -> Line<'a> {
        let start = self.at;
        let body = start + "COMMENT:".len();
        let end = comment_block_length(&self.text[body..]).map(|length| body + length);
        let text = match end {
            Some(end) => {
                self.at = end + "ENDCOMMENT".len();
                &self.text[body..end]
            }
            None => {
                self.at = self.bytes.len();
                let diagnostic =
                    Diagnostic::error(Code::UnclosedBlock, self.span(start, body), "the `COMMENT:` is never closed");
                self.diagnostics.push(diagnostic.help("close it with a line `ENDCOMMENT`"));
                &self.text[body..]
            }
        };
        let span = self.span(start, self.at);
        self.comments.push(span);
        if end.is_some() {
            self.only_comment_after_closer();
        }
        Line { kind: LineKind::Comment(text), span, indent }
    }

    fn only_comment_after_closer(&mut self) {
        self.skip_blanks();
        if self.comment_length(self.at).is_some() {
            self.skip_comment();
        }
        let rest = self.rest_of_line();
        if !rest.trim_end_matches('\r').is_empty() {
            let span = self.span(self.at, self.at + rest.trim_end().len());
            let diagnostic = Diagnostic::error(Code::OneLineBlock, span, "only a comment may follow `ENDCOMMENT`");
            self.diagnostics.push(diagnostic.help("put it on a line of its own"));
            self.at += rest.len();
        }
    }

    /// Returns the length of the mark if a comment begins here.
    pub(super) fn comment_length(&self, at: usize) -> Option<usize> {
        match (self.byte(at)?, self.byte(at + 1)) {
            (b'#', _) => Some(1),
            (b'-', Some(b'-')) | (b'/', Some(b'/')) => Some(2),
            _ => None,
        }
    }

    /// Skips a comment up to the end of its line.
    pub(super) fn skip_comment(&mut self) {
        let start = self.at;
        let line = self.rest_of_line();
        let line = line.strip_suffix('\r').unwrap_or(line);
        self.at += line.len();
        self.comments.push(self.span(start, self.at));
        if let Some(bad) = line.find(['\0', '\r']) {
            let c = if line.as_bytes()[bad] == 0 { '\0' } else { '\r' };
            self.report_character(c, start + bad);
        }
    }
}

/// Returns whether a comment block begins at the start of a text.
pub fn begins_comment_block(text: &str) -> bool {
    let word = first_word(text);
    is_keyword(word, "COMMENT") && text[word.len()..].starts_with(':')
}

/// Returns the length of a comment block up to its `ENDCOMMENT`: the word on the first line, or at the start of a later one.
/// The text begins after `COMMENT:`.
pub fn comment_block_length(text: &str) -> Option<usize> {
    let first_line = text.find('\n').unwrap_or(text.len());
    if let Some(at) = end_comment_word(&text[..first_line]) {
        return Some(at);
    }
    let mut at = first_line + 1;
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let line = &text[at..line_end];
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        if is_keyword(first_word(&line[blanks..]), "ENDCOMMENT") {
            return Some(at + blanks);
        }
        at = line_end + 1;
    }
    None
}

/// Returns the position of the word `ENDCOMMENT` in a line.
fn end_comment_word(line: &str) -> Option<usize> {
    let words = ["ENDCOMMENT", "endcomment"];
    let found = words.iter().flat_map(|word| line.match_indices(word));
    let whole = |&(at, word): &(usize, &str)| {
        !line[..at].ends_with(is_word_char) && !line[at + word.len()..].starts_with(is_word_char)
    };
    found.filter(whole).map(|(at, _)| at).min()
}
