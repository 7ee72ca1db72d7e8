//! Results that say whether a call failed, in variables that are set again before anything reads them.
//!
//! A variable that nothing reads at all is reported by `unused`. Where the text does not settle what is read, nothing is
//! reported.

use std::collections::HashSet;

use compact_str::CompactString;

use crate::program::statements::{blocks, extent, set_by};
use crate::syntax::ast::{Statement, StatementKind};
use crate::text::{Code, Diagnostic, Span};

use super::reads::Reads;
use super::text::Text;
use super::unused::failing_tool;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    if text.ground.strict {
        return;
    }
    let (top, procedures) = text.top_and_procedures();
    for body in procedures {
        Search { text, reads: &body.reads, elsewhere: &HashSet::new() }.body(body, found);
    }
    // A procedure may read the variables of the script.
    let mut elsewhere: HashSet<&str> = procedures.iter().flat_map(|body| body.reads.names()).collect();
    elsewhere.extend(text.facts().flat_map(|facts| &facts.reads).map(CompactString::as_str));
    Search { text, reads: &top.reads, elsewhere: &elsewhere }.body(top, found);
}

/// Maximum number of statements between two that set the same variable.
const MAX_AHEAD: usize = 20;

/// Returns the names that are read within any of the ranges, which are in source order.
fn read_within<'a>(reads: &Reads<'a>, ranges: &[Span]) -> Handled<'a> {
    // Where the ranges up to each one end at most, since they may be nested.
    let ends: Vec<u32> = ranges
        .iter()
        .scan(0, |end, range| {
            *end = range.end.max(*end);
            Some(*end)
        })
        .collect();
    let is_within = |place: &u32| {
        let before = ranges.partition_point(|range| range.start <= *place);
        before > 0 && *place < ends[before - 1]
    };
    if ranges.is_empty() {
        return Handled::default();
    }
    Handled {
        all: reads.outcomes.iter().any(is_within),
        names: reads.names().filter(|name| reads.places(name).iter().any(is_within)).collect(),
    }
}

/// The variables whose values error handlers may look at.
#[derive(Default)]
struct Handled<'a> {
    /// Whether they look at the outcome of any call.
    all: bool,
    names: HashSet<&'a str>,
}

/// Returns whether something in a range reads a variable, or the outcome of the newest call.
fn is_read(reads: &Reads<'_>, name: &str, range: Span) -> bool {
    [reads.places(name), &reads.outcomes].into_iter().any(|places| {
        let next = places.get(places.partition_point(|place| *place < range.start));
        next.is_some_and(|place| *place < range.end)
    })
}

/// Returns the spans of the error handlers of a body, in source order.
fn handlers(body: &Body<'_>) -> Vec<Span> {
    let handlers = body.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::OnError { .. }));
    handlers.map(|statement| extent(statement)).collect()
}

/// The search in one body.
struct Search<'s, 'a> {
    text: &'s Text<'a>,
    reads: &'s Reads<'a>,
    /// Names that other bodies may read.
    elsewhere: &'s HashSet<&'s str>,
}

/// A statement that puts the result of a tool into a variable.
struct Setter<'a> {
    statement: &'a Statement,
    name: &'a str,
    tool: &'static str,
}

impl Search<'_, '_> {
    fn body(&self, body: &Body<'_>, found: &mut Vec<Diagnostic>) {
        if !self.reads.evals.is_empty() || !self.text.is_certain(body) {
            return;
        }
        let handled = read_within(self.reads, &handlers(body));
        let is_handled = |name: &str| handled.all || handled.names.contains(name);
        for block in blocks(body.block) {
            for (number, statement) in block.iter().enumerate() {
                let Some(setter) = self.setter(statement).filter(|setter| !is_handled(setter.name)) else { continue };
                found.extend(self.set_again(&setter, &block[number + 1..]));
            }
        }
        for statement in &body.statements {
            if let StatementKind::For { body, .. } | StatementKind::While { body, .. } = &statement.kind {
                let setters = body.iter().filter_map(|inner| self.setter(inner));
                let setters = setters.filter(|setter| !is_handled(setter.name));
                if !body.iter().any(leaves_loop) {
                    let whole = extent(statement);
                    found.extend(setters.filter_map(|setter| self.set_each_turn(&setter, whole)));
                }
            }
        }
    }

    fn setter<'b>(&self, statement: &'b Statement) -> Option<Setter<'b>> {
        let tool = failing_tool(self.text, statement)?;
        let name = set_by(statement)?.text.as_str();
        let is_read = !self.reads.places(name).is_empty();
        (is_read && !name.starts_with('_') && !self.elsewhere.contains(name)).then_some(Setter {
            statement,
            name,
            tool,
        })
    }

    /// Reports a result if one of the next statements of its block sets the variable again and none reads it until then.
    fn set_again(&self, setter: &Setter<'_>, next: &[Statement]) -> Option<Diagnostic> {
        for statement in next.iter().take(MAX_AHEAD) {
            if is_read(self.reads, setter.name, extent(statement)) || leaves(statement) {
                return None;
            }
            if set_by(statement).is_some_and(|name| name.text == setter.name) {
                let finding = setter.report("`{name}` is set again before anything reads it");
                return Some(finding.related(statement.span, "set again here"));
            }
        }
        None
    }

    /// Reports a result that each turn of a loop replaces, if nothing in the loop reads it.
    fn set_each_turn(&self, setter: &Setter<'_>, whole: Span) -> Option<Diagnostic> {
        let is_read = is_read(self.reads, setter.name, whole);
        (!is_read).then(|| setter.report("each turn of the loop sets `{name}` again, and only the last is left"))
    }
}

impl Setter<'_> {
    fn report(&self, why: &str) -> Diagnostic {
        let Setter { statement, name, tool } = self;
        let message = format!("nobody looks whether `{tool}` succeeds: {}", why.replace("{name}", name));
        let help =
            format!("write `MUST CALL {tool}(…)`, so that a failure is an error, or look at `{name}.error` here");
        Diagnostic::warning(Code::UnseenResult, statement.span, message).help(help)
    }
}

/// Returns whether a statement may end the run of its block.
fn leaves(statement: &Statement) -> bool {
    use StatementKind::{Break, Continue, Fail, Return};
    any(statement, |kind| matches!(kind, Break | Continue | Return(_) | Fail(_)))
}

/// Returns whether a statement may end the loop around it, so that the result of that turn is the last.
fn leaves_loop(statement: &Statement) -> bool {
    any(statement, |kind| matches!(kind, StatementKind::Break | StatementKind::Return(_)))
}

fn any(statement: &Statement, is_meant: fn(&StatementKind) -> bool) -> bool {
    let mut ahead = vec![statement];
    while let Some(statement) = ahead.pop() {
        if is_meant(&statement.kind) {
            return true;
        }
        ahead.extend(statement.blocks().into_iter().flatten());
    }
    false
}
