//! What is shown on standard error, and whether colours are.

use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use crate::engine::{LimitHit, SetupError};
use crate::text::render::{Style, to_terminal};
use crate::text::{Diagnostic, Sources, safe};

use super::changes::Paint;
use super::exit::Exit;
use super::screen;

/// Colours on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
pub fn style() -> Style {
    if stderr().is_terminal() && takes_colors() { Style::Colored } else { Style::Plain }
}

/// The same for standard output, which may be read by programs.
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

/// Shows findings with excerpts of their sources.
pub fn report_findings(findings: &[Diagnostic], sources: &Sources) {
    let style = style();
    for finding in findings {
        say(&to_terminal(finding, sources, style));
    }
}

/// Shows what tools that succeeded, or the end of a run, have to say besides.
pub fn report_notes(notes: &[String]) {
    for note in notes {
        say(&format!("warning: {}\n", safe::name(note)));
    }
}

/// Shows why there is no engine.
pub fn report_setup(error: &SetupError) {
    report_findings(&error.findings, &error.sources);
}

/// Shows a plain error.
pub fn report_error(message: &str, help: &str) {
    say(&format!("error: {}\n  = help: {}\n", safe::prose(message), safe::prose(help)));
}

/// Shows that a limit was met where no script can be blamed.
pub fn report_limit(what: &str, hit: LimitHit) {
    report_error(&format!("{what}: {hit}"), hit.limit.help().unwrap_or("do it again to see it"));
}

/// A number with what it counts.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Writes to standard output. That nobody reads it is nobody's error; that it cannot be written is one.
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

/// Writes to standard error. That nobody reads it is nobody's error.
pub fn say(text: &str) {
    let _ = screen::print(|| stderr().lock().write_all(text.as_bytes()));
}
