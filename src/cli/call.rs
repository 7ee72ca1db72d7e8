//! `ns call TOOL JSON`: calls one tool. The result is printed to standard output, a failure as one line of JSON to
//! standard error.

use std::io::{Read, stdin};

use serde_json::json;

use crate::engine::{EmitError, Engine, Options, SetupError};
use crate::text::{ToolCode, safe};
use crate::toolkit::{DONE, FailureMode, ToolError, body_of, excerpt, read_on};
use crate::value::{Map, Value, to_value};

use super::approve::ask_at_terminal;
use super::args::{CallArgs, Global};
use super::call_lines::call_lines;
use super::console::connect_console;
use super::exit::Exit;
use super::input::open_input;
use super::interrupts::catch_interrupts;
use super::progress::show_at_terminal;
use super::sandbox_hint;
use super::show::{Format, Printer};
use super::terminal::{report_notes, say};
use super::undo::say_ended;

/// Maximum size of JSON input, in bytes.
pub const MAX_JSON: u64 = 256 << 20;

/// A part of an answer, as selected by `--meta`.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    offset: Option<usize>,
    bytes: u64,
}

/// Default size of a part, in bytes.
const PART: u64 = 256 << 10;
/// Maximum size in bytes of an answer that is returned in parts.
const WHOLE: u64 = 256 << 20;

impl Part {
    /// Returns this part of an answer, and its metadata.
    pub fn of(&self, answer: Value) -> Result<(Value, Value), ToolError> {
        let behind = || {
            ToolError::new(ToolCode::BadArgs, "`--offset` lies behind the end of the answer, or inside a character")
                .hint("give the `next_offset` of the part before")
        };
        let part = match self.offset {
            None => excerpt(answer, self.bytes)?,
            Some(offset) => {
                let body = body_of(&answer)?.ok_or_else(behind)?;
                read_on(&body, offset, self.bytes)?.ok_or_else(behind)?
            }
        };
        let meta = match part.extent {
            None => Map::with_capacity(1).with("truncated", false).into(),
            Some(extent) => to_value(&extent)?,
        };
        Ok((part.answer, meta))
    }
}

pub fn call(global: &Global, args: &CallArgs) -> Exit {
    let answer_bytes = if args.meta { Some(WHOLE) } else { args.max_output_bytes };
    let options = Options { answer_bytes, ..global.options() };
    let engine = match Engine::open(&options) {
        Ok(engine) => engine,
        Err(error) => return fail(&setup_failure(&error)),
    };
    let part = args.meta.then(|| Part { offset: args.offset, bytes: args.max_output_bytes.unwrap_or(PART) });
    if args.jsonl {
        if let Err(error) = super::seal(&engine) {
            return fail(&setup_failure(&error));
        }
        catch_interrupts(engine.interrupt());
        return call_lines(&engine, part.as_ref());
    }
    let called = call_once(&engine, global, args);
    let exit = answer(&engine, global, (called, part));
    say_ended(global, &engine);
    exit
}

fn answer(engine: &Engine, global: &Global, (called, part): (Result<Value, Exit>, Option<Part>)) -> Exit {
    let _bounds = engine.bound_answer();
    match (called, part) {
        (Err(exit), _) => exit,
        (Ok(answer), None) => print(&answer, Format::for_call(global.output)),
        (Ok(answer), Some(part)) => match part.of(answer) {
            Ok((answer, meta)) => {
                let whole = Map::with_capacity(2).with("result", answer).with("_meta", meta);
                print(&whole.into(), Some(Format::Json))
            }
            Err(error) => fail(&untold(engine, error)),
        },
    }
}

