//! Redactions: replace text that varies between runs by a name, so that `2026-11-22T05:01:02Z` becomes `[time]`.

use std::str::FromStr;

use regex::Regex;

use crate::text::nearest;

/// Predefined patterns.
const NAMED: [(&str, &str); 5] = [
    ("time", r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?|\b\d{8}T\d{6}(\.\d+)?Z(-[0-9a-f]{8})?"),
    ("date", r"\b\d{4}-\d\d-\d\d\b"),
    ("duration", r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|min|h)\b"),
    ("hash", r"\b([0-9a-f]{128}|[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b"),
    ("uuid", r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
];

/// A pattern, and the name that replaces its matches.
#[derive(Clone, Debug)]
pub struct Redaction {
    name: String,
    pattern: Regex,
}

impl Redaction {
    /// Replaces all matches with `[NAME]`.
    pub fn apply(&self, text: String) -> String {
        self.pattern.replace_all(&text, regex::NoExpand(&format!("[{}]", self.name))).into_owned()
    }
}

/// Parses a predefined name such as `time`, or a name with a pattern such as `build=build-\d+`.
impl FromStr for Redaction {
    type Err = String;

    fn from_str(text: &str) -> Result<Redaction, String> {
        let (name, pattern) = match text.split_once('=') {
            Some((name, pattern)) => (name, pattern),
            None => NAMED.iter().find(|(name, _)| *name == text).copied().ok_or_else(|| unknown(text))?,
        };
        let pattern = Regex::new(pattern).map_err(|error| format!("{error}"))?;
        Ok(Redaction { name: name.to_owned(), pattern })
    }
}

fn unknown(text: &str) -> String {
    let names = || NAMED.iter().map(|(name, _)| *name);
    match nearest(text, names()) {
        Some(near) => format!("there is no pattern `{text}`; did you mean `{near}`?"),
        None => format!("name one of {}, or give your own: NAME=REGEX", names().collect::<Vec<_>>().join(", ")),
    }
}
