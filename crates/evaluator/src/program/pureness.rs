//! Decides whether a procedure is pure: it and its callees print nothing and call only pure tools.

use std::collections::HashSet;

use crate::toolkit::{Effect, Registry};

use super::tree::{Block, Callee, Expr, ExprKind, Program, StmtKind, Target};

/// Returns what a procedure does besides computing: the name of the first tool that is not pure, or `EMIT`.
pub fn impurity(program: &Program, registry: &Registry, procedure: usize) -> Option<&'static str> {
    let mut search = Search { registry, met: HashSet::from([procedure]), open: vec![procedure], found: None };
    while let Some(number) = search.open.pop() {
        search.block(&program.procedures[number].body.block);
    }
    search.found
}

struct Search<'a> {
    registry: &'a Registry,
    met: HashSet<usize>,
    /// Procedures that were met and not searched yet.
    open: Vec<usize>,
    found: Option<&'static str>,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Emit(_) => self.found = self.found.or(Some("EMIT")),
                StmtKind::MustCall { call, .. } => self.target(call.target),
                _ => {}
            }
            stmt.kind.exprs().into_iter().for_each(|expr| self.expr(expr));
            stmt.kind.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(call) = &expr.kind {
            self.target(call.target);
        }
        expr.parts().into_iter().for_each(|part| self.expr(part));
    }

    fn target(&mut self, target: Target) {
        let callee = match target {
            Target::Procedure(id) => Callee::Procedure(id),
            Target::Builtin(builtin) => Callee::Builtin(builtin),
            Target::Tool(id) => Callee::Tool(id),
            Target::HigherOrder(_, callback) => callback.callee,
        };
        match callee {
            Callee::Procedure(id) => {
                if self.met.insert(id.0 as usize) {
                    self.open.push(id.0 as usize);
                }
            }
            Callee::Builtin(_) => {}
            Callee::Tool(id) => {
                let spec = self.registry.get(id).spec;
                if spec.effect != Effect::Pure {
                    self.found = self.found.or(Some(spec.name));
                }
            }
        }
    }
}
