//! Finds the ends of quoted texts.

use crate::text::{Code, Diagnostic};

use super::{Gathered, Scanner};

impl Scanner<'_> {
    /// Scans a text in any of its four kinds of quotes.
    pub(super) fn literal(&mut self, quote: u8, gathered: &mut Gathered) {
        let start = self.at;
        let triple = self.bytes[start..].starts_with(&[quote; 3]) && quote != b'"';
        if triple {
            self.many_line_literal(quote, gathered);
        } else if quote == b'`' {
            self.at += 1;
            self.unexpected_backtick(start, gathered);
        } else {
            self.one_line_literal(quote, gathered);
        }
    }

    fn many_line_literal(&mut self, quote: u8, gathered: &mut Gathered) {
        let start = self.at;
        let fence = [quote; 3];
        let body = start + 3;
        let closing = self.bytes[body..].windows(3).position(|window| window == fence);
        match closing {
            Some(length) => self.at = body + length + 3,
            None => {
                self.at = self.bytes.len();
                gathered.broken = true;
                gathered.open.clear();
                let fence = if quote == b'\'' { "'''" } else { "```" };
                let diagnostic = Diagnostic::error(
                    Code::UnclosedText,
                    self.span(start, body),
                    format!("the text that begins with `{fence}` is never closed"),
                );
                self.diagnostics.push(diagnostic.help(format!("close it with `{fence}`")));
            }
        }
    }

    fn one_line_literal(&mut self, quote: u8, gathered: &mut Gathered) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => break,
                b'\r' if self.byte(self.at + 1) == Some(b'\n') => break,
                b'\\' if !matches!(self.byte(self.at + 1), None | Some(b'\n' | b'\r')) => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
        self.at = self.text.floor_char_boundary(self.at.min(self.bytes.len()));
        if !gathered.broken {
            let quote = quote as char;
            let diagnostic = Diagnostic::error(
                Code::UnclosedText,
                self.span(start, start + 1),
                format!("the text that begins with `{quote}` is not closed on its line"),
            );
            self.diagnostics
                .push(diagnostic.help(format!("close it with `{quote}`; a text of many lines stands in `'''`")));
        }
        gathered.broken = true;
        // The rest of the line was consumed, including closing brackets, so no further error is reported for it.
        gathered.open.clear();
        gathered.too_deep = 0;
    }

    fn unexpected_backtick(&mut self, start: usize, gathered: &mut Gathered) {
        if !gathered.broken {
            let diagnostic =
                Diagnostic::error(Code::UnexpectedText, self.span(start, start + 1), "a single backtick means nothing");
            self.diagnostics
                .push(diagnostic.help("write a text in `\"…\"`, or in three backticks to expand `{{name}}` in it"));
        }
        gathered.broken = true;
    }
}
