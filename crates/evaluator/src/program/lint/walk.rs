//! Traversals of a tree: its bodies, their statements and expressions. None of them recurses.

use std::collections::{HashMap, HashSet};

use crate::program::statements::{extent, set_otherwise, statements};
use crate::syntax::ast::{AssignTarget, Block, ExprId, ExprKind, Procedure, Statement, StatementKind, Step, Tree};
use crate::text::Span;

use super::names::Names;
use super::reads::Reads;

/// Statements that share variables: the top level or a procedure.
pub struct Body<'a> {
    /// The procedure, or `None` for the top level.
    pub procedure: Option<&'a Procedure>,
    /// The lines of the procedure from its head on; `None` for the top level.
    pub span: Option<Span>,
    /// The outermost statements.
    pub block: &'a Block,
    /// All statements including nested ones, in source order.
    pub statements: Vec<&'a Statement>,
    /// All expressions in the statements.
    pub expressions: Vec<ExprId>,
    /// Variables that exactly one statement assigns, with the assigned expression.
    pub set_once: HashMap<&'a str, ExprId>,
    /// The names that it reads; empty without [`Body::with_reads`].
    pub reads: Reads<'a>,
}

impl<'a> Body<'a> {
    /// Returns the top level, then the procedures.
    pub fn all(tree: &'a Tree) -> Vec<Body<'a>> {
        let procedures = tree.statements.iter().filter_map(|statement| Body::of_procedure(tree, statement));
        [Body::top(tree)].into_iter().chain(procedures).collect()
    }

    /// Returns the top level.
    pub fn top(tree: &'a Tree) -> Body<'a> {
        Body::new(tree, None, &tree.statements)
    }

    /// Returns the procedure that a statement defines.
    pub fn of_procedure(tree: &'a Tree, statement: &'a Statement) -> Option<Body<'a>> {
        let StatementKind::Procedure(procedure) = &statement.kind else { return None };
        Some(Body { span: Some(extent(statement)), ..Body::new(tree, Some(procedure), &procedure.body) })
    }

    /// Returns the body with the names that it reads.
    pub fn with_reads(self, tree: &'a Tree, names: &Names<'a>) -> Body<'a> {
        Body { reads: Reads::of(tree, names, &self.statements, &self.expressions), ..self }
    }

    fn new(tree: &'a Tree, procedure: Option<&'a Procedure>, block: &'a Block) -> Body<'a> {
        let statements = statements(block);
        let mut expressions = Vec::with_capacity(2 * statements.len());
        statements.iter().for_each(|statement| add_roots(statement, &mut expressions));
        add_parts(tree, &mut expressions);
        let set_once = set_once(procedure, &statements);
        Body { span: None, procedure, block, statements, expressions, set_once, reads: Reads::default() }
    }

    /// Returns the names that the statements set.
    pub fn names_set(&self) -> impl Iterator<Item = &'a str> {
        self.statements.iter().flat_map(|statement| set_otherwise(statement))
    }

    /// Returns the names of the parameters.
    pub fn params(&self) -> impl Iterator<Item = &'a str> {
        params(self.procedure)
    }
}

fn params(procedure: Option<&Procedure>) -> impl Iterator<Item = &str> {
    procedure.into_iter().flat_map(|procedure| &procedure.params).map(|param| param.name.text.as_str())
}

fn set_once<'a>(procedure: Option<&'a Procedure>, statements: &[&'a Statement]) -> HashMap<&'a str, ExprId> {
    let mut once = HashMap::new();
    let mut often: HashSet<&str> = params(procedure).collect();
    for statement in statements {
        match &statement.kind {
            StatementKind::Set { targets, value } if targets.len() == 1 && targets[0].steps.is_empty() => {
                let name = targets[0].name.text.as_str();
                if once.insert(name, *value).is_some() {
                    often.insert(name);
                }
            }
            // It may set any variable.
            StatementKind::Bad(_) | StatementKind::Broken(_) => return HashMap::new(),
            _ => often.extend(set_otherwise(statement)),
        }
    }
    once.retain(|name, _| !often.contains(name));
    once
}

/// Appends the expressions that belong directly to a statement.
fn add_roots(statement: &Statement, found: &mut Vec<ExprId>) {
    match &statement.kind {
        StatementKind::Set { targets, value } => {
            found.extend(targets.iter().flat_map(indexes));
            found.push(*value);
        }
        StatementKind::Emit(values) | StatementKind::Return(values) => found.extend(values),
        StatementKind::Call(call) => found.push(*call),
        StatementKind::If { arms, .. } => found.extend(arms.iter().map(|arm| arm.condition)),
        StatementKind::While { condition, .. } => found.push(*condition),
        StatementKind::For { list, .. } => found.push(*list),
        StatementKind::Must { value, message } => {
            found.push(*value);
            found.extend(message);
        }
        StatementKind::Fail(message) => found.extend(message),
        _ => {}
    }
}

fn indexes(target: &AssignTarget) -> impl Iterator<Item = ExprId> {
    target.steps.iter().filter_map(|step| match step {
        Step::Index(index) => Some(*index),
        Step::Field(_) => None,
    })
}

/// Appends all subexpressions of the expressions.
fn add_parts(tree: &Tree, found: &mut Vec<ExprId>) {
    let mut at = 0;
    while at < found.len() {
        match &tree[found[at]].kind {
            ExprKind::Placeholder(inner)
            | ExprKind::Parenthesized(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Field(inner, _) => found.push(*inner),
            ExprKind::List(items) => found.extend(items),
            ExprKind::Map(entries) => found.extend(entries.iter().map(|entry| entry.value)),
            ExprKind::Chain(first, links) => {
                found.push(*first);
                found.extend(links.iter().map(|link| link.operand));
            }
            ExprKind::Power(left, right) | ExprKind::Index(left, right) => found.extend([*left, *right]),
            ExprKind::Call(call) => found.extend(call.args.iter().map(|arg| arg.value)),
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether a statement assigns a literal value to a name.
pub fn is_plain(tree: &Tree, statement: &Statement) -> bool {
    use ExprKind::{Bool, Float, Int, Nil, Text};
    let StatementKind::Set { value, .. } = &statement.kind else { return false };
    matches!(tree[*value].kind, Nil | Bool(_) | Int(_) | Float(_) | Text(_))
}
