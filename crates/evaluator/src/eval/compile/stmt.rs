//! Statements and blocks.
//!
//! A block charges the steps of all its statements at once, and refunds the remaining ones if it is left early. If the
//! budget does not cover all of them, it charges one at a time, so that a run always stops at the statement that
//! exceeds the limit.

use std::rc::Rc;

use crate::program::tree::{Arm, AssignTarget, Block, Call, Expr, ExprKind, Stmt, StmtKind, Target};
use crate::text::Span;
use crate::value::Value;

use super::super::debug;
use super::super::handler::{self, Handler};
use super::super::machine::{CondFn, EvalResult, Flow, Machine, StmtFn, ValueFn};
use super::super::must;
use super::super::output::EmitError;
use super::{Compiler, Handlers, Spans};

impl Compiler<'_> {
    /// Compiles a block that charges `extra` steps besides those of its statements.
    pub fn block(&self, block: &[Stmt], extra: u64) -> StmtFn {
        let statements: Vec<StmtFn> = block.iter().map(|stmt| self.statement(stmt)).collect();
        let spans: Spans = block.iter().map(|stmt| stmt.span).collect();
        if let Some(handlers) = &self.handlers {
            return guarded_block(statements, spans, extra, handlers.clone());
        }
        match statements.len() {
            1 => row::<1>(statements, spans, extra),
            2 => row::<2>(statements, spans, extra),
            3 => row::<3>(statements, spans, extra),
            4 => row::<4>(statements, spans, extra),
            5 => row::<5>(statements, spans, extra),
            _ => sequence(statements, spans, extra),
        }
    }

    /// Splits a body into its statements and the value of its final RETURN.
    pub fn split_tail<'b>(&self, block: &'b Block) -> (&'b [Stmt], Option<ValueFn>) {
        match block.split_last() {
            // A handler must also see errors of the RETURN, so it stays a statement.
            Some((Stmt { kind: StmtKind::Return(value), span }, before)) if self.handlers.is_none() => {
                let returned = self.value(value);
                let tail = match self.debug_number(*span) {
                    Some(number) => debug::expression(number, *span, returned),
                    None => returned,
                };
                (before, Some(tail))
            }
            _ => (block, None),
        }
    }

    fn statement(&self, stmt: &Stmt) -> StmtFn {
        match (&stmt.kind, self.debug_number(stmt.span)) {
            (_, None) => self.plain_statement(stmt),
            // The debugger is told each time before the condition.
            (StmtKind::While { condition, body }, Some(number)) => {
                let span = condition.span;
                let condition = debug::expression(number, stmt.span, self.condition(condition));
                self.while_loop(condition, body, span)
            }
            (_, Some(number)) => debug::statement(number, stmt.span, self.plain_statement(stmt)),
        }
    }

    fn plain_statement(&self, stmt: &Stmt) -> StmtFn {
        match &stmt.kind {
            StmtKind::Set { target, value } => self.set_statement(target, value),
            StmtKind::SetMany { targets, value } => self.set_many(targets, value),
            StmtKind::Emit(values) => self.emit(values, stmt.span),
            StmtKind::Call(call) => self.call_statement(call),
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise),
            StmtKind::While { condition, body } => self.while_loop(self.condition(condition), body, condition.span),
            StmtKind::ForEach { first, second, list, body } => self.for_each(*first, *second, list, body),
            StmtKind::Break => Box::new(|_| Flow::Break),
            StmtKind::Continue => Box::new(|_| Flow::Continue),
            StmtKind::Return(value) => return_value(self.value(value)),
            StmtKind::Must { value, message } => {
                let message = message.as_ref().map(|message| self.value(message));
                must::value(self.condition(value), message, value.span)
            }
            StmtKind::MustCall { call, message } => self.must_call(call, message.as_ref()),
            StmtKind::Fail(message) => must::fail(message.as_ref().map(|message| self.value(message)), stmt.span),
            StmtKind::OnError { name, body } => self.on_error(name.map(|slot| slot.0 as usize), body),
            StmtKind::ClearError => Box::new(|machine| {
                machine.cleared = true;
                Flow::Next
            }),
        }
    }

    fn emit(&self, values: &[Expr], span: Span) -> StmtFn {
        let values = self.values(values);
        Box::new(move |machine| {
            let printed = match &values[..] {
                [value] => value(machine).map(|value| print(machine, &[value])),
                values => all_of(values, machine).map(|values| print(machine, &values)),
            };
            match printed {
                Ok(Ok(())) => Flow::Next,
                Ok(Err(error)) => {
                    machine.throw(span, error);
                    Flow::Throw
                }
                Err(_) => Flow::Throw,
            }
        })
    }

    fn call_statement(&self, call: &Expr) -> StmtFn {
        // A built-in sets `LAST` only in a CALL statement.
        let is_builtin = match &call.kind {
            ExprKind::Call(call) => matches!(call.target, Target::Builtin(_)),
            ExprKind::Eval(..) => true,
            _ => false,
        };
        let call = match &call.kind {
            _ if is_builtin => self.keeping_last(self.value(call)),
            ExprKind::Call(call) if self.calls_unseen => self.unseen_call(call),
            _ => self.value(call),
        };
        Box::new(move |machine| match call(machine) {
            Ok(_) => Flow::Next,
            Err(_) => Flow::Throw,
        })
    }

    fn if_statement(&self, arms: &[Arm], otherwise: &Block) -> StmtFn {
        let mut arms = self.arms(arms).into_iter().rev();
        let (condition, block) = arms.next().expect("an IF has an arm");
        let innermost: StmtFn = if otherwise.is_empty() {
            Box::new(move |machine| match condition(machine) {
                Ok(true) => block(machine),
                Ok(false) => Flow::Next,
                Err(_) => Flow::Throw,
            })
        } else {
            either(condition, block, self.block(otherwise, 0))
        };
        let rest: Vec<_> = arms.collect();
        if rest.len() > MANY_ARMS {
            return many_arms(rest, innermost);
        }
        rest.into_iter().fold(innermost, |otherwise, (condition, block)| either(condition, block, otherwise))
    }

    /// Compiles the conditions and blocks of an IF. A debugger is told before each condition but the first, before which
    /// it is told of the statement.
    fn arms(&self, arms: &[Arm]) -> Vec<(CondFn, StmtFn)> {
        let compiled = arms.iter().enumerate().map(|(place, arm)| {
            let condition = self.condition(&arm.condition);
            let number = if place > 0 { self.debug_number(arm.condition.span) } else { None };
            let condition = match number {
                Some(number) => debug::expression(number, arm.condition.span, condition),
                None => condition,
            };
            (condition, self.block(&arm.block, 0))
        });
        compiled.collect()
    }

    /// Compiles a SET. For a debugger a result that nothing reads is kept, and a failure of its call is shown as without
    /// one.
    fn set_statement(&self, target: &AssignTarget, value: &Expr) -> StmtFn {
        if self.debug.is_none() || !self.calls_unseen || !self.program.is_unread(value) {
            return self.set(target, value);
        }
        let (slot, ExprKind::Call(call)) = (target.slot.0 as usize, &value.kind) else {
            return self.set(target, value);
        };
        let call = self.unseen_call(call);
        Box::new(move |machine| match call(machine) {
            Ok(value) => {
                *machine.local_mut(slot) = value;
                Flow::Next
            }
            Err(_) => Flow::Throw,
        })
    }

    fn must_call(&self, call: &Call, message: Option<&Expr>) -> StmtFn {
        let message = message.map(|message| self.value(message));
        let tool = match call.target {
            Target::Tool(id) => Some(id),
            _ => None,
        };
        must::call(self.strict_call(call), tool, message, call.span)
    }

    fn on_error(&self, name: Option<usize>, body: &Block) -> StmtFn {
        let Handlers { slot, list } = self.handlers.clone().expect("a body with ON ERROR has handlers");
        let number = list.borrow().len();
        list.borrow_mut().push(Rc::new(Handler::waiting(name)));
        let block = self.block(body, 0);
        list.borrow()[number].set(block);
        Box::new(move |machine| {
            *machine.local_mut(slot) = Value::Int(number as i64);
            Flow::Next
        })
    }
}

