//! Sizes and times in the arguments of searches.

use chrono::TimeDelta;

use crate::sandbox::Timestamp;
use crate::toolkit::{Given, ToolError};
use crate::tools::time::moment::{Moment, Zone, read, timestamp};
use crate::value::{Value, print};

/// Units of size: names and their bytes.
const SIZES: [(&str, u64); 17] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
    ("p", 1 << 50),
    ("pib", 1 << 50),
    ("pb", 1_000_000_000_000_000),
];

/// Units of time spans: names and their seconds.
const SPANS: [(&[&str], i64); 5] = [
    (&["s", "sec", "secs", "second", "seconds"], 1),
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hour", "hours"], 3_600),
    (&["d", "day", "days"], 86_400),
    (&["w", "week", "weeks"], 604_800),
];

/// Maximum length of a span in seconds, about 3,170 years.
const MAX_SPAN: f64 = 1e11;

/// Parses a size in bytes: a number, or a text such as `1.5 MiB`.
pub fn size(argument: &'static str, value: &Value) -> Result<u64, ToolError> {
    if let Some(bytes) = value.as_integer() {
        return Ok(bytes.max(0).unsigned_abs());
    }
    let text = value.as_text().map(|text| text.to_string()).unwrap_or_default();
    parsed_size(&text).ok_or_else(|| {
        let message = format!("`{argument}` is no size: `{}`", print::shortened(&text, 40));
        ToolError::bad_argument(argument, message)
            .hint("write bytes as a number, or a text such as \"10K\", \"1.5 MiB\" or \"2 GB\"")
    })
}

/// Checks the sizes among the arguments of a call.
pub fn check_sizes(given: &Given<'_>) -> Result<(), ToolError> {
    for argument in ["min_size", "max_size"] {
        match given.value(argument) {
            None | Some(None | Some(Value::Nil)) => {}
            Some(Some(value)) => drop(size(argument, &value)?),
        }
    }
    Ok(())
}

fn parsed_size(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let unit = unit.trim();
    let bytes = SIZES.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name))?.1;
    match number.parse::<u64>() {
        Ok(number) => number.checked_mul(bytes),
        Err(_) => {
            let size = number.parse::<f64>().ok()? * bytes as f64;
            (size < u64::MAX as f64).then(|| size.round() as u64)
        }
    }
}

/// Parses a time, or a span before `now`.
pub fn time(argument: &'static str, text: &str, now: Moment) -> Result<Timestamp, ToolError> {
    let moment = match span(text) {
        Some(seconds) => {
            let micros = TimeDelta::microseconds((seconds * 1e6).round() as i64);
            now.checked_sub_signed(micros)
        }
        None => Some(read(argument, text, Zone::parse(argument, "Z")?).map_err(|error| {
            error.hint("write a span such as \"7d\", \"2h\" or \"30m\", or a time such as \"2024-05-01T12:30:00Z\"")
        })?),
    };
    let beyond = || ToolError::bad_argument(argument, format!("`{argument}` lies before the year 0: `{text}`"));
    let moment = moment.ok_or_else(beyond)?;
    Ok(timestamp(&moment))
}

/// Checks an argument that [`time`] will parse.
pub fn check_time(argument: &'static str, text: &str) -> Result<(), ToolError> {
    time(argument, text, Moment::UNIX_EPOCH).map(drop)
}

/// Parses a span such as `7d` or `1h30m` to seconds. Returns `None` for anything else.
fn span(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = after[..end].to_ascii_lowercase();
        let (_, each) = SPANS.iter().find(|(names, _)| names.contains(&unit.as_str()))?;
        seconds += number.parse::<f64>().ok()? * *each as f64;
        rest = after[end..].trim_start();
    }
    (seconds <= MAX_SPAN).then_some(seconds)
}

/// Splits off the number at the start of a text.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && !number.ends_with('.');
    is_number.then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::{Moment, Timestamp, parsed_size, span, time};

    #[test]
    fn sizes_have_binary_and_decimal_units() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("10K", 10_240),
            ("10k", 10_240),
            ("10 KiB", 10_240),
            ("10 KB", 10_000),
            ("1.5 MiB", 1_572_864),
            ("1.5mb", 1_500_000),
            (" 2g ", 2 << 30),
            ("0.5", 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parsed_size(text), Some(bytes), "{text}");
        }
        for text in ["", "K", "-1", "1 X", "1.", ".5", "1..5", "1e3", "99999999999T", "1 K B"] {
            assert_eq!(parsed_size(text), None, "{text}");
        }
    }

    #[test]
    fn spans_are_sums_of_units() {
        for (text, seconds) in [
            ("7d", 604_800.0),
            ("2h", 7_200.0),
            ("30m", 1_800.0),
            ("1h30m", 5_400.0),
            ("1.5 hours", 5_400.0),
            ("0s", 0.0),
        ] {
            assert_eq!(span(text), Some(seconds), "{text}");
        }
        for text in ["", "7", "d", "7x", "-7d", "2024-05-01", "7d ago", "99999999999w"] {
            assert_eq!(span(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_exact() {
        for (text, seconds, nanos) in [
            ("2024-05-01T00:00:00Z", 1_714_521_600, 0),
            ("2024-05-01T00:00:00.5Z", 1_714_521_600, 500_000_000),
            ("2024-05-01T00:00:00.000000001Z", 1_714_521_600, 1),
            ("1969-12-31T23:59:59.25Z", -1, 250_000_000),
            ("1d", -86_400, 0),
        ] {
            let found = time("newer_than", text, Moment::UNIX_EPOCH).expect("a time");
            assert_eq!(found, Timestamp { seconds, nanos }, "{text}");
        }
        for text in ["yesterday", "2024-13-01", ""] {
            assert!(time("newer_than", text, Moment::UNIX_EPOCH).is_err(), "{text}");
        }
    }
}
