//! The check that formatting changed only the layout: the same tree, and the same comments in the same places.

use std::borrow::Cow;

use crate::syntax::CommentLines;
use crate::syntax::ast;
use crate::syntax::written::{TokenKind, WrittenKind};

use super::Parsed;

/// Returns whether two texts have the same tree, and the same comments between the same tokens.
pub fn same(one: &Parsed<'_>, other: &Parsed<'_>) -> bool {
    ast::same(&one.tree, &other.tree) && comments(one) == comments(other)
}

/// Returns the comments, each with the number of tokens and lines before it.
fn comments<'a>(parsed: &Parsed<'a>) -> Vec<(usize, Cow<'a, str>)> {
    // Keywords and commas are not counted, since some are optional.
    let counts = |kind| !matches!(kind, TokenKind::Comma | TokenKind::Keyword);
    let tokens = parsed.written.tokens.iter().filter(|token| counts(token.kind)).map(|token| token.span.start);
    let lines = parsed.written.lines.iter().filter(|line| line.kind != WrittenKind::Comment);
    let mut marks: Vec<u32> = tokens.chain(lines.map(|line| line.span.start)).collect();
    marks.sort_unstable();
    let text = |span| {
        let text = parsed.source.slice(span).trim_end();
        if text.starts_with(['#', '-', '/']) {
            Cow::Borrowed(text)
        } else {
            let body = &text["COMMENT:".len()..text.len() - "ENDCOMMENT".len()];
            Cow::Owned(CommentLines::of(body).text())
        }
    };
    let place = |start| marks.partition_point(|mark| *mark < start);
    parsed.tree.comments.iter().map(|span| (place(span.start), text(*span))).collect()
}
