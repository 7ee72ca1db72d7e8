//! `JSON.Text` and `JSON.Pretty`, and the formatting of values for edits.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::json::Unwritable;
use crate::value::{Sink, Str, TextBudget, Value};

use super::super::build;

const TEXT: Spec = Spec::pure(
    "JSON.Text",
    "json_text",
    "Formats a value as compact JSON text",
    "Returns the text. Keys keep their order, and nil becomes `null`. Texts are written as they are, with \
        escapes only for quotes, backslashes and control characters. JSON has no infinite floats and no floats that \
        are not numbers: a value that contains one is an error that says where it is.",
    Example {
        script: "EMIT JSON.Text({\"a\": [1, 2.0, nil], \"b\": \"é\"})",
        output: "{\"a\":[1,2.0,null],\"b\":\"é\"}\n",
    },
)
.keywords(&[
    "json.stringify",
    "json.dumps",
    "json.dump",
    "json.encode",
    "json_encode",
    "write json",
    "to json",
    "json.Marshal",
    "to_json",
    "serde_json.to_string",
    "ConvertTo-Json",
    "serialize",
]);
const PRETTY: Spec = Spec::pure(
    "JSON.Pretty",
    "json_pretty",
    "Formats a value as indented JSON text",
    "Like `JSON.Text`, with line breaks and `indent` blanks per level.",
    Example {
        script: "EMIT JSON.Pretty({\"a\": [1], \"b\": {}})",
        output: "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}\n",
    },
)
.keywords(&["pretty", "indent json", "json.MarshalIndent", "format json", "pretty print"]);

arguments! {
    struct Args {
        value: Value = Required, Kind::Any, "value to write";
    }
}

arguments! {
    struct Indented {
        value: Value = Required, Kind::Any, "value to write";
        indent: i64 = Is(Literal::Int(2)), Kind::Int { min: 0, max: 16 }, "blanks a level";
    }
}

pub fn text_tool() -> Tool {
    Tool::new(TEXT, |context, args: Args| written(context, &args.value, CompactFormatter))
}

pub fn pretty_tool() -> Tool {
    Tool::new(PRETTY, |context, args: Indented| {
        let indent = " ".repeat(args.indent as usize);
        written(context, &args.value, PrettyFormatter::with_indent(indent.as_bytes()))
    })
}

fn written(context: &mut Context<'_>, value: &Value, formatter: impl Formatter) -> Result<Str, ToolError> {
    admit(value)?;
    let mut sink = Sink::new(TextBudget::of_text());
    let result = value.serialize(&mut serde_json::Serializer::with_formatter(&mut sink, formatter));
    build::written(context, sink, result, |error| unreachable!("every value has a JSON form: {error}"))
}

/// Refuses a value with a float that JSON does not have.
pub fn admit(value: &Value) -> Result<(), ToolError> {
    match Unwritable::find_in(value)? {
        Some(found) => Err(ToolError::bad_argument("value", found.to_string()).hint(Unwritable::HELP)),
        None => Ok(()),
    }
}

/// The layout of a value that is inserted into a text.
pub enum Style<'a> {
    /// On one line, without blanks.
    Compact,
    /// On one line, with a blank after commas and colons.
    Line,
    /// One element per line, with this indentation per level.
    Lines(&'a str),
}

/// Formats a value as JSON.
pub fn styled(value: &Value, style: &Style<'_>) -> Result<String, ToolError> {
    let mut sink = Sink::new(TextBudget::of_text());
    let written = match style {
        Style::Compact => value.serialize(&mut serde_json::Serializer::with_formatter(&mut sink, CompactFormatter)),
        Style::Line => value.serialize(&mut serde_json::Serializer::with_formatter(&mut sink, Line)),
        Style::Lines(unit) => {
            let formatter = PrettyFormatter::with_indent(unit.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut sink, formatter))
        }
    };
    match written {
        Ok(()) => Ok(String::from_utf8(sink.into_bytes()).expect("JSON is text")),
        Err(_) => Err(sink.hit().into()),
    }
}

/// A formatter for one line, with a blank after commas and colons.
struct Line;

impl Formatter for Line {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