/// Number of arms of an IF above which they are tried in a loop instead of by nested closures.
const MANY_ARMS: usize = 16;

fn many_arms(arms: Vec<(CondFn, StmtFn)>, otherwise: StmtFn) -> StmtFn {
    Box::new(move |machine| {
        for (condition, block) in arms.iter().rev() {
            match condition(machine) {
                Ok(true) => return block(machine),
                Ok(false) => {}
                Err(_) => return Flow::Throw,
            }
        }
        otherwise(machine)
    })
}

fn either(condition: CondFn, block: StmtFn, otherwise: StmtFn) -> StmtFn {
    Box::new(move |machine| match condition(machine) {
        Ok(true) => block(machine),
        Ok(false) => otherwise(machine),
        Err(_) => Flow::Throw,
    })
}

fn return_value(value: ValueFn) -> StmtFn {
    Box::new(move |machine| match value(machine) {
        Ok(value) => {
            machine.returned = value;
            Flow::Return
        }
        Err(_) => Flow::Throw,
    })
}

fn all_of(exprs: &[ValueFn], machine: &mut Machine) -> EvalResult<Vec<Value>> {
    let mut values = Vec::with_capacity(exprs.len());
    for expr in exprs {
        values.push(expr(machine)?);
    }
    Ok(values)
}

