//! The names that a body reads, and the places where it does.

use std::collections::{HashMap, HashSet};

use foldhash::quality::RandomState;

use crate::program::statements::set_by;
use crate::syntax::ast::{ExprId, ExprKind, Statement, StatementKind, Tree};
use crate::syntax::keyword::{first_word, is_keyword};
use crate::syntax::{Part, Template};

use super::names::{Callee, Names};

/// The names that a body reads.
#[derive(Default)]
pub struct Reads<'a> {
    names: HashMap<&'a str, Read, RandomState>,
    /// Where `LAST` and `LAST_ERROR` are read, which hold the outcome of any call; in source order.
    pub outcomes: Vec<u32>,
    /// Where procedures and tools are called, in source order.
    pub calls: Vec<u32>,
    /// Where EVAL is called, which may read any name; in source order.
    pub evals: Vec<u32>,
    /// Whether EVAL expands a text that is not known.
    pub expands_unknown: bool,
    /// Whether `LAST_ERROR` may be read.
    pub reads_errors: bool,
    /// Whether a template that is not a literal is expanded, so that any text may be one.
    pub expands_value: bool,
    /// Words in the braces of texts.
    pub in_braces: HashSet<&'a str>,
}

/// The places where a name is read.
#[derive(Default)]
struct Read {
    /// In source order.
    places: Vec<u32>,
    /// Whether the value is used for something other than a new value of the same variable.
    is_used: bool,
}

impl<'a> Reads<'a> {
    /// Collects the names that statements read, with the expressions in them.
    pub fn of(tree: &'a Tree, names: &Names<'a>, statements: &[&'a Statement], expressions: &[ExprId]) -> Reads<'a> {
        let mut reads = Reads::default();
        let own: HashSet<ExprId> = statements.iter().filter_map(|statement| own_value(tree, statement)).collect();
        for id in expressions {
            let expr = &tree[*id];
            let place = expr.span.start;
            match &expr.kind {
                ExprKind::Last => reads.outcomes.push(place),
                ExprKind::Name(name) => reads.add(name, place, !own.contains(id)),
                ExprKind::Text(written) => reads.in_braces.extend(words_in_braces(written)),
                ExprKind::Template(template, _) => {
                    expanded(template).for_each(|name| reads.add(name, place, true));
                    reads.in_braces.extend(words_in_braces(template));
                }
                ExprKind::Call(call) => {
                    let template = call.args.first().map(|arg| &tree[arg.value].kind);
                    reads.add_call(names.callee(call), template, place);
                }
                _ => {}
            }
        }
        for statement in statements {
            let StatementKind::Set { targets, .. } = &statement.kind else { continue };
            let parts = targets.iter().filter(|target| !target.steps.is_empty());
            parts.for_each(|part| reads.add(&part.name.text, statement.span.start, false));
        }
        reads.names.values_mut().for_each(|read| read.places.sort_unstable());
        [&mut reads.outcomes, &mut reads.calls, &mut reads.evals].into_iter().for_each(|places| places.sort_unstable());
        reads
    }

    fn add(&mut self, name: &'a str, place: u32, is_used: bool) {
        let is_error = is_keyword(name, "LAST_ERROR");
        self.reads_errors |= is_error;
        if is_error || is_keyword(name, "LAST") {
            self.outcomes.push(place);
        }
        let read = self.names.entry(name).or_default();
        read.places.push(place);
        read.is_used |= is_used;
    }

    fn add_call(&mut self, callee: Option<Callee<'_>>, template: Option<&'a ExprKind>, place: u32) {
        let is_eval = callee.is_some_and(Callee::is_eval);
        let expands = is_eval || callee.is_some_and(Callee::expands_template);
        self.expands_value |= expands && !matches!(template, Some(ExprKind::Text(_)));
        if is_eval {
            self.evals.push(place);
            self.reads_errors = true;
            match template {
                Some(ExprKind::Text(template)) => expanded(template).for_each(|name| self.add(name, place, true)),
                _ => self.expands_unknown = true,
            }
        } else if !matches!(callee, Some(Callee::Builtin(_))) {
            self.calls.push(place);
        }
    }

    /// Returns the names that are read.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    /// Returns the names whose values are used for something other than a new value of the same variable.
    pub fn used(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().filter(|(_, read)| read.is_used).map(|(name, _)| *name)
    }

    /// Returns where a name is read.
    pub fn places(&self, name: &str) -> &[u32] {
        self.names.get(name).map_or(&[], |read| &read.places)
    }
}

/// Returns the `x` in the value of `SET x = x + …`: only a later read of `x` can show it.
fn own_value(tree: &Tree, statement: &Statement) -> Option<ExprId> {
    let StatementKind::Set { value, .. } = &statement.kind else { return None };
    let ExprKind::Chain(first, _) = &tree[*value].kind else { return None };
    let set = set_by(statement)?;
    matches!(&tree[*first].kind, ExprKind::Name(name) if *name == set.text).then_some(*first)
}

/// Returns the words that follow an opening brace in a text, where a reader may expect a value.
fn words_in_braces(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').map(|(open, brace)| first_word(text[open + brace.len()..].trim_start()))
}

/// Returns the names that a template expands.
fn expanded(template: &str) -> impl Iterator<Item = &str> {
    Template::new(template).filter_map(|part| match part {
        Part::Placeholder(name, _) => Some(name.split('.').next().unwrap_or(name)),
        Part::Text(_) => None,
    })
}