fn call_once(engine: &Engine, global: &Global, args: &CallArgs) -> Result<Value, Exit> {
    let tool = args.tool.as_deref().expect("clap demands it, or `--jsonl`");
    ask_at_terminal(engine);
    show_at_terminal(engine, global);
    connect_console(engine);
    let given = read_arguments(engine, &args.json).map_err(|error| fail(&error))?;
    super::seal(engine).map_err(|error| fail(&setup_failure(&error)))?;
    catch_interrupts(engine.interrupt());
    let result = engine.call(tool, &given);
    engine.gate().end_run();
    let notes = engine.gate().take_notes();
    for text in engine.gate().consoles.take_printed_texts() {
        say(&format!("{}\n", safe::prose(&text)));
    }
    let answer = match result {
        Ok(value) => value,
        Err(error) => match error.manner {
            FailureMode::Quiet => Value::Nil,
            FailureMode::Partly => error.answer.unwrap_or_default(),
            FailureMode::Declared | FailureMode::Raised => {
                let error = sandbox_hint::in_failure(error, engine.gate().root.path());
                return Err(fail(&with_notes(error, notes)));
            }
        },
    };
    report_notes(&notes);
    Ok(answer)
}

/// Amends the error for an answer that cannot be printed: if the call changed something, the error says that it was
/// done.
pub fn untold(engine: &Engine, error: ToolError) -> ToolError {
    if engine.ended_run().is_some() { error.preceded_by(DONE) } else { error }
}

/// Adds notes to the hint of an error, because a failure must fit on one line.
fn with_notes(error: ToolError, notes: Vec<String>) -> ToolError {
    let hints: Vec<String> = error.hint.into_iter().chain(notes).collect();
    ToolError { hint: (!hints.is_empty()).then(|| hints.join("; ")), ..error }
}

fn read_arguments(engine: &Engine, argument: &str) -> Result<Value, ToolError> {
    let bad = |message: String| {
        ToolError::new(ToolCode::BadArgs, message).hint("give a JSON object such as `{\"path\": \"src\"}`")
    };
    let bytes = match argument.strip_prefix('@') {
        _ if argument == "-" => read_all(stdin().lock()),
        Some(file) => open_input(file.as_ref()).and_then(read_all),
        None => Ok(argument.as_bytes().to_vec()),
    };
    let bytes = bytes.map_err(|error| bad(format!("the arguments cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        bad(format!("the arguments are not UTF-8, from byte {} on", error.utf8_error().valid_up_to()))
    })?;
    engine.value_of_json(&text).map_err(|error| bad(format!("the arguments are not JSON: {error}")))
}

pub fn read_all(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_JSON + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_JSON {
        Err(std::io::Error::other(format!("there are more than {MAX_JSON} bytes")))
    } else {
        Ok(bytes)
    }
}

/// Prints a text unchanged and any other value as one line of JSON, unless the user requested another format. If a
/// text does not end with a line feed, only a terminal gets one; files and pipes get the exact bytes.
fn print(value: &Value, format: Option<Format>) -> Exit {
    let mut printer = Printer::new(format.unwrap_or(Format::Json));
    let printed = match (format, value.as_text()) {
        (None | Some(Format::Json), Some(text)) => printer.print_text(&text),
        _ => printer.print(std::slice::from_ref(value)),
    };
    match printed.and_then(|()| printer.flush()) {
        Ok(()) | Err(EmitError::Closed) => Exit::Done,
        Err(EmitError::Io(error)) => {
            fail(&ToolError::new(ToolCode::IoError, format!("the output cannot be written: {error}")))
        }
        Err(EmitError::Limit(hit)) => fail(&hit.into()),
    }
}

fn setup_failure(error: &SetupError) -> ToolError {
    let finding = &error.findings[0];
    let place = finding.span().and_then(|span| {
        let source = error.sources.of(span)?;
        let position = source.position(span);
        Some(format!("{}:{}:{}: ", source.name(), position.line, position.column))
    });
    let failure = ToolError::new(ToolCode::BadArgs, format!("{}{}", place.unwrap_or_default(), finding.message));
    match &finding.help {
        Some(help) => failure.hint(help.clone()),
        None => failure,
    }
}

fn fail(error: &ToolError) -> Exit {
    let mut shape = json!({ "error": error.shape() });
    if let Some(answer) = &error.answer {
        shape["answer"] = serde_json::to_value(answer).unwrap_or_default();
    }
    say(&format!("{}\n", safe::json(&shape.to_string())));
    error.code.into()
}
