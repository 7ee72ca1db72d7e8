//! Points in time: parsing texts, and the canonical text.

use std::ops::Range;

use chrono::format::{Item, Parsed, StrftimeItems, parse_and_remainder};
use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone, Utc};

use crate::sandbox::Timestamp;
use crate::toolkit::{Form, ToolError};
use crate::value::{Str, print, time::rfc3339};

/// A point in time.
pub type Moment = DateTime<Utc>;

/// Formats without a time zone.
const FORMS: [&str; 5] =
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y%m%dT%H%M%S"];

/// The form of formats.
pub const FORM: Form = Form::new(|_, format| items(format).map(drop));
/// The form of times that may name no zone.
pub const TIME: Form = Form::new(|param, text| read(param, text, Zone::Fixed(Utc.fix())).map(drop));
/// The form of zones.
pub const ZONE: Form = Form::new(|param, text| Zone::parse(param, text).map(drop));

/// Parses a time from an argument; one without a time zone is in `zone`.
pub fn read(argument: &'static str, text: &str, zone: Zone) -> Result<Moment, ToolError> {
    let text = text.trim();
    if let Ok(moment) = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text)) {
        return within(argument, moment.to_utc());
    }
    let local = FORMS.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN));
    match local.or_else(day) {
        Some(local) => within(argument, zone.moment(argument, local)?),
        None => {
            let message = format!("`{argument}` is no time: `{}`", print::shortened(text, 60));
            Err(ToolError::bad_argument(argument, message)
                .hint("write `2024-05-01`, `2024-05-01T12:30:00` or `2024-05-01T12:30:00+02:00`, or give `format` to `TIME.Parse`"))
        }
    }
}

/// Parses a time in the given format.
pub fn read_as(text: &str, format: &str, zone: Zone) -> Result<Moment, ToolError> {
    let items = items(format)?;
    let mut parsed = Parsed::new();
    let rest = parse_and_remainder(&mut parsed, text, items.iter());
    let bad = |reason: &str, at: usize| {
        let character = text[..at].chars().count() + 1;
        let shown = print::shortened(text, 60);
        ToolError::bad_argument("text", format!("{reason}, at character {character} of `{shown}`"))
    };
    match rest {
        Ok("") => {}
        Ok(rest) => return Err(bad("the text goes on after what `format` says", text.len() - rest.len())),
        Err(error) => return Err(bad(&format!("the text does not fit `format`: {error}"), fault_at(text, &items))),
    }
    let unclear = |error| bad(&format!("the text says no moment: {error}"), 0);
    if let Some(offset) = parsed.offset() {
        let moment = parsed.to_datetime_with_timezone(&FixedOffset::east_opt(offset).unwrap_or(Utc.fix()));
        return within("text", moment.map_err(unclear)?.to_utc());
    }
    if parsed.timestamp().is_some() {
        return within("text", parsed.to_datetime_with_timezone(&Utc).map_err(unclear)?);
    }
    let day = parsed.to_naive_date().map_err(unclear)?;
    // A date alone is the start of its day.
    let time = parsed.to_naive_time();
    let time = if parsed.hour_mod_12().is_some() { time.map_err(unclear)? } else { time.unwrap_or(NaiveTime::MIN) };
    within("text", zone.moment("text", day.and_time(time))?)
}

/// Returns how many bytes of a text match its format, by parsing as many items as possible.
fn fault_at(text: &str, items: &[Item<'_>]) -> usize {
    let read = |count: &usize| parse_and_remainder(&mut Parsed::new(), text, items[..*count].iter()).ok();
    let rest = (0..=items.len()).rev().find_map(|count| read(&count));
    text.len() - rest.unwrap_or(text).len()
}

/// Parses a format. Errors: it is too long or malformed.
pub fn items(format: &str) -> Result<Vec<Item<'_>>, ToolError> {
    if format.len() > 1000 {
        return Err(ToolError::bad_argument("format", "`format` has more than 1000 bytes"));
    }
    let items: Vec<Item<'_>> = StrftimeItems::new(format).collect();
    if items.contains(&Item::Error) {
        let message = format!("`format` has a `%` that means nothing: `{}`", print::shortened(format, 60));
        let error = ToolError::bad_argument("format", message).part(unknown_part(format));
        Err(error.hint("write it as strftime does: `%Y-%m-%d %H:%M:%S`"))
    } else {
        Ok(items)
    }
}

