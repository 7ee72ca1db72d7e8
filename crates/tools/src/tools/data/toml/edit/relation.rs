//! How the expressions of a TOML text relate to one place: which lead to it, and which are inside it.

use crate::limits::{MeteredVec, work};
use crate::toolkit::ToolError;

use super::super::super::super::edit::Part;
use super::model::{Key, Kind, Model};

/// How an expression relates to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The expression is unrelated to the place.
    Apart,
    /// The keys match this many parts of the path to the place.
    Towards(usize),
    /// The expression is the place: its keys match the whole path.
    At,
    /// The expression is inside the place.
    Inside,
}

impl Relation {
    /// Returns whether the expression is the place or inside it.
    pub fn is_within(self) -> bool {
        matches!(self, Relation::At | Relation::Inside)
    }
}

/// The relations of all expressions to a place.
pub struct Relations {
    /// The relation of each expression, by its index.
    pub list: MeteredVec<Relation>,
    /// The index of the header above each expression; for a header, its own index.
    pub heads: MeteredVec<Option<usize>>,
}

/// Computes the relations of all expressions to a place.
pub fn relations(model: &Model<'_>, parts: &[Part]) -> Result<Relations, ToolError> {
    let mut made = Relations { list: MeteredVec::default(), heads: MeteredVec::default() };
    let mut walk = Walk { parts, counts: MeteredVec::default() };
    walk.counts.resize(parts.len() + 1, 0)?;
    let mut section = if parts.is_empty() { Relation::At } else { Relation::Towards(0) };
    let root = section;
    let mut head = None;
    for (number, expression) in model.expressions().iter().enumerate() {
        work::charge(1)?;
        let keys = model.keys(&expression.keys);
        let relation = match expression.kind {
            Kind::Pair(_) => walk.follow(section, keys, KeyContext::Pair)?,
            kind => {
                head = Some(number);
                section = walk.follow(
                    root,
                    keys,
                    if kind == Kind::Element { KeyContext::Element } else { KeyContext::Table },
                )?;
                section
            }
        };
        made.list.push(relation)?;
        made.heads.push(head)?;
    }
    Ok(made)
}

/// Where a sequence of keys occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyContext {
    Pair,
    Table,
    Element,
}

struct Walk<'a> {
    parts: &'a [Part],
    /// For each part of the path that is an index: the number of elements seen so far in its array.
    counts: MeteredVec<usize>,
}

impl Walk<'_> {
    fn follow(&mut self, from: Relation, keys: &[Key], way: KeyContext) -> Result<Relation, ToolError> {
        let mut relation = from;
        for (number, key) in keys.iter().enumerate() {
            work::charge(1)?;
            let is_last = number + 1 == keys.len();
            relation = match relation {
                Relation::At | Relation::Inside => Relation::Inside,
                Relation::Towards(at) => self.step(at, key, way, is_last),
                Relation::Apart => return Ok(Relation::Apart),
            };
        }
        Ok(relation)
    }

    fn step(&mut self, at: usize, key: &Key, way: KeyContext, is_last: bool) -> Relation {
        match &self.parts[at] {
            Part::Name(name) if *name == key.text => {}
            _ => return Relation::Apart,
        }
        let next = at + 1;
        let is_list = match self.parts.get(next) {
            None => return if is_last { Relation::At } else { Relation::Inside },
            Some(Part::Name(_)) => false,
            Some(Part::Index(_)) => way != KeyContext::Pair,
        };
        if !is_list {
            return Relation::Towards(next);
        }
        let count = &mut self.counts.as_mut_slice()[next];
        *count += usize::from(way == KeyContext::Element && is_last);
        match &self.parts[next] {
            Part::Index(index) if *index + 1 == *count => {
                if next + 1 == self.parts.len() {
                    Relation::At
                } else {
                    Relation::Towards(next + 1)
                }
            }
            _ => Relation::Apart,
        }
    }
}
