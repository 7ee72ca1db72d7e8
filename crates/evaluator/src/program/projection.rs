//! Finds the record fields that a script never reads, so that the tools need not compute them.
//!
//! Lists of records and the records themselves are followed through variables, `LAST`, loops and places. The analysis
//! gives up as soon as one may escape (it is printed, returned, stored, passed to a tool or a procedure, compared, or
//! named by an EVAL) or a field is read that is not cheap. It does not use values, so its result holds for every run.
//!
//! A tool declares the fields that are cheap, and a second function that finds no others (`Tool::with_projection`). The
//! registry gives that function a number but no name, and the compiler calls it instead. Everything else stays the
//! same, failures too: a walk still looks up one entry of each directory. Nothing is projected where somebody else sees
//! the answer or may read more of it later: in sessions, in `ns call` and servers, and in runs whose answers have a
//! size limit (`engine/projection`).

use crate::toolkit::{Projection, Registry, ToolId};
use crate::value::Value;

use super::builtin::Builtin;
use super::tree::{
    Args, Arm, AssignTarget, BinaryOp, Block, Body, Call, Expr, ExprKind, Piece, Program, ProjectedTool, Slot, Stmt,
    StmtKind, Target, UnaryOp, Variable,
};

/// Maximum number of fixpoint iterations.
const MAX_ITERATIONS: usize = 8;

/// Returns the tools that can do less work. The program must be all that ever sees
/// its variables and the results of its calls.
pub fn projectable_calls(program: &Program, registry: &Registry) -> Vec<ProjectedTool> {
    let mut follower = FieldAnalysis::new(program, registry);
    for _ in 0..MAX_ITERATIONS {
        follower.has_grown = false;
        match follower.follow(program) {
            Err(Escapes) => return Vec::new(),
            Ok(()) if !follower.has_grown => {
                let projected = |(named, projection): &(ToolId, Projection)| ProjectedTool {
                    named: *named,
                    called: projection.tool,
                };
                return follower.tools.iter().map(projected).collect();
            }
            Ok(()) => {}
        }
    }
    Vec::new()
}

/// The kinds of value that an expression or a variable may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contents {
    /// Whether it may be a list of records.
    list: bool,
    /// Whether it may be one record.
    record: bool,
}

const NOTHING: Contents = Contents { list: false, record: false };
const LIST: Contents = Contents { list: true, record: false };
const RECORD: Contents = Contents { list: false, record: true };

/// The program may read a field that is not cheap.
struct Escapes;

type Followed<T = ()> = Result<T, Escapes>;

/// State of the analysis.
struct FieldAnalysis<'a> {
    registry: &'a Registry,
    /// For each body, the contents of its variables; the top level comes last.
    variables: Vec<Vec<Contents>>,
    /// For each body, whether it calls one of the tools, so that `LAST` may hold its result.
    calls: Vec<bool>,
    /// Index of the body being analysed.
    body: usize,
    /// The tools found so far.
    tools: Vec<(ToolId, Projection)>,
    /// Whether this iteration found anything new.
    has_grown: bool,
}

