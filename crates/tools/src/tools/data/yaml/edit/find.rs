//! Finds places in a YAML text.

use std::ops::Range;

use crate::limits::{MeteredVec, work};
use crate::toolkit::ToolError;

use super::super::super::super::edit::{Edit, Part, display};
use super::compose::Holder;
use super::tree::{Node, Shape, Tree};

/// A node and its container.
#[derive(Clone, Copy)]
pub struct Slot {
    /// The index of the node.
    pub node: usize,
    /// Where the indicator before the node ends: a colon, a dash or the start of the document. Between it and
    /// the node are only blanks, comments, an anchor and a tag.
    pub from: usize,
    /// The container of the node.
    pub holder: Holder,
    /// Whether an indicator precedes the node; a key in a flow mapping may have no value and no colon.
    pub has_sign: bool,
}

/// The parts between an indicator and the content after it.
#[derive(Default)]
pub struct Gap {
    /// The anchor and tag.
    pub properties: Option<Range<usize>>,
    /// The indicator of a block scalar, `|` or `>`.
    pub sign: Option<Range<usize>>,
    /// Where the content starts; for a block sequence, its first dash.
    pub content: usize,
}

impl Gap {
    /// Returns where the node starts, including its properties and indicator.
    pub fn start(&self) -> usize {
        let sign = self.sign.as_ref().map_or(self.content, |sign| sign.start);
        self.properties.as_ref().map_or(sign, |properties| properties.start)
    }
}

