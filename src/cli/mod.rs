//! The command line: one file for each command.

#![allow(clippy::disallowed_methods, reason = "scripts and arguments are read for the user, not for a script")]

mod above;
mod adopt;
mod answer;
mod args;
mod audit;
mod call;
mod call_lines;
mod check;
mod completions;
mod dap;
mod definitions;
mod doc;
mod doctor;
mod explain;
mod files;
mod finish;
mod fix;
mod fmt;
mod gc;
mod guide;
mod history;
mod line_id;
mod lsp;
mod mcp;
#[cfg(feature = "http")]
mod mcp_over_http;
mod memory;
mod migrate;
mod new;
mod page;
mod plan;
mod print_value;
mod render;
mod repl;
mod replace;
mod rewritten;
mod run;
mod sandboxes;
mod start;
mod test;
mod tools;
mod undo;
mod watch;
mod watch_script;
mod watched_files;

use std::path::{Path, PathBuf};

use crate::engine::leave_scratch;
pub use crate::manual::glossary::TERMS;
use crate::options::OutputFormat;
use crate::terminal::exit::Exit;
use crate::terminal::report::report_error;
pub use crate::testing::check_head as check_test_head;

use args::Command;

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

/// Returns what a command writes without an engine, whose gate would refuse it under `--read-only`.
fn written_by(command: &Command) -> Option<&'static str> {
    let is_file = |file: &PathBuf| file != Path::new("-");
    match command {
        Command::New(_) => Some("`ns new` makes files"),
        Command::Fmt(args) if !args.check && !args.diff && args.files.iter().any(is_file) => {
            Some("`ns fmt` writes the files that it formats, unless `--check` or `--diff` is given")
        }
        Command::Migrate(args) if args.write && args.files.iter().any(is_file) => {
            Some("`ns migrate --write` writes the files that it migrates")
        }
        Command::Check(args) if args.fix && args.files.iter().any(is_file) => {
            Some("`--fix` writes the files that it repairs")
        }
        Command::Test(args) if args.update => Some("`--update` writes what the cases expect"),
        _ => None,
    }
}

/// Returns what to write in place of `--output` for a command that does not print a value.
fn instead_of_output(command: &Command) -> Option<(&'static str, &'static str)> {
    let (name, instead) = match command {
        Command::Tools(_) => ("tools", "`--format json` prints the declarations as JSON"),
        Command::Check(_) => ("check", "`--format json` prints the findings as JSON"),
        Command::Test(_) => ("test", "`--format json` prints the report as JSON"),
        Command::Doc(_) => ("doc", "`--format json` prints the pages as JSON"),
        Command::Render(_) => ("render", "`--results` chooses how results are written into the document"),
        Command::New(_) => ("new", "leave it out"),
        Command::Fmt(_) => ("fmt", "leave it out"),
        Command::Migrate(_) => ("migrate", "leave it out"),
        Command::Guide => ("guide", "leave it out"),
        Command::Explain(_) => ("explain", "leave it out"),
        Command::Completions(_) => ("completions", "leave it out"),
        Command::Man(_) => ("man", "leave it out"),
        Command::Mcp(_) => ("mcp", "leave it out"),
        Command::Lsp(_) => ("lsp", "leave it out"),
        Command::Dap => ("dap", "leave it out"),
        _ => return None,
    };
    Some((name, instead))
}

fn work() -> Exit {
    #[cfg(unix)]
    allow_open_files();
    let cli = match args::typed() {
        Ok(cli) => cli,
        Err(refusal) => return args::refused(&refusal),
    };
    let global = cli.global;
    if let Some(written) = cli.command.as_ref().filter(|_| global.read_only).and_then(written_by) {
        report_error(&format!("`--read-only` refuses every change, and {written}"), "leave out one of both");
        return Exit::Refused;
    }
    if global.output != OutputFormat::Auto
        && let Some((name, instead)) = cli.command.as_ref().and_then(instead_of_output)
    {
        report_error(&format!("`--output` is the form of a value, which `ns {name}` does not print"), instead);
        return Exit::Usage;
    }
    if global.sandboxes.len() > 1 && !matches!(cli.command, Some(Command::Mcp(_))) {
        report_error("`--sandbox` is given several times, and a run has one sandbox", "leave out all but one");
        return Exit::Usage;
    }
    match cli.command {
        None => run::default(&global),
        Some(Command::Run(args)) => run::run(&global, &args),
        Some(Command::Watch(args)) => watch_script::watch_script(&global, &args),
        Some(Command::Test(args)) => test::test(&global, &args),
        Some(Command::New(args)) => new::new(&args),
        Some(Command::Render(args)) => render::render(&global, &args),
        Some(Command::Check(args)) => check::check(&global, &args),
        Some(Command::Fmt(args)) => fmt::fmt(&args),
        Some(Command::Migrate(args)) => migrate::migrate(&global, &args),
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
        Some(Command::CompleteScript { line, words }) => completions::complete_script(line.as_deref(), &words),
        Some(Command::Man(args)) => completions::man(&args.command),
        Some(Command::Mcp(args)) => mcp::mcp(&global, &args),
        Some(Command::Lsp(_)) => lsp::lsp(&global),
        Some(Command::Dap) => dap::dap(&global),
        Some(Command::McpWorker) => mcp::worker(&global),
        Some(Command::Repl) => run::default(&global),
    }
}
