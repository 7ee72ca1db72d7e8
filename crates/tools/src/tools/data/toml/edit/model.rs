//! A TOML text as expressions and values with their positions. The text has been parsed before, so it is valid
//! TOML.

use std::borrow::Cow;
use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::EventReceiver;
use toml_parser::{ErrorSink, Raw, Span};

use crate::gate::Context;
use crate::limits::{MeteredVec, space, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::super::super::super::edit::children;
use super::super::expressions::{Fault, FirstFault, read};

/// One part of a dotted key.
pub struct Key {
    /// The decoded key.
    pub text: Str,
    /// The position of the key, including its quotes.
    pub span: Range<usize>,
}

/// The kind of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `[a.b]`
    Table,
    /// `[[a.b]]`
    Element,
    /// `a.b = value`, with the index of the value's node.
    Pair(usize),
}

/// A table header, or a key with its value.
pub struct Expression {
    /// The kind of the expression.
    pub kind: Kind,
    /// The indices of its keys.
    pub keys: Range<usize>,
    /// Its position, without the blanks and comments around it.
    pub span: Range<usize>,
}

/// The kind of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text, number, boolean or date.
    Scalar,
    /// An array.
    List,
    /// An inline table.
    Table,
}

/// A value. The nodes that it contains follow it directly.
pub struct Node {
    /// The kind of the value.
    pub shape: Shape,
    /// Its position.
    pub span: Range<usize>,
    /// The index of the first node after those that it contains.
    pub after: usize,
    /// Its keys, if it is a value in an inline table.
    pub keys: Range<usize>,
}

/// The expressions and values of a TOML text.
pub struct Model<'t> {
    /// The text.
    pub text: &'t str,
    keys: MeteredVec<Key>,
    expressions: MeteredVec<Expression>,
    nodes: MeteredVec<Node>,
}

impl<'t> Model<'t> {
    /// Parses a text.
    pub fn read(context: &mut Context<'_>, text: &'t str) -> Result<Model<'t>, ToolError> {
        let fault = FirstFault::default();
        let model = Model {
            text,
            keys: MeteredVec::default(),
            expressions: MeteredVec::default(),
            nodes: MeteredVec::default(),
        };
        let mut reader = Reader { model, fault: &fault, open: MeteredVec::default(), head: 0, taken: 0 };
        read(context, text, &fault, &mut reader)?;
        let model = reader.model;
        match fault.into_error(text) {
            Some(error) => Err(error),
            None => Ok(model),
        }
    }

    /// Returns the keys with the given indices.
    pub fn keys(&self, numbers: &Range<usize>) -> &[Key] {
        &self.keys.as_slice()[numbers.clone()]
    }

    /// Returns all expressions in the order of the text.
    pub fn expressions(&self) -> &[Expression] {
        self.expressions.as_slice()
    }

    /// Returns the number of values.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the value with the given index.
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes.as_slice()[number]
    }

    /// Returns the indices of the direct children of a value.
    pub fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        children(number, |number| self.node(number).after)
    }

    /// Returns the ranges of the elements of an array, or of the entries of an inline table.
    pub fn members(&self, number: usize) -> Result<MeteredVec<Range<usize>>, ToolError> {
        let mut members = MeteredVec::default();
        for child in self.children(number) {
            work::charge(1)?;
            let node = self.node(child);
            let start = self.keys(&node.keys).first().map_or(node.span.start, |key| key.span.start);
            members.push(start..node.span.end)?;
        }
        Ok(members)
    }
}

/// Builds a model from parser events.
struct Reader<'t, 'f> {
    model: Model<'t>,
    fault: &'f FirstFault,
    /// Arrays and inline tables that are still open.
    open: MeteredVec<usize>,
    /// Where the table header that is being read starts.
    head: usize,
    /// The index of the first key that no expression or value has taken.
    taken: usize,
}

impl Reader<'_, '_> {
    fn within<T>(&self, result: Result<T, impl Into<ToolError>>) -> Option<T> {
        result.map_err(|error| self.fault.keep(Fault::Error(error.into()))).ok()
    }

    /// Takes the keys that were read since the last call.
    fn take_keys(&mut self) -> Range<usize> {
        let keys = self.taken..self.model.keys.len();
        self.taken = keys.end;
        keys
    }

    fn add_head(&mut self, kind: Kind, end: usize) {
        let keys = self.take_keys();
        let pushed = self.model.expressions.push(Expression { kind, keys, span: self.head..end });
        self.within(pushed);
    }

    /// Adds the node of a value at its start.
    fn begin(&mut self, shape: Shape, span: Span) -> Option<usize> {
        let keys = self.take_keys();
        let number = self.model.nodes.len();
        let node = Node { shape, span: span.start()..span.end(), after: number + 1, keys };
        let pushed = work::charge(1).and_then(|()| self.model.nodes.push(node));
        self.within(pushed)?;
        Some(number)
    }

    /// Records the end of a value. A value at the top level completes a pair.
    fn end(&mut self, number: usize, end: usize) {
        let after = self.model.nodes.len();
        let node = &mut self.model.nodes.as_mut_slice()[number];
        node.span.end = end;
        node.after = after;
        if !self.open.is_empty() {
            return;
        }
        let keys = node.keys.clone();
        let start = self.model.keys(&keys).first().map_or(end, |key| key.span.start);
        let pushed = self.model.expressions.push(Expression { kind: Kind::Pair(number), keys, span: start..end });
        self.within(pushed);
    }

    fn open(&mut self, shape: Shape, span: Span) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let Some(number) = self.begin(shape, span) else { return false };
        let pushed = self.open.push(number);
        self.within(pushed).is_some()
    }

    fn close(&mut self, span: Span) {
        if !self.fault.is_some()
            && let Some(number) = self.open.pop()
        {
            self.end(number, span.end());
        }
    }
}

impl EventReceiver for Reader<'_, '_> {
    fn std_table_open(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.head = span.start();
    }

    fn array_table_open(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.head = span.start();
    }

    fn std_table_close(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.add_head(Kind::Table, span.end());
    }

    fn array_table_close(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.add_head(Kind::Element, span.end());
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.fault.is_some() || self.within(space::check(span.len())).is_none() {
            return;
        }
        let raw = Raw::new_unchecked(&self.model.text[span.start()..span.end()], encoding, span);
        let mut text = Cow::Borrowed("");
        raw.decode_key(&mut text, errors);
        let pushed = self.model.keys.push(Key { text: Str::new(&text), span: span.start()..span.end() });
        self.within(pushed);
    }

    fn inline_table_open(&mut self, span: Span, _errors: &mut dyn ErrorSink) -> bool {
        self.open(Shape::Table, span)
    }

    fn array_open(&mut self, span: Span, _errors: &mut dyn ErrorSink) -> bool {
        self.open(Shape::List, span)
    }

    fn inline_table_close(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn array_close(&mut self, span: Span, _errors: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn scalar(&mut self, span: Span, _encoding: Option<Encoding>, _errors: &mut dyn ErrorSink) {
        if self.fault.is_some() {
            return;
        }
        if let Some(number) = self.begin(Shape::Scalar, span) {
            self.end(number, span.end());
        }
    }
}
