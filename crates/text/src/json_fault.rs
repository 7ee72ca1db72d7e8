//! The messages of `serde_json`, in the words of people: serde names types of ours, and `EOF`.

use std::fmt;

use serde::de::{Deserialize, Error as _, Unexpected};

/// An error of `serde_json`, displayed with its place: `expected an object, found a list, at line 1, column 3`.
pub struct JsonFault {
    /// The message without the place.
    pub words: String,
    /// The line from 1, or 0 if the error has no place.
    pub line: usize,
    /// The column from 1, in bytes.
    pub column: usize,
}

impl JsonFault {
    /// Converts an error.
    pub fn of(error: &serde_json::Error) -> JsonFault {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let words = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
        JsonFault { words: plain(words), line, column }
    }
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JsonFault { words, line, column } = self;
        if *line == 0 { f.write_str(words) } else { write!(f, "{words}, at line {line}, column {column}") }
    }
}

/// Parses a JSON object. For a struct, serde would also take a list with its values in the order of the keys.
pub fn parse_json_object<'t, T: Deserialize<'t>>(text: &'t [u8]) -> Result<T, serde_json::Error> {
    if text.trim_ascii_start().starts_with(b"[") {
        return Err(serde_json::Error::invalid_type(Unexpected::Seq, &"a map"));
    }
    serde_json::from_slice(text)
}

/// Messages that begin with these words, and what to say instead.
const BEGINNINGS: [(&str, &str); 9] = [
    ("EOF while parsing", "it ends too early"),
    ("recursion limit exceeded", "it is nested too deeply"),
    ("number out of range", "a number is too large"),
    ("trailing characters", "expected the end"),
    ("trailing comma", "a comma is too much"),
    ("expected value", "expected a value"),
    ("expected ident", "expected `true`, `false` or `null`"),
    ("key must be a string", "expected a key in double quotes"),
    ("control character", "a control character stands in a text; write it as an escape such as `\\n`"),
];

fn plain(words: &str) -> String {
    if let Some((_, instead)) = BEGINNINGS.iter().find(|(beginning, _)| words.starts_with(beginning)) {
        return (*instead).to_owned();
    }
    if let Some(rest) = words.strip_prefix("missing field ") {
        return format!("the key {rest} is missing");
    }
    if let Some(rest) = words.strip_prefix("duplicate field ") {
        return format!("the key {rest} is given twice");
    }
    let kinds = ["invalid type: ", "invalid value: ", "invalid length "];
    if let Some(rest) = kinds.iter().find_map(|kind| words.strip_prefix(kind))
        && let Some((found, expected)) = rest.split_once(", expected ")
    {
        return format!("expected {}, found {}", expected_words(expected), found_words(found));
    }
    for (unknown, noun) in [("unknown field ", "key"), ("unknown variant ", "name")] {
        if let Some((name, known)) = words.strip_prefix(unknown).and_then(|rest| rest.split_once(", ")) {
            let known = known.strip_prefix("expected one of ").or(known.strip_prefix("expected ")).unwrap_or(known);
            return format!("unknown {noun} {name}; expected {known}");
        }
    }
    words.to_owned()
}

fn expected_words(expected: &str) -> String {
    let is_number = |word: &str| word.len() <= 5 && word.starts_with(['u', 'i']) && word[1..].parse::<u8>().is_ok();
    match expected {
        "a string" | "a borrowed string" | "string" => "a text".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list".to_owned(),
        "usize" | "isize" => "a whole number".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        word if is_number(word) => "a whole number".to_owned(),
        word if word == "a map" || word.starts_with("struct ") || word.starts_with("internally tagged enum ") => {
            "an object".to_owned()
        }
        word if word.starts_with("enum ") || word.starts_with("variant identifier") => "a name".to_owned(),
        word if word.starts_with("tuple ") || word.starts_with("an array of ") => "a list".to_owned(),
        word => word.to_owned(),
    }
}

fn found_words(found: &str) -> String {
    let first = found.split(' ').next().unwrap_or(found);
    let rest = found.split_once('`').map_or("", |(_, rest)| rest.trim_end_matches('`'));
    match first {
        "integer" | "floating" => format!("the number `{rest}`"),
        "boolean" => format!("`{rest}`"),
        "string" => format!("the text {}", &found["string ".len()..]),
        "null" | "unit" => "`null`".to_owned(),
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        // The length of a list in place of an object.
        word if word.parse::<u64>().is_ok() => "a list".to_owned(),
        _ => found.to_owned(),
    }
}
