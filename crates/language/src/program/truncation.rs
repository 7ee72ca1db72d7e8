//! Finds the tool calls whose result has a `truncated` key that the script never checks, so that the user can be warned
//! when such a result is truncated.
//!
//! Results are followed through variables, `LAST` and the calls of a body. A result counts as checked where the script
//! reads `truncated` in any spelling (`r.truncated`, `r["truncated"]`, a computed key, `MAP.Get`), and where it uses
//! the result as a whole: prints, returns, stores, compares or iterates over it, passes it to a call, or names it in an
//! EVAL. Reading other keys or testing the result for truth does not count. A result that is checked anywhere counts as
//! checked, whichever path the run takes.

use crate::syntax::{Part, Template};
use crate::text::Span;
use crate::toolkit::{Effect, Registry};
use crate::value::Value;

use super::tree::{
    Args, Arm, AssignTarget, BinaryOp, Block, Body, Call, Expr, ExprKind, Link, Piece, PlacedArg, Program, Scope, Stmt,
    StmtKind, Target, UnaryOp, Variable,
};

/// The key of a result that says whether entries were left out.
pub const TRUNCATED: &str = "truncated";

/// Returns the calls of reading tools whose results are never checked for truncation, in source order.
pub fn unchecked_truncations(program: &Program, registry: &Registry) -> Vec<Span> {
    let mut follower = Follower::new(program, registry);
    for (number, body) in bodies(program).enumerate() {
        follower.body = number;
        follower.block(&body.block);
    }
    follower.unchecked()
}

/// Something that may hold a result: a variable of a body, its `LAST`, or a call.
type Holder = usize;

struct Follower<'a> {
    registry: &'a Registry,
    /// For each body, the holder of its first variable, and finally that of the first call. The holder before each of
    /// these is the `LAST` of the preceding body.
    first: Vec<Holder>,
    /// Index of the body being analysed.
    body: usize,
    /// Whether the result in each holder is checked.
    is_checked: Vec<bool>,
    /// Data flow from one holder to another.
    flows: Vec<(Holder, Holder)>,
    calls: Vec<(Holder, Span)>,
}

impl<'a> Follower<'a> {
    fn new(program: &Program, registry: &'a Registry) -> Follower<'a> {
        let mut first = vec![0];
        let mut holders = 0;
        for body in bodies(program) {
            holders += body.slots.len() + 1;
            first.push(holders);
        }
        Follower { registry, first, body: 0, is_checked: vec![false; holders], flows: Vec::new(), calls: Vec::new() }
    }

    /// Returns the calls whose results never flow to a holder that is checked.
    fn unchecked(mut self) -> Vec<Span> {
        let mut sources: Vec<Vec<Holder>> = vec![Vec::new(); self.is_checked.len()];
        self.flows.iter().for_each(|(from, to)| sources[*to].push(*from));
        let mut checked: Vec<Holder> = (0..self.is_checked.len()).filter(|holder| self.is_checked[*holder]).collect();
        while let Some(holder) = checked.pop() {
            for source in std::mem::take(&mut sources[holder]) {
                if !std::mem::replace(&mut self.is_checked[source], true) {
                    checked.push(source);
                }
            }
        }
        let unchecked = self.calls.iter().filter(|(holder, _)| !self.is_checked[*holder]);
        let mut unchecked: Vec<Span> = unchecked.map(|(_, span)| *span).collect();
        unchecked.sort_unstable();
        unchecked
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Set { target, value } => self.set(target, value),
            StmtKind::SetMany { targets, value } => {
                targets.iter().for_each(|target| self.visit_all_checked(&target.steps));
                self.visit_checked(value);
            }
            StmtKind::Emit(values) => self.visit_all_checked(values),
            StmtKind::Call(value) => self.visit_unchecked(value),
            StmtKind::MustCall { call, message } => {
                self.call(call);
                self.visit_all_checked(message);
            }
            StmtKind::Must { value, message } => {
                self.visit_unchecked(value);
                self.visit_all_checked(message);
            }
            StmtKind::Fail(message) => self.visit_all_checked(message),
            StmtKind::Return(value) => self.visit_checked(value),
            StmtKind::If { arms, otherwise } => {
                for Arm { condition, block } in arms {
                    self.visit_unchecked(condition);
                    self.block(block);
                }
                self.block(otherwise);
            }
            StmtKind::While { condition, body } => {
                self.visit_unchecked(condition);
                self.block(body);
            }
            StmtKind::ForEach { list, body, .. } => {
                self.visit_checked(list);
                self.block(body);
            }
            StmtKind::OnError { body, .. } => self.block(body),
            StmtKind::Break | StmtKind::Continue | StmtKind::ClearError => {}
        }
    }

