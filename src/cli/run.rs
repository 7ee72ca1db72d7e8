//! `ns run`, `ns FILE`, and plain `ns`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, stdin};
use std::path::Path;

use clap::CommandFactory;

use crate::engine::{EmitError, Ending, Options, Outcome, Script};

use super::args::{Cli, Global, RunArgs};
use super::doctor::kernel_sandbox;
use super::exit::Exit;
use super::plan;
use super::show::{Format, Printer, Shared};
use super::terminal::{report_error, report_findings, report_notes, say};

/// `ns run FILE|-|-e CODE`
pub fn run(global: &Global, args: &RunArgs) -> Exit {
    let script = match (&args.code, &args.file) {
        (Some(code), _) => Ok(Script::new("<-e>", code.as_str())),
        (None, Some(file)) => read_script(file),
        (None, None) => unreachable!("clap demands one of them"),
    };
    match script {
        Ok(script) => match args.plan {
            Some(form) => plan::plan((global, args, form), &script),
            None => run_script((global, args.atomic, args.verbose), &script, args.procedure.as_deref(), &args.args),
        },
        Err(exit) => exit,
    }
}

/// Whether a word is one of `ns`'s own options, which somebody may expect to hold after a file too.
fn is_own_option(word: &str) -> bool {
    let name = word.split('=').next().and_then(|word| word.strip_prefix("--"));
    name.is_some_and(|name| Cli::command().get_opts().any(|option| option.get_long() == Some(name)))
}

/// `ns FILE ARGS…`, which is also what a `#!/usr/bin/env ns` line comes to.
pub fn file(global: &Global, words: Vec<OsString>) -> Exit {
    let mut words = words.into_iter();
    let file = words.next().expect("clap gives the word that is no command");
    let path = Path::new(&file);
    if !path.exists() && path != Path::new("-") {
        let name = path.display();
        report_error(&format!("there is no command or file `{name}`"), "`ns --help` lists the commands");
        return Exit::Usage;
    }
    let mut args: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    if args.first().is_some_and(|first| first == "--") {
        args.remove(0);
    } else if let Some(option) = args.iter().find(|arg| is_own_option(arg)) {
        let message = format!("`{option}` comes after the file, so it is an argument of the script");
        say(&format!(
            "warning: {message}\n  = help: options of `ns` come first: `ns {option} FILE`; `--` before it says that it is meant\n"
        ));
    }
    match read_script(path) {
        Ok(script) => run_script((global, false, false), &script, None, &args),
        Err(exit) => exit,
    }
}

/// Plain `ns` and `ns repl`: a session on a terminal, else the script on standard input.
pub fn default(global: &Global) -> Exit {
    if stdin().is_terminal() {
        return super::repl::repl(global);
    }
    match read_script(Path::new("-")) {
        Ok(script) => run_script((global, false, false), &script, None, &[]),
        Err(exit) => exit,
    }
}

/// Reads a script from a file or from standard input; of a Markdown file its blocks are the script.
pub fn read_script(file: &Path) -> Result<Script, Exit> {
    let (name, bytes) = read_text(file)?;
    Ok(if is_markdown(file) { Script::markdown(name, bytes) } else { Script::new(name, bytes) })
}

/// Whether a file is Markdown, by its name.
fn is_markdown(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    ["md", "markdown"].iter().any(|markdown| extension.eq_ignore_ascii_case(markdown))
}

/// The name that messages use and the bytes of a file or of standard input.
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
            report_error(&format!("`{name}` cannot be read: {error}"), "name a file, or - for standard input");
            Err(Exit::Usage)
        }
    }
}

/// Bytes that are ever taken in; the limit on scripts is far below.
const MAX_SCRIPT: u64 = 256 << 20;

fn read_regular(file: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(MAX_SCRIPT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `is_atomic` and `is_verbose` are `--atomic` and `-v`.
fn run_script(
    (global, is_atomic, is_verbose): (&Global, bool, bool),
    script: &Script,
    procedure: Option<&str>,
    args: &[String],
) -> Exit {
    let opened = super::open(&Options { atomic: is_atomic, ..global.options() });
    let engine = match opened.and_then(|engine| super::attend(&engine).map(|()| engine)) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if is_verbose {
        say(&format!("{}\n", kernel_sandbox(&engine)));
    }
    let printer = Shared::new(Printer::new(Format::for_run(global.output)));
    let outcome = engine.run(script, procedure, args, Box::new(printer.clone()));
    let flushed = printer.flush();
    let exit = finish(&outcome, flushed);
    let is_taken_back = is_atomic && !matches!(outcome.ending, Ending::Done | Ending::Unread);
    if is_taken_back && engine.ended_run().is_some() {
        say("what the run had changed was taken back\n");
    }
    // The process ends now; freeing its values one by one would only take time.
    std::mem::forget(outcome);
    exit
}

/// Reports what a run has to say besides its output. Gives how the process ends.
pub fn finish(outcome: &Outcome, flushed: Result<(), EmitError>) -> Exit {
    report_findings(&outcome.findings, &outcome.sources);
    report_notes(&outcome.warnings);
    if let Err(EmitError::Io(error)) = flushed {
        report_error(&format!("the output cannot be written: {error}"), "look at what standard output is connected to");
        return Exit::Failed;
    }
    outcome.ending.into()
}
