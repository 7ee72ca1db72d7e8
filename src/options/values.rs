//! Parsers of option values that clap does not provide: times, durations and numbers of threads.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::engine::Jobs;

/// Parses an RFC 3339 time.
pub fn fixed_time(text: &str) -> Result<DateTime<Utc>, String> {
    let moment = DateTime::parse_from_rfc3339(text).map(|moment| moment.to_utc());
    moment.map_err(|error| format!("{error}; write 2024-05-01T12:00:00Z"))
}

/// Parses a duration such as `5`, `0.5`, `5s`, `200ms` or `2m`.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let (number, unit) = units
        .iter()
        .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
        .unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "expected a time above 0 such as 5, 0.5 or 200ms".to_owned())
}

/// Parses a number of threads.
pub fn jobs(text: &str) -> Result<Jobs, String> {
    let jobs = text.parse().ok().and_then(Jobs::of);
    jobs.ok_or_else(|| format!("expected a number of threads from 1 to {}", Jobs::MOST))
}
