//! A `MUST` after which the run goes on although it failed, because a handler above it says `CLEAR_ERROR`.
//!
//! Only a `MUST` with another statement behind it in its block is reported: as the last statement of a loop or of a
//! procedure it ends what it is part of, which is what `CLEAR_ERROR` is for.

use crate::syntax::ast::{Statement, StatementKind};
use crate::text::{Code, Diagnostic, Span};

use super::text::Text;
use super::walk::{Body, blocks};

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in text.bodies.iter().filter(|body| text.is_certain(body)) {
        let resuming: Vec<Span> = body.statements.iter().filter_map(|statement| clearing(statement)).collect();
        if resuming.is_empty() {
            continue;
        }
        found.extend(resumed(body, &resuming));
    }
}

/// Returns the CLEAR_ERROR of a handler after which the run goes on each time.
fn clearing(statement: &Statement) -> Option<Span> {
    let StatementKind::OnError { body, .. } = &statement.kind else { return None };
    let leaves = |statement: &Statement| {
        matches!(
            statement.kind,
            StatementKind::Return(_) | StatementKind::Fail(_) | StatementKind::Break | StatementKind::Continue
        )
    };
    if body.iter().any(leaves) {
        return None;
    }
    body.iter().find(|statement| matches!(statement.kind, StatementKind::ClearError)).map(|statement| statement.span)
}

fn resumed(body: &Body<'_>, resuming: &[Span]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for block in blocks(body.block) {
        let statements: Vec<&Statement> = block.iter().filter(|statement| statement.runs()).collect();
        for pair in statements.windows(2) {
            let (must, next) = (pair[0], pair[1]);
            let clearing = resuming.iter().rfind(|clearing| clearing.end <= must.span.start);
            if let (StatementKind::Must { .. }, Some(clearing)) = (&must.kind, clearing) {
                found.push(
                    Diagnostic::warning(Code::ResumedMust, must.span, "the run goes on after this, also when it fails")
                        .related(*clearing, "a failure is cleared here")
                        .related(next.span, "and this runs next")
                        .help("write `RETURN` in place of `CLEAR_ERROR`, or move both statements into a procedure without a handler"),
                );
            }
        }
    }
    found
}
