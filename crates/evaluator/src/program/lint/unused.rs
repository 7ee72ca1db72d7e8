//! Names that are set and never read.

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;

use crate::program::statements::{set_by, set_otherwise};
use crate::syntax::ast::{ExprKind, Name, Statement, StatementKind};
use crate::syntax::keyword;
use crate::text::{Code, Diagnostic, Edit, Source, Span};
use crate::toolkit::Failure;

use super::doubt::Doubts;
use super::facts::mentions;
use super::names::Callee;
use super::text::Text;
use super::walk::{Body, is_plain};

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let (top, procedures) = text.top_and_procedures();
    let mut everywhere = ReadNames::of(text, top);
    let of_script: HashSet<&str> = top.names_set().collect();
    for body in procedures {
        let reads = ReadNames::of(text, body);
        variables(text, body, &reads, found);
        places(body, &reads, &of_script, found);
        everywhere.add(reads.names, reads.in_braces, reads.all);
    }
    // Procedures can read the script's variables too.
    for facts in text.facts() {
        let [names, in_braces] = [&facts.used, &facts.in_braces].map(|names| names.iter().map(CompactString::as_str));
        everywhere.add(names, in_braces, facts.expands_unknown);
    }
    variables(text, top, &everywhere, found);
    places(top, &everywhere, &HashSet::new(), found);
    if text.doubts.is_none() {
        modules(text, found);
    }
}

/// The names whose values are used.
struct ReadNames<'t> {
    names: HashSet<&'t str>,
    /// Words in the braces of texts.
    in_braces: HashSet<&'t str>,
    doubts: &'t Doubts,
    /// Whether any name may be read: a text that is not known is expanded.
    all: bool,
}

impl<'t> ReadNames<'t> {
    fn of(text: &'t Text<'_>, body: &'t Body<'_>) -> ReadNames<'t> {
        let reads = &body.reads;
        ReadNames {
            names: reads.used().collect(),
            in_braces: reads.in_braces.clone(),
            doubts: &text.doubts,
            all: reads.expands_unknown || text.doubts.may_use("EVAL"),
        }
    }

    fn add(
        &mut self,
        names: impl IntoIterator<Item = &'t str>,
        in_braces: impl IntoIterator<Item = &'t str>,
        all: bool,
    ) {
        self.names.extend(names);
        self.in_braces.extend(in_braces);
        self.all |= all;
    }

    fn has(&self, name: &str) -> bool {
        self.all || self.names.contains(name) || self.doubts.may_use(name)
    }
}

fn variables(text: &Text<'_>, body: &Body<'_>, reads: &ReadNames<'_>, found: &mut Vec<Diagnostic>) {
    let params: HashSet<&str> = body.params().collect();
    let mut setters: HashMap<&str, Vec<&Statement>> = HashMap::new();
    let mut changed: HashSet<&str> = HashSet::new();
    for statement in &body.statements {
        match set_by(statement) {
            Some(name) => setters.entry(&name.text).or_default().push(statement),
            None => changed.extend(set_otherwise(statement)),
        }
    }
    for (name, setters) in setters {
        if reads.has(name) || params.contains(name) || name.starts_with('_') {
            continue;
        }
        // A name in the braces of a text is a mistake of its own, which would be gone with the variable.
        let is_alone = setters.len() == 1 && !changed.contains(name) && !reads.in_braces.contains(name);
        let edit = if is_alone { removal(text, body, setters[0]) } else { None };
        found.push(unused(text, setters[0]).fix(edit));
    }
}

/// Reports variables that are created as maps by an assignment to a place inside them. A place in a variable of the
/// script does not create a variable of the procedure.
fn places(body: &Body<'_>, reads: &ReadNames<'_>, of_script: &HashSet<&str>, found: &mut Vec<Diagnostic>) {
    let params: HashSet<&str> = body.params().collect();
    let is_known = |name: &str| reads.has(name) || params.contains(name) || of_script.contains(name);
    let unread = set_by_places(body).into_iter().filter(|name| !is_known(&name.text) && !name.text.starts_with('_'));
    found.extend(unread.map(|name| unread_name(name, REMOVE)));
}

/// Returns the names that are set only through places inside them, at their first occurrence.
fn set_by_places<'a>(body: &Body<'a>) -> Vec<&'a Name> {
    let mut whole: HashSet<&str> = HashSet::new();
    let mut placed: Vec<&Name> = Vec::new();
    for statement in &body.statements {
        match &statement.kind {
            StatementKind::Set { targets, .. } => {
                let (places, variables): (Vec<_>, Vec<_>) = targets.iter().partition(|target| !target.steps.is_empty());
                whole.extend(variables.iter().map(|variable| &*variable.name.text));
                placed.extend(places.iter().map(|place| &place.name));
            }
            _ => whole.extend(set_otherwise(statement)),
        }
    }
    placed.retain(|name| whole.insert(&name.text));
    placed
}

