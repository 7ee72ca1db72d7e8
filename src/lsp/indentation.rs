//! The indentation of a line that is being typed, as `ns fmt` indents it.
//!
//! Only the blanks at the beginning of the line change. It follows from the tokens, since the text is rarely complete.

use lsp_types::{Position, TextEdit};

use crate::engine::{CONTINUED, INDENT, TokenKind};

use super::client::Client;
use super::documents::Document;
use super::outline::{BlockWord, Outline};

/// The last characters of the words that close a block or begin a branch. The editor asks after each of them.
pub const TRIGGERS: [&str; 14] = ["D", "d", "E", "e", "F", "f", "R", "r", "N", "n", "C", "c", "K", "k"];

/// Returns the edit that indents the line of a position, after a character was typed before it.
pub fn on_type(document: &Document, position: Position, typed: &str, client: &Client) -> Vec<TextEdit> {
    // In Markdown the blanks belong to the page.
    if document.is_markdown() {
        return Vec::new();
    }
    let code = document.code();
    let offset = document.text.offset(position, client.encoding);
    let start = code[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = code[start..].find(['\n', '\r']).map_or(code.len(), |length| start + length);
    let line = &code[start..end];
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_line_break = typed.contains(['\n', '\r']);
    if !is_line_break && BlockWord::of(line.trim()).is_none_or(|word| word == BlockWord::Opener) {
        return Vec::new();
    }
    let Some(indent) = indentation(&code, start) else { return Vec::new() };
    if line[..blanks] == " ".repeat(indent) {
        return Vec::new();
    }
    let range = document.text.positions(client.encoding).range(start, start + blanks);
    vec![TextEdit { range, new_text: " ".repeat(indent) }]
}

/// Returns the number of blanks before the line that begins at an offset. Returns `None` inside texts and comments.
pub fn indentation(code: &str, start: usize) -> Option<usize> {
    let outline = Outline::of(code);
    let next = outline.tokens.partition_point(|token| token.start < start);
    if let Some(last) = next.checked_sub(1).map(|place| outline.tokens[place]) {
        let is_open = last.kind == TokenKind::Text { is_closed: false };
        let spans_lines = matches!(last.kind, TokenKind::Text { .. } | TokenKind::Comment);
        if spans_lines && (last.end > start || is_open) {
            return None;
        }
    }
    let level = outline.blocks.iter().filter(|block| block.range.start < start && start <= block.range.end).count();
    let statement = outline.statements().map(|statement| statement.start).take_while(|begin| *begin < next).last();
    let begins_statement = outline.statements().any(|statement| statement.start == next);
    if let Some(statement) = statement.filter(|_| !begins_statement)
        && let Some(continued) = continuation(&outline, code, statement..next, start)
    {
        return Some(continued);
    }
    let is_here = outline.tokens.get(next).is_some_and(|token| !code[start..token.start].contains('\n'));
    let outwards = match outline.block_word(next).filter(|_| is_here && begins_statement) {
        Some(BlockWord::Closer | BlockWord::Else) => 1,
        Some(BlockWord::Opener) if outline.begins_procedure(next) => level,
        _ => 0,
    };
    Some(level.saturating_sub(outwards) * INDENT)
}

/// Returns the blanks before a line that continues a statement: inside brackets, or after `\`.
fn continuation(outline: &Outline<'_>, code: &str, statement: std::ops::Range<usize>, start: usize) -> Option<usize> {
    let blanks_of_line = |at: usize| {
        let line = code[..at].rfind('\n').map_or(0, |at| at + 1);
        code[line..].len() - code[line..].trim_start_matches([' ', '\t']).len()
    };
    let next = statement.end;
    let mut open = Vec::new();
    for place in statement.clone() {
        match outline.tokens[place].kind {
            TokenKind::Mark('(' | '[' | '{') => open.push(place),
            TokenKind::Mark(')' | ']' | '}') => drop(open.pop()),
            _ => {}
        }
    }
    if let Some(opener) = open.pop() {
        let outer = blanks_of_line(outline.tokens[opener].start);
        let closes =
            outline.tokens.get(next).is_some_and(|token| matches!(token.kind, TokenKind::Mark(')' | ']' | '}')));
        let is_here = outline.tokens.get(next).is_some_and(|token| !code[start..token.start].contains('\n'));
        return Some(if closes && is_here { outer } else { outer + INDENT });
    }
    let before = code[..start].trim_end_matches(['\n', '\r']);
    let is_joined = before.ends_with('\\') && code[before.len()..start].matches('\n').count() == 1;
    is_joined.then(|| blanks_of_line(outline.tokens[statement.start].start) + CONTINUED)
}
