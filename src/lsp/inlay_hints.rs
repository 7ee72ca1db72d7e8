//! Inlay hints: the names of the parameters that positional arguments are for.

use std::collections::HashMap;

use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};

use crate::engine::AnalyzedText;
use crate::engine::ast::{Arg, Call, ExprKind};
use crate::manual::entry_of;

use super::request::Target;

/// Maximum number of hints of an answer.
const MOST: usize = 5_000;

/// Returns the hints in a range, none unless the user wants them.
pub fn inlay_hints(target: &Target<'_>, range: Range) -> Vec<InlayHint> {
    if !target.settings.parameter_names {
        return Vec::new();
    }
    let Some(script) = target.analysis.script() else { return Vec::new() };
    let (from, to) = (target.offset(range.start) as u32, target.offset(range.end) as u32);
    let calls = script.tree.exprs().iter().filter_map(|expr| match &expr.kind {
        ExprKind::Call(call) if expr.span.start <= to && from <= expr.span.end => Some(call),
        _ => None,
    });
    let mut named: HashMap<&str, Vec<String>> = HashMap::new();
    let mut found = Vec::new();
    for call in calls {
        let names = named.entry(&call.callee).or_insert_with(|| parameters(target, &script, &call.callee));
        let positional = call.args.iter().take_while(|arg| arg.name.is_none()).zip(names.iter());
        let hints = positional.filter(|(arg, name)| !speaks_for_itself(&script, call, arg, name));
        found.extend(hints.map(|(arg, name)| (script.tree[arg.value].span.start, name.clone())));
    }
    found.retain(|(at, _)| (from..=to).contains(at));
    found.sort_unstable();
    found.truncate(MOST);
    let positions = target.document.text.positions(target.client.encoding);
    let hint = |(at, name): (u32, String)| InlayHint {
        position: positions.position(at as usize),
        label: InlayHintLabel::String(format!("{name}:")),
        kind: Some(InlayHintKind::PARAMETER),
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: Some(true),
        data: None,
    };
    found.into_iter().map(hint).collect()
}

/// Returns the names of the parameters of a procedure or tool. Built-in functions have no names for theirs.
fn parameters(target: &Target<'_>, script: &AnalyzedText<'_>, callee: &str) -> Vec<String> {
    if let Some(procedure) = script.procedure(callee) {
        return procedure.parameters;
    }
    let entry = entry_of(target.engine.registry(), callee);
    entry.into_iter().flat_map(|entry| entry.params.iter().map(|param| param.name.to_owned())).collect()
}

/// Whether an argument needs no hint: it is a variable or field with the name of the parameter, or it may be the map of
/// all arguments.
fn speaks_for_itself(script: &AnalyzedText<'_>, call: &Call, arg: &Arg, name: &str) -> bool {
    match &script.tree[arg.value].kind {
        ExprKind::Name(written) => written.eq_ignore_ascii_case(name),
        ExprKind::Field(_, field) => field.text.eq_ignore_ascii_case(name),
        ExprKind::Map(_) => call.args.len() == 1,
        _ => false,
    }
}