impl Tree<'_> {
    /// Returns the root node of the document, if there is one.
    pub fn root(&self) -> Option<Slot> {
        (self.len() > 0).then_some(Slot { node: 0, from: self.start, holder: Holder::Document, has_sign: true })
    }

    /// Returns the parts before the content of a node.
    pub fn gap(&self, slot: &Slot) -> Gap {
        let node = self.node(slot.node);
        let bytes = self.text.as_bytes();
        let mut gap = Gap { content: node.start, ..Gap::default() };
        let mut at = self.skip(slot.from);
        while at < self.text.len() {
            let is_property =
                matches!(bytes[at], b'&' | b'!') && (at < node.start || node.is_block() || node.is_empty());
            if is_property {
                let end = self.token_end(at);
                let start = gap.properties.as_ref().map_or(at, |properties| properties.start);
                gap.properties = Some(start..end);
                at = self.skip(end);
                continue;
            }
            if node.is_text_block() && matches!(bytes[at], b'|' | b'>') {
                gap.sign = Some(at..self.token_end(at));
            }
            if matches!(node.shape, Shape::List { in_brackets: false }) && bytes[at] == b'-' {
                gap.content = at;
            }
            break;
        }
        gap
    }

    fn token_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + rest.find([' ', '\t', '\r', '\n', ',', ']', '}']).unwrap_or(rest.len())
    }

    /// Follows a path from the root. Returns `None` if a part is missing.
    pub fn follow(&self, job: &Edit<'_>, parts: &[Part]) -> Result<Option<Slot>, ToolError> {
        let mut slot = self.root();
        for (number, part) in parts.iter().enumerate() {
            work::charge(1)?;
            let Some(outer) = slot else { return Ok(None) };
            self.admit(job, &outer, &parts[..number])?;
            slot = match part {
                Part::Name(_) => self.entry(&outer, part)?.map(|(_, slot)| slot),
                Part::Index(index) => self.items(&outer)?.as_slice().get(*index).copied(),
            };
        }
        Ok(slot)
    }

    /// Refuses a container that cannot be changed on its own: an alias, a node whose anchor is used, or a pair
    /// in a list without braces.
    pub fn admit(&self, job: &Edit<'_>, outer: &Slot, parts: &[Part]) -> Result<(), ToolError> {
        let node = self.node(outer.node);
        if node.shape == Shape::Alias {
            let reason = format!("{} is the alias `{}`", display(parts), &self.text[node.start..node.end]);
            return Err(job.refused(&reason).hint("change it where its anchor stands"));
        }
        if self.is_used(node) {
            let reason = format!("{} has an anchor that an alias uses, which would change too", display(parts));
            return Err(job.refused(&reason).hint("put the values in the places of the aliases first"));
        }
        if node.is_in_brackets() && !self.text[node.start..].starts_with(['[', '{']) {
            return Err(job.refused("it is a pair in a list without braces"));
        }
        Ok(())
    }

    /// Returns the key and value of the entry with the given name.
    pub fn entry(&self, outer: &Slot, part: &Part) -> Result<Option<(usize, Slot)>, ToolError> {
        let Part::Name(name) = part else { return Ok(None) };
        let mut children = self.children(outer.node);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            work::charge(1)?;
            if self.node(key).key.as_ref() == Some(name) {
                return Ok(Some((key, self.value_slot(outer, key, value))));
            }
        }
        Ok(None)
    }

    fn value_slot(&self, outer: &Slot, key: usize, value: usize) -> Slot {
        let map = self.node(outer.node);
        let colon = self.skip(self.node(key).end);
        let has_sign = self.text[colon..].starts_with(':') && colon <= self.node(value).start;
        let holder = if map.is_in_brackets() { Holder::Brackets } else { Holder::Map(self.column(map.start)) };
        let from = if has_sign { colon + 1 } else { self.node(key).end };
        Slot { node: value, from, holder, has_sign }
    }

    /// Returns the elements of a list.
    pub fn items(&self, outer: &Slot) -> Result<MeteredVec<Slot>, ToolError> {
        let mut items = MeteredVec::default();
        let list = self.node(outer.node);
        let content = self.gap(outer).content;
        let column = self.column(content);
        let mut from = if list.is_in_brackets() { list.start + 1 } else { content };
        for node in self.children(outer.node) {
            work::charge(1)?;
            let sign = self.skip(from);
            let slot = if list.is_in_brackets() {
                Slot { node, from, holder: Holder::Brackets, has_sign: true }
            } else {
                Slot { node, from: sign + 1, holder: Holder::List(column), has_sign: true }
            };
            items.push(slot)?;
            from = self.node(node).end.max(slot.from);
            if list.is_in_brackets() {
                let comma = self.skip(from);
                from = if self.text[comma..].starts_with(',') { comma + 1 } else { from };
            }
        }
        Ok(items)
    }

    /// Returns the ranges of the members of a flow collection.
    pub fn members(&self, outer: &Node, number: usize) -> Result<MeteredVec<Range<usize>>, ToolError> {
        let mut members = MeteredVec::default();
        let mut from = outer.start + 1;
        let mut children = self.children(number);
        while let Some(first) = children.next() {
            work::charge(1)?;
            let last = match outer.shape {
                Shape::Map { .. } => children.next().unwrap_or(first),
                _ => first,
            };
            let end = self.node(first).end.max(self.node(last).end);
            let start = self.skip(from).min(end);
            members.push(start..end)?;
            let comma = self.skip(end);
            from = if self.text[comma..].starts_with(',') { comma + 1 } else { end };
        }
        Ok(members)
    }

    /// Refuses to replace a node that contains an anchor which is used elsewhere.
    pub fn admit_loss(&self, job: &Edit<'_>, number: usize) -> Result<(), ToolError> {
        let after = self.node(number).after;
        // Anchors are numbered in the order of the text, so those inside one node are consecutive.
        let mut anchors: Option<(usize, usize)> = None;
        for inside in number..after {
            work::charge(1)?;
            let node = self.node(inside);
            if self.is_used(node) {
                anchors = Some((anchors.map_or(node.anchor, |(low, _)| low), node.anchor));
            }
        }
        let Some((low, high)) = anchors else { return Ok(()) };
        for outside in (0..number).chain(after..self.len()) {
            work::charge(1)?;
            let node = self.node(outside);
            if node.shape == Shape::Alias && (low..=high).contains(&node.anchor) {
                let reason = format!("`{}` elsewhere means its anchor", &self.text[node.start..node.end]);
                return Err(job.refused(&reason).hint("put the value in the place of the alias first"));
            }
        }
        Ok(())
    }
}
