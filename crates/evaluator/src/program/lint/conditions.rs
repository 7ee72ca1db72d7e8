//! Conditions whose outcome is always the same, as far as their text shows.

use crate::program::builtin::Builtin;
use crate::syntax::ast::{BinaryOp, Call, ExprId, ExprKind, Link, Statement, StatementKind, UnaryOp};
use crate::text::{Code, Diagnostic, Span};

use super::names::Callee;
use super::text::Text;
use super::walk::Body;

/// The values that `TYPEOF` can return.
const TYPES: [&str; 7] = ["nil", "bool", "int", "float", "string", "list", "map"];

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in &text.bodies {
        let deciding = Deciding::of(text, body);
        let mut doubtful = doubtful(text, body);
        // Of expressions that start at the same position, the longest comes first.
        doubtful.sort_by_key(|id| (text.tree[*id].span.start, u32::MAX - text.tree[*id].span.end));
        let mut reported = Span { start: 0, end: 0 };
        for id in doubtful {
            let span = text.tree[id].span;
            if span.end > reported.end
                && let Some(holds) = truth(text, id)
            {
                reported = span;
                found.push(constant(text, id, Outcome { holds, decides: deciding.hold(span) }));
            }
        }
    }
}

/// The outcome of an expression that is always the same.
struct Outcome {
    /// Whether the expression is true.
    holds: bool,
    /// Whether it decides a branch or a loop, rather than being a value.
    decides: bool,
}

/// The conditions of the statements of a body, in source order. None is inside another.
struct Deciding(Vec<Span>);

impl Deciding {
    fn of(text: &Text<'_>, body: &Body<'_>) -> Deciding {
        let conditions = body.statements.iter().flat_map(|statement| conditions(text, statement));
        let mut spans: Vec<Span> = conditions.map(|id| text.tree[id].span).collect();
        spans.sort_unstable_by_key(|span| span.start);
        Deciding(spans)
    }

    /// Returns whether an expression is one of the conditions, or a part of one.
    fn hold(&self, span: Span) -> bool {
        let later = self.0.partition_point(|condition| condition.start <= span.start);
        self.0[..later].last().is_some_and(|condition| span.end <= condition.end)
    }
}

/// Returns the expressions to check: conditions of statements, and AND and OR chains.
fn doubtful(text: &Text<'_>, body: &Body<'_>) -> Vec<ExprId> {
    let conditions = body.statements.iter().flat_map(|statement| conditions(text, statement));
    let chains = body.expressions.iter().copied().filter(|id| logic(text, *id).is_some());
    conditions.chain(chains).collect()
}

fn conditions(text: &Text<'_>, statement: &Statement) -> Vec<ExprId> {
    match &statement.kind {
        StatementKind::If { arms, .. } => arms.iter().map(|arm| arm.condition).collect(),
        // `WHILE true` is the usual form of a loop that ends with BREAK.
        StatementKind::While { condition, .. } if !is_endless(text, *condition) => vec![*condition],
        _ => Vec::new(),
    }
}

fn is_endless(text: &Text<'_>, condition: ExprId) -> bool {
    matches!(text.tree[text.tree.bare(condition)].kind, ExprKind::Bool(true) | ExprKind::Int(1))
}

/// Returns the operator if an expression is an AND or OR chain.
fn logic(text: &Text<'_>, id: ExprId) -> Option<BinaryOp> {
    match &text.tree[id].kind {
        ExprKind::Chain(_, links) => {
            links.first().map(|link| link.op).filter(|op| matches!(op, BinaryOp::Or | BinaryOp::And))
        }
        _ => None,
    }
}

