//! Variable names in braces in a text that is never expanded: `"size is {size}"`, `"size is ${size}"`; and what stands
//! in the doubled braces of a template without being a name: `{{size + 1}}`.
//!
//! A text that is or may be a template, a pattern or source of another language is ignored.

use std::collections::HashSet;

use crate::syntax::ast::{ExprId, ExprKind, StatementKind};
use crate::syntax::keyword::{dotted_word, first_word, is_word, is_word_char};
use crate::syntax::{Part, Template};
use crate::text::{Code, Diagnostic};

use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    if text.outside.expands_values {
        return;
    }
    let outer: HashSet<&str> = text.top_and_procedures().0.names_set().collect();
    for body in &text.bodies {
        let mut names: HashSet<&str> = body.names_set().chain(body.params()).collect();
        names.extend(&outer);
        let (kept, shown) = texts(text, body);
        let kept = kept.into_iter().map(|id| (id, Doubled::No));
        for (id, doubled) in kept.chain(shown.into_iter().map(|id| (id, Doubled::Too))) {
            let ExprKind::Text(written) = &text.tree[id].kind else { continue };
            if let Some((shown, name)) = named(written, &names, doubled) {
                let message = format!("`{shown}` stands for itself in a text: `{name}` is not put into it");
                let finding = Diagnostic::warning(Code::UnexpandedName, text.tree[id].span, message);
                found.push(finding.help(help(written, shown)));
            }
        }
        for id in &body.expressions {
            let ExprKind::Template(written, _) = &text.tree[*id].kind else { continue };
            if let Some(shown) = computed(text, written, &names) {
                let message = format!("`{shown}` stands for itself: templates expand names such as `{{{{a.b}}}}` only");
                let finding = Diagnostic::warning(Code::UnexpandedName, text.tree[*id].span, message);
                found.push(finding.help("give the value a name with `SET` before, or join it with `+`"));
            }
        }
    }
}

/// Returns the first doubled braces of a template that seem to hold an expression of this script: it begins with a
/// variable, or with a call.
fn computed<'t>(text: &Text<'_>, template: &'t str, names: &HashSet<&str>) -> Option<&'t str> {
    let literals = Template::new(template).filter_map(|part| match part {
        Part::Text(literal) => Some(literal),
        Part::Placeholder(..) => None,
    });
    literals.flat_map(braced).find(|shown| {
        let inner = shown[2..].trim_start();
        let word = dotted_word(inner);
        let is_call = inner[word.len()..].starts_with('(') && text.named(word).is_some();
        is_call || names.contains(first_word(word))
    })
}

/// Returns the doubled braces in a text, with what they hold.
fn braced(literal: &str) -> impl Iterator<Item = &str> {
    literal.match_indices("{{").filter_map(|(open, _)| {
        let length = literal[open..].find("}}")?;
        Some(&literal[open..open + length + 2])
    })
}

/// Whether names in doubled braces are reported. Texts for other programs often contain such names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubled {
    No,
    Too,
}

/// Returns the texts that are stored or concatenated, and those that are printed directly.
fn texts(text: &Text<'_>, body: &Body<'_>) -> (Vec<ExprId>, Vec<ExprId>) {
    let (mut kept, mut shown): (Vec<ExprId>, Vec<ExprId>) = Default::default();
    for statement in &body.statements {
        match &statement.kind {
            StatementKind::Emit(values) => shown.extend(values),
            StatementKind::Fail(message) => shown.extend(message),
            StatementKind::Must { message, .. } => shown.extend(message),
            StatementKind::Set { value, .. } => kept.push(*value),
            StatementKind::Return(values) => kept.extend(values),
            _ => {}
        }
    }
    (joined(text, kept), joined(text, shown))
}

/// Returns the operands of `+` chains, and other expressions unchanged.
fn joined(text: &Text<'_>, mut ids: Vec<ExprId>) -> Vec<ExprId> {
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

/// Returns the first variable name in braces: as written, and the bare name.
fn named<'t>(written: &'t str, names: &HashSet<&str>, doubled: Doubled) -> Option<(&'t str, &'t str)> {
    for (open, _) in written.match_indices('{') {
        let name = dotted_word(&written[open + 1..]);
        let length = name.len() + 1;
        if !written[open + length..].starts_with('}') {
            continue;
        }
        let before = &written[..open];
        let closes_twice = written[open + length + 1..].starts_with('}');
        let is_single = !before.ends_with('{') && !closes_twice;
        let is_double = before.ends_with('{') && closes_twice && !before.ends_with("${") && doubled == Doubled::Too;
        let is_known = names.contains(first_word(name)) && name.split('.').all(is_word);
        if !is_known || is_other_language(before) {
            continue;
        }
        if is_single {
            let start = open - usize::from(before.ends_with('$'));
            return Some((&written[start..open + length + 1], name));
        }
        if is_double {
            return Some((&written[open - 1..open + length + 2], name));
        }
    }
    None
}

/// Returns whether braces after this text are a repetition in a pattern (`\d{n}`, `[a-z]{n}`) or belong to a command
/// (`\frac{n}`).
fn is_other_language(before: &str) -> bool {
    let word = before.trim_end_matches(is_word_char);
    word.ends_with('\\') || before.ends_with([']', ')', '*', '+', '?', '^', '|', '}', '%', '#', '@'])
}

fn help(written: &str, shown: &str) -> String {
    if shown.starts_with("{{") {
        let is_short = written.len() < 60 && !written.contains(['\n', '`', '\\']);
        let text = if is_short { written } else { "…" };
        return format!("write the text between three backticks, where names are expanded: ```{text}```");
    }
    if written.contains('\n') || written.contains('"') || written.contains('\\') {
        return "join the parts with `+`, or write the text between three backticks, where `{{name}}` is expanded"
            .to_owned();
    }
    crate::syntax::joined_help(written)
}
