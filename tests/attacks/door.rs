//! The entry points of an attack: `ns call`, a script and a server.
//!
//! The answers of scripts and servers are converted to the form of `ns call`, so that one judge suffices. Further
//! requirements are checked here: the standard output of a server contains only frames.

use std::fmt;

use serde_json::{Value, json};

use super::answer::{end_faults, shown};
use super::arena::Arena;
use super::declared;
use super::judge::{call, place_flags};
use super::launch::{Ended, Start};
use super::mode::{Mode, is_long};
use super::vector::{Op, Vector, expand};

/// The fields of an error of `ns call`.
const FIELDS: [&str; 6] = ["code", "message", "tool", "argument", "path", "hint"];
/// Approximate maximum size in bytes of one argument of a command line.
const WORD: usize = 100_000;

/// An entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Call,
    Script,
    Server,
}

impl Door {
    const ALL: [Door; 3] = [Door::Call, Door::Script, Door::Server];

    /// Returns the entry points for a vector: all of them with `NS_LONG=1`, otherwise one in turn.
    pub fn for_vector(vector: &Vector, turn: usize) -> Vec<Door> {
        let open: Vec<Door> = Door::ALL.into_iter().filter(|door| door.is_open_to(vector)).collect();
        if is_long() { open } else { vec![open[turn % open.len()]] }
    }

    /// Whether an attack applies to this entry point: some concern the command line, or invalid JSON.
    fn is_open_to(self, vector: &Vector) -> bool {
        // A server truncates long answers and reads its input ahead to the end.
        let is_large = |op: &Op| matches!(op, Op::Deep { .. } | Op::Many { .. });
        let is_plain = vector.raw_args.is_none() && vector.flags.is_empty() && vector.args.to_string().len() < WORD;
        let is_known = declared::script_name(&vector.tool).is_some();
        match self {
            Door::Call => true,
            Door::Script => is_plain && is_known && names(vector).is_some(),
            Door::Server => {
                // A server does not offer what its policy refuses, whatever the arguments are.
                let is_offered = vector.policy.is_none() || vector.expected != "bad_args";
                is_plain
                    && is_known
                    && is_offered
                    && !vector.guess
                    && vector.args.is_object()
                    && !vector.setup.iter().any(is_large)
            }
        }
    }

    /// Returns the start of `ns` that makes the attack.
    pub fn start<'a>(self, vector: &Vector, mode: Mode, arena: &'a Arena) -> Start<'a> {
        let place = || place_flags(vector, arena);
        let args = expand(&vector.args, &arena.names());
        match self {
            Door::Call => call(vector, mode, arena),
            Door::Script => {
                let start = Start::new(mode, &arena.top).args(["run"]).args(place());
                start.args(["-", "--"]).args(words(&args.to_string())).stdin(script(vector))
            }
            Door::Server => {
                let start = Start::new(mode, &arena.top).args(["mcp", "--write", "--tools", "all"]).args(place());
                start.stdin(frames(&vector.tool, &args))
            }
        }
    }

    /// Converts the result to that of `ns call`. The error describes what no answer may contain.
    pub fn as_call(self, ended: &Ended) -> Result<Ended, String> {
        let faults = end_faults(ended);
        if self == Door::Call || !faults.is_empty() {
            return Ok(ended.clone());
        }
        let answer = match self {
            Door::Call | Door::Script => script_answer(ended)?.map(without_walk),
            Door::Server => server_answer(ended)?,
        };
        Ok(match answer {
            Some(answer) => answered(ended, &partly(answer)),
            // Nothing was started: the policy or the sandbox is at fault.
            None => answered(ended, &json!({"error": refused(ended)})),
        })
    }
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Door::Call => "call",
            Door::Script => "script",
            Door::Server => "server",
        })
    }
}

/// Returns the names of the arguments if all are declared, so that a script passes the check before it runs.
fn names(vector: &Vector) -> Option<Vec<&String>> {
    let declared = declared::parameters(&vector.tool)?;
    let names: Vec<&String> = vector.args.as_object()?.keys().collect();
    names.iter().all(|name| declared.contains(*name)).then_some(names)
}

/// Splits a text into parts that fit on a command line.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in text.chars() {
        match words.last_mut() {
            Some(word) if word.len() < WORD => word.push(character),
            _ => words.push(character.to_string()),
        }
    }
    words
}

/// Returns a script that makes the call with the arguments that it receives.
fn script(vector: &Vector) -> String {
    let tool = declared::script_name(&vector.tool).expect("the door is open to known tools");
    let names = names(vector).expect("the door is open to declared arguments");
    let args: Vec<String> = names.iter().map(|name| format!("{name}: a[\"{name}\"]")).collect();
    let call = format!("{tool}({})", args.join(", "));
    format!(
        "SET a = JSON.Parse(STR.Join(ARGS))\nSET r = {call}\nEMIT JSON.Text({{\"value\": r, \"error\": LAST_ERROR}})\n"
    )
}

