//! Folding and selection ranges.

use lsp_types::{FoldingRange, FoldingRangeKind, Position, SelectionRange};

use crate::engine::TokenKind;

use super::outline::Outline;
use super::request::Target;

/// Maximum number of folding ranges, and of positions of one request.
const MOST: usize = 5_000;
/// Maximum number of ranges around one position: readers of JSON bound how deeply it nests.
const MAX_NESTED: usize = 50;

/// Returns the ranges that can be folded: blocks up to the line above their closer, comments, and texts of many lines.
pub fn folding_ranges(target: &Target<'_>) -> Vec<FoldingRange> {
    let code = target.document.code();
    let outline = Outline::of(&code);
    let positions = target.document.text.positions(target.client.encoding);
    let line = |offset: usize| positions.position(offset).line;
    let mut found = Vec::new();
    let mut add = |start: u32, end: u32, kind: Option<FoldingRangeKind>| {
        if end > start {
            found.push(FoldingRange {
                start_line: start,
                start_character: None,
                end_line: end,
                end_character: None,
                kind,
                collapsed_text: None,
            });
        }
    };
    for block in &outline.blocks {
        add(line(block.range.start), line(block.range.end).saturating_sub(1), None);
    }
    let mut comments: Option<(u32, u32)> = None;
    for token in &outline.tokens {
        let (start, end) = (line(token.start), line(token.end));
        match token.kind {
            TokenKind::Comment => {
                comments = match comments {
                    Some((first, last)) if start <= last + 1 => Some((first, end)),
                    other => {
                        other.into_iter().for_each(|(first, last)| add(first, last, Some(FoldingRangeKind::Comment)));
                        Some((start, end))
                    }
                };
            }
            TokenKind::Text { .. } => add(start, end, None),
            _ => {}
        }
    }
    comments.into_iter().for_each(|(first, last)| add(first, last, Some(FoldingRangeKind::Comment)));
    found.sort_by_key(|range| (range.start_line, range.end_line));
    found.truncate(MOST);
    found
}

/// Returns the ranges around positions: word, expressions, line, blocks, and the whole text.
pub fn selection_ranges(target: &Target<'_>, asked: &[Position]) -> Vec<SelectionRange> {
    let code = target.document.code();
    let outline = Outline::of(&code);
    asked.iter().take(MOST).map(|position| selection_range(target, &outline, *position)).collect()
}

fn selection_range(target: &Target<'_>, outline: &Outline<'_>, position: Position) -> SelectionRange {
    let offset = target.offset(position);
    let text = target.document.text.as_str();
    let mut ranges = vec![(0, text.len())];
    ranges.extend(outline.blocks.iter().map(|block| (block.range.start, block.range.end)));
    ranges.extend(outline.tokens.iter().map(|token| (token.start, token.end)));
    if let Some(script) = target.analysis.script() {
        let spans = script.tree.exprs().iter().map(|expr| expr.span);
        ranges.extend(spans.map(|span| (span.start as usize, span.end as usize)));
    }
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    ranges.push((line_start, line_end));
    ranges.retain(|(start, end)| *start <= offset && offset <= *end && end <= &text.len());
    ranges.sort_by_key(|(start, end)| std::cmp::Reverse(end - start));
    let positions = target.document.text.positions(target.client.encoding);
    let mut nested: Vec<(usize, usize)> = Vec::new();
    for (start, end) in ranges {
        let (outer_start, outer_end) = nested.last().copied().unwrap_or((0, text.len()));
        // Ranges that only overlap, such as a line and a block that begins in it, are left out.
        let is_inner = outer_start <= start && end <= outer_end;
        if is_inner && (nested.is_empty() || (start, end) != (outer_start, outer_end)) {
            nested.push((start, end));
        }
    }
    // The first range is the whole text.
    let left_out = nested.len().saturating_sub(MAX_NESTED);
    if left_out > 0 {
        nested.drain(1..=left_out);
    }
    let mut selected: Option<SelectionRange> = None;
    for (start, end) in nested {
        selected = Some(SelectionRange { range: positions.range(start, end), parent: selected.map(Box::new) });
    }
    let whole = || SelectionRange { range: target.document.text.whole(target.client.encoding), parent: None };
    selected.unwrap_or_else(whole)
}
