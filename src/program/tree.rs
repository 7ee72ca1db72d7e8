//! The tree of a script as it is run: names are slots, calls are numbers, constants are values.
//!
//! Made by [`super::lower`], compiled by `eval`. It knows nothing of how it was written, spans aside.

use std::fmt;
use std::rc::Rc;

use compact_str::CompactString;

use crate::text::Span;
use crate::toolkit::ToolId;
use crate::value::{Str, Value, print};

pub use crate::syntax::ast::{BinaryOp, UnaryOp};

use super::builtin::Builtin;
use super::over::Over;

/// A whole script, ready to be compiled.
#[derive(Debug, Default)]
pub struct Program {
    /// Its procedures, then those of its modules; their numbers are their places.
    pub procedures: Vec<Procedure>,
    /// How many of them are its own.
    pub own_procedures: usize,
    /// Its top-level statements.
    pub top: Body,
    /// The calls of tools whose answers may be cut without the script noticing, in the order of their places.
    pub unseen_cuts: Vec<Span>,
    /// Tools in whose place others do what the script can see of their work.
    pub spared: Vec<(ToolId, ToolId)>,
}

impl Program {
    /// The procedures of the script itself.
    pub fn own_procedures(&self) -> &[Procedure] {
        &self.procedures[..self.own_procedures]
    }

    /// The number of a procedure of the script itself.
    pub fn own_procedure(&self, name: &str) -> Option<usize> {
        self.own_procedures().iter().position(|procedure| procedure.name == name)
    }
}

/// A procedure.
#[derive(Debug)]
pub struct Procedure {
    /// Its name.
    pub name: CompactString,
    /// Its parameters, required ones first.
    pub params: Vec<Param>,
    /// What it does; its parameters are the first slots.
    pub body: Body,
    /// What its `COMMENT:` says.
    pub documentation: Option<String>,
}

/// A parameter of a procedure.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: CompactString,
    /// Its value in calls that leave it out; none where no call may.
    pub default: Option<Value>,
}

impl fmt::Display for Param {
    /// As signatures show it: `name`, `name?`, `name: 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            None => f.write_str(&self.name),
            Some(Value::Nil) => write!(f, "{}?", self.name),
            Some(default) => write!(f, "{}: {}", self.name, print::preview(default)),
        }
    }
}

/// How many of these parameters every call gives.
pub fn required(params: &[Param]) -> usize {
    params.iter().take_while(|param| param.default.is_none()).count()
}

/// The number of a procedure in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcedureId(pub u32);

/// Statements with the variables they use.
#[derive(Debug, Default)]
pub struct Body {
    /// The statements.
    pub block: Block,
    /// The names of its variables; their places are their slots.
    pub slots: Vec<CompactString>,
    /// Whether anything reads `LAST`, so that it must be kept.
    pub keeps_last: bool,
    /// Whether nothing looks at what becomes of a CALL statement: neither `LAST` here nor `LAST_ERROR`
    /// anywhere in the script.
    pub calls_unseen: bool,
    /// Whether it holds an ON ERROR.
    pub handles_errors: bool,
}

/// Statements that run one after another.
pub type Block = Vec<Stmt>;

/// A slot in the frame of the running procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Of the running procedure, or of the top level when that runs.
    Local(Slot),
    /// Of the top level, read by a procedure.
    Outer(Slot),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its line, or its head's line.
    pub span: Span,
}

/// The statements.
#[derive(Debug)]
pub enum StmtKind {
    /// Sets one place.
    Set { place: Place, value: Expr },
    /// Takes a list apart.
    SetMany { places: Vec<Place>, value: Expr },
    /// Prints values and a line feed.
    Emit(Vec<Expr>),
    /// Evaluates a call for what it does.
    Call(Expr),
    /// Runs the block of the first condition that holds.
    If { arms: Vec<(Expr, Block)>, otherwise: Block },
    /// Repeats while the condition holds.
    While { condition: Expr, body: Block },
    /// Goes through a list, map or text.
    ForEach { first: Slot, second: Option<Slot>, list: Expr, body: Block },
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the innermost loop's next turn.
    Continue,
    /// Leaves the procedure.
    Return(Expr),
    /// Fails unless the value is true.
    Must { value: Expr, message: Option<Expr> },
    /// Fails when the call reports a failure.
    MustCall { call: Call, message: Option<Expr> },
    /// Fails.
    Fail(Option<Expr>),
    /// Handles errors of the rest of the procedure.
    OnError { name: Option<Slot>, body: Block },
    /// Goes on after the statement that failed.
    ClearError,
}

