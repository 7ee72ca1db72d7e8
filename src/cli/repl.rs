//! `ns repl`, and plain `ns` on a terminal.

use crate::engine::{Options, settle_scratch};
use crate::options::{Global, OutputFormat};
use crate::repl::{LineHistory, SessionEnd, Showing, View};
use crate::terminal::exit::Exit;
use crate::terminal::printer::{Format, Printer, Shared};
use crate::terminal::report::{report_error, report_notes};
use crate::terminal::user_names::read_user_names;

use super::start::{attend, open};

/// Runs a session.
pub fn repl(global: &Global) -> Exit {
    let engine = match open(&Options { may_plan: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    // The lockdown makes the user's files unreachable, so open them now. Without scratch space `:plan` is unavailable.
    let typed = LineHistory::open();
    let _ = settle_scratch();
    read_user_names();
    if let Err(exit) = attend(&engine, global) {
        return exit;
    }
    let printer = Shared::new(Printer::new(Format::for_run(global.output)));
    let showing = if global.output == OutputFormat::Auto { Showing::Fitting } else { Showing::Formatted };
    let view = View { showing, says_changes: !global.quiet };
    let ended = crate::repl::run(&engine, typed, &printer, view);
    report_notes(&engine.gate().take_notes());
    match ended {
        Ok(SessionEnd::ByChoice) => Exit::Done,
        Ok(SessionEnd::Interrupted) => Exit::Interrupted,
        Err(error) => {
            report_error(&format!("the session ended: {error}"), "run scripts with `ns run FILE`");
            Exit::Failed
        }
    }
}
