//! The statements of a tree, with those nested in them, and the names that they set. Nothing here recurses.

use crate::syntax::ast::{AssignTarget, Block, Name, Statement, StatementKind};
use crate::text::Span;

/// Returns all blocks of a body, outer ones first.
pub fn blocks(body: &Block) -> Vec<&Block> {
    let mut found = vec![body];
    let mut at = 0;
    while at < found.len() {
        found.extend(found[at].iter().flat_map(Statement::blocks));
        at += 1;
    }
    found
}

/// Returns all statements of a block including nested ones, in source order.
pub fn statements(block: &Block) -> Vec<&Statement> {
    let mut found = Vec::with_capacity(block.len());
    let mut ahead = vec![block.iter()];
    while let Some(rest) = ahead.last_mut() {
        match rest.next() {
            Some(statement) => {
                found.push(statement);
                ahead.extend(statement.blocks().into_iter().rev().map(|block| block.iter()));
            }
            None => drop(ahead.pop()),
        }
    }
    found
}

/// Returns the span of a statement including everything nested in it.
pub fn extent(statement: &Statement) -> Span {
    let mut span = statement.span;
    let mut ahead = vec![statement];
    while let Some(statement) = ahead.pop() {
        span = span.to(statement.span);
        ahead.extend(statement.blocks().into_iter().flatten());
        if let StatementKind::Procedure(procedure) = &statement.kind {
            ahead.extend(&procedure.body);
        }
    }
    span
}

/// Returns the name that a statement sets if it sets exactly one.
pub fn set_by(statement: &Statement) -> Option<&Name> {
    match &statement.kind {
        StatementKind::Set { targets, .. } => match &targets[..] {
            [target] if target.steps.is_empty() => Some(&target.name),
            _ => None,
        },
        StatementKind::OnError { name, .. } => name.as_ref(),
        _ => None,
    }
}

/// Returns the names that a statement sets, changes a part of, or uses as loop variables.
pub fn set_otherwise(statement: &Statement) -> impl Iterator<Item = &str> {
    let (targets, names): (&[AssignTarget], [Option<&Name>; 2]) = match &statement.kind {
        StatementKind::Set { targets, .. } => (targets, [None, None]),
        StatementKind::For { first, second, .. } => (&[], [Some(first), second.as_ref()]),
        StatementKind::OnError { name, .. } => (&[], [name.as_ref(), None]),
        _ => (&[], [None, None]),
    };
    let targets = targets.iter().map(|target| &target.name);
    targets.chain(names.into_iter().flatten()).map(|name| name.text.as_str())
}
