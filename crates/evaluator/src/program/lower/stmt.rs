//! Lowers statements.

use crate::limits::work;
use crate::syntax::ast::{self, ExprKind as Written, StatementKind, Step};
use crate::syntax::keyword::is_keyword;
use crate::text::{Code, Diagnostic, Span};
use crate::value::{Str, Value};

use super::super::tree::{Arm, AssignTarget, Block, Expr, ExprKind, Slot, Stmt, StmtKind, Target};
use super::{Assignments, Lowering};

impl Lowering<'_> {
    pub fn block(&mut self, statements: &ast::Block) -> Block {
        let mut block = Vec::with_capacity(statements.len());
        for statement in statements {
            // The engine reports that the run must stop.
            if work::charge(1).is_err() {
                break;
            }
            self.statement(statement, &mut block);
        }
        block
    }

    fn statement(&mut self, statement: &ast::Statement, block: &mut Block) {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Set { targets, value } => self.set(targets, *value),
            StatementKind::Emit(values) => Some(StmtKind::Emit(self.exprs(values))),
            StatementKind::Call(call) => Some(StmtKind::Call(self.expr(*call))),
            StatementKind::If { arms, otherwise } => {
                let arms =
                    arms.iter().map(|arm| Arm { condition: self.expr(arm.condition), block: self.block(&arm.body) });
                let arms = arms.collect();
                Some(StmtKind::If {
                    arms,
                    otherwise: otherwise.as_ref().map(|block| self.block(block)).unwrap_or_default(),
                })
            }
            StatementKind::While { condition, body } => {
                let condition = self.expr(*condition);
                Some(StmtKind::While { condition, body: self.loop_body(body) })
            }
            StatementKind::For { first, second, list, body } => {
                let list = self.expr(*list);
                let first = self.fresh_slot(first);
                let second = second.as_ref().map(|name| self.fresh_slot(name));
                Some(StmtKind::ForEach { first, second, list, body: self.loop_body(body) })
            }
            StatementKind::Break => self.in_loop(StmtKind::Break, "BREAK", span),
            StatementKind::Continue => self.in_loop(StmtKind::Continue, "CONTINUE", span),
            StatementKind::Return(values) => Some(StmtKind::Return(self.returned(values, span))),
            StatementKind::Must { value, message } => Some(self.must(*value, *message)),
            StatementKind::Fail(message) => Some(StmtKind::Fail(message.map(|message| self.expr(message)))),
            StatementKind::OnError { name, body } => Some(self.on_error(name.as_ref(), body)),
            StatementKind::ClearError => self.clear_error(span),
            StatementKind::Command(statements) => {
                statements.iter().for_each(|statement| self.statement(statement, block));
                None
            }
            StatementKind::Broken(statements) => {
                // The kind of the block is unknown; its statements are checked as if in a loop and in a handler.
                self.handlers += 1;
                self.loop_body(statements);
                self.handlers -= 1;
                None
            }
            StatementKind::Procedure(_) | StatementKind::Use(_) | StatementKind::Bad(_) => None,
        };
        block.extend(kind.map(|kind| Stmt { kind, span }));
    }

    fn loop_body(&mut self, body: &ast::Block) -> Block {
        self.loops += 1;
        let block = self.block(body);
        self.loops -= 1;
        block
    }

    fn in_loop(&mut self, kind: StmtKind, word: &str, span: Span) -> Option<StmtKind> {
        if self.loops == 0 {
            let finding = Diagnostic::error(Code::Misplaced, span, format!("`{word}` stands outside a loop"));
            self.report(
                finding.help("it belongs between WHILE or FOR EACH and its END; a procedure is left with RETURN"),
            );
            return None;
        }
        Some(kind)
    }

    fn set(&mut self, targets: &[ast::AssignTarget], value: ast::ExprId) -> Option<StmtKind> {
        // The value is evaluated before anything is assigned.
        let own = match targets {
            [target] if target.steps.is_empty() => self.variables.find(&target.name.text),
            _ => None,
        };
        let reads_before = own.map(|slot| self.reads(slot));
        let value = self.expr(value);
        if let (Some(slot), Some(before)) = (own, reads_before) {
            let (first, reads) = (targets[0].name.clone(), self.reads(slot));
            let updates = self.assignments.entry(slot).or_insert(Assignments { first, only: true });
            updates.only &= reads > before;
        }
        if own.is_none() {
            for target in targets.iter().filter(|target| target.steps.is_empty()) {
                self.set_afresh(self.slot(&target.name), &target.name);
            }
        }
        let lowered: Vec<Option<AssignTarget>> = targets.iter().map(|target| self.assign_target(target)).collect();
        let mut lowered: Vec<AssignTarget> = lowered.into_iter().collect::<Option<_>>()?;
        Some(match lowered.len() {
            1 => StmtKind::Set { target: lowered.remove(0), value },
            _ => StmtKind::SetMany { targets: lowered, value },
        })
    }

    fn assign_target(&mut self, target: &ast::AssignTarget) -> Option<AssignTarget> {
        let name = &target.name;
        if is_keyword(&name.text, "LAST_ERROR") && self.variables.find("LAST_ERROR").is_some() {
            let finding = Diagnostic::error(Code::ReservedName, name.span, "`LAST_ERROR` is set by tool calls alone");
            self.report(finding.help("choose another name"));
        }
        let steps = target.steps.iter().map(|step| self.step(step)).collect();
        let Some(slot) = self.variables.find(&name.text) else {
            self.report_unset_base(name);
            return None;
        };
        Some(AssignTarget { slot, name_span: name.span, steps, span: target.span })
    }

    /// Reports `SET m["k"] = …` where nothing in this body assigns `m` itself.
    fn report_unset_base(&mut self, name: &ast::Name) {
        if self.is_doubtful(&name.text) {
            return;
        }
        let finding = match self.outer.and_then(|outer| outer.find(&name.text)) {
            Some(_) => self.cannot_change(name),
            None => self
                .unknown_name(&name.text, name.span)
                .help(format!("set it first: `SET {} = {{}}` or `[]`", name.text)),
        };
        self.report(finding);
    }

    fn step(&mut self, step: &Step) -> Expr {
        match step {
            Step::Index(index) => self.expr(*index),
            Step::Field(name) => Expr { kind: ExprKind::Const(Str::new(&name.text).into()), span: name.span },
        }
    }

    /// Returns the slot of a name that this body sets.
    fn slot(&self, name: &ast::Name) -> Slot {
        self.variables.find(&name.text).expect("every name that a body sets was collected")
    }

    /// Returns the slot of a name that a loop or a handler sets.
    fn fresh_slot(&mut self, name: &ast::Name) -> Slot {
        let slot = self.slot(name);
        self.set_afresh(slot, name);
        slot
    }

    fn returned(&mut self, values: &[ast::ExprId], span: Span) -> Expr {
        match values {
            [] => Expr { kind: ExprKind::Const(Value::Nil), span },
            [value] => self.expr(*value),
            values => Expr { kind: ExprKind::List(self.exprs(values)), span },
        }
    }

    fn must(&mut self, value: ast::ExprId, message: Option<ast::ExprId>) -> StmtKind {
        let is_call = matches!(self.tree[value].kind, Written::Call(_));
        let value = self.expr(value);
        let message = message.map(|message| self.expr(message));
        match value.kind {
            ExprKind::Call(call) if is_call && !matches!(call.target, Target::Builtin(_)) => {
                StmtKind::MustCall { call: *call, message }
            }
            _ => StmtKind::Must { value, message },
        }
    }

    fn on_error(&mut self, name: Option<&ast::Name>, body: &ast::Block) -> StmtKind {
        self.handles_errors = true;
        let name = name.map(|name| self.fresh_slot(name));
        let loops = std::mem::take(&mut self.loops);
        self.handlers += 1;
        let body = self.block(body);
        self.handlers -= 1;
        self.loops = loops;
        StmtKind::OnError { name, body }
    }

    fn clear_error(&mut self, span: Span) -> Option<StmtKind> {
        if self.handlers == 0 {
            let finding = Diagnostic::error(Code::Misplaced, span, "`CLEAR_ERROR` stands outside ON ERROR");
            self.report(finding.help("it belongs between ON ERROR and its END"));
            return None;
        }
        Some(StmtKind::ClearError)
    }
}
