//! Statements that can never run.

use crate::program::statements::blocks;
use crate::syntax::ast::{Block, ExprKind, Statement, StatementKind, Tree};
use crate::text::{Code, Diagnostic};

use super::text::Text;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in text.bodies.iter().filter(|body| text.is_certain(body)) {
        // A handler may resume after a statement that failed.
        let is_handled =
            body.statements.iter().any(|statement| matches!(statement.kind, StatementKind::OnError { .. }));
        let ends = |statement: &Statement| ends(text.tree, statement, is_handled);
        for block in blocks(body.block) {
            let mut runs = block.iter().filter(|statement| statement.runs());
            let Some(last) = runs.by_ref().find(|statement| ends(statement)) else { continue };
            if let Some(next) = runs.next() {
                let finding = Diagnostic::warning(Code::Unreachable, next.span, "this is never reached");
                let finding = finding.related(last.span, "execution never continues after this");
                found.push(finding.help("remove it, or move it before the statement that ends the block"));
            }
        }
    }
}

/// Returns whether control never continues after a statement.
fn ends(tree: &Tree, statement: &Statement, is_handled: bool) -> bool {
    let mut ahead = vec![statement];
    while let Some(statement) = ahead.pop() {
        match &statement.kind {
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Fail(_) if !is_handled => {}
            StatementKind::While { condition, body }
                if matches!(tree[tree.bare(*condition)].kind, ExprKind::Bool(true)) && !is_left(body) => {}
            StatementKind::If { otherwise: Some(_), .. } | StatementKind::Command(_) => {
                for block in statement.blocks() {
                    match block.iter().rfind(|statement| statement.runs()) {
                        Some(last) => ahead.push(last),
                        None => return false,
                    }
                }
            }
            _ => return false,
        }
    }
    true
}

/// Returns whether a BREAK leaves the loop with this body.
fn is_left(block: &Block) -> bool {
    let mut ahead: Vec<&Statement> = block.iter().collect();
    while let Some(statement) = ahead.pop() {
        match &statement.kind {
            StatementKind::Break => return true,
            // A BREAK inside leaves the inner loop.
            StatementKind::While { .. } | StatementKind::For { .. } => {}
            _ => ahead.extend(statement.blocks().into_iter().flatten()),
        }
    }
    false
}