    fn set(&mut self, target: &AssignTarget, value: &Expr) {
        if !target.steps.is_empty() {
            self.visit_all_checked(&target.steps);
            return self.visit_checked(value);
        }
        let variable = self.first[self.body] + target.slot.0 as usize;
        if let Some(holder) = self.visit(value) {
            self.flows.push((holder, variable));
        }
    }

    /// Visits a value that is discarded or only tested for truth.
    fn visit_unchecked(&mut self, value: &Expr) {
        self.visit(value);
    }

    /// Visits a value that leaves the analysis, and marks its result as checked.
    fn visit_checked(&mut self, value: &Expr) {
        if let Some(holder) = self.visit(value) {
            self.is_checked[holder] = true;
        }
    }

    fn visit_all_checked<'e>(&mut self, values: impl IntoIterator<Item = &'e Expr>) {
        values.into_iter().for_each(|value| self.visit_checked(value));
    }

    /// Visits an expression. Returns the holder of the result that the expression may evaluate to.
    fn visit(&mut self, expr: &Expr) -> Option<Holder> {
        match &expr.kind {
            ExprKind::Variable(variable) => return Some(self.variable(*variable)),
            ExprKind::Taken(_) | ExprKind::Release(_) => unreachable!("last uses are marked afterwards"),
            ExprKind::Last => return Some(self.last()),
            ExprKind::Call(call) => return self.call(call),
            ExprKind::Const(_) | ExprKind::LastError | ExprKind::Args => {}
            ExprKind::List(items) => self.visit_all_checked(items),
            ExprKind::Map(entries) => self.visit_all_checked(entries.iter().map(|entry| &entry.value)),
            ExprKind::Unary(UnaryOp::Not, value) => self.visit_unchecked(value),
            ExprKind::Unary(_, value) => self.visit_checked(value),
            ExprKind::And(values) | ExprKind::Or(values) => values.iter().for_each(|value| self.visit_unchecked(value)),
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
            Variable::Local(slot) => self.first[self.body] + slot.0 as usize,
            Variable::Outer(slot) => self.first[self.first.len() - 2] + slot.0 as usize,
        }
    }

    fn last(&self) -> Holder {
        self.first[self.body + 1] - 1
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
            links => self.visit_all_checked(links.iter().map(|link| &link.operand).chain([first])),
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

    /// Visits an EVAL: it prints the variables that its text names, or possibly any variable if the text is not known.
    fn eval(&mut self, text: &Expr, scope: &Scope) {
        self.visit_checked(text);
        let Some(template) = text_of(text) else {
            scope.names.iter().for_each(|(_, variable)| self.mark_checked(self.variable(*variable)));
            return self.mark_checked(self.last());
        };
        for part in Template::new(&template) {
            let Part::Placeholder(name, _) = part else { continue };
            let (name, rest) = name.split_once('.').unwrap_or((name, TRUNCATED));
            if rest.split('.').next() == Some(TRUNCATED) {
                self.mark_checked(scope.find(name).map_or(self.last(), |variable| self.variable(variable)));
            }
        }
    }

    fn mark_checked(&mut self, holder: Holder) {
        self.is_checked[holder] = true;
    }

    /// Visits a call. Returns its holder if it calls a tool that reads.
    fn call(&mut self, call: &Call) -> Option<Holder> {
        match (call.target, &call.args) {
            (Target::Tool(id), Args::Placed { values, .. })
                if READS_A_KEY.contains(&self.registry.get(id).spec.name) =>
            {
                self.read_by_tool(values);
            }
            (_, Args::InOrder(values)) => self.visit_all_checked(values),
            (_, Args::Placed { values, .. }) => self.visit_all_checked(values.iter().map(|arg| &arg.value)),
            (_, Args::PerhapsMap(value)) => self.visit_checked(value),
        }
        let Target::Tool(id) = call.target else { return None };
        if self.registry.get(id).spec.effect != Effect::Reads {
            return None;
        }
        let holder = self.is_checked.len();
        let last = self.last();
        self.is_checked.push(false);
        self.calls.push((holder, call.span));
        self.flows.push((holder, last));
        Some(holder)
    }

    /// Visits `MAP.Get(map, key)` and similar calls.
    fn read_by_tool(&mut self, values: &[PlacedArg]) {
        let find = |place: usize| values.iter().find(|arg| arg.place == place).map(|arg| &arg.value);
        match (find(0), find(1).and_then(text_of)) {
            (Some(map), Some(key)) => self.read(map, &key),
            (map, _) => self.visit_all_checked(map),
        }
        self.visit_all_checked(values.iter().filter(|arg| arg.place > 0).map(|arg| &arg.value));
    }
}

/// Tools that read one key of the map in their first argument.
const READS_A_KEY: [&str; 2] = ["MAP.Get", "MAP.Has"];

fn bodies(program: &Program) -> impl Iterator<Item = &Body> {
    program.procedures.iter().map(|procedure| &procedure.body).chain([&program.top])
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
