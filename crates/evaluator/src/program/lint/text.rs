//! A text prepared for linting: its bodies, and the targets of its calls.

use std::collections::HashSet;

use crate::program::builtin::Builtin;
use crate::program::higher_order::HigherOrder;
use crate::syntax::ast::{Call, StatementKind, Tree};
use crate::text::Source;
use crate::toolkit::Declaration;

use super::LintContext;
use super::doubt::Doubts;
use super::walk::{Body, is_plain};

/// A text whose structure is known.
pub struct Text<'a> {
    pub source: &'a Source,
    pub tree: &'a Tree,
    pub ground: LintContext<'a>,
    /// Its errors.
    pub doubts: Doubts,
    /// The top level, then the procedures.
    pub bodies: Vec<Body<'a>>,
    /// Whether the top level does more than assign plain values to names.
    pub acts: bool,
    procedures: HashSet<&'a str>,
    modules: HashSet<&'a str>,
}

/// The target of a call.
pub enum Callee<'a> {
    /// A procedure of the text or of a module.
    Procedure,
    Builtin(Builtin),
    /// A function that takes a procedure.
    Over,
    Tool(&'a Declaration),
}

impl<'a> Text<'a> {
    pub fn new(
        source: &'a Source,
        tree: &'a Tree,
        ground: LintContext<'a>,
        doubts: Doubts,
        bodies: Vec<Body<'a>>,
    ) -> Text<'a> {
        let procedures = tree.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Procedure(procedure) => Some(procedure.name.text.as_str()),
            _ => None,
        });
        let procedures = procedures.collect();
        let modules = tree.uses().map(|used| used.name.text.as_str()).collect();
        let acts = tree.statements.iter().any(|statement| statement.runs() && !is_plain(tree, statement));
        Text { source, tree, ground, bodies, doubts, acts, procedures, modules }
    }

    /// Returns whether a body has no errors. For the top level, that is so if the whole text has none, because
    /// procedures read its variables.
    pub fn is_certain(&self, body: &Body<'_>) -> bool {
        match body.span {
            Some(span) => self.doubts.within(span).is_empty(),
            None => self.doubts.is_none(),
        }
    }

    /// Returns the top level and the procedures.
    pub fn top_and_procedures(&self) -> (&Body<'a>, &[Body<'a>]) {
        self.bodies.split_first().expect("a text has a top level")
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

    /// Whether a call is one of EVAL, which may read any name.
    pub fn is_eval(&self, call: &Call) -> bool {
        matches!(self.callee(call), Some(Callee::Builtin(Builtin::Eval)))
    }

    /// Returns the tool that a call calls.
    pub fn tool(&self, call: &Call) -> Option<&'a Declaration> {
        match self.callee(call) {
            Some(Callee::Tool(tool)) => Some(tool),
            _ => None,
        }
    }

    /// Finds a tool by name.
    pub fn find_tool(&self, name: &str) -> Option<&'a Declaration> {
        let registry = self.ground.gate.registry();
        registry.find(name).map(|id| registry.get(id))
    }
}
