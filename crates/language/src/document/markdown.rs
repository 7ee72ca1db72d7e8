//! Finds code in a Markdown text according to CommonMark; pulldown-cmark parses the structure.

use std::collections::HashMap;
use std::ops::Range;

use crate::limits::{LimitHit, MemoryCharge};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Maximum memory in bytes per mark (punctuation or line end) while the structure of a Markdown text is parsed.
const MARK_BYTES: usize = 192;

/// Charges the maximum memory for parsing the structure of a text: each mark may become a node.
fn admit(text: &str) -> Result<MemoryCharge, LimitHit> {
    let marks = text.bytes().filter(|byte| byte.is_ascii_punctuation() || *byte == b'\n').count();
    MemoryCharge::of(marks.saturating_mul(MARK_BYTES).saturating_add(text.len()))
}

/// The info strings of fenced blocks that hold a script.
const SCRIPT_WORDS: [&str; 2] = ["neuroscript", "ns"];

/// Returns the scripts in the fenced blocks of a Markdown text as one script of the same length. Everything else is
/// replaced by blanks and line ends stay, so every position is that of the document. Returns `None` if there is no
/// such block.
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
    /// Its range in the document, from its first character to its last, including the margins between them.
    pub range: Range<usize>,
    /// The blanks before each line except the first.
    pub margin: String,
    /// The end of its lines, a line feed with or without a carriage return.
    pub line_end: &'static str,
    /// The script, without margins and carriage returns.
    pub text: String,
}

impl ScriptBlock {
    /// Adds the margins of this block to another script.
    pub fn with_margins(&self, script: &str) -> String {
        let lines = script.split_inclusive('\n').enumerate();
        let with_margin = lines
            .map(|(at, line)| if at == 0 || line == "\n" { line.into() } else { format!("{}{line}", self.margin) });
        with_margin.collect::<String>().replace('\n', self.line_end)
    }
}

/// Returns the fenced blocks of a Markdown text that hold scripts, except those in block quotes or with inconsistent
/// margins.
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

/// Returns the block of these lines, if there is nothing but margins between them.
fn block_of(text: &str, lines: &[Range<usize>]) -> Option<ScriptBlock> {
    let range = lines.first()?.start..lines.last()?.end;
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let margin = text[line_start..range.start].to_owned();
    let script: String = lines.iter().map(|line| &text[line.clone()]).collect();
    let line_end = if text[range.clone()].contains("\r\n") { "\r\n" } else { "\n" };
    let script = script.replace("\r\n", "\n");
    let block = ScriptBlock { range: range.clone(), margin, line_end, text: script };
    let is_whole = block.margin.trim_matches([' ', '\t']).is_empty() && block.with_margins(&block.text) == text[range];
    is_whole.then_some(block)
}

fn is_script(info: &str) -> bool {
    let word = info.split_whitespace().next().unwrap_or_default();
    SCRIPT_WORDS.iter().any(|script| word.eq_ignore_ascii_case(script))
}

/// The structure of a Markdown text, as far as it determines what is code.
pub struct Structure {
    /// Code blocks, fenced and indented, in order.
    blocks: Vec<Range<usize>>,
    /// The end of the text of each paragraph, heading or similar block, in order; inline code cannot extend beyond
    /// it.
    ends: Vec<usize>,
    /// The start positions of runs of backticks, in order, by the length of the run.
    backticks: HashMap<usize, Vec<usize>>,
    /// The position of the last comment end.
    last_comment_end: usize,
    /// The memory charged for parsing.
    _held: MemoryCharge,
}

impl Structure {
    /// Parses the structure of a text.
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

    /// Returns the end of the code block that contains a position; `None` outside of code blocks.
    pub fn block_end(&self, at: usize) -> Option<usize> {
        let block = self.blocks.get(self.blocks.partition_point(|block| block.end <= at))?;
        (block.start <= at).then_some(block.end)
    }

    /// Returns the end of inline code that begins with this many backticks; `None` if they are plain text.
    pub fn code_end(&self, at: usize, backticks: usize) -> Option<usize> {
        let bound = *self.ends.get(self.ends.partition_point(|end| *end <= at))?;
        let runs = self.backticks.get(&backticks)?;
        let close = *runs.get(runs.partition_point(|run| *run < at + backticks))?;
        (close < bound).then_some(close + backticks)
    }

    /// Returns the end of the comment that begins at a position; `None` if it is not closed.
    pub fn comment_end(&self, text: &str, at: usize) -> Option<usize> {
        // Without this check, a text of comment starts would be searched to its end for each of them.
        let is_closed = at < self.last_comment_end;
        is_closed.then(|| text[at..].find(COMMENT_END).map(|found| at + found + COMMENT_END.len()))?
    }
}

/// The end of a comment.
const COMMENT_END: &str = "-->";

/// Whether an event is part of the inline content of a block, not the start or end of a block.
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

/// Returns the number of backticks at the beginning of a text.
pub fn run_length(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}
