//! `ns memory`: project memory, with JSON as input and output. Failures are reported on standard error.

use std::io::stdin;
use std::path::Path;

use crate::engine::{EmitError, Engine, ParseError, Value};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::input_file::open_input;
use crate::terminal::printer::{Format, Printer};
use crate::terminal::report::{report_findings, report_notes, report_setup, say};
use crate::text::{Diagnostic, FindingCode, Sources, ToolCode};
use crate::toolkit::ToolError;
use crate::value::json::Unwritable;
use crate::value::to_value;

use super::answer::read_all;
use super::args::MemoryCommand;
use super::start::{open, seal};

pub fn memory(global: &Global, command: &MemoryCommand) -> Exit {
    let engine = match open(&global.options()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let format = Format::for_call(global.output);
    let given = given_text(command);
    if let Err(error) = seal(&engine) {
        report_setup(&error);
        return Exit::Usage;
    }
    let done = given.and_then(|text| work(&engine, command, &text, format));
    report_notes(&engine.gate().take_notes());
    match done {
        Ok(()) => Exit::Done,
        Err(error) => {
            let finding = Diagnostic::placeless(FindingCode::Tool(error.code), error.message);
            let finding = error.hint.into_iter().fold(finding, Diagnostic::help);
            report_findings(&[finding], &Sources::new());
            error.code.into()
        }
    }
}

/// Reads the text given by the user, possibly from a file outside the sandbox. Must run before the lockdown.
fn given_text(command: &MemoryCommand) -> Result<String, ToolError> {
    match command {
        MemoryCommand::Set { json, .. } => match json.strip_prefix('@') {
            _ if json == "-" => read_text(Path::new("-")),
            Some(file) => read_text(Path::new(file)),
            None => Ok(json.clone()),
        },
        MemoryCommand::Import { file } => read_text(file),
        _ => Ok(String::new()),
    }
}

fn work(engine: &Engine, command: &MemoryCommand, text: &str, format: Option<Format>) -> Result<(), ToolError> {
    match command {
        MemoryCommand::List { prefix } => list(engine, prefix, format),
        MemoryCommand::Get { key } => get(engine, key, format.filter(|format| *format != Format::Table)),
        MemoryCommand::Set { key, .. } => set(engine, key, text),
        MemoryCommand::Delete { key } => delete(engine, key),
        MemoryCommand::Export { salvage: false } => engine.export_memory().and_then(|lines| print_lines(&lines)),
        MemoryCommand::Export { salvage: true } => salvage(engine),
        MemoryCommand::Import { .. } => import(engine, text),
    }
}

fn list(engine: &Engine, prefix: &str, format: Option<Format>) -> Result<(), ToolError> {
    let rows = engine.memory_rows(prefix)?;
    print(&to_value(&rows.items)?, format)
}

fn get(engine: &Engine, key: &str, format: Option<Format>) -> Result<(), ToolError> {
    match engine.memory_value(key)? {
        Some(value) => print(&value, format),
        None => Err(absent(key)),
    }
}

fn set(engine: &Engine, key: &str, text: &str) -> Result<(), ToolError> {
    let bad = |error: ParseError| {
        ToolError::new(ToolCode::BadArgs, format!("the value is not JSON: {error}"))
            .hint("quote a text twice: '\"text\"'")
    };
    engine.keep_in_memory(key, engine.value_of_json(text).map_err(bad)?)
}

fn delete(engine: &Engine, key: &str) -> Result<(), ToolError> {
    if engine.delete_from_memory(key)? { Ok(()) } else { Err(absent(key)) }
}

fn salvage(engine: &Engine) -> Result<(), ToolError> {
    let salvaged = engine.salvage_memory()?;
    let lines: Vec<String> = salvaged.records.items.iter().map(|record| record.to_line()).collect();
    print_lines(&lines)?;
    let lost = match (salvaged.lost, salvaged.cut) {
        (0, false) => "nothing is lost".to_owned(),
        (0, true) => "the file cannot be read to its end, so some may be missing".to_owned(),
        (lost, false) => format!("{lost} cannot be used"),
        (lost, true) => format!("{lost} cannot be used, and some may be missing"),
    };
    say(&format!("{} read; {lost}\n", counted(lines.len())));
    if lines.is_empty() && (salvaged.cut || salvaged.lost > 0) {
        Err(ToolError::new(ToolCode::IoError, "nothing in `.ns/memory.db` can be read as memory")
            .hint("move it away; the next change makes a new one"))
    } else {
        Ok(())
    }
}

fn import(engine: &Engine, text: &str) -> Result<(), ToolError> {
    let taken = engine.import_memory(text)?;
    say(&format!("{} taken in\n", counted(taken)));
    Ok(())
}

fn read_text(file: &Path) -> Result<String, ToolError> {
    let bytes = if file == Path::new("-") { read_all(stdin().lock()) } else { open_input(file).and_then(read_all) };
    let bad = |reason: String| {
        let message = format!("`{}` cannot be read: {reason}", file.display());
        ToolError::new(ToolCode::BadArgs, message).hint("name a file, or - for standard input")
    };
    let bytes = bytes.map_err(|error| bad(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".to_owned()))
}

fn absent(key: &str) -> ToolError {
    ToolError::new(ToolCode::NotFound, format!("there is no key `{key}`")).hint("`ns memory list` shows the keys")
}

fn counted(keys: usize) -> String {
    if keys == 1 { "1 key".to_owned() } else { format!("{keys} keys") }
}

fn print_lines(lines: &[String]) -> Result<(), ToolError> {
    let mut printer = Printer::new(Format::Raw);
    let printed = lines.iter().try_for_each(|line| printer.print_line(line));
    finish(printed.and_then(|()| printer.flush()))
}

fn print(value: &Value, format: Option<Format>) -> Result<(), ToolError> {
    let mut printer = Printer::new(format.unwrap_or(Format::Json));
    let printed = printer.print(std::slice::from_ref(value));
    finish(printed.and_then(|()| printer.flush()))
}

fn finish(printed: Result<(), EmitError>) -> Result<(), ToolError> {
    match printed {
        Ok(()) | Err(EmitError::Closed) => Ok(()),
        Err(EmitError::Io(error)) => {
            Err(ToolError::new(ToolCode::IoError, format!("the output cannot be written: {error}")))
        }
        Err(EmitError::Limit(hit)) => Err(hit.into()),
        Err(EmitError::Unwritable(found)) => {
            Err(ToolError::new(ToolCode::BadArgs, found.to_string()).hint(Unwritable::HELP))
        }
    }
}
