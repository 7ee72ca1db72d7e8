//! What in a Markdown text is code, as CommonMark says; the reading of its structure is pulldown-cmark's.

use std::collections::HashMap;
use std::ops::Range;

use crate::limits::{Held, LimitHit};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Bytes that a mark of a Markdown text takes at most while its structure is read.
const MARK_BYTES: usize = 192;

/// Counts what reading the structure of a text takes at most as live: each of its marks may become a node.
fn admit(text: &str) -> Result<Held, LimitHit> {
    let marks = text.bytes().filter(|byte| byte.is_ascii_punctuation() || *byte == b'\n').count();
    Held::of(marks.saturating_mul(MARK_BYTES).saturating_add(text.len()))
}

/// The words after a fence that mark a script.
const SCRIPT_WORDS: [&str; 2] = ["neuroscript", "ns"];

/// The scripts in the fenced blocks of a Markdown text as one script of the same length: everything
/// else is blanked and lines stay lines, so that every place is that of the document. None where there
/// is no such block.
pub fn script(text: &str) -> Result<Option<String>, LimitHit> {
    let _held = admit(text)?;
    let mut bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    let (mut found, mut inside) = (false, false);
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                inside = matches!(kind, CodeBlockKind::Fenced(info) if is_script(&info));
                found |= inside;
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(_) if inside => bytes[range.clone()].copy_from_slice(&text.as_bytes()[range]),
            _ => {}
        }
    }
    Ok(found.then(|| String::from_utf8(bytes).expect("whole ranges of a text and blanks are a text")))
}

/// A fenced block that holds a script.
#[derive(Debug)]
pub struct ScriptBlock {
    /// Its place in the document, from its first character to its last, margins between them included.
    pub range: Range<usize>,
    /// The blanks before each of its lines but the first.
    pub margin: String,
    /// The script in it, without margins.
    pub text: String,
}

impl ScriptBlock {
    /// Another script with the margins of this one.
    pub fn with_margins(&self, script: &str) -> String {
        let lines = script.split_inclusive('\n').enumerate();
        let with_margin = lines
            .map(|(at, line)| if at == 0 || line == "\n" { line.into() } else { format!("{}{line}", self.margin) });
        with_margin.collect()
    }
}

/// The fenced blocks of a Markdown text that hold scripts; those in quotations, or with lines of several
/// margins, are left out.
pub fn script_blocks(text: &str) -> Vec<ScriptBlock> {
    let mut blocks = Vec::new();
    let mut lines: Option<Vec<Range<usize>>> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_script(&info) => lines = Some(Vec::new()),
            Event::Text(_) => lines.iter_mut().for_each(|lines| lines.push(range.clone())),
            Event::End(TagEnd::CodeBlock) => blocks.extend(lines.take().and_then(|lines| block_of(text, &lines))),
            _ => {}
        }
    }
    blocks
}

/// The block of some lines, when nothing but its margins stands between them.
fn block_of(text: &str, lines: &[Range<usize>]) -> Option<ScriptBlock> {
    let range = lines.first()?.start..lines.last()?.end;
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let margin = text[line_start..range.start].to_owned();
    let script = lines.iter().map(|line| &text[line.clone()]).collect();
    let block = ScriptBlock { range: range.clone(), margin, text: script };
    let is_whole = block.margin.trim_matches([' ', '\t']).is_empty() && block.with_margins(&block.text) == text[range];
    is_whole.then_some(block)
}

fn is_script(info: &str) -> bool {
    let word = info.split_whitespace().next().unwrap_or_default();
    SCRIPT_WORDS.iter().any(|script| word.eq_ignore_ascii_case(script))
}

/// The structure of a Markdown text, as far as it matters for what is code.
pub struct Structure {
    /// Code blocks, fenced and indented, in order.
    blocks: Vec<Range<usize>>,
    /// Where the text of each paragraph, heading or the like ends, in order: no code in backticks goes on beyond.
    ends: Vec<usize>,
    /// Where runs of so many backticks begin, in order.
    backticks: HashMap<usize, Vec<usize>>,
    /// Where the last end of a comment stands.
    last_comment_end: usize,
    /// What reading it took, of which this is what is left.
    _held: Held,
}

impl Structure {
    /// Finds the structure of a text.
    pub fn of(text: &str) -> Result<Structure, LimitHit> {
        let held = admit(text)?;
        let (mut blocks, mut ends) = (Vec::new(), Vec::new());
        let mut end = None;
        for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
            if is_inline(&event) {
                end = end.max(Some(range.end));
                continue;
            }
            ends.extend(end.take());
            if matches!(event, Event::Start(Tag::CodeBlock(_))) {
                blocks.push(range);
            }
        }
        ends.extend(end);
        Ok(Structure {
            blocks,
            ends,
            backticks: backtick_runs(text),
            last_comment_end: text.rfind(COMMENT_END).unwrap_or(0),
            _held: held,
        })
    }

    /// Where the code block that holds a place ends; none where no block does.
    pub fn block_end(&self, at: usize) -> Option<usize> {
        let block = self.blocks.get(self.blocks.partition_point(|block| block.end <= at))?;
        (block.start <= at).then_some(block.end)
    }

    /// Where code that begins with so many backticks ends; none where they are mere text.
    pub fn code_end(&self, at: usize, backticks: usize) -> Option<usize> {
        let bound = *self.ends.get(self.ends.partition_point(|end| *end <= at))?;
        let runs = self.backticks.get(&backticks)?;
        let close = *runs.get(runs.partition_point(|run| *run < at + backticks))?;
        (close < bound).then_some(close + backticks)
    }

    /// Where the comment that begins at a place ends; none where nothing closes it.
    pub fn comment_end(&self, text: &str, at: usize) -> Option<usize> {
        // Without this a text of openers alone would be searched to its end for each of them.
        let is_closed = at < self.last_comment_end;
        is_closed.then(|| text[at..].find(COMMENT_END).map(|found| at + found + COMMENT_END.len()))?
    }
}

/// What closes a comment.
const COMMENT_END: &str = "-->";

/// Whether an event lies in the text of a block, and is not the beginning or end of one.
fn is_inline(event: &Event<'_>) -> bool {
    use Event::{End, Start};
    match event {
        Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }) => true,
        End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => true,
        Start(_) | End(_) | Event::Rule => false,
        _ => true,
    }
}

fn backtick_runs(text: &str) -> HashMap<usize, Vec<usize>> {
    let mut runs: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = run_length(&text[start..]);
        runs.entry(length).or_default().push(start);
        at = start + length;
    }
    runs
}

/// Backticks with which a text begins.
pub fn run_length(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}
