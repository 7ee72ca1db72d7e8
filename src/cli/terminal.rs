//! Output to the terminal, and whether it has colours.

use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use crate::engine::{LimitHit, SetupError};
use crate::text::render::{Style, to_terminal};
use crate::text::{Diagnostic, Sources, safe};

use super::changes::Paint;
use super::exit::Exit;
use super::screen;

/// Returns the style for standard error: colours on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
pub fn style() -> Style {
    if stderr().is_terminal() && takes_colors() { Style::Colored } else { Style::Plain }
}

/// Returns the treatment of text for standard output, which programs may read.
pub fn paint() -> Paint {
    match (stdout().is_terminal(), takes_colors()) {
        (false, _) => Paint::Plain,
        (true, false) => Paint::Escaped,
        (true, true) => Paint::Colored,
    }
}

fn takes_colors() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !refused && !dumb
}

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
