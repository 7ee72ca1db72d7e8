//! `TIME.Add`, `TIME.Difference`.

use chrono::{DateTime, Days, Months, TimeDelta};

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Number, Spec, ToolError, arguments};
use crate::value::{Str, Value, number, print};

use super::moment::{Moment, TIME, Zone, read, text, within};

const ADD: Spec = Spec::pure(
    "TIME.Add",
    "time_add",
    "Adds a duration to a time",
    "Negative amounts go back. Years and months are added first and keep the day, or use the last day of a \
        shorter month. Days have 24 hours, as in UTC.",
    Example {
        script: "EMIT TIME.Add(\"2024-01-31T12:00:00Z\", months: 1, days: -1)",
        output: "2024-02-28T12:00:00Z\n",
    },
)
.keywords(&[
    "timedelta",
    "datetime.timedelta",
    "add days",
    "subtract days",
    "days ago",
    "yesterday",
    "tomorrow",
    "date arithmetic",
    "later",
    "earlier",
    "addDays",
]);
const DIFFERENCE: Spec = Spec::pure(
    "TIME.Difference",
    "time_difference",
    "Returns how much later a time is than another",
    "Negative if it is earlier. A whole number if nothing remains, else a float.",
    Example {
        script: "EMIT TIME.Difference(\"2024-05-02\", \"2024-05-01\"), \" \", \\\n    TIME.Difference(\"2024-05-02\", \"2024-05-01T12:00:00Z\", \"days\")",
        output: "86400 0.5\n",
    },
)
.keywords(&["datediff", "days between", "elapsed", "time.Since", "difference of dates", "age", "seconds between"]);

arguments! {
    struct Added {
        time: Str = Required, Kind::Form(TIME), "time to start from; UTC where it names no zone";
        years: i64 = Is(Literal::Int(0)), Kind::Int { min: -20_000, max: 20_000 }, "years to go on";
        months: i64 = Is(Literal::Int(0)), Kind::Int { min: -240_000, max: 240_000 }, "months to go on";
        weeks: i64 = Is(Literal::Int(0)), Kind::Int { min: -1_000_000, max: 1_000_000 }, "weeks to go on";
        days: i64 = Is(Literal::Int(0)), Kind::Int { min: -10_000_000, max: 10_000_000 }, "days to go on";
        hours: i64 = Is(Literal::Int(0)), Kind::Int { min: -1_000_000_000, max: 1_000_000_000 }, "hours to go on";
        minutes: i64 = Is(Literal::Int(0)), Kind::Int { min: -10_000_000_000, max: 10_000_000_000 }, "minutes to go on";
        seconds: Value = Is(Literal::Int(0)), Kind::Number, "seconds to go on, whole or not";
    }
}

arguments! {
    struct Between {
        time: Str = Required, Kind::Form(TIME), "later time; UTC where it names no zone";
        since: Str = Required, Kind::Form(TIME), "earlier time; UTC where it names no zone";
        unit: Str = Is(Literal::Text("seconds")), Kind::Word(&["seconds", "minutes", "hours", "days", "weeks"]), "unit of the result";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(ADD, add), Tool::new(DIFFERENCE, difference)]
}

fn add(_: &mut Context<'_>, args: Added) -> Result<Str, ToolError> {
    let start = read("time", &args.time.as_text(), Zone::parse("time", "Z")?)?;
    let seconds = args.seconds.as_float().unwrap_or_default();
    let micros = number::exact_int((seconds * 1e6).round());
    let micros = micros.ok_or_else(|| {
        ToolError::bad_argument("seconds", format!("no time is {} seconds away", print::preview(&args.seconds)))
    })?;
    let shifted = shift_months(start, args.years * 12 + args.months)
        .and_then(|moment| shift_days(moment, args.weeks * 7 + args.days))
        .and_then(|moment| moment.checked_add_signed(TimeDelta::seconds(args.hours * 3600 + args.minutes * 60)))
        .and_then(|moment| moment.checked_add_signed(TimeDelta::microseconds(micros)));
    let beyond = || ToolError::bad_argument("time", "the result is not of the years 0 to 9999");
    Ok(text(&within("time", shifted.ok_or_else(beyond)?)?))
}

fn shift_months(moment: Moment, months: i64) -> Option<Moment> {
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { moment.checked_sub_months(count) } else { moment.checked_add_months(count) }
}

fn shift_days(moment: Moment, days: i64) -> Option<DateTime<chrono::Utc>> {
    let count = Days::new(days.unsigned_abs());
    if days < 0 { moment.checked_sub_days(count) } else { moment.checked_add_days(count) }
}

fn difference(_: &mut Context<'_>, args: Between) -> Result<Number, ToolError> {
    let zone = Zone::parse("time", "Z")?;
    let (time, since) = (read("time", &args.time.as_text(), zone)?, read("since", &args.since.as_text(), zone)?);
    let unit: i64 = match &*args.unit.as_text() {
        "minutes" => 60,
        "hours" => 3_600,
        "days" => 86_400,
        "weeks" => 604_800,
        _ => 1,
    };
    let delta = time - since;
    let seconds = delta.num_seconds();
    Ok(Number(match delta.subsec_nanos() {
        0 if seconds % unit == 0 => (seconds / unit).into(),
        nanoseconds => ((seconds as f64 + f64::from(nanoseconds) / 1e9) / unit as f64).into(),
    }))
}
