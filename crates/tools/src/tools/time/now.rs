//! `TIME.Now`, `TIME.Unix`, `TIME.FromUnix`.

use chrono::DateTime;

use crate::gate::{Context, Tool};
use crate::toolkit::{Effect, Example, Number, Spec, ToolError, arguments};
use crate::value::{Str, Value, number, print};

use super::moment::{TIME, Zone, read, text, within};

const NOW: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "TIME.Now",
        "time_now",
        "Returns the current time",
        "Returns a text such as `2024-05-01T12:00:00Z`, in UTC and whole seconds; with `fraction`, as exact as \
        the clock.",
        Example { script: "EMIT LEN(TIME.Now()), \" \", TIME.Now() > \"2024-01-01\"", output: "20 true\n" },
    )
    .keywords(&[
        "now",
        "date",
        "today",
        "datetime.now",
        "datetime.datetime.now",
        "datetime.today",
        "Date.now",
        "current time",
        "timestamp",
        "utcnow",
        "time.Now",
        "clock",
        "new Date",
        "Get-Date",
        "Time.now",
        "date.today",
    ])
};
const UNIX: Spec = Spec::pure(
    "TIME.Unix",
    "time_unix",
    "Converts a time to seconds since 1970",
    "Whole where the time is; earlier times are negative.",
    Example { script: "EMIT TIME.Unix(\"2024-05-01T12:00:00Z\")", output: "1714564800\n" },
)
.keywords(&["unix", "epoch", "time.time", "seconds since 1970", "strtotime", "getTime", "unix time"]);
const FROM_UNIX: Spec = Spec::pure(
    "TIME.FromUnix",
    "time_from_unix",
    "Converts seconds since 1970 to a time",
    "Fractions are kept to the microsecond. Only times of the years 0 to 9999 are valid.",
    Example { script: "EMIT TIME.FromUnix(1714564800)", output: "2024-05-01T12:00:00Z\n" },
)
.keywords(&["fromtimestamp", "datetime.fromtimestamp", "from epoch", "localtime", "gmtime"]);

arguments! {
    struct Now {
        fraction: bool = Is(Literal::Bool(false)), Kind::Bool, "whether parts of seconds are given";
    }
}

arguments! {
    struct OneTime {
        time: Str = Required, Kind::Form(TIME), "time; UTC where it names no zone";
    }
}

arguments! {
    struct Seconds {
        seconds: Value = Required, Kind::Number, "seconds since 1970";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(NOW, |context: &mut Context<'_>, args: Now| {
            let now = context.now();
            Ok(if args.fraction {
                text(&now)
            } else {
                text(&DateTime::from_timestamp(now.timestamp(), 0).unwrap_or(now))
            })
        }),
        Tool::new(UNIX, |_, args: OneTime| {
            let moment = read("time", &args.time.as_text(), Zone::parse("time", "Z")?)?;
            Ok(Number(match moment.timestamp_subsec_nanos() {
                0 => moment.timestamp().into(),
                nanoseconds => (moment.timestamp() as f64 + f64::from(nanoseconds) / 1e9).into(),
            }))
        }),
        Tool::new(FROM_UNIX, from_unix),
    ]
}

fn from_unix(_: &mut Context<'_>, args: Seconds) -> Result<Str, ToolError> {
    let moment = match args.seconds {
        Value::Int(seconds) => DateTime::from_timestamp(seconds, 0),
        ref float => {
            let micros = (float.as_float().unwrap_or(f64::NAN) * 1e6).round();
            number::exact_int(micros).and_then(DateTime::from_timestamp_micros)
        }
    };
    let refuse =
        || ToolError::bad_argument("seconds", format!("no year from 0 to 9999 has {}", print::preview(&args.seconds)));
    let moment = moment.ok_or_else(refuse)?;
    Ok(text(&within("seconds", moment)?))
}
