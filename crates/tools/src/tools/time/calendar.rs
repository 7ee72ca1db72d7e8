//! `TIME.Parts`, `TIME.Make`, `TIME.StartOf`.

use chrono::{Datelike, Days, NaiveDate, NaiveTime, Timelike};
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::moment::{TIME, ZONE, Zone, read, text, within};

const PARTS: Spec = Spec::pure(
    "TIME.Parts",
    "time_parts",
    "Returns year, month, day and the other parts of a time",
    "Weekdays count from 1, Monday, to 7, Sunday; weeks are those of ISO 8601, and `weekYear` is the year that the week \
        belongs to.",
    Example {
        script: "SET parts = TIME.Parts(\"2024-12-30T12:34:56Z\")\nEMIT parts.year, \" \", parts.weekdayName, \" \", parts.week, \" \", parts.weekYear",
        output: "2024 Monday 1 2025\n",
    },
)
.keywords(&["year", "month", "day", "weekday", "hour", "getFullYear", "date parts", "day of the week"]);
const MAKE: Spec = Spec::pure(
    "TIME.Make",
    "time_make",
    "Returns the time of a year, month, day and so on",
    "A day that the month does not have is an error.",
    Example { script: "EMIT TIME.Make(2024, 2, 29, hour: 8, zone: \"+01:00\")", output: "2024-02-29T07:00:00Z\n" },
)
.keywords(&["mktime", "time.mktime", "datetime.datetime", "time.Date", "make date", "date from numbers"]);
const START_OF: Spec = Spec::pure(
    "TIME.StartOf",
    "time_start_of",
    "Returns the start of the day, month or other unit that a time lies in",
    "Weeks begin on Monday; `zone` says where days begin.",
    Example { script: "EMIT TIME.StartOf(\"2024-05-17T12:34:56Z\", \"month\")", output: "2024-05-01T00:00:00Z\n" },
)
.keywords(&["start of month", "start of week", "beginning of day", "midnight", "truncate date"]);

arguments! {
    struct Shown {
        time: Str = Required, Kind::Form(TIME), "time; UTC where it names no zone";
        zone: Str = Is(Literal::Text("Z")), Kind::Form(ZONE), "zone of the parts: `Z`, `+02:00` or `local`";
    }
}

arguments! {
    struct Made {
        year: i64 = Required, Kind::Int { min: 0, max: 9999 }, "year";
        month: i64 = Is(Literal::Int(1)), Kind::Int { min: 1, max: 12 }, "month";
        day: i64 = Is(Literal::Int(1)), Kind::Int { min: 1, max: 31 }, "day of the month";
        hour: i64 = Is(Literal::Int(0)), Kind::Int { min: 0, max: 23 }, "hour";
        minute: i64 = Is(Literal::Int(0)), Kind::Int { min: 0, max: 59 }, "minute";
        second: i64 = Is(Literal::Int(0)), Kind::Int { min: 0, max: 59 }, "second";
        zone: Str = Is(Literal::Text("Z")), Kind::Form(ZONE), "zone of the parts: `Z`, `+02:00` or `local`";
    }
}

arguments! {
    struct Started {
        time: Str = Required, Kind::Form(TIME), "time; UTC where it names no zone";
        unit: Str = Required, Kind::Word(&["minute", "hour", "day", "week", "month", "year"]), "what begins";
        zone: Str = Is(Literal::Text("Z")), Kind::Form(ZONE), "zone where it begins: `Z`, `+02:00` or `local`";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Parts {
    /// Year.
    year: i32,
    /// Month, from 1.
    month: u32,
    /// Day of the month, from 1.
    day: u32,
    /// Hour, from 0.
    hour: u32,
    /// Minute.
    minute: u32,
    /// Second.
    second: u32,
    /// Nanoseconds of the second.
    nanosecond: u32,
    /// Day of the week, Monday 1.
    weekday: u32,
    /// Day of the week in English.
    weekday_name: String,
    /// Day of the year, from 1.
    year_day: u32,
    /// Week of ISO 8601.
    week: u32,
    /// Year that the week belongs to.
    week_year: i32,
    /// Seconds since 1970.
    unix: i64,
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(PARTS, parts), Tool::new(MAKE, make), Tool::new(START_OF, start_of)]
}

fn parts(_: &mut Context<'_>, args: Shown) -> Result<Parts, ToolError> {
    let moment = read("time", &args.time.as_text(), Zone::parse("zone", "Z")?)?;
    let shown = Zone::parse("zone", &args.zone.as_text())?.in_offset(&moment);
    Ok(Parts {
        year: shown.year(),
        month: shown.month(),
        day: shown.day(),
        hour: shown.hour(),
        minute: shown.minute(),
        second: shown.second(),
        nanosecond: shown.nanosecond() % 1_000_000_000,
        weekday: shown.weekday().number_from_monday(),
        weekday_name: shown.format("%A").to_string(),
        year_day: shown.ordinal(),
        week: shown.iso_week().week(),
        week_year: shown.iso_week().year(),
        unix: moment.timestamp(),
    })
}

fn make(_: &mut Context<'_>, args: Made) -> Result<Str, ToolError> {
    let zone = Zone::parse("zone", &args.zone.as_text())?;
    let day = NaiveDate::from_ymd_opt(args.year as i32, args.month as u32, args.day as u32);
    let day = day.ok_or_else(|| {
        let message = format!("month {} of {} has no day {}", args.month, args.year, args.day);
        ToolError::bad_argument("day", message)
    })?;
    let time = NaiveTime::from_hms_opt(args.hour as u32, args.minute as u32, args.second as u32);
    let time = time.expect("the binder lets only such hours, minutes and seconds through");
    Ok(text(&within("year", zone.moment("hour", day.and_time(time))?)?))
}

fn start_of(_: &mut Context<'_>, args: Started) -> Result<Str, ToolError> {
    let moment = read("time", &args.time.as_text(), Zone::parse("zone", "Z")?)?;
    let zone = Zone::parse("zone", &args.zone.as_text())?;
    let shown = zone.in_offset(&moment).naive_local();
    let (day, time) = (shown.date(), shown.time());
    let at = |hour, minute| NaiveTime::from_hms_opt(hour, minute, 0).expect("a time has such hours and minutes");
    let start = match &*args.unit.as_text() {
        "minute" => day.and_time(at(time.hour(), time.minute())),
        "hour" => day.and_time(at(time.hour(), 0)),
        "week" => (day - Days::new(day.weekday().num_days_from_monday().into())).and_time(NaiveTime::MIN),
        "month" => day.with_day(1).unwrap_or(day).and_time(NaiveTime::MIN),
        "year" => day.with_ordinal(1).unwrap_or(day).and_time(NaiveTime::MIN),
        _ => day.and_time(NaiveTime::MIN),
    };
    Ok(text(&within("time", zone.moment("time", start)?)?))
}
