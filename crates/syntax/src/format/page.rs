//! Prints a whole text: its lines in their blocks, blank lines, and the non-executed lines between them.

use crate::syntax::written::{BlockPart, TokenKind, WrittenKind, WrittenLine};
use crate::text::Span;

use super::atoms_of::{INDENT, atoms};
use super::comments::{LineEnd, TrailingComment, column, put};
use super::layout::lay_out;
use super::lexemes::{Lexemes, line_breaks};
use super::{Parsed, Spelling};

/// Returns the spelling of the first keyword of a text.
pub fn first_spelling(parsed: &Parsed<'_>) -> Option<Spelling> {
    let first = parsed.written.tokens.iter().find(|token| token.kind == TokenKind::Keyword)?;
    let is_upper = parsed.source.slice(first.span).starts_with(|c: char| c.is_ascii_uppercase());
    Some(if is_upper { Spelling::Upper } else { Spelling::Lower })
}

/// Returns the text in its canonical form.
pub fn print(parsed: &Parsed<'_>, spelling: Option<Spelling>) -> String {
    let text = parsed.source.text();
    let line_end = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let mut page = Page {
        parsed,
        spelling,
        line_end,
        out: String::with_capacity(text.len() + text.len() / 8),
        open: Vec::new(),
        newest: None,
        beside: Vec::new(),
        body_column: None,
    };
    page.shebang();
    page.items();
    put(&page.out, &page.beside, parsed.source)
}

/// The item printed last.
#[derive(Clone, Copy)]
struct LastItem {
    kind: NewestKind,
    /// End offset in the source.
    end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NewestKind {
    /// `#!`, metadata, `COMMENT:` or a comment on its own line.
    Note,
    /// The head of a block, or `ELSE`.
    Head,
    /// The closer of a procedure.
    ProcedureEnd,
    /// Any other statement.
    Statement,
}

pub struct Page<'p, 'a> {
    pub parsed: &'p Parsed<'a>,
    pub spelling: Option<Spelling>,
    pub line_end: &'static str,
    pub out: String,
    /// The lines that opened the current blocks.
    open: Vec<BlockPart>,
    newest: Option<LastItem>,
    beside: Vec<TrailingComment<'p>>,
    /// Source column of the latest statement in the current block.
    body_column: Option<usize>,
}

impl<'p> Page<'p, '_> {
    pub fn indent(&self) -> usize {
        self.open.len() * INDENT
    }

    /// Prints the `#!` line unchanged.
    fn shebang(&mut self) {
        let text = self.parsed.source.text();
        let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
        let Some(rest) = text[skipped.min(3)..].strip_prefix("#!") else { return };
        let line = rest.split('\n').next().unwrap_or_default();
        self.out.push_str("#!");
        self.out.push_str(line.trim_end_matches('\r'));
        self.out.push_str(self.line_end);
        let end = self.parsed.source.base() + skipped + 2 + line.len();
        self.newest = Some(LastItem { kind: NewestKind::Note, end: end as u32 });
    }

    fn items(&mut self) {
        let parsed = self.parsed;
        let mut comments = &parsed.tree.comments[..];
        let mut lines = parsed.written.lines.iter().peekable();
        loop {
            match (lines.peek(), comments.first()) {
                (None, None) => return,
                (Some(line), Some(comment)) if comment.start < line.span.start => {
                    let run = self.run_of_comments(comments, Some(line));
                    self.comments_before(&comments[..run], Some(line));
                    comments = &comments[run..];
                }
                (None, Some(_)) => {
                    self.comments_before(comments, None);
                    return;
                }
                (Some(_), _) => {
                    let line = lines.next().expect("it was looked at");
                    comments = self.line(line, comments);
                }
            }
        }
    }

    /// Returns the number of comments before a line.
    fn run_of_comments(&self, comments: &[Span], line: Option<&&WrittenLine>) -> usize {
        comments.iter().take_while(|comment| line.is_none_or(|line| comment.start < line.span.start)).count()
    }

    /// Prints comments on lines of their own, before a line or at the end.
    fn comments_before(&mut self, comments: &[Span], line: Option<&WrittenLine>) {
        let place = line.and_then(|line| match line.kind {
            WrittenKind::Statement(place, _) => Some(place),
            _ => None,
        });
        let attached = if place == Some(BlockPart::OpensProcedure) { self.attached(comments, line) } else { 0 };
        let of_else = if place == Some(BlockPart::Between) { self.of_else(comments, line) } else { 0 };
        for (comment, left) in comments.iter().zip((1..=comments.len()).rev()) {
            if self.continues_column(*comment) {
                continue;
            }
            let empty_line = self.wants_empty_line(comment.start, left <= attached, false);
            self.empty_line(empty_line);
            let outwards = if left <= of_else { INDENT } else { 0 };
            let text = self.parsed.source.slice(*comment).trim_end();
            // At the start of the text the comment would become a `#!` line.
            let kept_off = usize::from(self.out.is_empty() && text.starts_with("#!"));
            self.out.extend(std::iter::repeat_n(' ', self.indent() - outwards + kept_off));
            self.out.push_str(text);
            self.out.push_str(self.line_end);
            self.newest = Some(LastItem { kind: NewestKind::Note, end: comment.end });
        }
    }