const REMOVE: &str = "remove it, or begin its name with `_`";

fn unread_name(name: &Name, help: &str) -> Diagnostic {
    let message = format!("`{}` is set, and nothing reads it", name.text);
    Diagnostic::warning(Code::UnusedName, name.span, message).help(help)
}

fn unused(text: &Text<'_>, setter: &Statement) -> Diagnostic {
    let name = set_by(setter).expect("it sets a name");
    match failing_tool(text, setter) {
        Some(tool) => {
            let help = format!("write `MUST CALL {tool}(…)`, so that a failure is an error, or look at the result");
            unread_name(name, &help)
        }
        None => unread_name(name, REMOVE),
    }
}

/// Returns the tool whose result a statement assigns, if that result says whether it failed.
pub fn failing_tool(text: &Text<'_>, setter: &Statement) -> Option<&'static str> {
    let StatementKind::Set { value, .. } = &setter.kind else { return None };
    let ExprKind::Call(call) = &text.tree[text.tree.bare(*value)].kind else { return None };
    let spec = &text.tool(call)?.spec;
    (spec.failure != Failure::Raise).then_some(spec.name)
}

/// Returns the edit that removes a name without changing what the script does, if there is one.
fn removal(text: &Text<'_>, body: &Body<'_>, setter: &Statement) -> Option<Edit> {
    let value = match &setter.kind {
        StatementKind::OnError { name, .. } => return without_as(text.source, setter.span, name.as_ref()?.span),
        StatementKind::Set { value, .. } => *value,
        _ => return None,
    };
    if let ExprKind::Call(call) = &text.tree[value].kind {
        let is_same = match text.callee(call)? {
            // CALL of a built-in sets LAST; SET does not.
            Callee::Builtin(_) => false,
            Callee::Tool(tool) => tool.spec.failure == Failure::Raise,
            Callee::Procedure | Callee::Over => true,
        };
        return is_same.then(|| as_call(text.source, setter.span, text.tree[value].span));
    }
    // A file with only procedures runs one of them, so the last top-level statement must stay.
    let is_needed = body.procedure.is_none() && !text.acts;
    if is_needed || !is_plain(text.tree, setter) { None } else { whole_line(text.source, setter.span) }
}

/// Rewrites `SET x = f()` as `CALL f()`.
fn as_call(source: &Source, statement: Span, value: Span) -> Edit {
    let has_call = keyword::is_keyword(keyword::first_word(source.slice(value)), "CALL");
    let is_lower = source.slice(statement).starts_with(|c: char| c.is_ascii_lowercase());
    let text = match (has_call, is_lower) {
        (true, _) => "",
        (false, true) => "call ",
        (false, false) => "CALL ",
    };
    Edit { span: Span { start: statement.start, end: value.start }, text: text.to_owned() }
}

/// Removes the name from `ON ERROR AS name DO`.
fn without_as(source: &Source, head: Span, name: Span) -> Option<Edit> {
    let before = source.slice(Span { start: head.start, end: name.start });
    let before = before.trim_end();
    let kept = before.strip_suffix("AS").or_else(|| before.strip_suffix("as"))?.trim_end();
    let start = head.start + kept.len() as u32;
    Some(Edit { span: Span { start, end: name.end }, text: String::new() })
}

/// Returns the edit that removes a statement with its line, if it is alone there.
fn whole_line(source: &Source, span: Span) -> Option<Edit> {
    let line = source.lines_of(span);
    let (start, end) = source.local(span);
    let (line_start, line_end) = source.local(line);
    let text = source.text();
    let is_alone = text[line_start..start].trim().is_empty() && text[end..line_end].trim().is_empty();
    is_alone.then(|| Edit { span: line, text: String::new() })
}

fn modules(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let mut called: HashSet<&str> = text.bodies.iter().flat_map(|body| mentions(text.tree, body)).collect();
    called.extend(text.facts().flat_map(|facts| &facts.mentions).map(CompactString::as_str));
    for statement in &text.tree.statements {
        let StatementKind::Use(used) = &statement.kind else { continue };
        if !called.contains(used.name.text.as_str()) {
            let message = format!("nothing of the module `{}` is used", used.name.text);
            let finding = Diagnostic::warning(Code::UnusedName, used.name.span, message);
            found.push(finding.help("remove the USE").fix(whole_line(text.source, statement.span)));
        }
    }
}
