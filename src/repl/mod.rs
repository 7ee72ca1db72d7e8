//! A session at a terminal.
//!
//! [`reader`] reads what is typed, line by line until it is complete; [`commands`] does what begins with a
//! colon; the rest is run by the engine's session, and [`display`] shows what it gives. Nothing here knows the
//! language: words, blocks and names are asked of the engine.

mod commands;
mod complete;
mod display;
mod helper;
mod highlight;
mod hint;
mod keys;
mod looking;
mod place;
mod plan;
mod reader;
mod results;

use std::cell::RefCell;
use std::io::{IsTerminal, stdout};
use std::rc::Rc;

use crate::cli::{
    Shared, Typed, report_findings, report_limit, report_notes, say, say_ended_in_session, terminal_columns, with_root,
};
use crate::engine::{EmitError, Ending, Engine, LineOutcome, LineResult, Session, Value};
use crate::text::Code;

use commands::Go;
use display::{Extent, shown};
use reader::{Entry, Reader};
use results::Results;

/// How a session was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// By `:quit` or Ctrl-D.
    ByChoice,
    /// By a second Ctrl-C.
    Interrupted,
}

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// As fits the terminal.
    Fitting,
    /// In the format of the printer.
    Formatted,
}

/// Display settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// How values are shown.
    pub showing: Showing,
    /// Whether it says what a line changed.
    pub says_changes: bool,
}

/// A session with its terminal.
struct Repl<'e> {
    engine: &'e Engine,
    session: Rc<RefCell<Session<'e>>>,
    printer: Shared,
    view: View,
    results: Results,
    /// The lines that are done, as a script would have them.
    done: Vec<String>,
}

/// Reads and runs lines until the user leaves; `typed` keeps them for the next sessions.
pub fn run(engine: &Engine, typed: Typed, printer: &Shared, view: View) -> rustyline::Result<Left> {
    let session = Rc::new(RefCell::new(engine.session(Box::new(printer.clone()))));
    let mut reader = Reader::new(session.clone(), typed)?;
    let (printer, results, done) = (printer.clone(), Results::default(), Vec::new());
    let mut repl = Repl { engine, session, printer, view, results, done };
    let greeting = format!("NeuroScript {}; :help helps, :quit leaves.", env!("CARGO_PKG_VERSION"));
    // Output that goes elsewhere is what the lines print, and nothing else.
    if stdout().is_terminal() {
        repl.print(&greeting)
    } else {
        say(&format!("{greeting}\n"))
    }
    loop {
        match reader.entry()? {
            Entry::Text(text) => {
                if repl.take(&text) == Go::Leave && repl.may_leave() {
                    return Ok(Left::ByChoice);
                }
            }
            Entry::Cleared => {}
            Entry::End if repl.may_leave() => return Ok(Left::ByChoice),
            Entry::End => {}
            Entry::Interrupted => {
                repl.leave_at_once();
                return Ok(Left::Interrupted);
            }
        }
        report_notes(&repl.session.borrow().engine().gate().take_notes());
        report_notes(&engine.gate().take_notes());
    }
}

impl Repl<'_> {
    /// Does what an entry says.
    fn take(&mut self, text: &str) -> Go {
        let pieces = commands::pieces(text, |text| self.session.borrow().is_open(text));
        for piece in pieces {
            if let Some(command) = commands::of(piece) {
                if self.command(command) == Go::Leave {
                    return Go::Leave;
                }
                continue;
            }
            let parts = self.session.borrow().parts(piece);
            if !parts.iter().all(|part| self.evaluate(part)) {
                break;
            }
        }
        Go::On
    }

    /// Runs a line and shows what it gives; whether it is done.
    fn evaluate(&mut self, text: &str) -> bool {
        let outcome = self.session.borrow_mut().evaluate(text);
        let is_done = self.report(&outcome);
        match outcome.result {
            _ if !is_done => {}
            LineResult::Shown(value) => {
                self.done.push(format!("EMIT {}", text.trim()));
                let number = self.results.keep(value.clone());
                self.show_answer(&value, number);
            }
            LineResult::Called(value) => {
                self.done.push(text.trim_end().to_owned());
                self.results.keep(value);
            }
            LineResult::None => self.done.push(text.trim_end().to_owned()),
        }
        if is_done {
            report_notes(&self.session.borrow().elsewhere(text));
        }
        self.say_changes(outcome.changes);
        is_done
    }

    /// Tells what became of a line; whether it is done.
    fn report(&mut self, outcome: &LineOutcome) -> bool {
        // That nobody reads the output is nobody's error.
        let _ = self.printer.flush();
        if outcome.ending == Ending::Interrupted {
            say("interrupted; the variables are what they were when it stopped\n");
            return false;
        }
        let findings = with_root(&outcome.findings, self.engine.gate().root.path());
        report_findings(&findings, self.session.borrow().sources());
        let is_full = outcome.findings.iter().any(|finding| finding.code == Code::MemoryLimit.into());
        if is_full && self.results.forget() {
            say("the older results were forgotten, to make room\n");
        }
        outcome.ending == Ending::Done
    }

    /// Says how much a line changed, and how that is taken back.
    fn say_changes(&self, changes: u32) {
        if self.view.says_changes {
            say_ended_in_session(self.session.borrow().engine(), changes);
        }
    }

    /// Shows the answer of the line that just ended, in what is left of its time.
    fn show_answer(&self, value: &Value, number: usize) {
        let _bounds = self.session.borrow().engine().bound_answer();
        self.show(value, number, Extent::Some);
    }

    /// Shows a value within the bounds of this thread.
    fn show(&self, value: &Value, number: usize, extent: Extent) {
        let printed = match self.view.showing {
            Showing::Fitting => {
                let text = shown(value, number, self.columns(), extent).map_err(EmitError::from);
                text.and_then(|text| self.printer.print_line(&text))
            }
            Showing::Formatted => self.printer.print(std::slice::from_ref(value)),
        };
        // That nobody reads the output is nobody's error.
        if let Err(EmitError::Limit(hit)) = printed.and_then(|()| self.printer.flush()) {
            report_limit("the value is not shown", hit);
        }
    }

    fn columns(&self) -> u16 {
        terminal_columns().unwrap_or(80)
    }

    fn print(&self, text: &str) {
        // That nobody reads it is nobody's error.
        let _ = self.printer.print_line(text).and_then(|()| self.printer.flush());
    }
}
