//! `ns call TOOL JSON`: calls one tool. The result is printed to standard output, a failure as one line of JSON to
//! standard error.

use std::io::stdin;

use serde_json::json;

use crate::engine::{AnswerForm, EmitError, Engine, Options, SessionMemory, SetupError, ToolCall};
use crate::options::Global;
use crate::terminal::approver::ask_at_terminal;
use crate::terminal::console::connect_console;
use crate::terminal::exit::Exit;
use crate::terminal::input_file::open_input;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::printer::{Format, Printer};
use crate::terminal::progress::show_at_terminal;
use crate::terminal::report::{report_notes, say};
use crate::terminal::sandbox_hint;
use crate::text::{ToolCode, safe};
use crate::toolkit::{FailureMode, ToolError};
use crate::value::json::Unwritable;
use crate::value::{Map, Value};

use super::answer::{Part, noting_changes, read_all};
use super::args::CallArgs;
use super::call_lines::call_lines;
use super::finish::say_ended;
use super::start::seal;

/// Maximum size in bytes of an answer that is returned in parts.
const WHOLE: u64 = 256 << 20;

pub fn call(global: &Global, args: &CallArgs) -> Exit {
    let part = match args.meta.then(|| Part::new(args.offset, args.max_output_bytes)).transpose() {
        Ok(part) => part,
        Err(error) => return fail(&error),
    };
    let answer_bytes = if args.meta { Some(WHOLE) } else { args.max_output_bytes };
    let options = Options { answer_bytes, ..global.options() };
    let engine = match Engine::open(&options) {
        Ok(engine) => engine,
        Err(error) => return fail(&setup_failure(&error)),
    };
    if args.jsonl {
        if let Err(error) = seal(&engine) {
            return fail(&setup_failure(&error));
        }
        catch_interrupts(engine.interrupt());
        return call_lines(&engine, part.as_ref());
    }
    let exit = match call_once(&engine, global, args) {
        Ok(Answered { answer, failure }) => {
            let printed = print_answer(&engine, global, answer, part.as_ref());
            // Some of several items failed: the rows are the answer, and the failure decides the exit code.
            let failed = failure.map_or(Exit::Done, |error| fail(&error));
            if printed == Exit::Done { failed } else { printed }
        }
        Err(exit) => exit,
    };
    say_ended(global, &engine);
    exit
}

/// The answer of a call.
struct Answered {
    answer: Value,
    /// The failure of some of several items.
    failure: Option<ToolError>,
}

fn print_answer(engine: &Engine, global: &Global, answer: Value, part: Option<&Part>) -> Exit {
    let _bounds = engine.bound_answer();
    let Some(part) = part else { return print(&answer, Format::for_call(global.output)) };
    match part.of(answer) {
        Ok((answer, meta)) => {
            let whole = Map::with_capacity(2).with("result", answer).with("_meta", meta);
            print(&whole.into(), Some(Format::Json))
        }
        Err(error) => fail(&noting_changes(engine, error)),
    }
}

fn call_once(engine: &Engine, global: &Global, args: &CallArgs) -> Result<Answered, Exit> {
    let tool = args.tool.as_deref().expect("clap demands it, or `--jsonl`");
    ask_at_terminal(engine);
    if !global.quiet {
        show_at_terminal(engine);
    }
    // The result is for programs.
    connect_console(engine, Format::Json);
    let given = read_arguments(engine, &args.json).map_err(|error| fail(&error))?;
    seal(engine).map_err(|error| fail(&setup_failure(&error)))?;
    catch_interrupts(engine.interrupt());
    let session = SessionMemory::new("ns call");
    let form = form_of(global, args);
    let result = engine.call_tool(&ToolCall { tool, args: &given, session: &session, form });
    engine.gate().end_run();
    let notes = engine.gate().take_notes();
    for text in engine.gate().console().take_printed_texts() {
        say(&format!("{}\n", safe::prose(&text)));
    }
    let mut error = match result {
        Ok(answer) => {
            report_notes(&notes);
            return Ok(Answered { answer, failure: None });
        }
        Err(error) if error.manner == FailureMode::Quiet => {
            report_notes(&notes);
            return Ok(Answered { answer: Value::Nil, failure: None });
        }
        Err(error) => with_notes(sandbox_hint::in_failure(error, engine.gate().root().path()), notes),
    };
    if error.manner == FailureMode::Partly
        && let Some(answer) = error.answer.take()
    {
        return Ok(Answered { answer, failure: Some(error) });
    }
    Err(fail(&error))
}

/// Returns the form in which the answer is printed: a table and raw text are no JSON.
fn form_of(global: &Global, args: &CallArgs) -> AnswerForm {
    match Format::for_call(global.output) {
        Some(Format::Table | Format::Raw) if !args.meta => AnswerForm::Text,
        _ => AnswerForm::Json,
    }
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

/// Prints a text unchanged and any other value as one line of JSON, unless the user requested another format. If a
/// text that is printed unchanged does not end with a line feed, only a terminal gets one; files and pipes get the
/// exact bytes.
fn print(value: &Value, format: Option<Format>) -> Exit {
    let mut printer = Printer::new(format.unwrap_or(Format::Json));
    let printed = match (format, value.as_text()) {
        (None, Some(text)) => printer.print_text(&text),
        _ => printer.print(std::slice::from_ref(value)),
    };
    match printed.and_then(|()| printer.flush()) {
        Ok(()) | Err(EmitError::Closed) => Exit::Done,
        Err(EmitError::Io(error)) => {
            fail(&ToolError::new(ToolCode::IoError, format!("the output cannot be written: {error}")))
        }
        Err(EmitError::Limit(hit)) => fail(&hit.into()),
        Err(EmitError::Unwritable(found)) => {
            fail(&ToolError::new(ToolCode::BadArgs, found.to_string()).hint(Unwritable::HELP))
        }
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