fn print(machine: &mut Machine, values: &[Value]) -> Result<(), EmitError> {
    machine.world.output.emit(values, &mut machine.meter)
}

/// Compiles a short block. Its length is known at compile time, so the machine code contains no loop.
fn row<const N: usize>(statements: Vec<StmtFn>, spans: Spans, extra: u64) -> StmtFn {
    let Ok(statements) = <[StmtFn; N]>::try_from(statements) else { unreachable!("the block was counted") };
    Box::new(move |machine| {
        if machine.meter.step(N as u64 + extra).is_err() {
            return one_by_one(machine, &statements, &spans, extra);
        }
        let Some((last, before)) = statements.split_last() else { return Flow::Next };
        for (done, statement) in before.iter().enumerate() {
            let flow = statement(machine);
            if flow != Flow::Next {
                machine.meter.refund((N - 1 - done) as u64);
                return flow;
            }
        }
        last(machine)
    })
}

fn sequence(statements: Vec<StmtFn>, spans: Spans, extra: u64) -> StmtFn {
    let steps = statements.len() as u64;
    Box::new(move |machine| {
        if machine.meter.step(steps + extra).is_err() {
            return one_by_one(machine, &statements, &spans, extra);
        }
        for (done, statement) in statements.iter().enumerate() {
            let flow = statement(machine);
            if flow != Flow::Next {
                machine.meter.refund(steps - 1 - done as u64);
                return flow;
            }
        }
        Flow::Next
    })
}

/// Compiles a block of a body with ON ERROR, which may handle errors of its statements.
fn guarded_block(statements: Vec<StmtFn>, spans: Spans, extra: u64, handlers: Handlers) -> StmtFn {
    Box::new(move |machine| {
        for (number, statement) in statements.iter().enumerate() {
            let steps = if number == 0 { 1 + extra } else { 1 };
            let flow = match machine.meter.step(steps) {
                Ok(()) => statement(machine),
                Err(hit) => {
                    machine.throw(spans[number], hit);
                    Flow::Throw
                }
            };
            let flow = match flow {
                Flow::Throw => handler::handle(machine, handlers.slot, &handlers.list),
                flow => flow,
            };
            if flow != Flow::Next {
                return flow;
            }
        }
        match (statements.is_empty(), extra) {
            (false, _) | (true, 0) => Flow::Next,
            (true, extra) => charge(machine, extra, &spans),
        }
    })
}

/// Runs statements that exceed the budget, up to the one that hits the limit.
#[cold]
#[inline(never)]
fn one_by_one(machine: &mut Machine, statements: &[StmtFn], spans: &Spans, extra: u64) -> Flow {
    if charge(machine, extra, spans) == Flow::Throw {
        return Flow::Throw;
    }
    for (statement, span) in statements.iter().zip(spans) {
        if machine.step(*span).is_err() {
            return Flow::Throw;
        }
        let flow = statement(machine);
        if flow != Flow::Next {
            return flow;
        }
    }
    Flow::Next
}

fn charge(machine: &mut Machine, steps: u64, spans: &Spans) -> Flow {
    match machine.meter.step(steps) {
        Ok(()) => Flow::Next,
        Err(hit) => {
            let span = spans.first().copied().unwrap_or_default();
            machine.throw(span, hit);
            Flow::Throw
        }
    }
}
