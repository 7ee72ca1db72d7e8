//! Values of literals: numbers, texts, lists and maps.
//!
//! Names, calls and operators are not literals; the parser reports them where only a literal is allowed.

use std::collections::HashSet;

use crate::limits::{LimitHit, space};
use crate::syntax::ast::{Entry, ExprId, ExprKind, Tree, UnaryOp};
use crate::text::{Code, Diagnostic, Span};
use crate::value::{Map, Str, Value, operators};

/// 2^63: the only literal that is valid only after a `-`.
const MIN_MAGNITUDE: u64 = 1 << 63;

/// Returns the value of a literal. A literal without a value is reported and becomes nil.
pub fn literal(tree: &Tree, id: ExprId, findings: &mut Vec<Diagnostic>) -> Value {
    let expr = &tree[id];
    let value = match &expr.kind {
        ExprKind::Bool(truth) => Ok((*truth).into()),
        ExprKind::Int(number) => int(*number, expr.span),
        ExprKind::Float(number) => Ok((*number).into()),
        ExprKind::Text(text) | ExprKind::Template(text, _) => self::text(text, expr.span),
        ExprKind::Unary(UnaryOp::Negate, operand) => negative(tree, *operand, findings),
        ExprKind::List(items) => {
            let items = items.iter().map(|item| literal(tree, *item, findings)).collect();
            Value::list(items).map_err(|hit| over_limit(hit, expr.span))
        }
        ExprKind::Map(entries) => map(tree, entries, findings).map_err(|hit| over_limit(hit, expr.span)),
        _ => Ok(Value::Nil),
    };
    value.unwrap_or_else(|finding| {
        findings.push(finding);
        Value::Nil
    })
}

/// Returns the value of an unsigned whole number.
pub fn int(number: u64, span: Span) -> Result<Value, Diagnostic> {
    let value = i64::try_from(number).map(Value::from);
    value.map_err(|_| {
        Diagnostic::error(Code::BadNumber, span, "the whole number does not fit into 64 bits")
            .help("the largest is 9223372036854775807; write a float, `1e20`, where the exact value does not matter")
    })
}

/// Returns the value of a text. A text over the limit is reported before any memory is allocated.
pub fn text(text: &str, span: Span) -> Result<Value, Diagnostic> {
    match space::check_string(text.len()) {
        Ok(()) => Ok(Value::text(text)),
        Err(hit) => Err(over_limit(hit, span)),
    }
}

/// Returns the value of a negated number, if it is known before the run.
pub fn negated(tree: &Tree, operand: ExprId, value: Option<&Value>) -> Option<Value> {
    match (&tree[operand].kind, value) {
        (ExprKind::Int(MIN_MAGNITUDE), _) => Some(i64::MIN.into()),
        (_, Some(number)) => operators::negate(number).ok(),
        (_, None) => None,
    }
}

/// The warning for a duplicate key in a map literal.
pub fn doubled_key(entry: &Entry) -> Diagnostic {
    let message = format!("the key `{}` is given twice", entry.key);
    Diagnostic::warning(Code::DuplicateKey, entry.key_span, message).help("the last value counts; remove the other")
}

fn negative(tree: &Tree, operand: ExprId, findings: &mut Vec<Diagnostic>) -> Result<Value, Diagnostic> {
    if let Some(least) = negated(tree, operand, None) {
        return Ok(least);
    }
    let number = literal(tree, operand, findings);
    Ok(negated(tree, operand, Some(&number)).unwrap_or_default())
}

fn map(tree: &Tree, entries: &[Entry], findings: &mut Vec<Diagnostic>) -> Result<Value, LimitHit> {
    let mut map = Map::with_capacity(entries.len());
    let mut keys: HashSet<&str> = HashSet::with_capacity(entries.len());
    for entry in entries {
        let value = literal(tree, entry.value, findings);
        if !keys.insert(&entry.key) {
            findings.push(doubled_key(entry));
        }
        map.put(Str::new(&entry.key), value)?;
    }
    Ok(map.into())
}

fn over_limit(hit: LimitHit, span: Span) -> Diagnostic {
    let finding = Diagnostic::error(hit.limit.code(), span, hit.to_string());
    match hit.limit.help() {
        Some(help) => finding.help(help),
        None => finding,
    }
}
