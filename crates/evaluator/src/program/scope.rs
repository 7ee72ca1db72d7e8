//! Variables of a body: the names that its statements set, collected before lowering.

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;
use foldhash::quality::RandomState;

use crate::syntax::ast::{AssignTarget, Block, Name, Procedure, StatementKind, Tree};

use super::tree::Slot;

/// The variables of one body, in the order of their first assignment.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    names: Vec<CompactString>,
    slots: HashMap<CompactString, Slot, RandomState>,
}

impl Variables {
    /// Creates variables from those of an earlier part of the same top level.
    pub fn from_names(names: &[CompactString]) -> Variables {
        let mut variables = Variables::default();
        for name in names {
            variables.add(name);
        }
        variables
    }

    /// Collects the variables of a procedure: its parameters and all names that its statements set. A place in a
    /// variable of the script, `outer`, does not create a variable of the procedure.
    pub fn of_procedure(procedure: &Procedure, tree: &Tree, outer: &Variables) -> Variables {
        let mut variables = Variables::default();
        for param in &procedure.params {
            variables.add(&param.name.text);
        }
        variables.collect(&procedure.body, Text { tree, outer });
        variables
    }

    /// Adds the variables that the top-level statements of a script set.
    pub fn add_top(&mut self, tree: &Tree) {
        self.collect(&tree.statements, Text { tree, outer: &Variables::default() });
    }

    /// Returns the slot of a name.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied()
    }

    /// Returns all names, in slot order.
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

/// The context of a place.
#[derive(Clone, Copy)]
struct Text<'a> {
    tree: &'a Tree,
    outer: &'a Variables,
}

impl Text<'_> {
    /// Returns whether a place makes its variable one of the body that contains it.
    fn begins(&self, place: &AssignTarget) -> bool {
        place.steps.is_empty() || place.may_begin(self.tree) && self.outer.find(&place.name.text).is_none()
    }
}

/// Adds the words of all lines that could not be parsed: they may have set these names.
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
