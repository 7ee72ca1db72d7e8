//! `JSON.Parse`.

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::json::{Fault, read};
use crate::value::{BEYOND_INTS, BigNumbers, Str, Value};

use super::super::fallback::parsed_or;
use super::super::place::at_byte;

const SPEC: Spec = Spec::pure(
    "JSON.Parse",
    "json_parse",
    "Parses a JSON text",
    "Returns the value of a text by RFC 8259:\n\n\
        - An object becomes a map in the order of the text. Of equal keys, the first has the place and the last the \
        value.\n\
        - `null` becomes nil.\n\
        - A number without fraction and exponent becomes an int, any other number a float. A whole number beyond 64 \
        bits and a number beyond all floats are errors; with `big_numbers: \"text\"` they become texts, as \
        written.\n\n\
        Half a surrogate pair and comments (JSONC) are errors. A byte order mark at the start is skipped. Values nest \
        as deep as `value_depth` allows. An error states line and column; with `default`, a text that is not JSON \
        gives that value instead.\n\n\
        `JSON.Set` and `JSON.Remove` take the same texts, with numbers of any size, which they leave as written. \
        `JSON.Lines` reads a file with one JSON text on each line.",
    Example {
        script: "SET config = JSON.Parse('{\"name\": \"ns\", \"sizes\": [1, 2.5]}')\nEMIT config.name, \" \", config.sizes[1]",
        output: "ns 2.5\n",
    },
)
.keywords(&["json.loads", "json.load", "json.decode", "json_decode", "parse json", "read json", "json.Unmarshal", "from_json", "serde_json.from_str", "ConvertFrom-Json", "jq"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "JSON text";
        big_numbers: Str = Is(Literal::Text("error")), Kind::Word(BigNumbers::WORDS), "handling of numbers that no int or float holds";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let big_numbers = BigNumbers::named(&args.big_numbers.as_text());
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let value = read(text, big_numbers, |values| context.spend(values));
    let parsed = value.map_err(|fault| match fault {
        Fault::Limit(hit) => hit.into(),
        Fault::Text { at, reason, help } => refused(text, at, &reason, help),
    });
    parsed_or(parsed, args.default)
}

/// Returns the error for a text that has no value.
pub fn refused(text: &str, at: usize, reason: &str, help: Option<&str>) -> ToolError {
    let error = ToolError::bad_argument("text", at_byte(text, at, &no_json("text", reason)));
    help.into_iter().fold(error, ToolError::hint)
}

/// Returns the reason why a text, or a line, has no value. One with an integer out of range is still valid JSON.
pub fn no_json(noun: &str, reason: &str) -> String {
    if reason == BEYOND_INTS { reason.to_owned() } else { format!("the {noun} is no JSON: {reason}") }
}
