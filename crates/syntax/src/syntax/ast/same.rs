//! Structural comparison of trees, ignoring spans: the check that the formatter makes before it writes.
//!
//! Expressions are compared by index, since equal texts add them to their arenas in the same order; blocks are compared
//! with an explicit stack.

use super::{
    Arg, AssignTarget, Block, Entry, Expr, ExprKind, Link, Name, Procedure, Statement, StatementKind, Step, Tree,
};

/// Returns whether two trees are equal except for spans. Comments are not compared.
pub fn same(one: &Tree, other: &Tree) -> bool {
    let metadata = |tree: &Tree| -> Vec<(String, String)> {
        tree.metadata.iter().map(|line| (line.key.clone(), line.value.clone())).collect()
    };
    one.version == other.version
        && metadata(one) == metadata(other)
        && all(&one.exprs, &other.exprs, same_expr)
        && same_blocks(&one.statements, &other.statements)
}

fn all<T>(one: &[T], other: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

fn same_name(one: &Name, other: &Name) -> bool {
    one.text == other.text
}

fn same_option(one: Option<&Name>, other: Option<&Name>) -> bool {
    one.map(|name| &name.text) == other.map(|name| &name.text)
}

fn same_blocks(one: &Block, other: &Block) -> bool {
    let mut ahead = vec![(one, other)];
    while let Some((one, other)) = ahead.pop() {
        if !all(one, other, same_statement) {
            return false;
        }
        for (one, other) in one.iter().zip(other) {
            let (one, other) = (blocks_of(one), blocks_of(other));
            if one.len() != other.len() {
                return false;
            }
            ahead.extend(one.into_iter().zip(other));
        }
    }
    true
}

/// Returns the blocks of a statement, including the body of a procedure.
fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::Procedure(procedure) => vec![&procedure.body],
        _ => statement.blocks(),
    }
}

/// Returns whether two statements are equal, ignoring their blocks.
fn same_statement(one: &Statement, other: &Statement) -> bool {
    use StatementKind::{
        Bad, Break, Broken, Call, ClearError, Command, Continue, Emit, Fail, For, If, Must, OnError, Return, Set, Use,
        While,
    };
    match (&one.kind, &other.kind) {
        (Set { targets: a, value: b }, Set { targets: c, value: d }) => b == d && all(a, c, same_place),
        (Emit(a), Emit(b)) | (Return(a), Return(b)) => a == b,
        (Call(a), Call(b)) => a == b,
        (If { arms: a, otherwise: b }, If { arms: c, otherwise: d }) => {
            b.is_some() == d.is_some() && all(a, c, |a, c| a.condition == c.condition)
        }
        (While { condition: a, .. }, While { condition: b, .. }) => a == b,
        (For { first: a, second: b, list: c, .. }, For { first: d, second: e, list: f, .. }) => {
            same_name(a, d) && same_option(b.as_ref(), e.as_ref()) && c == f
        }
        (Must { value: a, message: b }, Must { value: c, message: d }) => a == c && b == d,
        (Fail(a), Fail(b)) => a == b,
        (OnError { name: a, .. }, OnError { name: b, .. }) => same_option(a.as_ref(), b.as_ref()),
        (Use(a), Use(b)) => a.path == b.path && same_name(&a.name, &b.name),
        (StatementKind::Procedure(a), StatementKind::Procedure(b)) => same_head(a, b),
        (Break, Break) | (Continue, Continue) | (ClearError, ClearError) => true,
        (Command(_), Command(_)) | (Broken(_), Broken(_)) | (Bad(_), Bad(_)) => true,
        _ => false,
    }
}

fn same_head(one: &Procedure, other: &Procedure) -> bool {
    same_name(&one.name, &other.name)
        && all(&one.params, &other.params, |one, other| {
            same_name(&one.name, &other.name) && one.when_absent == other.when_absent
        })
        && all(&one.returns, &other.returns, same_name)
        && one.documentation == other.documentation
}

fn same_place(one: &AssignTarget, other: &AssignTarget) -> bool {
    same_name(&one.name, &other.name)
        && all(&one.steps, &other.steps, |one, other| match (one, other) {
            (Step::Index(one), Step::Index(other)) => one == other,
            (Step::Field(one), Step::Field(other)) => same_name(one, other),
            _ => false,
        })
}

fn same_expr(one: &Expr, other: &Expr) -> bool {
    use ExprKind::{
        Bad, Bool, Call, Chain, Field, Float, Index, Int, Last, List, Map, Name, Nil, Parenthesized, Placeholder,
        Power, Template, Text, Unary,
    };
    match (&one.kind, &other.kind) {
        (Nil, Nil) | (Last, Last) | (Bad, Bad) => true,
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (Float(a), Float(b)) => a.to_bits() == b.to_bits(),
        (Text(a), Text(b)) | (Template(a, _), Template(b, _)) => a == b,
        (Name(a), Name(b)) => a == b,
        (Placeholder(a), Placeholder(b)) | (Parenthesized(a), Parenthesized(b)) => a == b,
        (List(a), List(b)) => a == b,
        (Map(a), Map(b)) => all(a, b, |a: &Entry, b| a.key == b.key && a.value == b.value),
        (Unary(a, b), Unary(c, d)) => a == c && b == d,
        (Chain(a, b), Chain(c, d)) => a == c && all(b, d, |b: &Link, d| b.op == d.op && b.operand == d.operand),
        (Power(a, b), Power(c, d)) | (Index(a, b), Index(c, d)) => a == c && b == d,
        (Field(a, b), Field(c, d)) => a == c && same_name(b, d),
        (Call(a), Call(b)) => a.callee == b.callee && all(&a.args, &b.args, same_arg),
        _ => false,
    }
}

fn same_arg(one: &Arg, other: &Arg) -> bool {
    one.value == other.value && same_option(one.name.as_ref(), other.name.as_ref())
}
