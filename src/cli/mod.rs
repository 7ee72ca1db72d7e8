//! The command line: one file for each command.

#![allow(clippy::disallowed_methods, reason = "scripts and arguments are read for the user, not for a script")]

mod args;
mod call;
mod check;
mod doctor;
mod exit;
mod explain;
mod memory;
mod run;
mod show;
mod terminal;
mod tools;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;

pub(crate) use show::Printer;
pub(crate) use terminal::report_findings;

/// Runs the command that the process was started with.
pub fn main() -> ! {
    crate::engine::hush_panics();
    // Leaves at once: what a run left in memory is not worth freeing.
    std::process::exit(work().code())
}

fn work() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return args::refused(&error),
    };
    let global = cli.global;
    match cli.command {
        None => run::default(&global),
        Some(Command::Run(args)) => run::run(&global, &args),
        Some(Command::Check(args)) => check::check(&global, &args),
        Some(Command::Call(args)) => call::call(&global, &args),
        Some(Command::Tools(args)) => tools::tools(&args),
        Some(Command::Explain(args)) => explain::explain(&args.code),
        Some(Command::Doctor) => doctor::doctor(&global),
        Some(Command::Memory(args)) => memory::memory(&global, &args.command),
        Some(Command::Repl) => run::repl(&global),
        Some(Command::File(words)) => run::file(&global, words),
    }
}
