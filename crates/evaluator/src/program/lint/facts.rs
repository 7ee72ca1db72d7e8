//! The facts about a body that findings about other bodies depend on.

use std::collections::HashSet;

use compact_str::CompactString;

use crate::program::known::Facts;
use crate::syntax::ast::{ExprKind, Tree};

use super::walk::Body;

/// Returns the facts about a body.
pub fn facts(tree: &Tree, body: &Body<'_>) -> Facts {
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
        expands_value: reads.expands_value,
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
