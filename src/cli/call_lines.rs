//! `ns call --jsonl`: one call per input line, one answer per output line, for programs that keep a process open.
//!
//! `{"id": 1, "tool": "read_file", "arguments": {…}}` is answered with `{"id": 1, "result": …}`, or with
//! `{"id": 1, "error": {…}}` in the form common to all failures. An id may be any JSON value and is returned unchanged,
//! also for a malformed line if it can be read there ([`super::line_id`]). Calls are executed in order and share session
//! memory.
//!
//! The exit code is 0 if no answer has an `error`. Otherwise it is the one that `ns call` has for the gravest of them:
//! interrupted, refused, malformed, failed.

use std::io::{BufRead, ErrorKind, Read, Write, stdin, stdout};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::engine::{AnswerForm, Engine, SessionMemory, ToolCall};
use crate::terminal::exit::Exit;
use crate::terminal::report::report_error;
use crate::text::{JsonFault, ToolCode, parse_json_object};
use crate::toolkit::{FailureMode, ToolError};
use crate::value::{Sink, TextBudget, Value};

use super::answer::{MAX_JSON, Part, noting_changes};
use super::line_id::id_of;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'t> {
    #[serde(default)]
    id: Json,
    tool: String,
    #[serde(default, borrow)]
    arguments: Option<&'t RawValue>,
}

/// Answers lines until the input ends.
pub fn call_lines(engine: &Engine, part: Option<&Part>) -> Exit {
    let session = SessionMemory::new("ns call");
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut line = Vec::new();
    let mut gravest = Exit::Done;
    loop {
        line.clear();
        match input.by_ref().take(MAX_JSON + 1).read_until(b'\n', &mut line) {
            Ok(0) => return gravest,
            Ok(_) if engine.interrupt().is_raised() => return Exit::Interrupted,
            Ok(_) if line.len() as u64 > MAX_JSON => {
                report_error("a line is too long", &format!("give lines of at most {MAX_JSON} bytes"));
                return Exit::Usage;
            }
            Ok(_) => {}
            Err(error) => {
                report_error(&format!("the calls cannot be read: {error}"), "give them on standard input");
                return Exit::Failed;
            }
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (text, exit) = text_of(engine, &answer(engine, &session, part, &line));
        gravest = graver(gravest, exit);
        let written = writeln!(output, "{text}").and_then(|()| output.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Exit::Done,
            Err(error) => {
                report_error(&format!("the output cannot be written: {error}"), "look at what reads it");
                return Exit::Failed;
            }
        }
    }
}

/// Returns the graver of two outcomes of calls.
fn graver(one: Exit, other: Exit) -> Exit {
    let weight = |exit: &Exit| match exit {
        Exit::Done => 0,
        Exit::Usage => 2,
        Exit::Refused => 3,
        Exit::Interrupted => 4,
        _ => 1,
    };
    if weight(&other) > weight(&one) { other } else { one }
}

/// The answer to a line. The fields are written in this order.
#[derive(Default, Serialize)]
struct Answer {
    id: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Json>,
    /// The result for the items that succeeded, if the call failed for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// The code of the error.
    #[serde(skip)]
    code: Option<ToolCode>,
}

fn answer(engine: &Engine, session: &SessionMemory, part: Option<&Part>, line: &[u8]) -> Answer {
    let line: Line<'_> = match parse_json_object(line) {
        Ok(line) => line,
        Err(error) => {
            let mut answer = Answer { id: id_of(line), ..Answer::default() };
            let message = format!("the line is no call: {}", JsonFault::of(&error));
            answer.fail(&ToolError::new(ToolCode::BadArgs, message).hint(hint(&error)));
            return answer;
        }
    };
    let given = engine.value_of_json(line.arguments.map_or("{}", RawValue::get));
    let given = given.map_err(|error| ToolError::new(ToolCode::BadArgs, format!("the arguments do not fit: {error}")));
    let result = given.and_then(|args| {
        engine.call_tool(&ToolCall { tool: &line.tool, args: &args, session, form: AnswerForm::Json })
    });
    engine.gate().end_run();
    let mut answer = Answer { id: line.id, ..Answer::default() };
    match result {
        Ok(value) => answer.put(engine, value, part),
        Err(error) if error.manner == FailureMode::Quiet => answer.put(engine, Value::Nil, part),
        Err(mut error) => {
            answer.answer = error.answer.take();
            answer.fail(&error);
        }
    }
    answer.warnings = engine.gate().take_notes();
    answer.warnings.extend(engine.gate().console().take_printed_texts());
    answer
}

/// How a call is written.
const FORM: &str = "give `{\"id\": 1, \"tool\": \"read_file\", \"arguments\": {}}` in one line";

/// Returns how to write a line that is no call. Keys that other protocols use are named with the right one.
fn hint(error: &serde_json::Error) -> String {
    let error = error.to_string();
    let unknown = error.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let right = match unknown {
        Some(key @ ("name" | "method" | "function" | "tool_name")) => format!("write `tool` instead of `{key}`: "),
        Some(key @ ("args" | "params" | "input" | "parameters")) => format!("write `arguments` instead of `{key}`: "),
        _ => String::new(),
    };
    format!("{right}{FORM}")
}

impl Answer {
    fn fail(&mut self, error: &ToolError) {
        (self.error, self.code) = (Some(error.shape()), Some(error.code));
    }

    fn put(&mut self, engine: &Engine, value: Value, part: Option<&Part>) {
        let Some(part) = part else {
            self.result = Some(value);
            return;
        };
        let _bounds = engine.bound_answer();
        match part.of(value) {
            Ok((result, meta)) => (self.result, self.meta) = (Some(result), Some(meta)),
            Err(error) => self.fail(&noting_changes(engine, error)),
        }
    }
}

/// Serializes an answer, and returns it with the outcome of the call. If the text exceeds a limit of the call, returns
/// a line with the error instead.
fn text_of(engine: &Engine, answer: &Answer) -> (String, Exit) {
    let _bounds = engine.bound_answer();
    let mut sink = Sink::new(TextBudget::of_text());
    match serde_json::to_writer(&mut sink, answer) {
        Ok(()) => {
            let text = String::from_utf8(sink.into_bytes()).expect("JSON is text");
            (text, answer.code.map_or(Exit::Done, Exit::from))
        }
        Err(_) => {
            let error = noting_changes(engine, sink.hit().into());
            let line = json!({ "id": answer.id, "error": error.shape(), "warnings": answer.warnings });
            (line.to_string(), error.code.into())
        }
    }
}
