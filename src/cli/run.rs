//! `ns run`, `ns FILE`, and plain `ns`.

use std::io::{ErrorKind, IsTerminal, Read, stderr, stdin};
use std::path::Path;

use crate::engine::{DescribedScript, EmitError, Ending, Invocation, Options, Outcome, Script, describe_script};

use super::args::{Global, RunArgs};
use super::doctor::kernel_sandbox;
use super::exit::Exit;
use super::input::open_input;
use super::nearest_file::nearest_file;
use super::plan;
use super::sandbox_hint;
use super::show::{Format, Printer, Shared};
use super::terminal::{print, report_error, report_findings, report_notes, say};
use super::undo::say_ended;

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
                && let Some(exit) = help(&script, &invocation, args.asks_help) =>
        {
            exit
        }
        (Ok(script), Some(form)) => plan::plan((global, args, form), &script, &invocation),
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
fn help(script: &Script, invocation: &Invocation, is_certain: bool) -> Option<Exit> {
    let DescribedScript { sources, findings, interface } = describe_script(script, invocation.procedure.as_deref());
    match interface {
        Some(interface) if is_certain || interface.procedure.is_some() => {
            Some(print(&interface.help(&invocation.command(script))))
        }
        Some(_) => None,
        None => {
            report_findings(&findings, &sources);
            Some(Exit::Failed)
        }
    }
}

/// Plain `ns` and `ns repl`: a session on a terminal, otherwise the script on standard input.
pub fn default(global: &Global) -> Exit {
    if stdin().is_terminal() {
        return super::repl::repl(global);
    }
    match read_script(Path::new("-")) {
        Ok(script) => run_script(ScriptRun { global, atomic: false, verbose: false }, &script, &Invocation::default()),
        Err(exit) => exit,
    }
}

/// Reads a script from a file or from standard input. For a Markdown file, the script consists of its code blocks.
pub fn read_script(file: &Path) -> Result<Script, Exit> {
    let (name, bytes) = read_text(file)?;
    Ok(script_of(file, name, bytes))
}

/// Reads a script without reporting errors. Returns `None` if the file does not exist or cannot be read.
pub fn read_quietly(file: &Path) -> Option<Script> {
    let bytes = file.is_file().then(|| read_regular(file).ok()).flatten()?;
    Some(script_of(file, file.display().to_string(), bytes))
}

/// Creates the script of a file: from the blocks of a Markdown document, or from the whole text.
fn script_of(file: &Path, name: String, bytes: Vec<u8>) -> Script {
    if is_markdown(file) { Script::markdown(name, bytes) } else { Script::new(name, bytes) }
}

/// Whether the name of a file denotes Markdown.
fn is_markdown(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    ["md", "markdown"].iter().any(|markdown| extension.eq_ignore_ascii_case(markdown))
}

/// Reads a file or standard input. Returns the name for messages and the bytes.
pub fn read_text(file: &Path) -> Result<(String, Vec<u8>), Exit> {
    let (name, bytes) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        ("<stdin>".to_owned(), stdin().lock().take(MAX_SCRIPT).read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (file.display().to_string(), read_regular(file))
    };
    match bytes {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => {
            let near = Some(file).filter(|_| error.kind() == ErrorKind::NotFound).and_then(nearest_file);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let help = help.as_deref().unwrap_or("name a file, or - for standard input");
            report_error(&format!("`{name}` cannot be read: {error}"), help);
            Err(Exit::Usage)
        }
    }
}

/// Maximum number of bytes read; the limit for scripts is far lower.
const MAX_SCRIPT: u64 = 256 << 20;

fn read_regular(file: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    let mut bytes = Vec::new();
    open_input(file)?.take(MAX_SCRIPT).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    let opened = super::open(&Options { atomic: run.atomic, ..run.global.options() });
    let engine = match opened.and_then(|engine| super::attend(&engine, run.global).map(|()| engine)) {
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
    let printer = Shared::new(Printer::new(Format::for_run(run.global.output)));
    let mut outcome = engine.run(script, invocation, Box::new(printer.clone()));
    let flushed = printer.flush();
    outcome.findings = sandbox_hint::with_root(&outcome.findings, engine.gate().root().path());
    if printer.has_refused_path() {
        outcome.warnings.push(sandbox_hint::hint(engine.gate().root().path()));
    }
    let exit = finish(&outcome, flushed);
    let is_taken_back = run.atomic && !matches!(outcome.ending, Ending::Done | Ending::Unread);
    if is_taken_back && engine.ended_run().is_some() {
        say("what the run had changed was taken back\n");
    }
    say_ended(run.global, &engine);
    // The process ends now, so freeing its values would only cost time.
    std::mem::forget(outcome);
    exit
}

/// Reports the findings and warnings of a run. Returns the outcome of the process.
pub fn finish(outcome: &Outcome, flushed: Result<(), EmitError>) -> Exit {
    report_findings(&outcome.findings, &outcome.sources);
    if let Some(usage) = &outcome.usage {
        say(&format!("\n{usage}"));
    }
    report_notes(&outcome.warnings);
    if let Err(EmitError::Io(error)) = flushed {
        report_error(&format!("the output cannot be written: {error}"), "look at what standard output is connected to");
        return Exit::Failed;
    }
    outcome.ending.into()
}
