//! The tree of a script as it was written: for the formatter, the editor and the lowering.
//!
//! It says nothing of meaning: names are texts, calls are dotted names, and every node has its
//! span. Expressions live in one arena, so that no nesting of them can exhaust the stack on drop.

mod same;

use std::ops::Index;

use compact_str::CompactString;

use crate::text::Span;

pub use same::same;

/// One parsed source.
#[derive(Debug, Default)]
pub struct Tree {
    /// The top-level statements, procedures and `command` blocks among them, in the text's order.
    pub statements: Block,
    /// All expressions.
    exprs: Vec<Expr>,
    /// `:: key: value` lines, in the text's order.
    pub metadata: Vec<Metadata>,
    /// The text of `FILE_VERSION`.
    pub version: Option<String>,
    /// Comments and `COMMENT:` texts, in the text's order.
    pub comments: Vec<Span>,
}

/// Statements that run one after another.
pub type Block = Vec<Statement>;

/// A `:: key: value` line.
#[derive(Debug)]
pub struct Metadata {
    /// Text before the first `:`, trimmed.
    pub key: String,
    /// Text after it, trimmed, continuation lines joined by a blank.
    pub value: String,
    /// Its place.
    pub span: Span,
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name as written.
    pub text: CompactString,
    /// Its place.
    pub span: Span,
}

/// A statement; the span of one that holds a block is that of its head.
#[derive(Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Its line, or its head's line.
    pub span: Span,
}

impl Statement {
    /// Whether it does something in a run, and does not only declare.
    pub fn runs(&self) -> bool {
        !matches!(self.kind, StatementKind::Procedure(_) | StatementKind::Use(_))
    }

    /// The blocks that it holds; those of a procedure are a body of their own.
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

/// The statements of the language.
#[derive(Debug)]
#[allow(missing_docs, reason = "the line above each shows its parts")]
pub enum StatementKind {
    /// `SET a, b[i].c = value`
    Set { targets: Vec<Place>, value: ExprId },
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
    /// A line that could not be parsed, with the words in it: names it may have set.
    Bad(Vec<CompactString>),
    /// A block whose head could not be parsed; what it was is not known.
    Broken(Block),
}

/// A module that a text uses.
#[derive(Clone, Debug)]
pub struct Use {
    /// The module's path, escapes resolved.
    pub path: String,
    /// The path's place.
    pub path_span: Span,
    /// The name by which its procedures are called.
    pub name: Name,
}

/// One `IF` or `ELSE IF` with what runs when its condition holds.
#[derive(Debug)]
pub struct Arm {
    /// The condition.
    pub condition: ExprId,
    /// What runs.
    pub body: Block,
}

/// A procedure.
#[derive(Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters, required ones first.
    pub params: Vec<Param>,
    /// Names for what it returns; documentation only.
    pub returns: Vec<Name>,
    /// The `COMMENT:` text right after the head.
    pub documentation: Option<String>,
    /// What it does.
    pub body: Block,
}

/// A parameter of a procedure.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its value in calls that leave it out.
    pub when_absent: WhenAbsent,
}

/// The value of a parameter in calls that leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenAbsent {
    /// No call may leave it out.
    Required,
    /// `optional name`
    Nil,
    /// `name: 2`; the expression is a literal.
    Is(ExprId),
}

/// What `SET` writes to: a variable, or a place inside its value.
#[derive(Debug)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// The way into its value, outermost first.
    pub steps: Vec<Step>,
    /// The whole place.
    pub span: Span,
}

impl Place {
    /// Whether it may set a variable that has no value yet: it is the variable itself, or a place in the map that is made
    /// for it, since its first step is a key or may be one.
    pub fn may_begin(&self, tree: &Tree) -> bool {
        match self.steps.first() {
            None | Some(Step::Field(_)) => true,
            Some(Step::Index(index)) => tree.may_be_key(*index),
        }
    }
}

/// One step into a value.
#[derive(Debug)]
pub enum Step {
    /// `[expression]`
    Index(ExprId),
    /// `.name`
    Field(Name),
}

/// The number of an expression in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprId(u32);

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The expressions of the language.
#[derive(Debug)]
pub enum ExprKind {
    /// `nil`, `null`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// A whole number without sign, at most 2^63.
    Int(u64),
    /// A number with a point or an exponent.
    Float(f64),
    /// `"…"`, `'…'` or `'''…'''`, escapes resolved.
    Text(String),
    /// Three backticks: the text between them, in which `{{name}}` is expanded; its first byte's offset.
    Template(String, u32),
    /// A variable.
    Name(CompactString),
    /// `{{name.field}}` as an expression: the expression it stands for.
    Placeholder(ExprId),
    /// `LAST`
    Last,
    /// `(…)`
    Parenthesized(ExprId),
    /// `[…]`
    List(Vec<ExprId>),
    /// `{…}`
    Map(Vec<Entry>),
    /// `- NOT ~`
    Unary(UnaryOp, ExprId),
    /// Operators of one strength, taken from the left.
    Chain(ExprId, Vec<Link>),
    /// `left ** right`
    Power(ExprId, ExprId),
    /// `value[index]`
    Index(ExprId, ExprId),
    /// `value.name`
    Field(ExprId, Name),
    /// `name(…)`, `a.b.c(…)`, with or without `CALL` before it.
    Call(Call),
    /// Stands for what could not be parsed.
    Bad,
}

/// One key and value of a map literal.
#[derive(Debug)]
pub struct Entry {
    /// The key, escapes resolved.
    pub key: String,
    /// The key's place.
    pub key_span: Span,
    /// The value.
    pub value: ExprId,
}

/// One operator and its right side.
#[derive(Debug)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// Its place.
    pub op_span: Span,
    /// The right side.
    pub operand: ExprId,
}

/// A call as written.
#[derive(Debug)]
pub struct Call {
    /// The dotted name, without blanks.
    pub callee: CompactString,
    /// The name's place.
    pub callee_span: Span,
    /// What is given.
    pub args: Vec<Arg>,
}

/// An argument as written.
#[derive(Debug)]
pub struct Arg {
    /// The name before `:`, if any.
    pub name: Option<Name>,
    /// The value.
    pub value: ExprId,
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `NOT`
    Not,
    /// `~`
    Invert,
}

/// Operators between operands, `**` aside.
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
    /// How tightly it binds; equal numbers are taken from the left together.
    pub fn strength(self) -> u8 {
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

    /// Whether it compares, and so may not stand in a chain.
    pub fn is_comparison(self) -> bool {
        self.strength() == BinaryOp::Equal.strength()
    }

    /// The operator as it is written.
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
    /// Whether an expression may be a text: it is no literal of another type.
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

    /// The procedures that it defines, in the text's order.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Procedure(procedure) => Some(&**procedure),
            _ => None,
        })
    }

    /// The modules that it uses, in the text's order.
    pub fn uses(&self) -> impl Iterator<Item = &Use> {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Use(used) => Some(used),
            _ => None,
        })
    }

    /// Puts an expression into the arena.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// The expression, for changing it in place.
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
