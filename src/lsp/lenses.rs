//! Code lenses: run, plan and debug at the head of a script and at its entry point, and the test cases of a script.
//!
//! The client carries them out by commands of its own, so there is a lens only for a command that the client has.

use lsp_types::{CodeLens, Command, Position, Range};
use serde_json::json;

use crate::engine::{AnalyzedText, NamesWanted, SessionMemory, ast};
use crate::testing::case_stems;
use crate::toolkit::Access;

use super::client::Commands;
use super::request::Target;

/// Maximum number of test cases that have a lens each.
const MOST_CASES: usize = 20;

/// The subject of a lens.
#[derive(Clone, Copy, Default)]
struct Subject<'a> {
    procedure: Option<&'a str>,
    case: Option<&'a str>,
}

/// Returns the lenses of a document that is a file.
pub fn lenses(target: &Target<'_>) -> Vec<CodeLens> {
    if target.document.path.is_none() {
        return Vec::new();
    }
    let Some(script) = target.analysis.script() else { return Vec::new() };
    let Commands { run, plan, debug, test } = target.client.commands;
    let started =
        [(run, "Run", "neuroscript.run"), (plan, "Plan", "neuroscript.plan"), (debug, "Debug", "neuroscript.debug")];
    let mut found = Vec::new();
    let places = head(target, &script).map(|at| (at, Subject::default()));
    let entry = entry_point(target, &script).map(|procedure| {
        (procedure.name.span.start as usize, Subject { procedure: Some(&procedure.name.text), case: None })
    });
    for (at, subject) in places.into_iter().chain(entry) {
        let offered = started.iter().filter(|(is_offered, ..)| *is_offered);
        found.extend(offered.map(|(_, title, command)| lens(target, at, title, command, subject)));
    }
    if test {
        let cases = cases(target);
        let at = first_line(target);
        if cases.len() > 1 {
            found.push(lens(target, at, "Test all", "neuroscript.test", Subject::default()));
        }
        for case in &cases {
            let title = if cases.len() > 1 { format!("Test {case}") } else { "Test".to_owned() };
            found.push(lens(target, at, &title, "neuroscript.test", Subject { procedure: None, case: Some(case) }));
        }
    }
    found
}

/// Returns the offset of the head of a script that has statements to run.
fn head(target: &Target<'_>, script: &AnalyzedText<'_>) -> Option<usize> {
    script.tree.statements.iter().any(ast::Statement::runs).then(|| first_line(target))
}

/// Returns the offset of the first line, in Markdown of the first line of code.
fn first_line(target: &Target<'_>) -> usize {
    if target.document.is_markdown() {
        let code = target.document.code();
        return code.len() - code.trim_start().len();
    }
    0
}

/// Returns the procedure that the script runs if it has no other statements, or that has the name of an entry point.
fn entry_point<'a>(target: &Target<'_>, script: &AnalyzedText<'a>) -> Option<&'a ast::Procedure> {
    let runs = target.analysis.checked.info.command_line.as_ref().and_then(|line| line.procedure.as_deref());
    let run = runs.and_then(|runs| script.tree.procedures().find(|procedure| procedure.name.text == runs));
    run.or_else(|| script.main_procedure())
}

/// Returns the test cases of a script, by its golden files.
fn cases(target: &Target<'_>) -> Vec<String> {
    let address = target.document.path.as_deref().and_then(|path| target.engine.address_of(path));
    let Some(address) = address else { return Vec::new() };
    let (folder, file) = address.rsplit_once('/').unwrap_or((".", &address));
    let Some(stem) = file.strip_suffix(".ns") else { return Vec::new() };
    let wanted = NamesWanted { folder, prefix: &format!("{stem}."), access: Access::Look };
    let names = target.engine.names_in(wanted, &SessionMemory::new("ns lsp")).unwrap_or_default();
    let names = names.into_iter().filter(|(_, is_folder)| !is_folder).map(|(name, _)| name).collect();
    let mut cases: Vec<String> = case_stems(&names, stem, &names).into_iter().collect();
    cases.truncate(MOST_CASES);
    cases
}

fn lens(target: &Target<'_>, at: usize, title: &str, command: &str, subject: Subject<'_>) -> CodeLens {
    let mut argument = json!({ "uri": target.document.uri });
    let parts = [("procedure", subject.procedure), ("case", subject.case)];
    for (key, value) in parts.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        argument[key] = json!(value);
    }
    let line = target.document.text.positions(target.client.encoding).position(at).line;
    let start = Position { line, character: 0 };
    let command = Command { title: title.to_owned(), command: command.to_owned(), arguments: Some(vec![argument]) };
    CodeLens { range: Range { start, end: start }, command: Some(command), data: None }
}
