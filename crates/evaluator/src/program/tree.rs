//! The lowered tree of a script: names are slots, calls are numbers, constants are values.
//!
//! [`super::lower`] produces it and `eval` compiles it. Except for spans, it does not record how the script was
//! written.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use compact_str::CompactString;

use crate::text::Span;
use crate::toolkit::ToolId;
use crate::value::{Str, Value, print};

pub use crate::syntax::ast::{BinaryOp, UnaryOp};

use super::builtin::Builtin;
use super::higher_order::HigherOrder;

/// A tool, and the one that does less work in its place.
#[derive(Clone, Copy, Debug)]
pub struct ProjectedTool {
    /// The tool that the script names.
    pub named: ToolId,
    /// The tool that is called.
    pub called: ToolId,
}

/// A complete script, ready to be compiled.
#[derive(Debug, Default)]
pub struct Program {
    /// The script's procedures, then those of its modules; a procedure's number is its index.
    pub procedures: Vec<Procedure>,
    /// Number of procedures that belong to the script itself.
    pub own_procedures: usize,
    /// The top-level statements.
    pub top: Body,
    /// Calls of tools whose results may be truncated without the script noticing, in source order, once they are marked.
    pub unchecked_truncations: Vec<Span>,
    /// Whether anything reads `ARGS`.
    pub reads_args: bool,
    /// Tools that a cheaper one replaces because the script cannot see the difference.
    pub projected: Vec<ProjectedTool>,
    /// The spans of calls whose results nothing reads, in a program for a debugger, which shows them nevertheless.
    pub unread_results: HashSet<Span>,
}

impl Program {
    /// Returns whether nothing reads the result of a call.
    pub fn is_unread(&self, call: &Expr) -> bool {
        self.unread_results.contains(&call.span)
    }

    /// Returns the procedures of the script itself.
    pub fn own_procedures(&self) -> &[Procedure] {
        &self.procedures[..self.own_procedures]
    }

    /// Returns the number of a procedure of the script itself.
    pub fn own_procedure(&self, name: &str) -> Option<usize> {
        self.own_procedures().iter().position(|procedure| procedure.name == name)
    }
}

/// A procedure.
#[derive(Debug)]
pub struct Procedure {
    /// The name.
    pub name: CompactString,
    /// The parameters, required ones first.
    pub params: Vec<Param>,
    /// The statements; the parameters are the first slots.
    pub body: Body,
    /// The text of its `COMMENT:`.
    pub documentation: Option<String>,
}

/// A parameter of a procedure.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: CompactString,
    /// The value in calls that omit it, or `None` if the parameter is required.
    pub default: Option<Value>,
}

impl fmt::Display for Param {
    /// Formats the parameter as in a signature: `name`, `name?`, `name: 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            None => f.write_str(&self.name),
            Some(Value::Nil) => write!(f, "{}?", self.name),
            Some(default) => write!(f, "{}: {}", self.name, print::preview(default)),
        }
    }
}

/// Returns the number of arguments that every call must pass.
pub fn required(params: &[Param]) -> usize {
    params.iter().take_while(|param| param.default.is_none()).count()
}

/// The number of a procedure in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcedureId(pub u32);

/// Statements and the variables that they use.
#[derive(Debug, Default)]
pub struct Body {
    /// The statements.
    pub block: Block,
    /// The names of the variables, indexed by slot.
    pub slots: Vec<CompactString>,
    /// Whether anything reads `LAST`, so that it must be kept.
    pub keeps_last: bool,
    /// Whether the statements themselves may read `LAST`; the next line of a session may also.
    pub reads_last: bool,
    /// Whether nothing checks the outcome of CALL statements: neither `LAST` here nor `LAST_ERROR` anywhere in the
    /// script.
    pub calls_unseen: bool,
    /// Whether the body contains an ON ERROR.
    pub handles_errors: bool,
}

/// Statements that run in sequence.
pub type Block = Vec<Stmt>;

/// A slot in the frame of the running procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A variable of the running procedure, or of the top level while that runs.
    Local(Slot),
    /// A variable of the top level, read by a procedure.
    Outer(Slot),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The line of the statement, or of its head.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Debug)]
#[allow(missing_docs, reason = "the line above each says what it does with its parts")]
pub enum StmtKind {
    /// Assigns one target.
    Set { target: AssignTarget, value: Expr },
    /// Destructures a list.
    SetMany { targets: Vec<AssignTarget>, value: Expr },
    /// Prints values and a line feed.
    Emit(Vec<Expr>),
    /// Evaluates a call for its effect.
    Call(Expr),
    /// Runs the block of the first condition that is true.
    If { arms: Vec<Arm>, otherwise: Block },
    /// Repeats while the condition is true.
    While { condition: Expr, body: Block },
    /// Iterates over a list, map or text.
    ForEach { first: Slot, second: Option<Slot>, list: Expr, body: Block },
    /// Leaves the innermost loop.
    Break,
    /// Continues with the next iteration of the innermost loop.
    Continue,
    /// Returns from the procedure.
    Return(Expr),
    /// Fails unless the value is true.
    Must { value: Expr, message: Option<Expr> },
    /// Fails if the call reports a failure.
    MustCall { call: Call, message: Option<Expr> },
    /// Fails.
    Fail(Option<Expr>),
    /// Handles errors in the rest of the procedure.
    OnError { name: Option<Slot>, body: Block },
    /// Resumes after the statement that failed.
    ClearError,
}

/// A condition of an IF and the block that runs if it is the first that is true.
#[derive(Debug)]
pub struct Arm {
    /// The condition.
    pub condition: Expr,
    /// The statements.
    pub block: Block,
}

