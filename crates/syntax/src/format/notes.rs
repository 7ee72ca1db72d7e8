//! Lines that are not executed, other than comments beside code: `::` lines and `COMMENT:` blocks.

use crate::syntax::CommentLines;
use crate::text::Span;

use super::atoms_of::{CONTINUED, INDENT};
use super::lexemes::spelled;
use super::page::Page;

impl Page<'_, '_> {
    /// Prints `:: key: value` with its continuation lines. Returns the number of columns of the last line.
    pub fn metadata(&mut self, span: Span) -> usize {
        let blanks = [' ', '\t', '\r'];
        let text = &self.parsed.source.slice(span)["::".len()..];
        let mut lines: Vec<&str> = text.split('\n').map(|line| line.trim_matches(blanks)).collect();
        // A trailing `\` with an empty continuation line, or at the end of the text with none at all.
        if lines.last().is_some_and(|line| line.ends_with('\\')) {
            lines.push("");
        }
        while let [.., before, ""] = lines[..]
            && let Some(kept) = before.strip_suffix('\\').map(|kept| kept.trim_end_matches(blanks))
            && !kept.ends_with('\\')
        {
            lines.pop();
            *lines.last_mut().expect("a line is before it") = kept;
        }
        let mut columns = 0;
        for (index, line) in lines.iter().enumerate() {
            let indent = self.indent() + if index == 0 { 0 } else { CONTINUED };
            let mark = if index == 0 { "::" } else { "" };
            let blank = if index == 0 && !line.is_empty() { " " } else { "" };
            if index > 0 {
                self.out.push_str(self.line_end);
            }
            if !(line.is_empty() && index > 0) {
                self.out.extend(std::iter::repeat_n(' ', indent));
            }
            self.out.push_str(mark);
            self.out.push_str(blank);
            self.out.push_str(line);
            columns = indent + mark.len() + blank.len() + line.chars().count();
        }
        columns
    }

    /// Prints `COMMENT: … ENDCOMMENT`. Returns the number of columns of the last line.
    pub fn comment_block(&mut self, span: Span) -> usize {
        const WORDS: (&str, &str) = ("COMMENT:", "ENDCOMMENT");
        let text = self.parsed.source.slice(span);
        let (opener, body) = text.split_at(WORDS.0.len());
        let (body, closer) = body.split_at(body.len() - WORDS.1.len());
        let lines = CommentLines::of(body);
        let indent = self.indent();
        let margin = " ".repeat(indent);
        self.out.push_str(&margin);
        self.out.push_str(&spelled(opener, self.spelling));
        if !lines.first.is_empty() {
            self.out.push(' ');
            self.out.push_str(lines.first);
        }
        let closer = spelled(closer, self.spelling);
        if !body.contains('\n') {
            self.out.push(' ');
            self.out.push_str(&closer);
            return indent + text.chars().count();
        }
        for line in lines.rest {
            self.out.push_str(self.line_end);
            if !line.is_empty() {
                self.out.push_str(&margin);
                self.out.extend(std::iter::repeat_n(' ', INDENT));
                self.out.push_str(line);
            }
        }
        self.out.push_str(self.line_end);
        self.out.push_str(&margin);
        self.out.push_str(&closer);
        indent + WORDS.1.len()
    }
}
