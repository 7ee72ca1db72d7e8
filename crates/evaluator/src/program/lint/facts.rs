//! The facts about a body that findings about other bodies depend on.

use std::collections::HashSet;

use compact_str::CompactString;

use crate::syntax::ast::{ExprKind, Tree};

use super::braces::expands_value;
use super::names::Names;
use super::walk::Body;

/// What a body reads, sets and mentions.
#[derive(Debug, Default)]
pub struct Facts {
    /// The names that it reads.
    pub reads: Vec<CompactString>,
    /// Those whose values are used for something other than a new value of the same variable.
    pub used: Vec<CompactString>,
    /// Words in the braces of its texts.
    pub in_braces: Vec<CompactString>,
    /// The names that it sets, and its parameters.
    pub sets: Vec<CompactString>,
    /// The names and the first parts of dotted names in it, each of which may be that of a module.
    pub mentions: Vec<CompactString>,
    /// Whether EVAL expands a text that is not known.
    pub expands_unknown: bool,
    /// Whether `LAST_ERROR` may be read.
    pub reads_errors: bool,
    /// Whether a template that is not a literal is expanded.
    pub expands_value: bool,
}

impl Facts {
    /// Collects the facts about a body.
    pub fn of(tree: &Tree, names: &Names<'_>, body: &Body<'_>) -> Facts {
        let own = |names: HashSet<&str>| names.into_iter().map(CompactString::from).collect();
        let reads = &body.reads;
        Facts {
            reads: own(reads.names().collect()),
            used: own(reads.used().collect()),
            in_braces: own(reads.in_braces.clone()),
            sets: own(body.names_set().chain(body.params()).collect()),
            mentions: own(mentions(tree, body).collect()),
            expands_unknown: reads.expands_unknown,
            reads_errors: reads.reads_errors,
            expands_value: expands_value(tree, names, body),
        }
    }

    /// Returns the approximate size in bytes.
    pub fn size(&self) -> usize {
        let lists = [&self.reads, &self.used, &self.in_braces, &self.sets, &self.mentions];
        lists.iter().map(|list| list.len() * size_of::<CompactString>()).sum()
    }
}

/// Returns the names and the first parts of dotted names in a body.
pub fn mentions<'a>(tree: &'a Tree, body: &Body<'a>) -> impl Iterator<Item = &'a str> {
    body.expressions.iter().filter_map(|id| match &tree[*id].kind {
        ExprKind::Call(call) => call.callee.split('.').next(),
        // The argument of `LIST.Map`.
        ExprKind::Name(name) => Some(name.as_str()),
        ExprKind::Text(named) => named.split('.').next(),
        _ => None,
    })
}