/// The target of a SET.
#[derive(Debug)]
pub struct AssignTarget {
    /// The variable.
    pub slot: Slot,
    /// The span of the name.
    pub name_span: Span,
    /// The index expressions that lead into the value.
    pub steps: Vec<Expr>,
    /// The span of the whole place.
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The span of the expression.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A value known before the run.
    Const(Value),
    /// A variable.
    Variable(Variable),
    /// The result of the latest call in this procedure.
    Last,
    /// The outcome of the latest tool call.
    LastError,
    /// The command-line arguments.
    Args,
    /// A list.
    List(Vec<Expr>),
    /// A map; no key occurs twice.
    Map(Vec<MapEntry>),
    /// `-`, `NOT` or `~`.
    Unary(UnaryOp, Box<Expr>),
    /// True if all operands are true; stops at the first that is not.
    And(Vec<Expr>),
    /// True if any operand is true; stops at the first that is.
    Or(Vec<Expr>),
    /// Operators of one precedence, left to right; never AND or OR.
    Chain(Box<Expr>, Vec<Link>),
    /// `left ** right`
    Power(Box<Expr>, Box<Expr>),
    /// `whole[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `whole.name`
    Field(Box<Expr>, Str),
    /// A text with embedded values.
    Join(Vec<Piece>),
    /// `EVAL(…)`, with the names that it may use.
    Eval(Box<Expr>, Rc<Scope>),
    /// A call.
    Call(Box<Call>),
    /// A local variable whose value nothing reads afterwards, so that it is moved.
    Taken(Slot),
    /// An expression that is the last use of the value in a place.
    Release(Box<Release>),
}

/// An expression, and a place that is overwritten before anything reads it again.
#[derive(Debug)]
pub struct Release {
    /// The expression.
    pub expr: Expr,
    /// The place.
    pub place: ReleasedPlace,
    /// When it is released.
    pub moment: ReleaseMoment,
}

/// When an expression releases a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseMoment {
    /// When the operands of the expression are evaluated, before it uses them.
    BeforeUse,
    /// When the expression is evaluated.
    AfterValue,
}

/// A local variable, or a place inside its value.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedPlace {
    /// The variable.
    pub slot: Slot,
    /// The steps that lead to the place; none for the variable itself.
    pub steps: Vec<ReleasedStep>,
}

/// A step to a place, which cannot fail.
#[derive(Clone, Debug)]
pub enum ReleasedStep {
    /// A known index or key.
    Const(Value),
    /// The value of a variable.
    Local(Slot),
}

impl ReleasedPlace {
    /// Returns whether a step reads a variable.
    pub fn reads(&self, slot: Slot) -> bool {
        self.steps.iter().any(|step| matches!(step, ReleasedStep::Local(local) if *local == slot))
    }
}

impl PartialEq for ReleasedStep {
    fn eq(&self, other: &ReleasedStep) -> bool {
        match (self, other) {
            (ReleasedStep::Local(a), ReleasedStep::Local(b)) => a == b,
            (ReleasedStep::Const(Value::Int(a)), ReleasedStep::Const(Value::Int(b))) => a == b,
            (ReleasedStep::Const(a), ReleasedStep::Const(b)) => {
                a.is_text() && a.as_text().as_deref() == b.as_text().as_deref()
            }
            _ => false,
        }
    }
}

/// An operator and its right operand.
#[derive(Debug)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// The right operand.
    pub operand: Expr,
}

/// A key of a map and its value.
#[derive(Debug)]
pub struct MapEntry {
    /// The key.
    pub key: Str,
    /// The value.
    pub value: Expr,
}

/// A part of a text with embedded values.
#[derive(Debug)]
pub enum Piece {
    /// Literal text.
    Text(Str),
    /// A value to be printed.
    Value(Expr),
}

/// The names that EVAL may use, and their variables.
#[derive(Debug, Default)]
pub struct Scope {
    /// The names and their variables.
    pub names: Vec<(CompactString, Variable)>,
}

impl Scope {
    /// Returns the variable with a name.
    pub fn find(&self, name: &str) -> Option<Variable> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The target.
    pub target: Target,
    /// The arguments.
    pub args: Args,
    /// The span of the whole call.
    pub span: Span,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A procedure of the script or of a module.
    Procedure(ProcedureId),
    /// A built-in function.
    Builtin(Builtin),
    /// A tool.
    Tool(ToolId),
    /// A higher-order function, and what it calls for each element.
    HigherOrder(HigherOrder, Callback),
}

/// The function that a higher-order function calls for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The function.
    pub callee: Callee,
    /// The number of arguments that it gets for each element.
    pub args: usize,
}

/// A function that a higher-order function can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure of the script.
    Procedure(ProcedureId),
    /// A built-in function.
    Builtin(Builtin),
    /// A tool.
    Tool(ToolId),
}

/// An argument and the parameter that it is for.
#[derive(Debug)]
pub struct PlacedArg {
    /// The index of the parameter.
    pub place: usize,
    /// The argument.
    pub value: Expr,
}

/// The arguments of a call.
#[derive(Debug)]
pub enum Args {
    /// One expression for each parameter, in order.
    InOrder(Vec<Expr>),
    /// Expressions in source order, each with the index of its parameter. A procedure's defaults follow; a tool's
    /// omitted parameters are left out.
    Placed {
        /// The arguments.
        values: Vec<PlacedArg>,
        /// The number of parameters.
        params: usize,
    },
    /// For a tool: one value that may turn out to be the map of all arguments.
    PerhapsMap(Box<Expr>),
}