    /// Returns how many of the last comments adjoin the following line, without an empty line between them.
    fn attached(&self, comments: &[Span], line: Option<&WrittenLine>) -> usize {
        let below = comments.iter().skip(1).map(|comment| comment.start).chain(line.map(|line| line.span.start));
        let pairs: Vec<(&Span, u32)> = comments.iter().zip(below).collect();
        let adjoin = |&&(comment, start): &&(&Span, u32)| line_breaks(self.parsed.source, comment.end, start) < 2;
        pairs.iter().rev().take_while(adjoin).count()
    }

    /// Returns how many of the last comments are in the column of the `ELSE` below them, if the block above is indented
    /// further.
    fn of_else(&self, comments: &[Span], line: Option<&WrittenLine>) -> usize {
        let (Some(line), Some(body)) = (line, self.body_column) else { return 0 };
        let source = self.parsed.source;
        let wanted = column(source, line.span);
        let is_there = |comment: &&Span| column(source, **comment) == wanted;
        if body > wanted { comments.iter().rev().take_while(is_there).count() } else { 0 }
    }

    /// Handles a comment that continues the column of a comment beside a statement. Returns whether it did.
    fn continues_column(&mut self, comment: Span) -> bool {
        let source = self.parsed.source;
        let at = self.out.len();
        let Some(above) = self.beside.last().filter(|above| at == above.after.at + self.line_end.len()) else {
            return false;
        };
        let beside = TrailingComment::new(source, comment, LineEnd { at, code: 0, adjoins: true });
        if !beside.continues(source, above) {
            return false;
        }
        self.beside.push(beside);
        self.out.push_str(self.line_end);
        if let Some(newest) = &mut self.newest {
            newest.end = comment.end;
        }
        true
    }

    /// Prints a line and returns the comments after it.
    fn line<'c>(&mut self, line: &'p WrittenLine, comments: &'c [Span]) -> &'c [Span] {
        let inside = comments.iter().take_while(|comment| comment.start < line.span.end).count();
        let (inside, after) = comments.split_at(inside);
        let place = match &line.kind {
            WrittenKind::Statement(place, _) => Some(*place),
            _ => None,
        };
        let ends_block = matches!(place, Some(BlockPart::Closes | BlockPart::Between));
        let closed = if ends_block { self.open.pop() } else { None };
        let empty_line = self.wants_empty_line(line.span.start, place == Some(BlockPart::OpensProcedure), ends_block);
        self.empty_line(empty_line);
        let lines_before = self.out.len();
        let code = match &line.kind {
            WrittenKind::Statement(_, tokens) => {
                let tokens = &self.parsed.written.tokens[tokens.clone()];
                let lexemes = Lexemes::new(self.parsed.source, self.spelling, tokens, inside);
                let atoms = atoms(&lexemes, self.spelling);
                lay_out(&atoms, self.indent(), self.line_end, &mut self.out)
            }
            WrittenKind::Metadata => self.metadata(line.span),
            WrittenKind::Comment => self.comment_block(line.span),
        };
        let is_one_line = !self.out[lines_before..].contains('\n');
        let end = LineEnd { at: self.out.len(), code, adjoins: is_one_line && !empty_line };
        let after = self.comment_beside(line, after, end);
        self.out.push_str(self.line_end);
        self.after_line(line, place, closed);
        after
    }

    /// Takes the comment on the line where another line ends, and returns the remaining comments.
    fn comment_beside<'c>(&mut self, line: &WrittenLine, comments: &'c [Span], printed: LineEnd) -> &'c [Span] {
        let source = self.parsed.source;
        let end = match comments.split_first() {
            Some((first, rest)) if line_breaks(source, line.span.end, first.start) == 0 => {
                self.beside.push(TrailingComment::new(source, *first, printed));
                (first.end, rest)
            }
            _ => (line.span.end, comments),
        };
        self.newest = Some(LastItem { kind: NewestKind::Note, end: end.0 });
        end.1
    }

    fn after_line(&mut self, line: &WrittenLine, place: Option<BlockPart>, closed: Option<BlockPart>) {
        let opens = place.filter(|place| !matches!(place, BlockPart::Closes | BlockPart::Inside));
        self.open.extend(opens);
        self.body_column = match place {
            _ if opens.is_some() => None,
            Some(_) => Some(column(self.parsed.source, line.span)),
            None => self.body_column,
        };
        let kind = match (place, closed) {
            (None, _) => NewestKind::Note,
            _ if opens.is_some() => NewestKind::Head,
            (_, Some(BlockPart::OpensProcedure)) => NewestKind::ProcedureEnd,
            _ => NewestKind::Statement,
        };
        if let Some(newest) = &mut self.newest {
            newest.kind = kind;
        }
    }

    /// Returns whether an empty line is printed before the item at a source offset.
    fn wants_empty_line(&self, start: u32, opens_procedure: bool, ends_block: bool) -> bool {
        let Some(newest) = self.newest else { return false };
        let written = line_breaks(self.parsed.source, newest.end, start) > 1;
        match newest.kind {
            NewestKind::Head => false,
            NewestKind::ProcedureEnd => true,
            NewestKind::Statement if opens_procedure => true,
            _ => written && !ends_block,
        }
    }

    fn empty_line(&mut self, wanted: bool) {
        if wanted {
            self.out.push_str(self.line_end);
        }
    }
}
