//! The syntax tree: a script as it was written, for the formatter, the editor and lowering.
//!
//! It carries no semantics: names are texts, calls are dotted names, and every node has its span. Expressions are
//! stored in one arena, so that dropping them cannot exhaust the stack however deeply they nest.

pub(super) mod relocate;
mod same;

use std::ops::Index;

use compact_str::CompactString;

use crate::text::Span;

pub use same::same;

/// One parsed source.
#[derive(Debug, Default)]
pub struct Tree {
    /// The top-level statements including procedures and `command` blocks, in source order.
    pub statements: Block,
    /// All expressions.
    exprs: Vec<Expr>,
    /// `:: key: value` lines, in source order.
    pub metadata: Vec<Metadata>,
    /// The value of `FILE_VERSION`.
    pub version: Option<String>,
    /// Comments and `COMMENT:` texts, in source order.
    pub comments: Vec<Span>,
}

/// Statements that run in sequence.
pub type Block = Vec<Statement>;

/// A `:: key: value` line.
#[derive(Debug)]
pub struct Metadata {
    /// The text before the first `:`, trimmed.
    pub key: String,
    /// The text after it, trimmed, with continuation lines joined by a blank.
    pub value: String,
    /// The span of the line.
    pub span: Span,
}

/// A name with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name as written.
    pub text: CompactString,
    /// The span of the name.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// The span of its line, or of its head if it contains a block.
    pub span: Span,
}

impl Statement {
    /// Returns whether the statement does something in a run, rather than only declaring.
    pub fn runs(&self) -> bool {
        !matches!(self.kind, StatementKind::Procedure(_) | StatementKind::Use(_))
    }

    /// Returns the blocks of the statement, except for the body of a procedure.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StatementKind::If { arms, otherwise } => arms.iter().map(|arm| &arm.body).chain(otherwise).collect(),
            StatementKind::While { body, .. }
            | StatementKind::For { body, .. }
            | StatementKind::OnError { body, .. }
            | StatementKind::Command(body)
            | StatementKind::Broken(body) => vec![body],
            _ => Vec::new(),
        }
    }
}

/// The kinds of statement.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the line above each shows its parts")]
pub enum StatementKind {
    /// `SET a, b[i].c = value`
    Set { targets: Vec<AssignTarget>, value: ExprId },
    /// `EMIT a, b`
    Emit(Vec<ExprId>),
    /// `CALL f(…)`; the expression is a [`ExprKind::Call`].
    Call(ExprId),
    /// `IF … ELSE IF … ELSE … END`
    If { arms: Vec<Arm>, otherwise: Option<Block> },
    /// `WHILE condition DO … END`
    While { condition: ExprId, body: Block },
    /// `FOR EACH first, second IN list DO … END`
    For { first: Name, second: Option<Name>, list: ExprId, body: Block },
    /// `BREAK`
    Break,
    /// `CONTINUE`
    Continue,
    /// `RETURN a, b`
    Return(Vec<ExprId>),
    /// `MUST value, message`
    Must { value: ExprId, message: Option<ExprId> },
    /// `FAIL message`
    Fail(Option<ExprId>),
    /// `ON ERROR AS name DO … END`
    OnError { name: Option<Name>, body: Block },
    /// `CLEAR_ERROR`
    ClearError,
    /// `USE "path" AS name`
    Use(Use),
    /// `DEFINE PROCEDURE …` or `func …`
    Procedure(Box<Procedure>),
    /// `command … endcommand`
    Command(Block),
    /// A line that could not be parsed, with its words: it may have set these names.
    Bad(Vec<CompactString>),
    /// A block of unknown kind, whose head could not be parsed.
    Broken(Block),
}

/// A module that a text uses.
#[derive(Clone, Debug)]
pub struct Use {
    /// The path of the module, with escapes decoded.
    pub path: String,
    /// The span of the path.
    pub path_span: Span,
    /// The name that prefixes calls of its procedures.
    pub name: Name,
}

/// One `IF` or `ELSE IF` with its block.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The condition.
    pub condition: ExprId,
    /// The statements that run if the condition is true.
    pub body: Block,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The name.
    pub name: Name,
    /// The parameters, required ones first.
    pub params: Vec<Param>,
    /// Names for the returned values; documentation only.
    pub returns: Vec<Name>,
    /// The `COMMENT:` text directly after the head.
    pub documentation: Option<String>,
    /// The statements.
    pub body: Block,
}

/// A parameter of a procedure.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// The value in calls that omit the parameter.
    pub when_absent: WhenAbsent,
}

/// The value of a parameter in calls that omit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenAbsent {
    /// The parameter is required.
    Required,
    /// Nil: `optional name`.
    Nil,
    /// A default, which is a literal: `name: 2`.
    Is(ExprId),
}

/// A target of `SET`: a variable, or a place inside its value.
#[derive(Clone, Debug)]
pub struct AssignTarget {
    /// The variable.
    pub name: Name,
    /// The steps into its value, outermost first.
    pub steps: Vec<Step>,
    /// The span of the whole place.
    pub span: Span,
}

