//! The command line: one file for each command.
//!
//! Everything runs on one thread with a large stack, so that no nesting that a limit allows can
//! exhaust it.

#![allow(clippy::disallowed_methods, reason = "scripts and arguments are read for the user, not for a script")]

mod args;
mod call;
mod check;
mod doctor;
mod exit;
mod explain;
mod run;
mod show;
mod terminal;
mod tools;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;

pub(crate) use show::Printer;
pub(crate) use terminal::report_findings;

/// Bytes of stack for the thread that does the work. Only what is used is ever taken.
const STACK: usize = 256 << 20;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let worker = std::thread::Builder::new().name("ns".to_owned()).stack_size(STACK);
    let exit = match worker.spawn(work) {
        Ok(worker) => worker.join().unwrap_or(Exit::Failed),
        Err(error) => {
            eprintln!("error: no thread with a stack of {} MiB can be had: {error}", STACK >> 20);
            Exit::Failed
        }
    };
    // Leaves at once: what a run left in memory is not worth freeing.
    std::process::exit(exit.code())
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
        Some(Command::Repl) => run::repl(&global),
        Some(Command::File(words)) => run::file(&global, words),
    }
}
