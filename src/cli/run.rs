//! `ns run`, `ns FILE`, and plain `ns`.

use std::io::{IsTerminal, stderr, stdin};
use std::path::Path;

use crate::engine::{DescribedScript, Ending, Invocation, Options, Script, describe_script};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::in_force::kernel_sandbox;
use crate::terminal::printer::{Format, Printer, Shared};
use crate::terminal::report::{print, report_findings, say};
use crate::terminal::sandbox_hint;
use crate::terminal::script_file::read_script;
use crate::text::{Code, safe};
use crate::value::Value;
use crate::value::print::preview;

use super::args::RunArgs;
use super::finish::{finish, say_ended};
use super::plan::{self, PlanRun};
use super::repl::repl;
use super::start::{attend, open};

/// `ns run FILE|-|-e CODE`, and `ns FILE`, which a `#!/usr/bin/env ns` line also leads to.
pub fn run(global: &Global, args: &RunArgs) -> Exit {
    let script = match (&args.code, &args.file) {
        (Some(code), _) => Ok(Script::new("<-e>", code.as_str())),
        (None, Some(file)) => read_script(file),
        (None, None) => unreachable!("clap demands one of them"),
    };
    let invocation = Invocation::of_words(args.given.clone()).with_procedure(args.procedure.as_deref());
    match (script, args.plan) {
        (Err(exit), _) => exit,
        (Ok(script), _)
            if asks_help(args)
                && let Some(exit) = help(global, &script, &invocation, args.asks_help) =>
        {
            exit
        }
        (Ok(script), Some(form)) => plan::plan(PlanRun { global, args, form }, &script, &invocation),
        (Ok(script), None) => {
            run_script(ScriptRun { global, atomic: args.atomic, verbose: args.verbose }, &script, &invocation)
        }
    }
}

/// Whether this may be a request for help. After `--` it may also be a word for the script.
fn asks_help(args: &RunArgs) -> bool {
    let behind = args.given.after.iter().take_while(|word| *word != "--");
    args.asks_help || behind.into_iter().any(|word| word == "--help" || word == "-h")
}

/// Prints the usage of a script. Returns `None` if the script reads its own words and should receive the request
/// itself.
fn help(global: &Global, script: &Script, invocation: &Invocation, is_certain: bool) -> Option<Exit> {
    let DescribedScript { sources, findings, uncalled_main, interface } =
        describe_script(script, invocation.procedure.as_deref());
    match interface {
        Some(interface) if is_certain || interface.procedure.is_some() => {
            if !global.quiet {
                report_findings(uncalled_main.as_slice(), &sources);
            }
            Some(print(&interface.help(&invocation.command(script))))
        }
        Some(_) => None,
        None => {
            report_findings(&findings, &sources);
            let is_unknown = findings.iter().any(|finding| finding.code == Code::NoEntry.into());
            Some(if is_unknown && invocation.procedure.is_some() { Exit::Usage } else { Exit::Failed })
        }
    }
}

/// Plain `ns` and `ns repl`: a session on a terminal, otherwise the script on standard input.
pub fn default(global: &Global) -> Exit {
    if stdin().is_terminal() {
        return repl(global);
    }
    match read_script(Path::new("-")) {
        Ok(script) => run_script(ScriptRun { global, atomic: false, verbose: false }, &script, &Invocation::default()),
        Err(exit) => exit,
    }
}

/// The settings of a run.
struct ScriptRun<'a> {
    global: &'a Global,
    /// `--atomic`
    atomic: bool,
    /// `-v`
    verbose: bool,
}

fn run_script(run: ScriptRun<'_>, script: &Script, invocation: &Invocation) -> Exit {
    let opened = open(&Options { atomic: run.atomic, ..run.global.options() });
    let engine = match opened.and_then(|engine| attend(&engine, run.global).map(|()| engine)) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if run.verbose {
        say(&format!("{}\n", kernel_sandbox(&engine)));
    }
    if stderr().is_terminal() && !run.global.quiet {
        let (findings, sources) = engine.elsewhere(script);
        report_findings(&findings, &sources);
    }
    let printer = Shared::new(Printer::new(Format::for_run(run.global.output)).warning_of_script(!run.global.quiet));
    let mut outcome = engine.run(script, invocation, Box::new(printer.clone()));
    let flushed = printer.flush();
    outcome.findings = sandbox_hint::with_root(&outcome.findings, engine.gate().root().path());
    if printer.has_refused_path() {
        outcome.warnings.push(sandbox_hint::hint(engine.gate().root().path()));
    }
    let exit = finish(&outcome, flushed);
    if stderr().is_terminal() && !run.global.quiet && !printer.has_emitted() && !matches!(outcome.value, Value::Nil) {
        let value = safe::name(&preview(&outcome.value)).into_owned();
        say(&format!("the script returned {value} and printed nothing; `EMIT` prints a value\n"));
    }
    let is_taken_back = run.atomic && !matches!(outcome.ending, Ending::Done | Ending::Unread);
    if is_taken_back && engine.ended_run().is_some() {
        say("what the run had changed was taken back\n");
    }
    say_ended(run.global, &engine);
    // The process ends now, so freeing its values would only cost time.
    std::mem::forget(outcome);
    exit
}
