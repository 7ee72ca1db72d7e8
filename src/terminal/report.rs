//! Messages on standard error, and texts on standard output.

use std::io::{ErrorKind, Write, stderr, stdout};

use crate::engine::{LimitHit, SetupError};
use crate::text::render::to_terminal;
use crate::text::{Diagnostic, FindingCode, Sources, safe};
use crate::toolkit::ToolError;

use super::exit::Exit;
use super::paint::style;
use super::screen;

/// Prints findings with excerpts of their sources.
pub fn report_findings(findings: &[Diagnostic], sources: &Sources) {
    let style = style();
    for finding in findings {
        say(&to_terminal(finding, sources, style));
    }
}

/// Prints the warnings of successful calls or of the end of a run.
pub fn report_notes(notes: &[String]) {
    for note in notes {
        say(&format!("warning: {}\n", safe::name(note)));
    }
}

/// Reports an error that did not occur in a script.
pub fn report_failure(error: ToolError) -> Exit {
    let finding = Diagnostic::placeless(FindingCode::Tool(error.code), error.message);
    report_findings(&[error.hint.into_iter().fold(finding, Diagnostic::help)], &Sources::new());
    error.code.into()
}

/// Prints the reason why an engine cannot be opened.
pub fn report_setup(error: &SetupError) {
    report_findings(&error.findings, &error.sources);
}

/// Prints an error with a remedy.
pub fn report_error(message: &str, help: &str) {
    say(&format!("error: {}\n  = help: {}\n", safe::prose(message), safe::prose(help)));
}

/// Prints that a limit was hit outside of a script.
pub fn report_limit(what: &str, hit: LimitHit) {
    report_error(&format!("{what}: {hit}"), hit.limit.help().unwrap_or("do it again to see it"));
}

/// Returns a number with its noun.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Writes to standard output. A closed output is not an error; other failures are reported.
pub fn print(text: &str) -> Exit {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Done,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            report_error(&format!("the output cannot be written: {error}"), "give it somewhere with room");
            Exit::Failed
        }
    }
}

/// Writes to standard error. Failures are ignored.
pub fn say(text: &str) {
    let _ = screen::print(|| stderr().lock().write_all(text.as_bytes()));
}
