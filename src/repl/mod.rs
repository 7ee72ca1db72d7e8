//! The interactive session at a terminal.
//!
//! [`reader`] reads lines until they form a complete entry; [`commands`] executes entries that begin with a colon; the
//! engine's session runs the rest, and [`display`] shows the results. Nothing here knows the language: the engine
//! answers questions about words, blocks and names.

mod commands;
mod complete;
mod debugging;
mod display;
mod helper;
mod highlight;
mod hint;
mod history;
mod inspect;
mod keys;
mod line_history;
mod names;
mod plan;
mod reader;
mod results;
mod saved_lines;

use std::cell::RefCell;
use std::io::{IsTerminal, stdout};
use std::rc::Rc;

use crate::engine::{EmitError, EndedRun, Ending, Engine, LineOutcome, LineResult, Session, Value};
use crate::terminal::printer::Shared;
use crate::terminal::report::{report_findings, report_limit, report_notes, say};
use crate::terminal::sandbox_hint::with_root;
use crate::terminal::table::terminal_columns;
use crate::terminal::undo::{CommandStyle, say_changes};
use crate::text::Code;

use commands::Flow;
use debugging::TerminalDebugger;
use display::{Extent, display};
pub use line_history::LineHistory;
use reader::{Entry, Reader};
use results::Results;
use saved_lines::SavedLines;

/// The way in which the user left a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// With `:quit` or Ctrl-D.
    ByChoice,
    /// With a second Ctrl-C.
    Interrupted,
}

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// Fitted to the terminal.
    Fitting,
    /// In the format of the printer.
    Formatted,
}

/// Display settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// How values are shown.
    pub showing: Showing,
    /// Whether to report the changes that a line made.
    pub says_changes: bool,
}

/// A session with its terminal.
struct Repl<'e> {
    engine: &'e Engine,
    session: Rc<RefCell<Session<'e>>>,
    printer: Shared,
    view: View,
    results: Results,
    /// The lines executed successfully.
    done: SavedLines,
    /// The breakpoints, and the debugger at the terminal.
    debugger: Rc<TerminalDebugger>,
}

/// Reads and runs lines until the user leaves. `typed` saves them for later sessions.
pub fn run(engine: &Engine, typed: LineHistory, printer: &Shared, view: View) -> rustyline::Result<SessionEnd> {
    let session = Rc::new(RefCell::new(engine.session(Box::new(printer.clone()))));
    let mut reader = Reader::new(session.clone(), typed)?;
    let (printer, results, done) = (printer.clone(), Results::default(), SavedLines::default());
    let debugger = Rc::new(TerminalDebugger::new(printer.clone()));
    let mut repl = Repl { engine, session, printer, view, results, done, debugger };
    let greeting = format!("NeuroScript {}; :help helps, :quit leaves.", env!("CARGO_PKG_VERSION"));
    // Redirected output contains only the output of the lines.
    if stdout().is_terminal() {
        repl.print(&greeting)
    } else {
        say(&format!("{greeting}\n"))
    }
    loop {
        match reader.entry()? {
            Entry::Text(text) => {
                if repl.take(&text) == Flow::Leave && repl.may_leave() {
                    return Ok(SessionEnd::ByChoice);
                }
            }
            Entry::Cleared => {}
            Entry::End if repl.may_leave() => return Ok(SessionEnd::ByChoice),
            Entry::End => {}
            Entry::Interrupted => {
                repl.leave_at_once();
                return Ok(SessionEnd::Interrupted);
            }
        }
        report_notes(&repl.session.borrow().engine().gate().take_notes());
        report_notes(&engine.gate().take_notes());
    }
}

impl Repl<'_> {
    /// Processes an entry.
    fn take(&mut self, text: &str) -> Flow {
        let pieces = commands::pieces(text, |text| self.session.borrow().is_open(text));
        for piece in pieces {
            self.set_debugger();
            if let Some(command) = commands::of(piece) {
                if self.command(command) == Flow::Leave {
                    return Flow::Leave;
                }
                continue;
            }
            let parts = self.session.borrow().parts(piece);
            if !parts.iter().all(|part| self.evaluate(part)) {
                break;
            }
        }
        Flow::On
    }

    /// Runs a line and shows its result. Returns whether it succeeded.
    fn evaluate(&mut self, text: &str) -> bool {
        self.set_debugger();
        let outcome = self.session.borrow_mut().evaluate(text);
        let is_done = self.report(&outcome);
        match outcome.result {
            _ if !is_done => {}
            LineResult::Shown(value) => {
                self.done.push(format!("EMIT {}", text.trim()), outcome.ended.as_ref());
                let number = self.results.keep(value.clone());
                self.show_answer(&value, number);
            }
            LineResult::Called(value) => {
                self.done.push(text.trim_end().to_owned(), outcome.ended.as_ref());
                self.results.keep(value);
            }
            LineResult::None => self.done.push(text.trim_end().to_owned(), outcome.ended.as_ref()),
        }
        if is_done {
            report_notes(&self.session.borrow().elsewhere(text));
        }
        self.say_changes(outcome.ended.as_ref());
        is_done
    }

    /// Reports the outcome of a line. Returns whether it succeeded.
    fn report(&mut self, outcome: &LineOutcome) -> bool {
        // A closed output is not an error.
        let _ = self.printer.flush();
        if outcome.ending == Ending::Interrupted {
            say("interrupted; the variables have the values that they had when it stopped\n");
            return false;
        }
        let findings = with_root(&outcome.findings, self.engine.gate().root().path());
        report_findings(&findings, self.session.borrow().sources());
        let is_full = outcome.findings.iter().any(|finding| finding.code == Code::MemoryLimit.into());
        if is_full && self.results.forget() {
            say("the older results were forgotten, to make room\n");
        }
        outcome.ending == Ending::Done
    }

    /// Reports the number of changes that a line made, and how to undo them.
    fn say_changes(&self, ended: Option<&EndedRun>) {
        if self.view.says_changes {
            let changes = ended.map_or(0, |ended| ended.steps);
            say_changes(self.session.borrow().engine(), changes, &CommandStyle::Session);
        }
    }

    /// Shows the result of the line that just ended, within the rest of its time limit.
    fn show_answer(&self, value: &Value, number: usize) {
        let _bounds = self.session.borrow().engine().bound_answer();
        self.show(value, number, Extent::Some);
    }

    /// Shows a value within the limits in effect on this thread.
    fn show(&self, value: &Value, number: usize, extent: Extent) {
        let printed = match self.view.showing {
            Showing::Fitting => {
                let text = display(value, number, self.columns(), extent).map_err(EmitError::from);
                text.and_then(|text| self.printer.print_line(&text))
            }
            Showing::Formatted => self.printer.print(std::slice::from_ref(value)),
        };
        // A closed output is not an error.
        if let Err(EmitError::Limit(hit)) = printed.and_then(|()| self.printer.flush()) {
            report_limit("the value is not shown", hit);
        }
    }

    fn columns(&self) -> u16 {
        terminal_columns().unwrap_or(80)
    }

    fn print(&self, text: &str) {
        // A closed output is not an error.
        let _ = self.printer.print_line(text).and_then(|()| self.printer.flush());
    }
}
