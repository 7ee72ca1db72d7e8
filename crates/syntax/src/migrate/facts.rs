//! Facts about a text that decide how its lines are read: whether it is upstream's, and what its variables hold.

use std::collections::HashSet;

use super::expr::{Id, Shape, Tree};
use super::statement::{GROUPS, Group, Kind, Statement};
use super::tokens::{Lines, TokenKind};
use super::tools;

/// Facts about a text.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// Whether something in the text is only in upstream's dialects.
    pub is_upstream: bool,
    /// Whether it is in the older dialect, in which names in capitals are upstream's: `TOOL.ReadFile`.
    pub is_old: bool,
    /// Whether the text reads `last`.
    pub reads_last: bool,
    /// Variables that are set.
    pub set: HashSet<&'a str>,
    /// Variables that never hold a list.
    pub without_list: HashSet<&'a str>,
    /// All words of the text.
    pub words: HashSet<&'a str>,
    /// The procedures of the text.
    pub procedures: HashSet<&'a str>,
}

impl<'a> Facts<'a> {
    /// Collects the facts of a text.
    pub fn of(text: &'a str, lines: &Lines, statements: &[Statement]) -> Facts<'a> {
        let mut facts = Facts { is_old: is_old(text, lines), ..Facts::default() };
        facts.is_upstream = facts.is_old || is_declared(text, lines);
        for token in lines.lines.iter().flat_map(|line| &line.tokens) {
            let word = &text[token.start..token.end];
            match token.kind {
                TokenKind::Word => drop(facts.words.insert(word)),
                TokenKind::Bracketed => facts.is_upstream = true,
                TokenKind::Template => facts.reads_last |= word.contains("{{LAST") || word.contains("{{last"),
                _ => {}
            }
        }
        facts.reads_last |= facts.words.contains("last") || facts.words.contains("LAST");
        let mut lists = HashSet::new();
        for statement in statements {
            facts.add(text, statement, &mut lists);
        }
        facts.without_list = facts.set.difference(&lists).copied().collect();
        facts
    }

    fn add(&mut self, text: &'a str, statement: &Statement, lists: &mut HashSet<&'a str>) {
        let tree = &statement.tree;
        self.is_upstream |= statement.means.is_some() || is_upstream(text, statement);
        match &statement.kind {
            Kind::Set { targets, value } => {
                let names: Vec<&str> = targets.iter().map(|target| base(text, tree, *target)).collect();
                let is_whole = targets.len() == 1 && matches!(tree.exprs[targets[0]].shape, Shape::Name);
                if !(is_whole && is_no_list(text, tree, *value)) {
                    lists.extend(&names);
                }
                self.set.extend(names);
            }
            Kind::For { names, .. } => {
                let names = names.iter().map(|name| &text[name.start..name.end]);
                lists.extend(names.clone());
                self.set.extend(names);
            }
            Kind::Procedure { name, words, .. } => {
                self.procedures.insert(&text[name.start..name.end]);
                let words = words.iter().map(|word| &text[word.start..word.end]);
                lists.extend(words.clone());
                self.set.extend(words);
            }
            Kind::OnError { name: Some(name), .. } => drop(self.set.insert(&text[name.start..name.end])),
            _ => {}
        }
    }
}

/// Returns the variable of a place.
fn base<'a>(text: &'a str, tree: &Tree, target: Id) -> &'a str {
    let target = match tree.exprs[target].shape {
        Shape::Access(base, _) => base,
        _ => target,
    };
    &text[tree.exprs[target].start..tree.exprs[target].end]
}

/// Returns whether metadata name the language with its upstream version.
fn is_declared(text: &str, lines: &Lines) -> bool {
    lines.metadata.iter().any(|&(start, end)| {
        let Some((key, value)) = text[start..end].split_once(':') else { return false };
        let key = key.trim().to_ascii_lowercase().replace('_', "");
        key == "langversion" || (key == "serialization" && value.trim() == "ns")
    })
}

/// Returns whether a text documents its procedures as the older dialect demands.
fn is_old(text: &str, lines: &Lines) -> bool {
    let has = |comment: &str, word: &str| comment.lines().any(|line| line.trim_start().starts_with(word));
    lines.comments.iter().any(|&(start, end)| {
        let comment = &text[start..end];
        has(comment, "PURPOSE:") && (has(comment, "INPUTS:") || has(comment, "OUTPUT:") || has(comment, "ALGORITHM:"))
    })
}

/// Returns whether a statement is written as only upstream writes it.
fn is_upstream(text: &str, statement: &Statement) -> bool {
    let has_call = || {
        statement.tree.exprs.iter().any(|expr| match &expr.shape {
            Shape::Call(call) => text[call.callee.start..call.callee.end].starts_with("tool."),
            Shape::Prefix(mark, _) => ["no", "some", "typeof"].contains(&&text[mark.start..mark.end]),
            _ => false,
        })
    };
    match &statement.kind {
        Kind::Foreign { .. } | Kind::Prompt { .. } => true,
        Kind::OnError { head, .. } => text[head.start..head.end].eq_ignore_ascii_case("on_error"),
        Kind::Procedure { groups, .. } => !are_ordered(groups),
        _ => has_call(),
    }
}

/// Returns whether the groups of parameters are in our order, each at most once.
pub fn are_ordered(groups: &[Group]) -> bool {
    groups.iter().map(|group| GROUPS.iter().position(|word| *word == group.word)).is_sorted_by(|a, b| a < b)
}

/// Returns whether the form of a value shows that it is never a list.
pub fn is_no_list(text: &str, tree: &Tree, id: Id) -> bool {
    let expr = &tree.exprs[id];
    match &expr.shape {
        Shape::Number | Shape::Text(_) | Shape::Map(_) | Shape::Prefix(..) => true,
        Shape::Name => ["true", "false", "nil", "null"].contains(&&text[expr.start..expr.end]),
        Shape::Parenthesized(inner) => is_no_list(text, tree, *inner),
        // `+` joins lists, and a text with anything.
        Shape::Sequence(values, marks) => {
            let adds = marks.iter().any(|mark| &text[mark.start..mark.end] == "+");
            !adds || values.iter().any(|value| matches!(tree.exprs[*value].shape, Shape::Text(_) | Shape::Number))
        }
        Shape::Call(call) => gives_no_list(&text[call.callee.start..call.callee.end]),
        _ => false,
    }
}

fn gives_no_list(callee: &str) -> bool {
    const PLAIN: [&str; 6] = ["len", "typeof", "str", "int", "float", "eval"];
    const LISTS: [&str; 6] = [
        "str.split",
        "str.splitwords",
        "splitstring",
        "str.findallregex",
        "str.parsejsonstring",
        "str.parsefromjsonbase64",
    ];
    let is_text = |name: &str| {
        (name.starts_with("str.") || name.starts_with("math.") || ["fs.read", "fs.hash", "readfile"].contains(&name))
            && !LISTS.contains(&name)
    };
    PLAIN.contains(&callee) || tools::find(callee, true).is_some_and(|tool| is_text(tool.name))
}
