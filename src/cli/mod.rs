//! The command line: one file for each command.

#![allow(clippy::disallowed_methods, reason = "scripts and arguments are read for the user, not for a script")]

mod above;
mod adopt;
mod answer;
mod approve;
mod args;
mod audit;
mod call;
mod call_lines;
mod changes;
mod check;
mod commands;
mod completions;
mod console;
mod definitions;
mod doc;
mod doctor;
mod exit;
mod explain;
mod files;
mod fix;
mod fmt;
mod gc;
mod guide;
mod history;
mod input;
mod interrupts;
mod markup;
mod mcp;
mod memory;
mod nearest_file;
mod new;
mod page;
mod plan;
mod progress;
mod render;
mod repl;
mod replace;
mod run;
mod sandbox_hint;
mod screen;
mod show;
mod table;
mod terminal;
mod test;
mod testing;
mod tools;
mod typed;
mod undo;

use std::io::{IsTerminal, stdin};

use crate::engine::{Engine, Options, Process, SetupError, leave_scratch, open_outside, settle_scratch};

use args::{Command, Global};
use exit::Exit;

pub(crate) use approve::{forget_typed, is_input_waiting};
pub(crate) use doc::{About, about};
pub(crate) use doctor::in_force;
pub(crate) use history::{log_in_session, report, show_in_session};
pub(crate) use interrupts::is_second_interrupt;
pub(crate) use plan::{Answer, asked, say_applied, show_plan_in_session};
pub(crate) use run::read_script;
pub(crate) use sandbox_hint::with_root;
pub(crate) use show::Shared;
pub(crate) use table::{Fit, cell, is_rows, new_table_of, printed, quoted, sections, table, terminal_columns};
pub(crate) use terminal::{report_findings, report_limit, report_notes, report_setup, say};
pub use testing::check_head as check_test_head;
pub(crate) use tools::{Entry as ToolEntry, entries, entry_of, tools_matching};
pub(crate) use typed::{LineHistory, save_script};
pub(crate) use undo::{say_ended_in_session, undo_in_session};

/// Runs the command given on the command line.
pub fn main() -> ! {
    crate::engine::hush_panics();
    // Exit at once: freeing the memory of a run would only cost time.
    let exit = work();
    leave_scratch();
    std::process::exit(exit.code())
}

/// Number of open files that walking very deep trees may need.
#[cfg(unix)]
const OPEN_FILES: u64 = 65_536;

/// Raises the limit on open files up to what the system allows, but at most to [`OPEN_FILES`].
#[cfg(unix)]
fn allow_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
    if current.is_some_and(|current| current < wanted) {
        // If this fails, only trees of a thousand levels and more fail, with an error.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// Opens the sandbox. Reports at once what happened to runs whose processes had died.
fn open(options: &Options) -> Result<Engine, Exit> {
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
fn settle() -> Result<(), Exit> {
    settle_scratch().map_err(|error| {
        let help = "name a directory outside the sandbox: `TMPDIR=DIR ns …`";
        terminal::report_error(&format!("nothing can be planned: {error}"), help);
        Exit::Usage
    })
}

/// Locks the process down to what runs of the engine need. Files named on the command line were read before; files that
/// a person at a terminal names later are read and written by a thread outside the lockdown.
fn seal(engine: &Engine) -> Result<(), SetupError> {
    if stdin().is_terminal() {
        open_outside();
    }
    engine.seal(Process::Script)
}

/// Locks the process down and prepares for a person at the terminal: Ctrl-C interrupts the run, and the run can ask,
/// read input and show its progress.
fn attend(engine: &Engine, global: &Global) -> Result<(), Exit> {
    seal(engine).map_err(|error| {
        report_setup(&error);
        Exit::Usage
    })?;
    interrupts::catch_interrupts(engine.interrupt());
    approve::ask_at_terminal(engine);
    progress::show_at_terminal(engine, global);
    console::connect_console(engine);
    Ok(())
}

fn work() -> Exit {
    #[cfg(unix)]
    allow_open_files();
    let cli = match args::typed() {
        Ok(cli) => cli,
        Err(refusal) => return args::refused(&refusal),
    };
    let global = cli.global;
    match cli.command {
        None => run::default(&global),
        Some(Command::Run(args)) => run::run(&global, &args),
        Some(Command::Test(args)) => test::test(&global, &args),
        Some(Command::New(args)) => new::new(&args),
        Some(Command::Render(args)) => render::render(&global, &args),
        Some(Command::Check(args)) => check::check(&global, &args),
        Some(Command::Fmt(args)) => fmt::fmt(&args),
        Some(Command::Call(args)) => call::call(&global, &args),
        Some(Command::Tools(args)) => tools::tools(&args),
        Some(Command::Doc(args)) => doc::doc(&args),
        Some(Command::Guide) => guide::guide(),
        Some(Command::Explain(args)) => explain::explain(&args.code),
        Some(Command::Doctor) => doctor::doctor(&global),
        Some(Command::Audit(args)) => audit::audit(&global, &args.command),
        Some(Command::Memory(args)) => memory::memory(&global, &args.command),
        Some(Command::Log(args)) => history::log(&global, &args),
        Some(Command::Show(args)) => history::show(&global, &args),
        Some(Command::Adopt(args)) => adopt::adopt(&global, &args),
        Some(Command::Gc(args)) => gc::gc(&global, &args),
        Some(Command::Apply(args)) => plan::apply(&global, &args.file),
        Some(Command::Undo(args)) => undo::undo(&global, &args),
        Some(Command::Redo(args)) => undo::redo(&global, &args),
        Some(Command::Completions(args)) => completions::completions(args.shell),
        Some(Command::CompleteScript { words }) => completions::complete_script(&words),
        Some(Command::Man(args)) => completions::man(&args.command),
        Some(Command::Mcp(args)) => mcp::mcp(&global, &args),
        Some(Command::McpWorker) => mcp::worker(&global),
        Some(Command::Repl) => run::default(&global),
    }
}
