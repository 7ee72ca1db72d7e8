//! The format of results in a document.
//!
//! A call alone on its lines becomes a fenced block with the indentation of the call; a call within a line becomes
//! part of that line. A fence is longer than any run of backticks in its content, so that no result can end its block
//! early.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::document::CallPosition;
use crate::limits::{LimitHit, space};
use crate::value::{Sink, TextBudget, Value};

use super::Results;

/// Returns the text that replaces a call. `file` is the first argument of the call, if it is a text.
pub fn text_of(answer: &Value, place: &CallPosition, results: Results, file: Option<&str>) -> Result<String, LimitHit> {
    let content = content_of(answer, results);
    let text = content.as_ref().or(Some(answer)).and_then(Value::as_text);
    match (place, text) {
        (CallPosition::Alone { indent, line_end }, Some(text)) => {
            let language = content.as_ref().map_or("text", |_| language_of(file.unwrap_or_default()));
            fenced(&text, language, &format!("{line_end}{indent}"))
        }
        (CallPosition::Alone { indent, line_end }, None) => {
            fenced(&to_json(answer, PrettyFormatter::new())?, "json", &format!("{line_end}{indent}"))
        }
        (CallPosition::InLine, Some(text)) => Ok(without_line_end(&text).to_owned()),
        (CallPosition::InLine, None) => {
            let json = to_json(answer, CompactFormatter)?;
            Ok(match answer {
                Value::List(_) | Value::Map(_) => in_backticks(&json),
                _ => json,
            })
        }
    }
}

/// Returns the content of a file that was read, if requested.
fn content_of(answer: &Value, results: Results) -> Option<Value> {
    match (results, answer) {
        (Results::Content, Value::Map(map)) => map.get_str("content").filter(Value::is_text),
        _ => None,
    }
}

/// Returns the language of a fenced block for a file: its extension, if that is a plain word.
fn language_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_plain = extension.len() <= 20 && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { extension } else { "" }
}

/// Returns a fenced block; each line follows `lead`, a line end and the indentation.
fn fenced(text: &str, language: &str, lead: &str) -> Result<String, LimitHit> {
    let text = without_line_end(text);
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let count = 3 + text.bytes().filter(|byte| *byte == b'\n').count();
    let length = text.len() + count * lead.len() + 2 * fence.len() + language.len();
    space::check(length)?;
    let mut block = String::with_capacity(length);
    block.push_str(&fence);
    block.push_str(language);
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    for line in lines.chain([fence.as_str()]) {
        let is_blank = line.is_empty();
        block.push_str(if is_blank { lead.trim_end_matches([' ', '\t']) } else { lead });
        block.push_str(line);
    }
    Ok(block)
}

fn in_backticks(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    format!("{fence}{text}{fence}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn to_json(value: &Value, formatter: impl Formatter) -> Result<String, LimitHit> {
    let mut text = Sink::new(TextBudget::of_text());
    match value.serialize(&mut Serializer::with_formatter(&mut text, formatter)) {
        Ok(()) => Ok(String::from_utf8(text.into_bytes()).expect("JSON is UTF-8")),
        Err(_) => Err(text.hit()),
    }
}
