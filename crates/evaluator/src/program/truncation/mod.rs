//! Finds the tool calls whose result has a `truncated` key that the script never checks, so that the user can be warned
//! when such a result is truncated.
//!
//! Results are followed through variables, `LAST` and the calls of a body, until something else takes their place. A
//! result counts as checked where the script reads `truncated` in any spelling (`r.truncated`, `r["truncated"]`, a
//! computed key, `MAP.Get`), and where it uses the result as a whole: prints, returns, stores, compares or iterates over
//! it, passes it to a call, or names it in an EVAL. Reading other keys or testing the result for truth does not count. A
//! result that is checked on one way through the body counts as checked, whichever way the run takes.
//!
//! An error may lead from any step to the error handlers of the body, and a handler with `CLEAR_ERROR` back to any
//! statement. A procedure that checks a variable of the script checks it at each of its calls, and at the end of the
//! script, because `Main` or `--proc` may call it there.
//!
//! No warning is given, although the result is not checked, in these cases: where the only way to the check is an error
//! at a step that cannot fail, or one that another handler handles; where a handler that clears the error would return
//! to a statement before the one that failed; where the check is in a procedure that is called only on other ways; and
//! in bodies of more than `flow::MAX_STATES` states, where order does not count.

mod calls;
mod flow;

use crate::text::Span;
use crate::toolkit::Registry;
use crate::value::Value;

use flow::{Flow, Holder, Source};

use super::tree::{
    Arm, AssignTarget, BinaryOp, Block, Body, Expr, ExprKind, Link, Piece, Procedure, Program, Stmt, StmtKind, UnaryOp,
    Variable,
};

/// The key of a result that says whether entries were left out.
pub const TRUNCATED: &str = "truncated";

/// Marks the calls of reading tools whose results are never checked for truncation.
pub fn mark_truncations(program: &mut Program, registry: &Registry) {
    program.unchecked_truncations = unchecked_truncations(program, registry);
}

/// Returns these calls in source order.
fn unchecked_truncations(program: &Program, registry: &Registry) -> Vec<Span> {
    let outer = program.top.slots.len();
    let (mut calls, mut checked) = (Vec::new(), Vec::new());
    let mut of_procedures = Vec::with_capacity(program.procedures.len());
    for Procedure { body, .. } in &program.procedures {
        let mut follower = Follower::new(registry, body, outer, &mut calls);
        follower.block(&body.block);
        let Follower { flow, called, first_outer, .. } = follower;
        let holders = flow.find_checked(&mut checked, calls.len());
        of_procedures.push(OuterChecks { checked: holders[first_outer..].to_vec(), called });
    }
    spread_to_callers(&mut of_procedures);
    let mut follower = Follower::new(registry, &program.top, outer, &mut calls);
    follower.of_procedures = &of_procedures;
    follower.block(&program.top.block);
    (0..of_procedures.len()).for_each(|procedure| follower.check_by(procedure));
    let flow = follower.flow;
    flow.find_checked(&mut checked, calls.len());
    let unchecked = calls.iter().zip(&checked).filter(|(_, is_checked)| !**is_checked);
    let mut unchecked: Vec<Span> = unchecked.map(|(span, _)| *span).collect();
    unchecked.sort_unstable();
    unchecked
}

/// The variables of the script that a procedure checks.
struct OuterChecks {
    /// Whether it checks each of them.
    checked: Vec<bool>,
    /// The procedures that it calls.
    called: Vec<usize>,
}

/// Adds to each procedure the checks of those that it calls.
fn spread_to_callers(procedures: &mut [OuterChecks]) {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); procedures.len()];
    for (caller, procedure) in procedures.iter().enumerate() {
        procedure.called.iter().for_each(|called| callers[*called].push(caller));
    }
    let mut waiting: Vec<usize> = (0..procedures.len()).collect();
    while let Some(called) = waiting.pop() {
        for caller in &callers[called] {
            let added = procedures[called].checked.clone();
            let own = &mut procedures[*caller].checked;
            if added.iter().zip(&*own).any(|(added, own)| *added && !own) {
                own.iter_mut().zip(added).for_each(|(own, added)| *own |= added);
                waiting.push(*caller);
            }
        }
    }
}

