//! `ns call --jsonl`: one call a line in, one answer a line out, for programs that hold a process open.
//!
//! `{"id": 1, "tool": "read_file", "arguments": {…}}` is answered with `{"id": 1, "result": …}`, or with
//! `{"id": 1, "error": {…}}` in the shape of every failure. Ids are kept as they are, whatever they are; calls
//! are done in their order, and share session memory.

use std::io::{BufRead, ErrorKind, Read, Write, stdin, stdout};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::engine::{Engine, SessionMemory};
use crate::text::ToolCode;
use crate::toolkit::{Manner, ToolError};
use crate::value::Value;

use super::call::{MAX_JSON, Part};
use super::exit::Exit;
use super::terminal::report_error;

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
    loop {
        line.clear();
        match input.by_ref().take(MAX_JSON + 1).read_until(b'\n', &mut line) {
            Ok(0) => return Exit::Done,
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
        let answer = answer(engine, &session, part, &line);
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
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

fn answer(engine: &Engine, session: &SessionMemory, part: Option<&Part>, line: &[u8]) -> Json {
    let line: Line<'_> = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => {
            let error = ToolError::new(ToolCode::BadArgs, format!("the line is no call: {error}"))
                .hint("give `{\"id\": 1, \"tool\": \"read_file\", \"arguments\": {}}` in one line");
            return json!({ "id": null, "error": error.shape() });
        }
    };
    let given = engine.value_of_json(line.arguments.map_or("{}", RawValue::get));
    let given = given.map_err(|error| ToolError::new(ToolCode::BadArgs, format!("the arguments do not fit: {error}")));
    let result = given.and_then(|given| engine.call_within(&line.tool, &given, session));
    engine.gate().end_run();
    let mut answer = json!({ "id": line.id });
    match result {
        Ok(value) => put(&mut answer, value, part),
        Err(error) if error.manner == Manner::Quiet => put(&mut answer, Value::Nil, part),
        Err(mut error) => {
            answer["error"] = error.shape();
            if let Some(done) = error.answer.take() {
                answer["answer"] = json!(done);
            }
        }
    }
    let mut notes = engine.gate().take_notes();
    notes.extend(engine.gate().consoles.take_printed().iter().map(Value::to_string));
    if !notes.is_empty() {
        answer["warnings"] = json!(notes);
    }
    answer
}

fn put(answer: &mut Json, value: Value, part: Option<&Part>) {
    let Some(part) = part else {
        answer["result"] = json!(value);
        return;
    };
    match part.of(value) {
        Ok((result, meta)) => {
            answer["result"] = json!(result);
            answer["_meta"] = json!(meta);
        }
        Err(error) => answer["error"] = error.shape(),
    }
}
