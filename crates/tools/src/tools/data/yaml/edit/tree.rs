//! A YAML text as nodes with their positions. The text has been parsed before, so it is one valid document.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use crate::gate::Context;
use crate::limits::{MemoryCharge, MeteredVec, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::super::super::super::edit::children;
use super::super::super::super::edit::lines::{MARK, line_end, next_line, skip_gap, text_start};
use super::super::input::PolledInput;
use super::super::read::{key_text, meaning, next, options};
use super::super::scalar::Scalar;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar(ScalarStyle),
    /// An alias.
    Alias,
    /// A sequence.
    List {
        /// Whether it is in flow style.
        in_brackets: bool,
    },
    /// A mapping.
    Map {
        /// Whether it is in flow style.
        in_brackets: bool,
    },
}

/// A node. The nodes that it contains follow it directly; in a mapping, keys and values alternate.
pub struct Node {
    /// The kind of the node.
    pub shape: Shape,
    /// Where its content starts, after anchor, tag and block indicator.
    pub start: usize,
    /// Where its content ends, before the last line break; after the trailing blank lines of a block scalar if
    /// they are part of its value.
    pub end: usize,
    /// The index of the first node after those that it contains.
    pub after: usize,
    /// The number of its anchor, or of the anchor that an alias refers to; 0 for none.
    pub anchor: usize,
    /// Its text if it is a key.
    pub key: Option<Str>,
}

/// The nodes of a YAML text.
pub struct Tree<'t> {
    /// The text.
    pub text: &'t str,
    /// Where the content starts: after a byte order mark, or after the `---` that starts the document.
    pub start: usize,
    nodes: MeteredVec<Node>,
    /// Whether an alias refers to an anchor, by the number of the anchor.
    used: MeteredVec<bool>,
}

/// A collection that is still open.
struct Open {
    node: usize,
    /// Whether the next child is a key; `None` in a sequence.
    expects_key: Option<bool>,
    /// Where its last child ends, or its own start if it has no children yet.
    end: usize,
}