/// Follows the results in one body.
struct Follower<'a> {
    registry: &'a Registry,
    flow: Flow,
    /// The checks of the procedures, while following the script itself.
    of_procedures: &'a [OuterChecks],
    /// The procedures that the body calls.
    called: Vec<usize>,
    /// The holder of `LAST`, after those of the variables.
    last: Holder,
    /// The holder of the first variable of the script, as a procedure sees it.
    first_outer: Holder,
    /// The calls of all bodies so far.
    calls: &'a mut Vec<Span>,
}

impl<'a> Follower<'a> {
    fn new(registry: &'a Registry, body: &Body, outer: usize, calls: &'a mut Vec<Span>) -> Follower<'a> {
        let last = body.slots.len();
        let first_outer = last + 1;
        let flow = Flow::new(first_outer + outer);
        Follower { registry, flow, of_procedures: &[], called: Vec::new(), last, first_outer, calls }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.flow.begin_statement();
            self.stmt(stmt);
        }
        self.flow.begin_statement();
    }

    /// Marks the variables of the script that a procedure checks.
    fn check_by(&mut self, procedure: usize) {
        let Some(OuterChecks { checked, .. }) = self.of_procedures.get(procedure) else { return };
        let holders = checked.iter().enumerate().filter(|(_, is_checked)| **is_checked);
        holders.for_each(|(holder, _)| self.flow.check(Source::Holder(holder)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Set { target, value } => self.set(target, value),
            StmtKind::SetMany { targets, value } => {
                targets.iter().for_each(|target| self.visit_all_checked(&target.steps));
                self.visit_checked(value);
                let variables = targets.iter().filter(|target| target.steps.is_empty());
                variables.for_each(|target| self.flow.set(target.slot.0 as usize, None));
            }
            StmtKind::Emit(values) => self.visit_all_checked(values),
            StmtKind::Call(value) => self.visit_unchecked(value),
            StmtKind::MustCall { call, message } => {
                self.call(call);
                self.perhaps(|follower| follower.visit_all_checked(message));
            }
            StmtKind::Must { value, message } => {
                self.visit_unchecked(value);
                self.perhaps(|follower| follower.visit_all_checked(message));
            }
            StmtKind::Fail(message) => self.visit_all_checked(message),
            StmtKind::Return(value) => self.visit_checked(value),
            StmtKind::If { arms, otherwise } => self.arms(arms, otherwise),
            StmtKind::While { condition, body } => {
                self.begin_loop(body);
                self.visit_unchecked(condition);
                let test = self.flow.branch();
                self.block(body);
                self.flow.end_loop(test);
            }
            StmtKind::ForEach { list, body, .. } => {
                self.visit_checked(list);
                self.begin_loop(body);
                let test = self.flow.branch();
                self.block(body);
                self.flow.end_loop(test);
            }
            StmtKind::OnError { body, .. } => {
                let before = self.flow.begin_handler();
                self.block(body);
                self.flow.end_handler(before, may_clear(body));
            }
            StmtKind::Break => self.flow.jump(true),
            StmtKind::Continue => self.flow.jump(false),
            StmtKind::ClearError => {}
        }
    }

    fn arms(&mut self, arms: &[Arm], otherwise: &Block) {
        let mut ends = Vec::with_capacity(arms.len() + 1);
        for Arm { condition, block } in arms {
            self.visit_unchecked(condition);
            let test = self.flow.branch();
            self.block(block);
            ends.push(self.flow.here());
            self.flow.begin_after(&[test]);
        }
        self.block(otherwise);
        ends.push(self.flow.here());
        self.flow.begin_after(&ends);
    }

    /// Begins a loop. A handler in it may also run in its next turn, before the handler's own statement.
    fn begin_loop(&mut self, body: &Block) {
        if !self.flow.is_handling() && has_handler(body) {
            self.flow.begin_handling();
        }
        self.flow.begin_loop();
    }

    /// Visits something that may be left out.
    fn perhaps(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = self.flow.branch();
        visit(self);
        self.flow.join(before);
    }

    fn set(&mut self, target: &AssignTarget, value: &Expr) {
        if !target.steps.is_empty() {
            self.visit_all_checked(&target.steps);
            return self.visit_checked(value);
        }
        let from = self.visit(value);
        self.flow.set(target.slot.0 as usize, from);
    }

    /// Visits a value that is discarded or only tested for truth.
    fn visit_unchecked(&mut self, value: &Expr) {
        self.visit(value);
    }

    /// Visits a value that leaves the analysis, and marks its result as checked.
    fn visit_checked(&mut self, value: &Expr) {
        if let Some(source) = self.visit(value) {
            self.flow.check(source);
        }
    }

    fn visit_all_checked<'e>(&mut self, values: impl IntoIterator<Item = &'e Expr>) {
        values.into_iter().for_each(|value| self.visit_checked(value));
    }

    /// Visits an expression. Returns the source of the result that the expression may evaluate to.
    fn visit(&mut self, expr: &Expr) -> Option<Source> {
        match &expr.kind {
            ExprKind::Variable(variable) => return Some(Source::Holder(self.variable(*variable))),
            ExprKind::Taken(_) | ExprKind::Release(_) => unreachable!("last uses are marked afterwards"),
            ExprKind::Last => return Some(Source::Holder(self.last)),
            ExprKind::Call(call) => return self.call(call),
            ExprKind::Const(_) | ExprKind::LastError | ExprKind::Args => {}
            ExprKind::List(items) => self.visit_all_checked(items),
            ExprKind::Map(entries) => self.visit_all_checked(entries.iter().map(|entry| &entry.value)),
            ExprKind::Unary(UnaryOp::Not, value) => self.visit_unchecked(value),
            ExprKind::Unary(_, value) => self.visit_checked(value),
            ExprKind::And(values) | ExprKind::Or(values) => self.operands(values),
            ExprKind::Power(left, right) => self.visit_all_checked([&**left, right]),
            ExprKind::Chain(first, links) => self.chain(first, links),
            ExprKind::Index(whole, index) => self.element(whole, index),
            ExprKind::Field(whole, name) => self.read(whole, &name.as_text()),
            ExprKind::Join(pieces) => {
                let values =
                    pieces.iter().filter_map(|piece| if let Piece::Value(value) = piece { Some(value) } else { None });
                self.visit_all_checked(values);
            }
            ExprKind::Eval(text, scope) => self.eval(text, scope),
        }
        None
    }

    fn variable(&self, variable: Variable) -> Holder {
        match variable {
            Variable::Local(slot) => slot.0 as usize,
            Variable::Outer(slot) => self.first_outer + slot.0 as usize,
        }
    }

    /// Visits the operands of AND or OR, of which each may be the last that is evaluated.
    fn operands(&mut self, values: &[Expr]) {
        let mut ends = Vec::with_capacity(values.len());
        for value in values {
            self.visit_unchecked(value);
            ends.push(self.flow.branch());
        }
        self.flow.begin_after(&ends);
    }

    fn chain(&mut self, first: &Expr, links: &[Link]) {
        match links {
            [link] if matches!(link.op, BinaryOp::Equal | BinaryOp::NotEqual) && is_nil(&link.operand) => {
                self.visit_unchecked(first);
            }
            [link] if matches!(link.op, BinaryOp::In | BinaryOp::NotIn) => {
                self.visit_checked(first);
                match text_of(first) {
                    Some(key) => self.read(&link.operand, &key),
                    None => self.visit_checked(&link.operand),
                }
            }
            [link] => self.visit_all_checked([first, &link.operand]),
            links => {
                self.visit_checked(first);
                // `a < b < c`: a comparison that fails is the last.
                links.iter().for_each(|link| self.perhaps(|follower| follower.visit_checked(&link.operand)));
            }
        }
    }

    fn element(&mut self, whole: &Expr, index: &Expr) {
        self.visit_checked(index);
        match &index.kind {
            ExprKind::Const(Value::Int(_)) => self.visit_unchecked(whole),
            _ => match text_of(index) {
                Some(key) => self.read(whole, &key),
                None => self.visit_checked(whole),
            },
        }
    }

    /// Visits `whole[key]` with a known key.
    fn read(&mut self, whole: &Expr, key: &str) {
        match key {
            TRUNCATED => self.visit_checked(whole),
            _ => self.visit_unchecked(whole),
        }
    }
}

/// Whether a block has an error handler.
fn has_handler(block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::OnError { .. } => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|arm| has_handler(&arm.block)) || has_handler(otherwise),
        StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } => has_handler(body),
        _ => false,
    })
}

/// Whether a handler may clear the error, so that the body goes on.
fn may_clear(block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::ClearError => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|arm| may_clear(&arm.block)) || may_clear(otherwise),
        StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::OnError { body, .. } => {
            may_clear(body)
        }
        _ => false,
    })
}

fn is_nil(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Value::Nil))
}

fn text_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Const(value) => value.as_text().map(|text| text.to_string()),
        _ => None,
    }
}
