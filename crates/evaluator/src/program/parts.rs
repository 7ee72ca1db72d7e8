//! The parts of statements and expressions, for analyses that visit all of them.

use std::iter::once;

use super::tree::{Args, AssignTarget, Block, Expr, ExprKind, Piece, Slot, StmtKind};

/// Collects the expressions that an expression consists of, by reference or by mutable reference.
macro_rules! parts_of {
    ($expr:expr, $iter:ident, $value:ident, $exprs:ident $(, $mutable:tt)?) => {
        match &$($mutable)? $expr.kind {
            ExprKind::Const(_)
            | ExprKind::Variable(_)
            | ExprKind::Taken(_)
            | ExprKind::Last
            | ExprKind::LastError
            | ExprKind::Args => Vec::new(),
            ExprKind::List(exprs) | ExprKind::And(exprs) | ExprKind::Or(exprs) => exprs.$iter().collect(),
            ExprKind::Map(entries) => entries.$iter().map(|entry| &$($mutable)? entry.value).collect(),
            ExprKind::Unary(_, expr) | ExprKind::Field(expr, _) | ExprKind::Eval(expr, _) => vec![expr],
            ExprKind::Chain(first, links) => {
                once(&$($mutable)? **first).chain(links.$iter().map(|link| &$($mutable)? link.operand)).collect()
            }
            ExprKind::Power(left, right) | ExprKind::Index(left, right) => vec![left, right],
            ExprKind::Join(pieces) => pieces.$iter().filter_map(Piece::$value).collect(),
            ExprKind::Call(call) => call.args.$exprs(),
            ExprKind::Release(release) => vec![&$($mutable)? release.expr],
        }
    };
}

/// Collects the blocks of a statement, by reference or by mutable reference.
macro_rules! blocks_of {
    ($kind:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            StmtKind::If { arms, otherwise } => {
                arms.$iter().map(|arm| &$($mutable)? arm.block).chain([otherwise]).collect()
            }
            StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::OnError { body, .. } => {
                vec![body]
            }
            _ => Vec::new(),
        }
    };
}

impl Expr {
    /// Returns the expressions that this one consists of.
    pub fn parts(&self) -> Vec<&Expr> {
        parts_of!(self, iter, value, exprs)
    }

    /// Returns the expressions that this one consists of, mutably, in the order of [`Expr::parts`].
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        parts_of!(self, iter_mut, value_mut, exprs_mut, mut)
    }

    /// Takes the expression, and leaves a placeholder.
    pub fn take(&mut self) -> Expr {
        Expr { kind: std::mem::replace(&mut self.kind, ExprKind::Last), span: self.span }
    }

    /// Replaces the expression by one that contains it, at the same place of the text.
    pub fn wrap(&mut self, wrapper: impl FnOnce(Expr) -> ExprKind) {
        self.kind = wrapper(self.take());
    }
}

impl StmtKind {
    /// Returns the expressions of the statement itself, without those of its blocks.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            StmtKind::Set { target, value } => target.steps.iter().chain([value]).collect(),
            StmtKind::SetMany { targets, value } => {
                targets.iter().flat_map(|target| &target.steps).chain([value]).collect()
            }
            StmtKind::Emit(values) => values.iter().collect(),
            StmtKind::Call(value) | StmtKind::Return(value) => vec![value],
            StmtKind::If { arms, .. } => arms.iter().map(|arm| &arm.condition).collect(),
            StmtKind::While { condition, .. } => vec![condition],
            StmtKind::ForEach { list, .. } => vec![list],
            StmtKind::Must { value, message } => once(value).chain(message).collect(),
            StmtKind::MustCall { call, message } => call.args.exprs().into_iter().chain(message).collect(),
            StmtKind::Fail(message) => message.iter().collect(),
            StmtKind::Break | StmtKind::Continue | StmtKind::OnError { .. } | StmtKind::ClearError => Vec::new(),
        }
    }

    /// Returns the blocks of the statement.
    pub fn blocks(&self) -> Vec<&Block> {
        blocks_of!(self, iter)
    }

    /// Returns the blocks of the statement, mutably.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        blocks_of!(self, iter_mut, mut)
    }

    /// Returns the targets of a SET.
    pub fn targets(&self) -> &[AssignTarget] {
        match self {
            StmtKind::Set { target, .. } => std::slice::from_ref(target),
            StmtKind::SetMany { targets, .. } => targets,
            _ => &[],
        }
    }

    /// Returns the variables that the statement itself sets or changes.
    pub fn set_slots(&self) -> Vec<Slot> {
        match self {
            StmtKind::ForEach { first, second, .. } => second.iter().chain([first]).copied().collect(),
            StmtKind::OnError { name, .. } => name.iter().copied().collect(),
            _ => self.targets().iter().map(|target| target.slot).collect(),
        }
    }
}

impl Piece {
    fn value(&self) -> Option<&Expr> {
        match self {
            Piece::Text(_) => None,
            Piece::Value(value) => Some(value),
        }
    }

    fn value_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Piece::Text(_) => None,
            Piece::Value(value) => Some(value),
        }
    }
}

impl Args {
    /// Returns the expressions.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Args::InOrder(values) => values.iter().collect(),
            Args::Placed { values, .. } => values.iter().map(|arg| &arg.value).collect(),
            Args::PerhapsMap(value) => vec![value],
        }
    }

    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Args::InOrder(values) => values.iter_mut().collect(),
            Args::Placed { values, .. } => values.iter_mut().map(|arg| &mut arg.value).collect(),
            Args::PerhapsMap(value) => vec![value],
        }
    }
}

impl ExprKind {
    /// A placeholder for an expression with a reported error. The program never runs. The value is unknown, so that its
    /// uses cause no further findings.
    pub const REPORTED: ExprKind = ExprKind::Last;
}
