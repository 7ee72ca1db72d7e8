//! Relocation of a part of a tree to another place in a text and in an arena.

use super::{Expr, ExprId, ExprKind, Name, Param, Procedure, StatementKind, Step, WhenAbsent};
use crate::text::Span;

/// The distance between two places of the same part of a tree. Distances backwards wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// In bytes of the text.
    pub bytes: u32,
    /// In expressions of the arena.
    pub exprs: u32,
}

impl Distance {
    /// Moves an expression.
    pub fn relocate_expr(self, expr: &mut Expr) {
        self.span(&mut expr.span);
        match &mut expr.kind {
            ExprKind::Template(_, offset) => *offset = offset.wrapping_add(self.bytes),
            ExprKind::Placeholder(inner) | ExprKind::Parenthesized(inner) | ExprKind::Unary(_, inner) => self.id(inner),
            ExprKind::List(items) => items.iter_mut().for_each(|item| self.id(item)),
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.span(&mut entry.key_span);
                    self.id(&mut entry.value);
                }
            }
            ExprKind::Chain(first, links) => {
                self.id(first);
                for link in links {
                    self.span(&mut link.op_span);
                    self.id(&mut link.operand);
                }
            }
            ExprKind::Power(left, right) | ExprKind::Index(left, right) => {
                self.id(left);
                self.id(right);
            }
            ExprKind::Field(inner, name) => {
                self.id(inner);
                self.name(name);
            }
            ExprKind::Call(call) => {
                self.span(&mut call.callee_span);
                for arg in &mut call.args {
                    arg.name.iter_mut().for_each(|name| self.name(name));
                    self.id(&mut arg.value);
                }
            }
            ExprKind::Nil
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_)
            | ExprKind::Last
            | ExprKind::Bad => {}
        }
    }

    /// Moves a statement that is no block.
    pub fn relocate_statement(self, kind: &mut StatementKind) {
        match kind {
            StatementKind::Set { targets, value } => {
                for target in targets {
                    self.name(&mut target.name);
                    self.span(&mut target.span);
                    target.steps.iter_mut().for_each(|step| match step {
                        Step::Index(index) => self.id(index),
                        Step::Field(name) => self.name(name),
                    });
                }
                self.id(value);
            }
            StatementKind::Emit(values) | StatementKind::Return(values) => {
                values.iter_mut().for_each(|value| self.id(value));
            }
            StatementKind::Call(call) => self.id(call),
            StatementKind::Must { value, message } => {
                self.id(value);
                message.iter_mut().for_each(|message| self.id(message));
            }
            StatementKind::Fail(message) => message.iter_mut().for_each(|message| self.id(message)),
            StatementKind::Use(used) => {
                self.span(&mut used.path_span);
                self.name(&mut used.name);
            }
            // Blocks are assembled from relocated heads.
            StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::For { .. }
            | StatementKind::OnError { .. }
            | StatementKind::Procedure(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::ClearError
            | StatementKind::Command(_)
            | StatementKind::Bad(_)
            | StatementKind::Broken(_) => {}
        }
    }

    /// Moves the head of a procedure.
    pub fn relocate_head(self, procedure: &mut Procedure) {
        self.name(&mut procedure.name);
        for Param { name, when_absent } in &mut procedure.params {
            self.name(name);
            if let WhenAbsent::Is(default) = when_absent {
                self.id(default);
            }
        }
        procedure.returns.iter_mut().for_each(|name| self.name(name));
    }

    /// Moves a name.
    pub fn name(self, name: &mut Name) {
        self.span(&mut name.span);
    }

    /// Moves the number of an expression.
    pub fn id(self, id: &mut ExprId) {
        id.0 = id.0.wrapping_add(self.exprs);
    }

    fn span(self, span: &mut Span) {
        span.start = span.start.wrapping_add(self.bytes);
        span.end = span.end.wrapping_add(self.bytes);
    }
}
