//! A session at a terminal.
//!
//! [`reader`] reads what is typed, line by line until it is complete; [`commands`] does what begins with a
//! colon; the rest is run by the engine's session, and [`display`] shows what it gives. Nothing here knows the
//! language: words, blocks and names are asked of the engine.

mod commands;
mod helper;
mod highlight;
mod keys;
mod reader;

use std::cell::RefCell;
use std::rc::Rc;

use crate::cli::{Shared, report_findings, report_notes, say};
use crate::engine::{Ending, Engine, LineResult, Session};

use commands::Go;
use reader::{Entry, Reader};

/// How a session was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// By `:quit` or Ctrl-D.
    ByChoice,
    /// By a second Ctrl-C.
    Interrupted,
}

/// A session with its terminal.
struct Repl<'e> {
    engine: &'e Engine,
    session: Rc<RefCell<Session<'e>>>,
    printer: Shared,
}

/// Reads and runs lines until the user leaves.
pub fn run(engine: &Engine, printer: &Shared, _tables: bool) -> rustyline::Result<Left> {
    let session = Rc::new(RefCell::new(engine.session(Box::new(printer.clone()))));
    let mut reader = Reader::new(session.clone())?;
    let mut repl = Repl { engine, session, printer: printer.clone() };
    let _ = printer.print_line(&format!("NeuroScript {}; :help helps, :quit leaves.", env!("CARGO_PKG_VERSION")));
    loop {
        match reader.entry()? {
            Entry::Text(text) => {
                if repl.take(&text) == Go::Leave {
                    return Ok(Left::ByChoice);
                }
            }
            Entry::Cleared => {}
            Entry::End => return Ok(Left::ByChoice),
            Entry::Interrupted => return Ok(Left::Interrupted),
        }
        report_notes(&engine.gate().take_notes());
    }
}

impl Repl<'_> {
    /// Does what an entry says.
    fn take(&mut self, text: &str) -> Go {
        if let Some(command) = commands::of(text) {
            return self.command(command);
        }
        let parts = self.session.borrow().parts(text);
        for part in parts {
            if !self.evaluate(&part) {
                break;
            }
        }
        Go::On
    }

    /// Runs a line and shows what it gives; whether it is done.
    fn evaluate(&mut self, text: &str) -> bool {
        let outcome = self.session.borrow_mut().evaluate(text);
        // That nobody reads the output is nobody's error.
        let _ = self.printer.flush();
        if outcome.ending == Ending::Interrupted {
            say("interrupted; the variables are what they were when it stopped\n");
            return false;
        }
        report_findings(&outcome.findings, self.session.borrow().sources());
        if let LineResult::Shown(value) = outcome.result {
            let _ = self.printer.print(&[value]).and_then(|()| self.printer.flush());
        }
        outcome.ending == Ending::Done
    }
}