/// Returns the bytes from the first `%` that means nothing to the next one.
fn unknown_part(format: &str) -> Range<usize> {
    let is_known = |end: &usize| !StrftimeItems::new(&format[..*end]).any(|item| item == Item::Error);
    let percents = || memchr::memchr_iter(b'%', format.as_bytes());
    let start = percents().rfind(is_known).unwrap_or(0);
    start..percents().find(|at| *at > start).unwrap_or(format.len())
}

/// Checks that a time is in the years that RFC 3339 covers.
pub fn within(argument: &'static str, moment: Moment) -> Result<Moment, ToolError> {
    if (0..=9999).contains(&moment.year()) {
        Ok(moment)
    } else {
        Err(ToolError::bad_argument(argument, format!("the year {} is not one of 0 to 9999", moment.year())))
    }
}

/// Converts a time to a time of a file.
pub fn timestamp(moment: &Moment) -> Timestamp {
    // A leap second has more nanoseconds than a second.
    let nanos = moment.timestamp_subsec_nanos();
    let leap = i64::from(nanos / 1_000_000_000);
    Timestamp { seconds: moment.timestamp() + leap, nanos: nanos % 1_000_000_000 }
}

/// Formats a time: whole seconds, or as many decimals as it has.
pub fn text(moment: &Moment) -> Str {
    let whole = rfc3339(moment.timestamp());
    match moment.timestamp_subsec_nanos() % 1_000_000_000 {
        0 => Str::new(&whole),
        nanoseconds => {
            let decimals = format!("{nanoseconds:09}");
            Str::new(&format!("{}.{}Z", whole.trim_end_matches('Z'), decimals.trim_end_matches('0')))
        }
    }
}

/// A time zone.
#[derive(Clone, Copy)]
pub enum Zone {
    /// A fixed offset from UTC.
    Fixed(FixedOffset),
    /// The local time zone of the system.
    Local,
}

impl Zone {
    /// Parses a time zone from an argument.
    pub fn parse(argument: &'static str, text: &str) -> Result<Zone, ToolError> {
        if text.eq_ignore_ascii_case("local") {
            return Ok(Zone::Local);
        }
        if text.eq_ignore_ascii_case("z") || text.eq_ignore_ascii_case("utc") {
            return Ok(Zone::Fixed(Utc.fix()));
        }
        let refuse = || {
            let message = format!("`{argument}` is no zone: `{}`", print::shortened(text, 40));
            ToolError::bad_argument(argument, message)
                .hint("write `Z`, `+02:00` or `local`; names of places are not known")
        };
        text.parse().map(Zone::Fixed).map_err(|_| refuse())
    }

    /// Converts a local time. Errors: clocks skip this time.
    pub fn moment(self, argument: &'static str, local: NaiveDateTime) -> Result<Moment, ToolError> {
        let moment = match self {
            Zone::Fixed(offset) => offset.from_local_datetime(&local).earliest().map(|moment| moment.to_utc()),
            Zone::Local => Local.from_local_datetime(&local).earliest().map(|moment| moment.to_utc()),
        };
        moment.ok_or_else(|| ToolError::bad_argument(argument, format!("clocks never show {local} there")))
    }

    /// Converts a point in time to local time.
    pub fn in_offset(self, moment: &Moment) -> DateTime<FixedOffset> {
        match self {
            Zone::Fixed(offset) => moment.with_timezone(&offset),
            Zone::Local => moment.with_timezone(&Local).fixed_offset(),
        }
    }
}
