//! Replaces what a query finds in the text of one file: a text wherever it stands, or the matches in each line.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use grep_matcher::LineTerminator;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};

use crate::gate::Context;
use crate::limits::MemoryCharge;
use crate::toolkit::ToolError;

use super::super::super::build::TextBuilder;
use super::super::super::regex::expression::Expression;
use super::super::super::regex::template::Template;
use super::super::replacement::{LineEnds, Replacement, occurrences, replaced};
use super::super::search_files::{LineMatcher, Query, without_end};

/// Maximum number of bytes of a text by which its files are found.
const MAX_FILTER: usize = 1_000;
/// Number of bytes at the beginning of a text among which these are looked for.
const FILTER_AMONG: usize = 64 << 10;

/// A replacement: the texts to find, and the new text.
pub enum Replacer<'a> {
    /// A text, which may have line ends.
    Exact { old: &'a str, new: &'a str },
    /// The matches in each line.
    InLines(Box<InLines<'a>>),
}

/// The matches of a query in each line, and what comes in their place.
pub struct InLines<'a> {
    matcher: LineMatcher,
    searcher: RefCell<Searcher>,
    expression: Expression,
    new: &'a str,
    /// Whether groups are named in `new`.
    names_groups: bool,
}

/// A text after its replacements.
pub struct Replaced {
    pub text: String,
    pub replacements: usize,
    _held: MemoryCharge,
}

impl<'a> Replacer<'a> {
    /// Prepares the replacement of what a query finds.
    pub fn new(query: Query<'a>, new: &'a str) -> Result<Replacer<'a>, ToolError> {
        if query.is_plain() {
            return Ok(Replacer::Exact { old: query.text, new });
        }
        let expression = query.expression()?;
        let names_groups = query.is_regex && new.contains('$');
        if names_groups {
            Template::parse(new, &expression)?;
        }
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(false)
            .bom_sniffing(false)
            .build()
            .into();
        let matcher = query.compile()?;
        Ok(Replacer::InLines(Box::new(InLines { matcher, searcher, expression, new, names_groups })))
    }

    /// Replaces what is found in a text. The line ends of the texts become those of the file.
    pub fn replace(&self, context: &mut Context<'_>, text: &str, ends: LineEnds) -> Result<Replaced, ToolError> {
        context.spend_text(text.len())?;
        match self {
            // Line ends take twice the bytes at most.
            Replacer::Exact { old, .. } if old.len() / 2 > text.len() => {
                Ok(Replaced { text: text.to_owned(), replacements: 0, _held: MemoryCharge::default() })
            }
            Replacer::Exact { old, new } => {
                let (old, new) = (ends.given_to(old), ends.given_to(new));
                // Where a file mixes line ends, a text with LF also stands for the same lines with CRLF.
                let is_mixed = ends == LineEnds::Any && text.contains('\n') && old.contains('\n');
                let with_crlf = |text: &str| if is_mixed { LineEnds::Crlf.given_to(text) } else { String::new() };
                let (old_crlf, new_crlf) = (with_crlf(&old), with_crlf(&new));
                let found = if is_mixed && old_crlf != old {
                    merged(occurrences(text, &old, &new)?, occurrences(text, &old_crlf, &new_crlf)?)
                } else {
                    occurrences(text, &old, &new)?
                };
                context.spend(found.len())?;
                let text = replaced(text, &found)?;
                Ok(Replaced { text, replacements: found.len(), _held: MemoryCharge::default() })
            }
            Replacer::InLines(lines) => lines.replace(context, text, ends),
        }
    }
}

impl InLines<'_> {
    fn replace(&self, context: &mut Context<'_>, text: &str, ends: LineEnds) -> Result<Replaced, ToolError> {
        self.expression.ask_for_room()?;
        let new = ends.given_to(self.new);
        let template =
            if self.names_groups { Template::parse(&new, &self.expression)? } else { Template::literal(&new) };
        let mut lines = Lines {
            text,
            expression: &self.expression,
            template,
            replaced: TextBuilder::with_room(text.len())?,
            copied: 0,
            replacements: 0,
            failure: None,
        };
        let searched = self.searcher.borrow_mut().search_slice(&self.matcher, text.as_bytes(), &mut lines);
        if let Some(stop) = self.matcher.take_stop() {
            return Err(stop);
        }
        let Lines { mut replaced, copied, replacements, failure, .. } = lines;
        match (searched, failure) {
            (_, Some(error)) => return Err(error),
            (Err(error), None) => unreachable!("a search in a text fails only at a limit: {error}"),
            (Ok(()), None) => {}
        }
        context.spend(replacements)?;
        replaced.push(&text[copied..])?;
        let (text, held) = replaced.into_held();
        Ok(Replaced { text, replacements, _held: held })
    }
}

/// The lines of a text in which matches are replaced.
struct Lines<'t> {
    text: &'t str,
    expression: &'t Expression,
    template: Template<'t>,
    replaced: TextBuilder,
    /// Number of bytes of the text that were copied or replaced.
    copied: usize,
    replacements: usize,
    failure: Option<ToolError>,
}

impl Lines<'_> {
    fn replace(&mut self, line: Range<usize>) -> Result<(), ToolError> {
        let content = &self.text[line.clone()];
        let mut matches = self.expression.matches(content);
        while let Some(found) = matches.next()? {
            self.replaced.push(&self.text[self.copied..line.start + found.start])?;
            self.copied = line.start + found.end;
            self.template.push(self.expression, content, found, &mut self.replaced)?;
            self.replacements += 1;
        }
        Ok(())
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        // An offset in a text fits.
        let start = found.absolute_byte_offset() as usize;
        let end = start + without_end(found.bytes()).len();
        let replaced = self.replace(start..end);
        self.failure = replaced.err();
        Ok(self.failure.is_none())
    }
}

/// Merges two lists of replacements in order, without those that overlap the ones before.
fn merged<'t>(one: Vec<Replacement<'t>>, other: Vec<Replacement<'t>>) -> Vec<Replacement<'t>> {
    let mut all = one;
    all.extend(other);
    all.sort_by_key(|found| found.range.start);
    let mut end = 0;
    all.retain(|found| {
        let is_free = found.range.start >= end;
        if is_free {
            end = found.range.end;
        }
        is_free
    });
    all
}

/// Returns a query that finds all files with a text: its longest part without a line end. A text of line ends alone may
/// be in every file.
pub fn filter(query: Query<'_>) -> Query<'_> {
    if !query.is_plain() || query.text.is_empty() {
        return query;
    }
    let head = &query.text[..query.text.floor_char_boundary(FILTER_AMONG)];
    let longest = head.split(['\n', '\r']).max_by_key(|part| part.len()).unwrap_or_default();
    match &longest[..longest.floor_char_boundary(MAX_FILTER)] {
        "" => Query { text: "^", is_regex: true, ..query },
        part => Query { text: part, ..query },
    }
}