/// Returns the frames of a conversation with one call.
fn frames(tool: &str, args: &Value) -> String {
    let about = json!({"name": "attack", "version": "1"});
    let begin = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about});
    let frames = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": args}}),
    ];
    frames.iter().map(|frame| format!("{frame}\n")).collect()
}

/// Returns the answer of a script: `{"error":…,"answer":…}`, or a value as `{"value":…}`; `None` if it did not start.
fn script_answer(ended: &Ended) -> Result<Option<Value>, String> {
    let text = String::from_utf8(ended.stdout.clone()).map_err(|_| format!("no UTF-8: {}", shown(&ended.stdout)))?;
    if text.is_empty() {
        return Ok(None);
    }
    let told: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {}", shown(&ended.stdout)))?;
    let [value, error] = ["value", "error"].map(|key| told[key].clone());
    Ok(Some(match error {
        Value::Null => json!({"value": value}),
        error => {
            let fields = FIELDS.map(|name| (name.to_owned(), error[name].clone()));
            json!({"error": Value::Object(fields.into_iter().collect()), "answer": error["answer"]})
        }
    }))
}

/// Returns the answer of a server to its only call; `None` if it did not start.
fn server_answer(ended: &Ended) -> Result<Option<Value>, String> {
    let strange = |what: &str| format!("standard output holds {what}: {}", shown(&ended.stdout));
    let text = String::from_utf8(ended.stdout.clone()).map_err(|_| strange("what is no UTF-8"))?;
    let frames: Vec<Value> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|_| strange("what is no frame"))?;
    if frames.iter().any(|frame| frame["jsonrpc"] != "2.0") {
        return Err(strange("what is no frame"));
    }
    if frames.is_empty() && ended.code != Some(0) {
        return Ok(None);
    }
    let Some(frame) = frames.iter().find(|frame| frame["id"] == 1) else { return Err(strange("no answer")) };
    if frame["error"].is_object() {
        // The server does not offer what the policy refuses.
        let message = &frame["error"]["message"];
        return Ok(Some(json!({"error": error_of("policy_denied", message)})));
    }
    let result = &frame["result"];
    if let (None, false, Some(text)) =
        (result.get("structuredContent"), result["isError"] == true, result["content"][0]["text"].as_str())
    {
        // An answer that is a text comes as this text alone.
        return Ok(Some(json!({"value": text})));
    }
    let content = result["structuredContent"].as_object().ok_or_else(|| strange("no result"))?;
    Ok(Some(match (content.get("error"), frame["result"]["isError"] == true) {
        (Some(error), true) => json!({"error": error, "answer": content.get("answer")}),
        (_, true) => return Err(strange("an error without one")),
        _ if content.len() == 1 && content.contains_key("result") => json!({"value": content["result"]}),
        _ => json!({"value": content}),
    }))
}

/// Converts a partial result, which `ns call` reports with a row for each item.
fn partly(answer: Value) -> Value {
    let is_done = |rows: &Value| rows["succeeded"].as_u64().is_some_and(|count| count > 0);
    if is_done(&answer["answer"]) { json!({"value": answer["answer"]}) } else { answer }
}

/// Removes the error about a missing start directory, which is no failure of `ns call`.
fn without_walk(answer: Value) -> Value {
    let error = &answer["error"];
    let is_missing = error["tool"] == "FS.WalkDir" && error["code"] == "not_found";
    if is_missing { json!({"value": null}) } else { answer }
}

fn error_of(code: &str, message: &Value) -> Value {
    json!({"code": code, "message": message, "tool": null, "argument": null, "path": null, "hint": null})
}

/// Returns the error that a start without an answer reported.
fn refused(ended: &Ended) -> Value {
    let told = String::from_utf8_lossy(&ended.stderr);
    let code = told.split_once("error[").and_then(|(_, rest)| rest.split_once(']')).map(|(code, _)| code);
    let code = match (code, ended.code) {
        (Some(code), _) if code.starts_with("NS06") => "limit_exceeded",
        (Some(code), _) if code.starts_with("NS02") => "bad_args",
        (Some(code), _) if code.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()) => code,
        (_, Some(2)) => "bad_args",
        (_, Some(4)) => "sandbox_violation",
        _ => "io_error",
    };
    error_of(code, &Value::from(told.as_ref()))
}

/// Converts an answer to the form of `ns call`.
fn answered(ended: &Ended, answer: &Value) -> Ended {
    let line = |value: &Value| format!("{value}\n").into_bytes();
    let Some(error) = answer.get("error") else {
        return Ended { code: Some(0), stdout: line(&answer["value"]), stderr: Vec::new(), ..ended.clone() };
    };
    let code = match error["code"].as_str().unwrap_or_default() {
        "bad_args" | "unknown_tool" => 2,
        "sandbox_violation" | "policy_denied" => 4,
        _ => 1,
    };
    let told = match answer.get("answer").filter(|answer| !answer.is_null()) {
        Some(rows) => json!({"error": error, "answer": rows}),
        None => json!({"error": error}),
    };
    Ended { code: Some(code), stdout: Vec::new(), stderr: line(&told), ..ended.clone() }
}
