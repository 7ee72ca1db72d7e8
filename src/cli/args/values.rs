//! Parsers of option values that clap does not provide: ages and sizes.

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};

/// Parses `2026-01-31`, an RFC 3339 time, or an age such as `90m`, `12h` or `7d`, and returns the time in the format of
/// the audit log.
pub fn moment(text: &str) -> Result<String, String> {
    let units = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
    let ago =
        units.iter().find_map(|(suffix, unit)| text.strip_suffix(suffix)?.parse::<i64>().ok()?.checked_mul(*unit));
    let ago = ago.filter(|seconds| *seconds >= 0).and_then(TimeDelta::try_seconds);
    let moment = match ago {
        Some(ago) => Utc::now().checked_sub_signed(ago),
        None => match text.parse::<NaiveDate>() {
            Ok(date) => date.and_hms_opt(0, 0, 0).map(|time| time.and_utc()),
            Err(_) => DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc()),
        },
    };
    let moment = moment.ok_or("expected a time such as 2026-01-31, 2026-01-31T08:00:00Z, 90m, 12h or 7d")?;
    Ok(moment.to_rfc3339_opts(SecondsFormat::Micros, true))
}

/// Parses a size such as `1234`, `500K`, `20M` or `1G`, in units of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    let (number, unit) = units
        .iter()
        .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
        .unwrap_or((text, 1));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| "expected a number of bytes such as 1000000, 500K, 20M or 1G".to_owned())
}