fn constant(text: &Text<'_>, id: ExprId, Outcome { holds, decides }: Outcome) -> Diagnostic {
    let id = text.tree.bare(id);
    let message = if holds { "this condition always holds" } else { "this condition never holds" };
    let help = match (logic(text, id), holds) {
        (Some(BinaryOp::Or), true) if !decides => {
            "`OR` gives true or false, not one of its values: `MAP.Get(map, key, value)` takes a default, and an IF \
             block chooses between two values"
        }
        (Some(BinaryOp::Or), true) => {
            "`OR` gives true or false: compare on both sides, `x == \"a\" OR x == \"b\"`, or write `x IN [\"a\", \"b\"]`"
        }
        _ if asks_type(text, id) => "`TYPEOF` gives nil, bool, int, float, string, list or map",
        _ => "correct the comparison, or remove the condition",
    };
    Diagnostic::warning(Code::ConstantCondition, text.tree[id].span, message).help(help)
}

/// Returns the truth value of an expression if it is always the same. Recursion is bounded by the nesting of brackets
/// and signs, which the parser limits.
fn truth(text: &Text<'_>, id: ExprId) -> Option<bool> {
    match &text.tree[text.tree.bare(id)].kind {
        ExprKind::Nil => Some(false),
        ExprKind::Bool(value) => Some(*value),
        ExprKind::Int(value) => Some(*value != 0),
        ExprKind::Float(value) => Some(*value != 0.0),
        ExprKind::Text(text) => Some(!text.is_empty()),
        ExprKind::List(items) => Some(!items.is_empty()),
        ExprKind::Map(entries) => Some(!entries.is_empty()),
        ExprKind::Unary(UnaryOp::Not, inner) => truth(text, *inner).map(|value| !value),
        ExprKind::Chain(first, links) => truth_of_chain(text, *first, links),
        _ => None,
    }
}

fn truth_of_chain(text: &Text<'_>, first: ExprId, links: &[Link]) -> Option<bool> {
    let op = links.first()?.op;
    let mut operands = [first].into_iter().chain(links.iter().map(|link| link.operand));
    match op {
        BinaryOp::Or => operands.any(|operand| truth(text, operand) == Some(true)).then_some(true),
        BinaryOp::And => operands.any(|operand| truth(text, operand) == Some(false)).then_some(false),
        _ if op.is_comparison() => comparison(text, first, op, links[0].operand),
        _ => None,
    }
}

fn comparison(text: &Text<'_>, left: ExprId, op: BinaryOp, right: ExprId) -> Option<bool> {
    let kind = |id| &text.tree[text.tree.bare(id)].kind;
    match (kind(left), op, kind(right)) {
        (ExprKind::Int(one), op, ExprKind::Int(other)) => holds(op, one, other),
        (ExprKind::Text(one), op, ExprKind::Text(other)) => holds(op, one, other),
        (ExprKind::Call(call), op, ExprKind::Int(0)) if calls(text, call, Builtin::Len) => match op {
            BinaryOp::GreaterEqual => Some(true),
            BinaryOp::Less => Some(false),
            _ => None,
        },
        (ExprKind::Call(call), op, ExprKind::Text(name)) | (ExprKind::Text(name), op, ExprKind::Call(call))
            if calls(text, call, Builtin::TypeOf) && !TYPES.contains(&name.as_str()) =>
        {
            match op {
                BinaryOp::Equal => Some(false),
                BinaryOp::NotEqual => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

fn calls(text: &Text<'_>, call: &Call, builtin: Builtin) -> bool {
    matches!(text.callee(call), Some(Callee::Builtin(found)) if found == builtin)
}

/// Returns whether an expression compares with the result of `TYPEOF`.
fn asks_type(text: &Text<'_>, id: ExprId) -> bool {
    let ExprKind::Chain(first, links) = &text.tree[id].kind else { return false };
    let mut operands = [*first].into_iter().chain(links.iter().map(|link| link.operand));
    operands.any(
        |id| matches!(&text.tree[text.tree.bare(id)].kind, ExprKind::Call(call) if calls(text, call, Builtin::TypeOf)),
    )
}

fn holds<T: PartialOrd>(op: BinaryOp, one: &T, other: &T) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => one == other,
        BinaryOp::NotEqual => one != other,
        BinaryOp::Less => one < other,
        BinaryOp::LessEqual => one <= other,
        BinaryOp::Greater => one > other,
        BinaryOp::GreaterEqual => one >= other,
        _ => return None,
    })
}
