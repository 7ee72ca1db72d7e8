//! The start of a command: opens the sandbox and locks the process down.

use std::io::{IsTerminal, stdin};

use crate::engine::{Engine, Options, Process, RUN_NAME, SetupError, open_outside, settle_scratch};
use crate::options::Global;
use crate::terminal::approver::ask_at_terminal;
use crate::terminal::console::connect_console;
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::printer::Format;
use crate::terminal::progress::show_at_terminal;
use crate::terminal::report::{report_error, report_failure, report_notes, report_setup};
use crate::toolkit::ToolError;

/// Opens the sandbox. Reports at once what happened to runs whose processes had died.
pub fn open(options: &Options) -> Result<Engine, Exit> {
    match Engine::open(options) {
        Ok(engine) => {
            report_notes(&engine.gate().take_notes());
            Ok(engine)
        }
        Err(error) => {
            report_setup(&error);
            Err(Exit::Usage)
        }
    }
}

/// Creates the directory for plans. Must run before the lockdown.
pub fn settle() -> Result<(), Exit> {
    settle_scratch().map_err(|error| {
        let help = "name a directory outside the sandbox: `TMPDIR=DIR ns …`";
        report_error(&format!("nothing can be planned: {error}"), help);
        Exit::Usage
    })
}

/// Locks the process down to what runs of the engine need. Files named on the command line were read before; files that
/// a person at a terminal names later are read and written by a thread outside the lockdown.
pub fn seal(engine: &Engine) -> Result<(), SetupError> {
    if stdin().is_terminal() {
        open_outside();
    }
    engine.seal(Process::Script)
}

/// Locks the process down and prepares for a person at the terminal: Ctrl-C interrupts the run, and the run can ask,
/// read input and show its progress.
pub fn attend(engine: &Engine, global: &Global) -> Result<(), Exit> {
    seal(engine).map_err(|error| {
        report_setup(&error);
        Exit::Usage
    })?;
    catch_interrupts(engine.interrupt());
    ask_at_terminal(engine);
    if !global.quiet {
        show_at_terminal(engine);
    }
    connect_console(engine, Format::for_run(global.output));
    Ok(())
}

/// Opens an engine with the options of the command line, locks the process down and calls `work`.
pub fn with_engine(global: &Global, work: impl FnOnce(&Engine) -> Result<Exit, ToolError>) -> Exit {
    with_options(&global.options(), work)
}

/// Opens an engine with these options, locks the process down and calls `work`.
pub fn with_options(options: &Options, work: impl FnOnce(&Engine) -> Result<Exit, ToolError>) -> Exit {
    let engine = match open(options) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if let Err(error) = seal(&engine) {
        report_setup(&error);
        return Exit::Usage;
    }
    let done = work(&engine);
    report_notes(&engine.gate().take_notes());
    done.unwrap_or_else(|error| {
        let names_no_run = error.argument == Some(RUN_NAME);
        let exit = report_failure(error);
        if names_no_run { Exit::Usage } else { exit }
    })
}