impl<'a> FieldAnalysis<'a> {
    fn new(program: &Program, registry: &'a Registry) -> FieldAnalysis<'a> {
        let variables: Vec<Vec<Contents>> = bodies(program).map(|body| vec![NOTHING; body.slots.len()]).collect();
        let calls = vec![false; variables.len()];
        FieldAnalysis { registry, variables, calls, body: 0, tools: Vec::new(), has_grown: false }
    }

    fn follow(&mut self, program: &Program) -> Followed {
        for (number, body) in bodies(program).enumerate() {
            self.body = number;
            self.block(&body.block)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Followed {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Followed {
        match &stmt.kind {
            StmtKind::Set { target, value } => self.set(target, value),
            StmtKind::SetMany { targets, value } => {
                targets.iter().try_for_each(|target| self.part(target))?;
                self.elsewhere(value)
            }
            StmtKind::Emit(values) => self.all_elsewhere(values),
            StmtKind::Call(value) => self.expr(value).map(drop),
            StmtKind::MustCall { call, message } => {
                self.call(call)?;
                self.all_elsewhere(message)
            }
            StmtKind::Must { value, message } => {
                self.expr(value)?;
                self.all_elsewhere(message)
            }
            StmtKind::Fail(message) => self.all_elsewhere(message),
            StmtKind::Return(value) => self.elsewhere(value),
            StmtKind::If { arms, otherwise } => {
                for Arm { condition, block } in arms {
                    self.expr(condition)?;
                    self.block(block)?;
                }
                self.block(otherwise)
            }
            StmtKind::While { condition, body } => {
                self.expr(condition)?;
                self.block(body)
            }
            StmtKind::ForEach { first, second, list, body } => {
                match self.expr(list)? {
                    NOTHING => {}
                    LIST => self.grow(second.unwrap_or(*first), RECORD),
                    _ => return Err(Escapes),
                }
                self.block(body)
            }
            StmtKind::OnError { body, .. } => self.block(body),
            StmtKind::Break | StmtKind::Continue | StmtKind::ClearError => Ok(()),
        }
    }

    fn set(&mut self, target: &AssignTarget, value: &Expr) -> Followed {
        if target.steps.is_empty() {
            let holds = self.expr(value)?;
            self.grow(target.slot, holds);
            Ok(())
        } else {
            self.part(target)?;
            self.elsewhere(value)
        }
    }

    /// Visits an assignment target that is a part of a variable.
    fn part(&mut self, target: &AssignTarget) -> Followed {
        if target.steps.is_empty() || self.variables[self.body][target.slot.0 as usize] == NOTHING {
            self.all_elsewhere(&target.steps)
        } else {
            Err(Escapes)
        }
    }

    fn grow(&mut self, slot: Slot, by: Contents) {
        let holds = &mut self.variables[self.body][slot.0 as usize];
        let grown = Contents { list: holds.list || by.list, record: holds.record || by.record };
        self.has_grown |= grown != *holds;
        *holds = grown;
    }

    /// Visits a value that leaves the analysis.
    fn elsewhere(&mut self, value: &Expr) -> Followed {
        if self.expr(value)? == NOTHING { Ok(()) } else { Err(Escapes) }
    }

    fn all_elsewhere<'e>(&mut self, values: impl IntoIterator<Item = &'e Expr>) -> Followed {
        values.into_iter().try_for_each(|value| self.elsewhere(value))
    }

    fn expr(&mut self, expr: &Expr) -> Followed<Contents> {
        match &expr.kind {
            ExprKind::Variable(variable) => return Ok(self.variable(*variable)),
            ExprKind::Last => return Ok(if self.calls[self.body] { LIST } else { NOTHING }),
            ExprKind::Call(call) => return self.call(call),
            ExprKind::Index(whole, index) => return self.element(whole, index),
            ExprKind::Field(whole, name) => return self.field(whole, &name.as_text()),
            ExprKind::Eval(..) => return Err(Escapes),
            // Last uses are marked afterwards.
            ExprKind::Taken(_) | ExprKind::Release(_) => return Err(Escapes),
            ExprKind::Const(_) | ExprKind::LastError | ExprKind::Args => {}
            ExprKind::List(items) => self.all_elsewhere(items)?,
            ExprKind::Map(entries) => self.all_elsewhere(entries.iter().map(|entry| &entry.value))?,
            // Testing for truth reads no fields.
            ExprKind::Unary(UnaryOp::Not, value) => drop(self.expr(value)?),
            ExprKind::And(values) | ExprKind::Or(values) => {
                values.iter().try_for_each(|value| self.expr(value).map(drop))?;
            }
            ExprKind::Unary(_, value) => self.elsewhere(value)?,
            ExprKind::Power(left, right) => self.all_elsewhere([&**left, right])?,
            ExprKind::Chain(first, links) => match &links[..] {
                [link] if matches!(link.op, BinaryOp::Equal | BinaryOp::NotEqual) && is_nil(&link.operand) => {
                    self.expr(first)?;
                }
                links => self.all_elsewhere(links.iter().map(|link| &link.operand).chain([&**first]))?,
            },
            ExprKind::Join(pieces) => {
                self.all_elsewhere(pieces.iter().filter_map(|piece| match piece {
                    Piece::Value(value) => Some(value),
                    Piece::Text(_) => None,
                }))?;
            }
        }
        Ok(NOTHING)
    }

    fn variable(&self, variable: Variable) -> Contents {
        let (body, slot) = match variable {
            Variable::Local(slot) => (self.body, slot),
            Variable::Outer(slot) => (self.variables.len() - 1, slot),
        };
        self.variables[body][slot.0 as usize]
    }

    fn element(&mut self, whole: &Expr, index: &Expr) -> Followed<Contents> {
        let whole = self.expr(whole)?;
        match &index.kind {
            ExprKind::Const(Value::Int(_)) if whole == LIST => Ok(RECORD),
            ExprKind::Const(name)
                if whole == RECORD && name.as_str().is_some_and(|name| self.is_cheap(&name.as_text())) =>
            {
                Ok(NOTHING)
            }
            // The message of an error would display the value.
            _ if whole != NOTHING => Err(Escapes),
            _ => self.elsewhere(index).map(|()| NOTHING),
        }
    }

    fn field(&mut self, whole: &Expr, name: &str) -> Followed<Contents> {
        match self.expr(whole)? {
            NOTHING => Ok(NOTHING),
            RECORD if self.is_cheap(name) => Ok(NOTHING),
            _ => Err(Escapes),
        }
    }

    /// Returns whether all the tools provide a field cheaply.
    fn is_cheap(&self, name: &str) -> bool {
        self.tools.iter().all(|(_, projection)| projection.reads.contains(&name))
    }

    fn call(&mut self, call: &Call) -> Followed<Contents> {
        match (call.target, &call.args) {
            (Target::Builtin(Builtin::Len), Args::InOrder(values)) => {
                values.iter().try_for_each(|value| self.expr(value).map(drop))?;
            }
            (_, Args::InOrder(values)) => self.all_elsewhere(values)?,
            (_, Args::Placed { values, .. }) => self.all_elsewhere(values.iter().map(|arg| &arg.value))?,
            (_, Args::PerhapsMap(value)) => self.elsewhere(value)?,
        }
        match call.target {
            Target::Tool(id) => Ok(self.tool(id)),
            _ => Ok(NOTHING),
        }
    }

    fn tool(&mut self, id: ToolId) -> Contents {
        let Some(projection) = self.registry.projection(id) else { return NOTHING };
        if !self.tools.iter().any(|(known, _)| *known == id) {
            self.tools.push((id, projection));
            self.has_grown = true;
        }
        self.has_grown |= !self.calls[self.body];
        self.calls[self.body] = true;
        LIST
    }
}

fn bodies(program: &Program) -> impl Iterator<Item = &Body> {
    program.procedures.iter().map(|procedure| &procedure.body).chain([&program.top])
}

fn is_nil(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Value::Nil))
}
