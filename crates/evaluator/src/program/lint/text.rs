//! A text prepared for linting: its bodies, and the targets of its calls.

use std::rc::Rc;

use crate::program::known::{CleanProcedure, Facts, OutsideFacts};
use crate::syntax::ast::{Call, ExprKind, StatementKind, Tree};
use crate::text::{Diagnostic, Source};
use crate::toolkit::Declaration;

use super::LintContext;
use super::doubt::Doubts;
use super::names::{Callee, Names};
use super::walk::{Body, is_plain};

/// A text whose structure is known.
pub struct Text<'a> {
    pub source: &'a Source,
    pub tree: &'a Tree,
    pub ground: LintContext<'a>,
    /// Its errors.
    pub doubts: Doubts,
    /// The top level, then the procedures, except for those in which there is nothing to find.
    pub bodies: Vec<Body<'a>>,
    /// The procedures in which there is nothing to find.
    pub clean: Vec<Rc<CleanProcedure>>,
    /// The facts about the text on which findings about each procedure depend.
    pub outside: OutsideFacts,
    /// Whether the top level does more than assign plain values to names.
    pub acts: bool,
    names: Names<'a>,
}

impl<'a> Text<'a> {
    /// Prepares a text about which there are findings. Returns `None` if its structure is uncertain.
    pub fn new(source: &'a Source, tree: &'a Tree, ground: LintContext<'a>, found: &[Diagnostic]) -> Option<Text<'a>> {
        let names = Names::of(tree, ground.gate.registry());
        let (mut bodies, mut skipped) = (vec![Body::top(tree)], Vec::new());
        for statement in &tree.statements {
            let StatementKind::Procedure(procedure) = &statement.kind else { continue };
            match ground.clean(procedure) {
                Some(clean) => skipped.push((statement, clean)),
                None => bodies.extend(Body::of_procedure(tree, statement)),
            }
        }
        let clean = skipped.iter().map(|(_, clean)| &clean.facts);
        let doubts = Doubts::of(source, &bodies, clean, found)?;
        let mut bodies: Vec<Body<'_>> = bodies.into_iter().map(|body| body.with_reads(tree, &names)).collect();
        let facts = || skipped.iter().map(|(_, clean)| &clean.facts);
        let reads = || bodies.iter().map(|body| &body.reads);
        let outside = OutsideFacts {
            reads_errors: facts().any(|facts| facts.reads_errors) || reads().any(|reads| reads.reads_errors),
            expands_values: facts().any(|facts| facts.expands_value) || reads().any(|reads| reads.expands_value),
            reads_last: tree.exprs().iter().any(|expr| matches!(expr.kind, ExprKind::Last)),
        };
        let (clean, others): (Vec<_>, Vec<_>) = skipped.into_iter().partition(|(_, clean)| clean.outside == outside);
        for (statement, _) in others {
            bodies.extend(Body::of_procedure(tree, statement).map(|body| body.with_reads(tree, &names)));
        }
        let clean = clean.into_iter().map(|(_, clean)| clean).collect();
        let acts = tree.statements.iter().any(|statement| statement.runs() && !is_plain(tree, statement));
        Some(Text { source, tree, ground, doubts, bodies, clean, outside, acts, names })
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

    /// Returns the facts about the procedures in which there is nothing to find.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        self.clean.iter().map(|clean| &clean.facts)
    }

    /// Resolves a call in the same order as lowering. Returns `None` if nothing has the name.
    pub fn callee(&self, call: &Call) -> Option<Callee<'a>> {
        self.names.callee(call)
    }

    /// Returns what a call of this name calls.
    pub fn named(&self, name: &str) -> Option<Callee<'a>> {
        self.names.named(name)
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
        self.names.find_tool(name)
    }
}
