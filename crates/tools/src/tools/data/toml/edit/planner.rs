//! The state of planning: the parsed text, the job, and the splices so far; how a path is found and values are spelled.

use std::ops::Range;

use crate::gate::Context;
use crate::limits::work;
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::super::super::build::TextBuilder;
use super::super::super::super::edit::flow::BracketedList;
use super::super::super::super::edit::lines::indented;
use super::super::super::super::edit::{Edit, Part, Splices};
use super::model::{Kind, Model, Shape};
use super::relation::{Relation, Relations};
use super::spell;

/// The state of planning.
pub struct Planner<'a, 'c, 't> {
    /// The parsed text.
    pub model: Model<'t>,
    /// The job.
    pub job: &'a Edit<'t>,
    /// The line break of the text.
    pub line_break: &'static str,
    /// The splices so far.
    pub splices: Splices,
    /// The context of the call.
    pub context: &'a mut Context<'c>,
}

/// A value in the text, and the array or inline table that contains it.
pub struct Found {
    /// The value.
    pub node: usize,
    /// Its place in an array or inline table.
    pub outer: Option<Member>,
}

/// A place in an array or inline table.
#[derive(Clone, Copy)]
pub struct Member {
    /// The array or inline table.
    pub node: usize,
    /// The index in it.
    pub number: usize,
}

impl<'t> Planner<'_, '_, 't> {
    /// Returns the value at a path if it belongs to a pair, possibly inside arrays and inline tables.
    pub fn find(&self, relations: &Relations, parts: &[Part]) -> Result<Option<Found>, ToolError> {
        for (expression, relation) in self.model.expressions().iter().zip(relations.list.as_slice()) {
            work::charge(1)?;
            let Kind::Pair(node) = expression.kind else { continue };
            let rest = match relation {
                Relation::At => &[],
                Relation::Towards(at) => &parts[*at..],
                _ => continue,
            };
            if let Some(found) = self.descend(node, rest)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn descend(&self, node: usize, mut rest: &[Part]) -> Result<Option<Found>, ToolError> {
        let mut found = Found { node, outer: None };
        while !rest.is_empty() {
            let mut next = None;
            for (number, child) in self.model.children(found.node).enumerate() {
                work::charge(1)?;
                let taken = match (self.model.node(found.node).shape, &rest[0]) {
                    (Shape::List, Part::Index(index)) => usize::from(*index == number),
                    (Shape::Table, Part::Name(_)) => self.named(child, rest),
                    _ => 0,
                };
                if taken > 0 {
                    next = Some((child, number, taken));
                    break;
                }
            }
            let Some((child, number, taken)) = next else { return Ok(None) };
            found = Found { node: child, outer: Some(Member { node: found.node, number }) };
            rest = &rest[taken..];
        }
        Ok(Some(found))
    }

    /// Returns how many parts of the path the keys of an inline entry cover; 0 if they lead elsewhere.
    fn named(&self, child: usize, rest: &[Part]) -> usize {
        let keys = self.model.keys(&self.model.node(child).keys);
        let fits = keys.len() <= rest.len()
            && keys.iter().zip(rest).all(|(key, part)| matches!(part, Part::Name(name) if *name == key.text));
        if fits { keys.len() } else { 0 }
    }

    /// Formats a value to be written in a line.
    pub fn inline(&mut self, value: &Value) -> Result<String, ToolError> {
        let mut made = TextBuilder::default();
        spell::inline(self.context, &mut made, value)?;
        Ok(made.into_held().0)
    }

    /// Returns an array or inline table with these members.
    pub fn flow<'a>(&self, node: usize, members: &'a [Range<usize>]) -> BracketedList<'a>
    where
        't: 'a,
    {
        let span = &self.model.node(node).span;
        BracketedList { text: self.model.text, open: span.start, close: span.end - 1, members, has_comments: true }
    }

    /// Returns the dotted name of a path extended by one part.
    pub fn path_to(&self, parts: &[Part], part: &Part) -> String {
        let names = parts.iter().chain([part]).filter_map(|part| match part {
            Part::Name(name) => Some(spell::key(&name.as_text())),
            Part::Index(_) => None,
        });
        names.collect::<Vec<_>>().join(".")
    }

    /// Formats a value as tables with headers.
    pub fn sections(&mut self, way: &str, value: &Value, is_element: bool) -> Result<String, ToolError> {
        let mut made = TextBuilder::default();
        spell::sections(self.context, &mut made, way, value, is_element)?;
        let (text, _held) = made.into_held();
        Ok(indented(&text, "", self.line_break)?)
    }

    /// Returns the separator between key and value, spaced as in the pair with the given value.
    pub fn equals(&self, node: usize) -> &'static str {
        if node >= self.model.node_count() {
            return " = ";
        }
        let node = self.model.node(node);
        let key = self.model.keys(&node.keys).last();
        match key.map(|key| &self.model.text[key.span.end..node.span.start]) {
            Some("=") => "=",
            _ => " = ",
        }
    }

    /// Returns the last expression inside a place, excluding those to be removed.
    pub fn last_within(&self, relations: &Relations, gone: &[bool]) -> Option<usize> {
        let list = relations.list.as_slice();
        (0..list.len()).rev().find(|number| list[*number].is_within() && !is_gone(gone, *number))
    }

    /// Returns the keys of a pair that lead to a place, as written in the text.
    pub fn prefix(&self, relations: &Relations, parts: &[Part], pair: usize) -> &'t str {
        let reached = match relations.heads.as_slice()[pair].map(|head| relations.list.as_slice()[head]) {
            Some(Relation::Towards(at)) => at,
            _ => 0,
        };
        let keys = self.model.keys(&self.model.expressions()[pair].keys);
        let last = &keys[parts.len() - reached - 1];
        &self.model.text[keys[0].span.start..last.span.end]
    }
}

/// Returns whether an expression is to be removed.
pub fn is_gone(gone: &[bool], number: usize) -> bool {
    gone.get(number).copied().unwrap_or(false)
}
