//! `ns repl`, and plain `ns` on a terminal.

use super::args::{Global, OutputFormat};
use super::exit::Exit;
use super::show::{Format, Printer, Shared};
use super::terminal::{report_error, report_notes};

use crate::repl::{Left, Showing};

/// Begins a session.
pub fn repl(global: &Global) -> Exit {
    let engine = match super::open(&global.options()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    super::attend(&engine);
    let printer = Shared::new(Printer::new(Format::for_run(global.output)));
    let showing = if global.output == OutputFormat::Auto { Showing::Fitting } else { Showing::Formatted };
    let ended = crate::repl::run(&engine, &printer, showing);
    report_notes(&engine.gate().take_notes());
    match ended {
        Ok(Left::ByChoice) => Exit::Done,
        Ok(Left::Interrupted) => Exit::Interrupted,
        Err(error) => {
            report_error(&format!("the session ended: {error}"), "run scripts with `ns run FILE`");
            Exit::Failed
        }
    }
}
