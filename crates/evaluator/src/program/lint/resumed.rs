//! A `MUST` after which the run goes on although it failed, because a handler above it says `CLEAR_ERROR`.
//!
//! Only a `MUST` with another statement behind it in its block is reported: as the last statement of a loop or of a
//! procedure it ends what it is part of, which is what `CLEAR_ERROR` is for.

use crate::program::statements::blocks;
use crate::syntax::ast::{Statement, StatementKind};
use crate::text::{Code, Diagnostic, Span};

use super::text::Text;
use super::walk::Body;

/// A handler.
struct Handler {
    /// Where its statement ends; it handles what comes after.
    end: u32,
    /// The CLEAR_ERROR after which the run goes on each time.
    clearing: Option<Span>,
}

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in text.bodies.iter().filter(|body| text.is_certain(body)) {
        let handlers: Vec<Handler> = body.statements.iter().filter_map(|statement| Handler::of(statement)).collect();
        if handlers.iter().any(|handler| handler.clearing.is_some()) {
            found.extend(resumed(body, &handlers));
        }
    }
}

impl Handler {
    fn of(statement: &Statement) -> Option<Handler> {
        let StatementKind::OnError { body, .. } = &statement.kind else { return None };
        let leaves = |statement: &Statement| {
            matches!(
                statement.kind,
                StatementKind::Return(_) | StatementKind::Fail(_) | StatementKind::Break | StatementKind::Continue
            )
        };
        let clears = |statement: &&Statement| matches!(statement.kind, StatementKind::ClearError);
        let clearing = body.iter().find(clears).filter(|_| !body.iter().any(leaves)).map(|clearing| clearing.span);
        let last = body.iter().last().map_or(statement.span, |last| last.span);
        Some(Handler { end: statement.span.end.max(last.end), clearing })
    }
}

fn resumed(body: &Body<'_>, handlers: &[Handler]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for block in blocks(body.block) {
        let statements: Vec<&Statement> = block.iter().filter(|statement| statement.runs()).collect();
        for pair in statements.windows(2) {
            let (must, next) = (pair[0], pair[1]);
            let StatementKind::Must { .. } = must.kind else { continue };
            // The handler in force is the one that was reached last.
            let earlier = handlers.partition_point(|handler| handler.end <= must.span.start);
            if let Some(clearing) = handlers[..earlier].last().and_then(|handler| handler.clearing) {
                found.push(
                    Diagnostic::warning(Code::ResumedMust, must.span, "the run goes on after this, also when it fails")
                        .related(clearing, "a failure is cleared here")
                        .related(next.span, "and this runs next")
                        .help("write `RETURN` in place of `CLEAR_ERROR`, or move both statements into a procedure without a handler"),
                );
            }
        }
    }
    found
}
