//! Which names a body of statements sets: its variables, found before anything else.

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;

use crate::syntax::ast::{Block, Name, Place, Procedure, StatementKind, Tree};

use super::tree::Slot;

/// The variables of one body, in the order in which they are first set.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    names: Vec<CompactString>,
    slots: HashMap<CompactString, Slot>,
}

impl Variables {
    /// The variables of an earlier part of the same top level.
    pub fn from_names(names: &[CompactString]) -> Variables {
        let mut variables = Variables::default();
        for name in names {
            variables.add(name);
        }
        variables
    }

    /// The variables of a procedure: its parameters and all that its statements set. A place in a variable of the script,
    /// `outer`, is none of its own.
    pub fn of_procedure(procedure: &Procedure, tree: &Tree, outer: &Variables) -> Variables {
        let mut variables = Variables::default();
        for param in &procedure.params {
            variables.add(&param.name.text);
        }
        variables.collect(&procedure.body, Text { tree, outer });
        variables
    }

    /// Adds what the top-level statements of a script set.
    pub fn add_top(&mut self, tree: &Tree) {
        self.collect(&tree.statements, Text { tree, outer: &Variables::default() });
    }

    /// The slot of a name.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied()
    }

    /// All names, in the order of their slots.
    pub fn names(&self) -> &[CompactString] {
        &self.names
    }

    fn add(&mut self, name: &CompactString) {
        if !self.slots.contains_key(name) {
            self.slots.insert(name.clone(), Slot(self.names.len() as u32));
            self.names.push(name.clone());
        }
    }

    fn add_name(&mut self, name: &Name) {
        self.add(&name.text);
    }

    fn collect(&mut self, block: &Block, text: Text<'_>) {
        for statement in block {
            match &statement.kind {
                StatementKind::Set { targets, .. } => {
                    let begun = targets.iter().filter(|place| text.begins(place));
                    begun.for_each(|place| self.add_name(&place.name));
                }
                StatementKind::If { arms, otherwise } => {
                    arms.iter().for_each(|arm| self.collect(&arm.body, text));
                    otherwise.iter().for_each(|block| self.collect(block, text));
                }
                StatementKind::For { first, second, body, .. } => {
                    self.add_name(first);
                    second.iter().for_each(|name| self.add_name(name));
                    self.collect(body, text);
                }
                StatementKind::OnError { name, body } => {
                    name.iter().for_each(|name| self.add_name(name));
                    self.collect(body, text);
                }
                StatementKind::While { body, .. } | StatementKind::Command(body) | StatementKind::Broken(body) => {
                    self.collect(body, text);
                }
                _ => {}
            }
        }
    }
}

/// Where places stand.
#[derive(Clone, Copy)]
struct Text<'a> {
    tree: &'a Tree,
    outer: &'a Variables,
}

impl Text<'_> {
    /// Whether a place makes its variable one of the body in which it stands.
    fn begins(&self, place: &Place) -> bool {
        place.steps.is_empty() || place.may_begin(self.tree) && self.outer.find(&place.name.text).is_none()
    }
}

/// The words of all lines that could not be parsed: names that they may have set.
pub fn doubtful_words(block: &Block, words: &mut HashSet<CompactString>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Bad(found) => words.extend(found.iter().cloned()),
            StatementKind::If { arms, otherwise } => {
                arms.iter().for_each(|arm| doubtful_words(&arm.body, words));
                otherwise.iter().for_each(|block| doubtful_words(block, words));
            }
            StatementKind::While { body, .. }
            | StatementKind::For { body, .. }
            | StatementKind::OnError { body, .. }
            | StatementKind::Command(body)
            | StatementKind::Broken(body) => doubtful_words(body, words),
            StatementKind::Procedure(procedure) => doubtful_words(&procedure.body, words),
            _ => {}
        }
    }
}