impl AssignTarget {
    /// Returns whether assigning to the place may set a variable that has no value yet: it is the variable itself, or
    /// its first step is or may be a key, so that a map is created for it.
    pub fn may_begin(&self, tree: &Tree) -> bool {
        match self.steps.first() {
            None | Some(Step::Field(_)) => true,
            Some(Step::Index(index)) => tree.may_be_key(*index),
        }
    }
}

/// One step into a value.
#[derive(Clone, Debug)]
pub enum Step {
    /// `[expression]`
    Index(ExprId),
    /// `.name`
    Field(Name),
}

/// The index of an expression in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(u32);

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The span of the expression.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `nil` or `null`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// An unsigned whole number, at most 2^63.
    Int(u64),
    /// A number with a point or an exponent.
    Float(f64),
    /// `"…"`, `'…'` or `'''…'''`, with escapes decoded.
    Text(String),
    /// A text in three backticks, in which `{{name}}` is expanded, and the offset of its first byte.
    Template(String, u32),
    /// A variable.
    Name(CompactString),
    /// `{{name.field}}` as an expression: the expression that it stands for.
    Placeholder(ExprId),
    /// `LAST`
    Last,
    /// `(…)`
    Parenthesized(ExprId),
    /// `[…]`
    List(Vec<ExprId>),
    /// `{…}`
    Map(Vec<Entry>),
    /// `-`, `NOT` or `~` with its operand.
    Unary(UnaryOp, ExprId),
    /// Binary operators of one precedence, left-associative.
    Chain(ExprId, Vec<Link>),
    /// `left ** right`
    Power(ExprId, ExprId),
    /// `value[index]`
    Index(ExprId, ExprId),
    /// `value.name`
    Field(ExprId, Name),
    /// `name(…)` or `a.b.c(…)`, optionally preceded by `CALL`.
    Call(Call),
    /// An expression that could not be parsed.
    Bad,
}

/// One key and value of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, with escapes decoded.
    pub key: String,
    /// The span of the key.
    pub key_span: Span,
    /// The value.
    pub value: ExprId,
}

/// An operator and its right operand.
#[derive(Clone, Debug)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// The span of the operator.
    pub op_span: Span,
    /// The right operand.
    pub operand: ExprId,
}

/// A call as written.
#[derive(Clone, Debug)]
pub struct Call {
    /// The dotted name, without blanks.
    pub callee: CompactString,
    /// The span of the name.
    pub callee_span: Span,
    /// The arguments.
    pub args: Vec<Arg>,
}

/// An argument as written.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The name before `:`, if any.
    pub name: Option<Name>,
    /// The value.
    pub value: ExprId,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `NOT`
    Not,
    /// `~`
    Invert,
}

/// Binary operators except `**`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `OR`
    Or,
    /// `AND`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `IN`
    In,
    /// `NOT IN`
    NotIn,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

impl BinaryOp {
    /// Returns the precedence: a larger number binds more tightly; operators of equal precedence are left-associative.
    pub fn precedence(self) -> u8 {
        use BinaryOp::*;
        match self {
            Or => 1,
            And => 2,
            BitOr => 3,
            BitXor => 4,
            BitAnd => 5,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | In | NotIn => 6,
            Add | Subtract => 7,
            Multiply | Divide | Remainder => 8,
        }
    }

    /// Returns whether the operator is a comparison, which cannot be chained.
    pub fn is_comparison(self) -> bool {
        self.precedence() == BinaryOp::Equal.precedence()
    }

    /// Returns the operator as it is written.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Or => "OR",
            And => "AND",
            BitOr => "|",
            BitXor => "^",
            BitAnd => "&",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            In => "IN",
            NotIn => "NOT IN",
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
        }
    }
}

impl Tree {
    /// Strips the parentheses around an expression.
    pub fn bare(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Parenthesized(inner) = &self[id].kind {
            id = *inner;
        }
        id
    }

    /// Returns whether an expression may evaluate to a text: it is not a literal of another type.
    fn may_be_key(&self, mut id: ExprId) -> bool {
        while let ExprKind::Parenthesized(inner) | ExprKind::Unary(_, inner) = &self[id].kind {
            id = *inner;
        }
        let kind = &self[id].kind;
        !matches!(
            kind,
            ExprKind::Nil
                | ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::List(_)
                | ExprKind::Map(_)
                | ExprKind::Power(..)
        )
    }

    /// Returns the procedures of the script, in source order.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> + Clone {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Procedure(procedure) => Some(&**procedure),
            _ => None,
        })
    }

    /// Returns the USE statements of the script, in source order.
    pub fn uses(&self) -> impl Iterator<Item = &Use> {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Use(used) => Some(used),
            _ => None,
        })
    }

    /// Returns all expressions, in no particular order.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// Adds an expression to the arena.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Appends expressions that already carry their final numbers.
    pub(super) fn extend(&mut self, exprs: impl Iterator<Item = Expr>) {
        self.exprs.extend(exprs);
    }

    /// Returns the expression, mutably.
    pub fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.exprs[id.0 as usize]
    }
}

impl Index<ExprId> for Tree {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}
