//! Names of variables in the braces of a text that nothing expands: `"size is {size}"`, `"size is ${size}"`.
//!
//! A text that is, or may be, a template, a pattern or a text for another language is left alone.

use std::collections::HashSet;

use crate::syntax::ast::{ExprId, ExprKind, StatementKind};
use crate::syntax::keyword::{is_word, is_word_char};
use crate::text::{Code, Diagnostic};

use super::text::{Callee, Text};
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    if expands_values(text) {
        return;
    }
    let outer: HashSet<&str> = text.top_and_procedures().0.names_set().collect();
    for body in &text.bodies {
        let mut names: HashSet<&str> = body.names_set().chain(body.params()).collect();
        names.extend(&outer);
        let printed = printed(text, body);
        for id in printed {
            let ExprKind::Text(written) = &text.tree[id].kind else { continue };
            if let Some((shown, name)) = named(written, &names) {
                let message = format!("`{shown}` stands for itself in a text: `{name}` is not put into it");
                let finding = Diagnostic::warning(Code::UnexpandedName, text.tree[id].span, message);
                found.push(finding.help(help(written)));
            }
        }
    }
}

/// Whether a template that is no literal is filled in somewhere: then any text may be one.
fn expands_values(text: &Text<'_>) -> bool {
    text.bodies.iter().flat_map(|body| &body.expressions).any(|id| {
        let ExprKind::Call(call) = &text.tree[*id].kind else { return false };
        let expands = match text.callee(call) {
            Some(Callee::Tool(tool)) => ["STR.Format", "TEXT.Template"].contains(&tool.spec.name),
            Some(Callee::Builtin(builtin)) => builtin.name() == "EVAL",
            _ => false,
        };
        expands && call.args.first().is_none_or(|arg| !matches!(text.tree[arg.value].kind, ExprKind::Text(_)))
    })
}

/// Texts that are printed or joined with others as they are.
fn printed(text: &Text<'_>, body: &Body<'_>) -> Vec<ExprId> {
    let mut ids: Vec<ExprId> = Vec::new();
    for statement in &body.statements {
        match &statement.kind {
            StatementKind::Emit(values) => ids.extend(values),
            StatementKind::Fail(message) => ids.extend(message),
            StatementKind::Must { message, .. } => ids.extend(message),
            StatementKind::Set { value, .. } => ids.push(*value),
            StatementKind::Return(values) => ids.extend(values),
            _ => {}
        }
    }
    let mut at = 0;
    while at < ids.len() {
        match &text.tree[ids[at]].kind {
            ExprKind::Parenthesized(inner) => ids.push(*inner),
            ExprKind::Chain(first, links) if links.iter().all(|link| link.op.symbol() == "+") => {
                ids.push(*first);
                ids.extend(links.iter().map(|link| link.operand));
            }
            _ => {}
        }
        at += 1;
    }
    ids
}

/// The first name of a variable in braces, as it is written and alone.
fn named<'t>(written: &'t str, names: &HashSet<&str>) -> Option<(&'t str, &'t str)> {
    for (open, _) in written.match_indices('{') {
        let inner = &written[open + 1..];
        let name = &inner[..inner.find(|c| !(is_word_char(c) || c == '.')).unwrap_or(inner.len())];
        let length = name.len() + 1;
        if !written[open + length..].starts_with('}') {
            continue;
        }
        let first = name.split('.').next().unwrap_or(name);
        let before = &written[..open];
        let is_doubled = before.ends_with('{') || written[open + length + 1..].starts_with('}');
        let is_known = names.contains(first) && name.split('.').all(is_word);
        if is_known && !is_doubled && !is_other_language(before) {
            let start = if before.ends_with('$') { open - 1 } else { open };
            return Some((&written[start..open + length + 1], name));
        }
    }
    None
}

/// Whether braces after a text repeat a part of a pattern (`\d{n}`, `[a-z]{n}`) or belong to a command (`\frac{n}`).
fn is_other_language(before: &str) -> bool {
    let word = before.trim_end_matches(is_word_char);
    word.ends_with('\\') || before.ends_with([']', ')', '*', '+', '?', '^', '|', '}', '%', '#', '@'])
}

fn help(written: &str) -> String {
    if written.contains('\n') || written.contains('"') || written.contains('\\') {
        return "join the parts with `+`, or write the text between three backticks, where `{{name}}` is expanded"
            .to_owned();
    }
    crate::syntax::joined_help(written)
}
