//! Calls of `tool.…` in lower case that give something else in upstream NeuroScript, where scripts are written so.
//!
//! A call whose result is used as ours is, with a field or an index behind it, was written for this language. A call
//! as a statement is not reported if nothing reads its result.

use std::collections::HashSet;

use crate::migrate::difference;
use crate::syntax::ast::{Call, ExprId, ExprKind, StatementKind};
use crate::text::{Code, Diagnostic};

use super::names::Callee;
use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let has_name = |call: &Call| difference(&call.callee, call.args.len()).is_some();
    let is_one = |id: &ExprId| matches!(&text.tree[*id].kind, ExprKind::Call(call) if has_name(call));
    for body in &text.bodies {
        // Most texts have none; uses are collected only for those that do.
        let calls: Vec<ExprId> = body.expressions.iter().copied().filter(is_one).collect();
        if calls.is_empty() {
            continue;
        }
        let ours = used_as_ours(text, body);
        for id in calls.iter().filter(|id| !ours.contains(id)) {
            let ExprKind::Call(call) = &text.tree[*id].kind else { continue };
            found.extend(different(text, call));
        }
    }
}

/// Returns the calls whose result is used as only ours can be, or not at all.
fn used_as_ours(text: &Text<'_>, body: &Body<'_>) -> HashSet<ExprId> {
    let bases = body.expressions.iter().filter_map(|id| match text.tree[*id].kind {
        ExprKind::Field(base, _) | ExprKind::Index(base, _) => Some(text.tree.bare(base)),
        _ => None,
    });
    let calls = body.statements.iter().filter_map(|statement| match statement.kind {
        StatementKind::Call(call) if !text.outside.reads_last => Some(call),
        StatementKind::Must { value, .. } => Some(value),
        _ => None,
    });
    bases.chain(calls).collect()
}

fn different(text: &Text<'_>, call: &Call) -> Option<Diagnostic> {
    let difference = difference(&call.callee, call.args.len())?;
    let Some(Callee::Tool(tool)) = text.callee(call) else { return None };
    let message = format!("`{}` means something else in upstream NeuroScript: {difference}", call.callee);
    let help = format!("for a script from there run `ns migrate`; in one of ours write `{}`", tool.spec.name);
    Some(Diagnostic::warning(Code::UpstreamCall, call.callee_span, message).help(help))
}
