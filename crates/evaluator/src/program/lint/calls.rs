//! Calls of tools that the policy refuses, and literal paths that escape the sandbox.

use std::collections::HashMap;

use crate::syntax::ast::{Call, ExprId, ExprKind};
use crate::text::{Code, Diagnostic, Span};
use crate::toolkit::{BELOW_ROOT, Declaration, Kind};

use super::names::Callee;
use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in &text.bodies {
        // A text in a variable is reported once, however often the variable is used.
        let mut leaving = HashMap::new();
        for id in &body.expressions {
            let ExprKind::Call(call) = &text.tree[*id].kind else { continue };
            match text.callee(call) {
                Some(Callee::Tool(tool)) => {
                    found.extend(refused(text, tool, call.callee_span));
                    let leave = paths(text, tool, call).filter_map(|(path, kind)| leaves(text, body, path, kind));
                    leave.for_each(|finding| {
                        leaving.entry(finding.span()).or_insert(finding);
                    });
                }
                Some(Callee::Over) => found.extend(refused_over(text, call)),
                _ => {}
            }
        }
        found.extend(leaving.into_values());
    }
}

/// Reports refused tools that are passed as procedures to a function such as `LIST.Map`.
fn refused_over(text: &Text<'_>, call: &Call) -> impl Iterator<Item = Diagnostic> {
    let given = call.args.iter().map(|arg| text.tree[arg.value].span);
    given.filter_map(|span| {
        let tool = text.find_tool(text.source.slice(span).trim_matches(['"', '\'']))?;
        refused(text, tool, span)
    })
}

fn refused(text: &Text<'_>, tool: &Declaration, place: Span) -> Option<Diagnostic> {
    let error = text.ground.gate.policy().admit(&tool.spec).err()?;
    let finding = Diagnostic::warning(Code::RefusedTool, place, error.message);
    Some(finding.help(error.hint.unwrap_or_else(|| "allow it in your own policy file or `--policy`".to_owned())))
}

/// Returns the arguments that a tool takes as paths.
fn paths<'a>(text: &Text<'a>, tool: &'a Declaration, call: &'a Call) -> impl Iterator<Item = (ExprId, Kind)> {
    let given = call.args.iter().enumerate().map(|(index, arg)| match &arg.name {
        Some(name) => (position(tool, &name.text), arg.value),
        None => (Some(index), arg.value),
    });
    let mapped = match &call.args[..] {
        [arg] if tool.binder().takes_one_map() => match &text.tree[arg.value].kind {
            ExprKind::Map(entries) => &entries[..],
            _ => &[],
        },
        _ => &[],
    };
    let mapped = mapped.iter().map(|entry| (position(tool, &entry.key), entry.value));
    let tree = text.tree;
    given.chain(mapped).flat_map(move |(index, value)| {
        let kind = index.and_then(|index| tool.params.get(index)).map(|param| param.kind);
        match (kind, &tree[value].kind) {
            (Some(kind @ Kind::Path(..)), _) => vec![(value, kind)],
            (Some(kind @ Kind::Paths(..)), ExprKind::List(items)) => items.iter().map(|item| (*item, kind)).collect(),
            _ => Vec::new(),
        }
    })
}

fn position(tool: &Declaration, name: &str) -> Option<usize> {
    tool.binder().position(name).ok()
}

/// Reports a path text, given directly or through a variable that always holds it, that leads outside the sandbox.
fn leaves(text: &Text<'_>, body: &Body<'_>, given: ExprId, kind: Kind) -> Option<Diagnostic> {
    let tree = text.tree;
    let given = tree.bare(given);
    let path = match &tree[given].kind {
        ExprKind::Name(name) => tree.bare(*body.set_once.get(name.as_str())?),
        _ => given,
    };
    let ExprKind::Text(written) = &tree[path].kind else { return None };
    let message = text.ground.gate.path_refusal(written, kind)?;
    let finding = Diagnostic::warning(Code::LeavingPath, tree[path].span, message);
    let finding = if path == given { finding } else { finding.related(tree[given].span, "the path is used here") };
    Some(finding.help(BELOW_ROOT))
}