/// What SET writes to.
#[derive(Debug)]
pub struct Place {
    /// The variable.
    pub slot: Slot,
    /// Its name's place.
    pub name_span: Span,
    /// The way into its value.
    pub steps: Vec<Expr>,
    /// The whole place.
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// A value known before the run.
    Const(Value),
    /// A variable.
    Variable(Variable),
    /// The result of the newest call in this procedure.
    Last,
    /// What became of the newest tool call.
    LastError,
    /// The arguments of the command line.
    Args,
    /// A list.
    List(Vec<Expr>),
    /// A map; no key comes twice.
    Map(Vec<(Str, Expr)>),
    /// `-`, `NOT`, `~`
    Unary(UnaryOp, Box<Expr>),
    /// All must be true; stops at the first that is not.
    And(Vec<Expr>),
    /// One must be true; stops at the first that is.
    Or(Vec<Expr>),
    /// Operators of one strength, from the left; never AND or OR.
    Chain(Box<Expr>, Vec<Link>),
    /// `**`
    Power(Box<Expr>, Box<Expr>),
    /// `[…]`
    Index(Box<Expr>, Box<Expr>),
    /// `.name`
    Field(Box<Expr>, Str),
    /// A text with values in it.
    Join(Vec<Piece>),
    /// `EVAL(…)`, with the names it may use.
    Eval(Box<Expr>, Rc<Scope>),
    /// A call.
    Call(Box<Call>),
}

impl ExprKind {
    /// Stands for an expression whose fault was reported, so that the program never runs. Nothing is known of its
    /// value, so that nothing else is reported of what uses it.
    pub const REPORTED: ExprKind = ExprKind::Last;
}

/// One operator and its right side.
#[derive(Debug)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// Its right side.
    pub operand: Expr,
}

/// A part of a text with values in it.
#[derive(Debug)]
pub enum Piece {
    /// As it is.
    Text(Str),
    /// The printed value.
    Value(Expr),
}

/// The names that EVAL may use, and where they are.
#[derive(Debug, Default)]
pub struct Scope {
    /// Names of variables.
    pub names: Vec<(CompactString, Variable)>,
}

impl Scope {
    /// The variable of a name.
    pub fn find(&self, name: &str) -> Option<Variable> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub target: Target,
    /// What is given.
    pub args: Args,
    /// The whole call.
    pub span: Span,
}

/// What a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A procedure of the script or of a module.
    Procedure(ProcedureId),
    /// A built-in function.
    Builtin(Builtin),
    /// A tool.
    Tool(ToolId),
    /// A function that takes a procedure, the one that it is given, and how many arguments that gets.
    Over(Over, Callee, usize),
}

/// What a function that takes a procedure is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure of the script.
    Procedure(ProcedureId),
    /// A built-in function.
    Builtin(Builtin),
    /// A tool.
    Tool(ToolId),
}

/// What a call gives.
#[derive(Debug)]
pub enum Args {
    /// One expression for each parameter, in order.
    InOrder(Vec<Expr>),
    /// Expressions in the order of the text, each with the number of its parameter; for a procedure those
    /// of the defaults follow, for a tool the other parameters are left out.
    Placed {
        /// Parameter and expression.
        values: Vec<(usize, Expr)>,
        /// The number of parameters.
        params: usize,
    },
    /// For a tool: one value that may turn out to be the map of all arguments.
    PerhapsMap(Box<Expr>),
}
