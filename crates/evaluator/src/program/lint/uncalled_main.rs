//! A `Main` that nothing calls, because the file has statements at its top level and runs those instead.

use std::collections::{HashMap, HashSet};

use crate::program::entry::Entry;
use crate::syntax::ast::{ExprKind, Procedure, Statement, StatementKind, Tree};
use crate::text::{Code, Diagnostic, Source};

use super::walk::{Body, is_plain};

/// Returns the warning that nothing calls `Main`.
pub fn find(source: &Source, tree: &Tree) -> Option<Diagnostic> {
    let stray = tree.statements.iter().find(|statement| statement.runs())?;
    let main = Entry::main(tree.procedures())?;
    if reached(tree).contains(main.name.text.as_str()) {
        return None;
    }
    let (name, line) = (&main.name.text, source.position(stray.span).line);
    let message = format!(
        "`{name}` is never called: the file has a statement at the top level, on line {line}, and runs that instead"
    );
    let finding = Diagnostic::warning(Code::UncalledMain, stray.span, message);
    Some(finding.related(main.name.span, "defined here").help(help(tree, stray, main)))
}

/// Returns how `Main` comes to be called, from the top-level statements that there are.
fn help(tree: &Tree, stray: &Statement, main: &Procedure) -> String {
    let name = &main.name.text;
    let call =
        format!("call it at the end of the file: `CALL {name}({})`", "…".repeat(usize::from(!main.params.is_empty())));
    let are_constants =
        tree.statements.iter().filter(|statement| statement.runs()).all(|statement| is_plain(tree, statement));
    match &stray.kind {
        StatementKind::Set { targets, .. } if are_constants => {
            let constant = &targets[0].name.text;
            format!("set `{constant}` in `{name}`, or make it a parameter with this value as its default; or {call}")
        }
        _ => {
            format!("move what stands at the top level into `{name}`, so that the file has procedures only; or {call}")
        }
    }
}

/// Returns the names that the top level calls or mentions, itself or through the procedures that it names.
fn reached(tree: &Tree) -> HashSet<&str> {
    let bodies = Body::all(tree);
    let (top, procedures) = bodies.split_first().expect("a text has a top level");
    let of_procedures: HashMap<&str, &Body<'_>> =
        procedures.iter().filter_map(|body| Some((body.procedure?.name.text.as_str(), body))).collect();
    let (mut reached, mut ahead) = (HashSet::new(), vec![top]);
    while let Some(body) = ahead.pop() {
        for name in mentioned(tree, body).filter(|name| of_procedures.contains_key(name)) {
            if reached.insert(name) {
                ahead.push(of_procedures[name]);
            }
        }
    }
    reached
}

/// Returns the names of procedures that a body may use: it calls them, or gives them to a call such as `LIST.Map`.
fn mentioned<'a>(tree: &'a Tree, body: &Body<'a>) -> impl Iterator<Item = &'a str> {
    let calls = body.expressions.iter().filter_map(|id| match &tree[*id].kind {
        ExprKind::Call(call) => Some(call),
        _ => None,
    });
    calls.flat_map(|call| {
        let given = call.args.iter().filter_map(|arg| match &tree[arg.value].kind {
            ExprKind::Name(name) => Some(name.as_str()),
            ExprKind::Text(text) => Some(text.as_str()),
            _ => None,
        });
        given.chain([call.callee.as_str()])
    })
}
