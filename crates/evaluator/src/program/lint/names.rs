//! Resolution of the names of calls in a text.

use std::collections::HashSet;

use crate::program::builtin::Builtin;
use crate::program::higher_order::HigherOrder;
use crate::syntax::ast::{Call, Tree};
use crate::toolkit::{Declaration, Registry};

/// The names that calls of a text can have.
pub struct Names<'a> {
    procedures: HashSet<&'a str>,
    modules: HashSet<&'a str>,
    registry: &'a Registry,
}

/// The target of a call.
#[derive(Clone, Copy)]
pub enum Callee<'a> {
    /// A procedure of the text or of a module.
    Procedure,
    Builtin(Builtin),
    /// A function that takes a procedure.
    Over,
    Tool(&'a Declaration),
}

impl Callee<'_> {
    /// Whether this is EVAL, which may read any name.
    pub fn is_eval(self) -> bool {
        matches!(self, Callee::Builtin(Builtin::Eval))
    }

    /// Whether this is a tool that expands its first argument as a template.
    pub fn expands_template(self) -> bool {
        matches!(self, Callee::Tool(tool) if ["STR.Format", "TEXT.Template"].contains(&tool.spec.name))
    }
}

impl<'a> Names<'a> {
    pub fn of(tree: &'a Tree, registry: &'a Registry) -> Names<'a> {
        Names {
            procedures: tree.procedures().map(|procedure| procedure.name.text.as_str()).collect(),
            modules: tree.uses().map(|used| used.name.text.as_str()).collect(),
            registry,
        }
    }

    /// Resolves a call in the same order as lowering. Returns `None` if nothing has the name.
    pub fn callee(&self, call: &Call) -> Option<Callee<'a>> {
        self.named(call.callee.as_str())
    }

    /// Returns what a call of this name calls.
    pub fn named(&self, name: &str) -> Option<Callee<'a>> {
        let is_module = name.split_once('.').is_some_and(|(module, _)| self.modules.contains(module));
        if self.procedures.contains(name) || is_module {
            return Some(Callee::Procedure);
        }
        if let Some(builtin) = Builtin::find(name) {
            return Some(Callee::Builtin(builtin));
        }
        if HigherOrder::find(name).is_some() {
            return Some(Callee::Over);
        }
        self.find_tool(name).map(Callee::Tool)
    }

    /// Finds a tool by name.
    pub fn find_tool(&self, name: &str) -> Option<&'a Declaration> {
        self.registry.find(name).map(|id| self.registry.get(id))
    }
}
