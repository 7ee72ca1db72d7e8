//! Names that hide others: variables of a procedure that hide the script's, and loop variables that hide those of an
//! enclosing loop.

use std::collections::{HashMap, HashSet};

use crate::program::statements::set_by;
use crate::syntax::ast::{Name, Statement, StatementKind};
use crate::text::{Code, Diagnostic, Span};

use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    text.bodies.iter().filter(|body| text.is_certain(body)).for_each(|body| loops(body, found));
    variables(text, found);
}

/// Reports loops that reuse the variable of an enclosing loop.
fn loops(body: &Body<'_>, found: &mut Vec<Diagnostic>) {
    let mut ahead: Vec<(&Statement, Vec<&Name>)> = body.block.iter().map(|statement| (statement, Vec::new())).collect();
    while let Some((statement, mut around)) = ahead.pop() {
        if let StatementKind::For { first, second, .. } = &statement.kind {
            let names = [Some(first), second.as_ref()].into_iter().flatten();
            let hides = |name: &&Name| around.iter().find(|outer| outer.text == name.text).copied();
            found.extend(names.clone().filter_map(|name| Some(hidden_loop(name, hides(&name)?))));
            around.extend(names);
        }
        let inner = statement.blocks().into_iter().flatten();
        ahead.extend(inner.map(|statement| (statement, around.clone())));
    }
}

fn hidden_loop(name: &Name, outer: &Name) -> Diagnostic {
    let message = format!("this loop sets `{}`, which an enclosing loop uses as its variable", name.text);
    let finding = Diagnostic::warning(Code::HiddenName, name.span, message);
    finding.related(outer.span, "the loop around it").help("choose another name")
}

/// Reports procedure variables that hide the script's. Parameters are exempt: they are visibly new.
fn variables(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let (top, procedures) = text.top_and_procedures();
    let mut outer: HashMap<&str, Span> = HashMap::new();
    for name in top.statements.iter().filter_map(|statement| variable(statement)) {
        outer.entry(&name.text).or_insert(name.span);
    }
    // A procedure whose head could not be parsed is part of the top level.
    let procedures = procedures.iter().filter(|_| !text.doubts.has_bad_lines);
    for body in procedures {
        let mut known: HashSet<&str> = body.params().collect();
        for name in body.statements.iter().filter_map(|statement| variable(statement)) {
            if !known.insert(&name.text) || name.text.starts_with('_') || text.doubts.may_use(&name.text) {
                continue;
            }
            let Some(first) = outer.get(name.text.as_str()) else { continue };
            let message = format!("`{}` of this procedure hides that of the script", name.text);
            let finding = Diagnostic::warning(Code::HiddenName, name.span, message);
            let help = "choose another name; a procedure cannot change the script's variables";
            found.push(finding.related(*first, "the script's").help(help));
        }
    }
}

/// Returns the variable that a SET sets. The one of ON ERROR is exempt: it is visibly new.
fn variable(statement: &Statement) -> Option<&Name> {
    set_by(statement).filter(|_| matches!(statement.kind, StatementKind::Set { .. }))
}