impl<'t> Tree<'t> {
    /// Parses a text.
    pub fn read(context: &mut Context<'_>, text: &'t str) -> Result<Tree<'t>, ToolError> {
        let start = text_start(text);
        let _scalar = MemoryCharge::of(text.len())?;
        let mut parser = Parser::with_options(PolledInput::new(&text[start..]), options());
        let mut tree = Tree { text, start, nodes: MeteredVec::default(), used: MeteredVec::default() };
        let mut open = MeteredVec::default();
        while let Some((event, span)) = next(&mut parser)? {
            context.spend(1)?;
            tree.take(&mut open, event, range_of(&span, start))?;
        }
        Ok(tree)
    }

    fn take(&mut self, open: &mut MeteredVec<Open>, event: Event<'_>, span: Range<usize>) -> Result<(), ToolError> {
        match event {
            Event::DocumentStart(true, _) => self.start = span.end,
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = expects_key(open);
                let key = match is_key.then(|| meaning(&text, style, tag.as_deref())).flatten() {
                    Some(Scalar::Value(value)) => Some(key_text(&value)),
                    Some(Scalar::Big(_)) => Some(Str::new(&text)),
                    None => None,
                };
                let span = if style == ScalarStyle::Plain && span.is_empty() {
                    self.place_of_empty(open, is_key, span.start)
                } else {
                    span.start..self.end_of(&text, style, &span)
                };
                ended(open, span.end);
                self.add(Shape::Scalar(style), span, anchor, key)?;
            }
            Event::Alias(anchor) => {
                expects_key(open);
                ended(open, span.end);
                if self.used.len() <= anchor {
                    self.used.resize(anchor + 1, false)?;
                }
                self.used.as_mut_slice()[anchor] = true;
                self.add(Shape::Alias, span, anchor, None)?;
            }
            Event::SequenceStart(style, anchor, _) => {
                expects_key(open);
                let in_brackets = style == granit_parser::StructureStyle::Flow;
                open.push(Open { node: self.nodes.len(), expects_key: None, end: span.start })?;
                self.add(Shape::List { in_brackets }, span, anchor, None)?;
            }
            Event::MappingStart(style, anchor, _) => {
                expects_key(open);
                let in_brackets = style == granit_parser::StructureStyle::Flow;
                open.push(Open { node: self.nodes.len(), expects_key: Some(true), end: span.start })?;
                self.add(Shape::Map { in_brackets }, span, anchor, None)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let closed = open.pop().expect("the parser closes what it opened");
                let node = closed.node;
                self.close(node, if self.node(node).is_in_brackets() { span.end } else { closed.end });
                ended(open, self.node(node).end);
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, shape: Shape, span: Range<usize>, anchor: usize, key: Option<Str>) -> Result<(), ToolError> {
        work::charge(1)?;
        let after = self.nodes.len() + 1;
        Ok(self.nodes.push(Node { shape, start: span.start, end: span.end, after, anchor, key })?)
    }

    fn close(&mut self, number: usize, end: usize) {
        let after = self.nodes.len();
        let node = &mut self.nodes.as_mut_slice()[number];
        (node.after, node.end) = (after, end);
    }

    /// Returns the position of an empty value: after its colon or dash.
    fn place_of_empty(&self, open: &mut MeteredVec<Open>, is_key: bool, at: usize) -> Range<usize> {
        let Some(Open { end, expects_key, .. }) = open.last_mut() else { return at..at };
        let sign = self.skip((*end).min(at));
        let place = match (expects_key, self.text.as_bytes().get(sign)) {
            (Some(_), Some(b':')) if !is_key => sign + 1,
            (None, Some(b'-')) if sign < at => sign + 1,
            _ => at,
        };
        place..place
    }

    /// Returns where the content of a scalar ends.
    fn end_of(&self, value: &str, style: ScalarStyle, span: &Range<usize>) -> usize {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return span.end;
        }
        if value.is_empty() {
            let sign = self.text[..span.start].rfind(['|', '>']).unwrap_or(span.start);
            return line_end(self.text, sign);
        }
        if value.ends_with("\n\n") || value == "\n" {
            span.start + self.text[span.clone()].trim_end_matches([' ', '\t']).len()
        } else {
            span.start + self.text[span.clone()].trim_end_matches([' ', '\t', '\r', '\n']).len()
        }
    }

    /// Returns the node with the given index.
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes.as_slice()[number]
    }

    /// Returns whether an alias refers to the anchor of a node.
    pub fn is_used(&self, node: &Node) -> bool {
        node.shape != Shape::Alias && self.used.as_slice().get(node.anchor).copied().unwrap_or(false)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the indices of the direct children of a node; in a mapping, keys and values alternate.
    pub fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        children(number, |number| self.node(number).after)
    }

    /// Returns the position of the first byte at or after `from` that is neither blank nor in a comment.
    pub fn skip(&self, from: usize) -> usize {
        skip_gap(self.text, from, self.text.len(), true)
    }

    /// Returns whether a comment follows that would become part of a block scalar with the given indentation.
    pub fn is_drawn_in(&self, at: usize, column: usize) -> bool {
        let rest = self.text[next_line(self.text, at)..].trim_start_matches(['\r', '\n']);
        rest.starts_with(&" ".repeat(column)) && rest.trim_start_matches(' ').starts_with('#')
    }

    /// Returns whether a node is a block scalar that keeps its trailing blank lines (`+`).
    pub fn keeps_blank_lines(&self, number: usize) -> bool {
        let node = self.node(number);
        let sign = self.text[..node.start].rfind(['|', '>']).map_or("", |sign| &self.text[sign + 1..node.start]);
        node.is_text_block() && sign.chars().take(2).any(|character| character == '+')
    }

    /// Returns the column of a byte, in characters.
    pub fn column(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[line..at].trim_start_matches(MARK);
        line.chars().count()
    }
}

impl Node {
    /// Returns whether the node is a flow collection.
    pub fn is_in_brackets(&self) -> bool {
        matches!(self.shape, Shape::List { in_brackets: true } | Shape::Map { in_brackets: true })
    }

    /// Returns whether the node is a block collection.
    pub fn is_block(&self) -> bool {
        matches!(self.shape, Shape::List { in_brackets: false } | Shape::Map { in_brackets: false })
    }

    /// Returns whether the node is a block scalar.
    pub fn is_text_block(&self) -> bool {
        matches!(self.shape, Shape::Scalar(ScalarStyle::Literal | ScalarStyle::Folded))
    }

    /// Returns whether the node is a value for which nothing is written.
    pub fn is_empty(&self) -> bool {
        matches!(self.shape, Shape::Scalar(ScalarStyle::Plain)) && self.start == self.end
    }
}

/// Returns whether the next child of the innermost open collection is a key, and toggles between key and value.
fn expects_key(open: &mut MeteredVec<Open>) -> bool {
    let Some(Open { expects_key: Some(expects), .. }) = open.last_mut() else { return false };
    *expects = !*expects;
    !*expects
}

/// Records where the last child of the innermost open collection ends.
fn ended(open: &mut MeteredVec<Open>, end: usize) {
    if let Some(open) = open.last_mut() {
        open.end = end;
    }
}

fn range_of(span: &Span, offset: usize) -> Range<usize> {
    let range = span.byte_range().expect("a text that is whole has bytes");
    range.start + offset..range.end + offset
}
