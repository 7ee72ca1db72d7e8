//! `TIME.Parse`, `TIME.Format`.

use std::fmt::Write as _;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::fallback::parsed_or;
use super::moment::{FORM, TIME, ZONE, Zone, items, read, read_as, text};

const PARSE: Spec = Spec::pure(
    "TIME.Parse",
    "time_parse",
    "Parses a time",
    "Returns the time as RFC 3339 in UTC, like all functions of this group.\n\n\
        Without `format` the text is RFC 3339, RFC 2822 (as in mails), `2024-05-01`, `2024-05-01 12:30` or similar. \
        With `format` it has that strftime form (`%d.%m.%Y %H:%M`). A day without a time is its first moment.\n\n\
        A day that the calendar does not have is an error. With `default`, it and any other text that is not a time \
        give that value instead.",
    Example {
        script: "EMIT TIME.Parse(\"2024-05-01 12:30\", zone: \"+02:00\"), \" \", TIME.Parse(\"1.5.2024\", \"%d.%m.%Y\")",
        output: "2024-05-01T10:30:00Z 2024-05-01T00:00:00Z\n",
    },
)
.keywords(&["strptime", "datetime.strptime", "parse date", "fromisoformat", "datetime.fromisoformat", "Date.parse", "read date"]);
const FORMAT: Spec = Spec::pure(
    "TIME.Format",
    "time_format",
    "Formats a time as a text",
    "Returns the text. `format` is a strftime format: `%Y` year, `%m` month, `%d` day, `%H` `%M` `%S` hour, \
        minute, second, `%j` day of the year, `%V` week, `%a` `%A` weekday and `%b` `%B` month in English, `%z` zone, \
        `%s` seconds since 1970, `%%` a percent sign.",
    Example {
        script: "EMIT TIME.Format(\"2024-05-01T12:00:00Z\", \"%a, %d %b %Y %H:%M\", \"+02:00\")",
        output: "Wed, 01 May 2024 14:00\n",
    },
)
.keywords(&[
    "strftime",
    "datetime.strftime",
    "format date",
    "toISOString",
    "isoformat",
    "date format",
    "toLocaleDateString",
    "date stamp",
]);

arguments! {
    struct Parsed {
        text: Str = Required, Kind::Text, "text that says a time";
        format: Option<Str> = Absent, Kind::Form(FORM), "form of the text; the usual ones when left out";
        zone: Str = Is(Literal::Text("Z")), Kind::Form(ZONE), "zone of a text that names none: `Z`, `+02:00` or `local`";
        default: Option<Value> = Absent, Kind::Any, "result where the text says no time; an error when left out";
    }
}

arguments! {
    struct Formatted {
        time: Str = Required, Kind::Form(TIME), "time; UTC where it names no zone";
        format: Str = Is(Literal::Text("%Y-%m-%d %H:%M:%S")), Kind::Form(FORM), "form of the text";
        zone: Str = Is(Literal::Text("Z")), Kind::Form(ZONE), "zone that the text is for: `Z`, `+02:00` or `local`";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(PARSE, parse), Tool::new(FORMAT, format)]
}

fn parse(context: &mut Context<'_>, args: Parsed) -> Result<AnyValue, ToolError> {
    let (given, zone) = (args.text.as_text(), Zone::parse("zone", &args.zone.as_text())?);
    context.spend_text(given.len())?;
    let moment = match &args.format {
        None => read("text", &given, zone),
        Some(format) => read_as(&given, &format.as_text(), zone),
    };
    parsed_or(moment.map(|moment| Value::from(text(&moment))), args.default)
}

fn format(_: &mut Context<'_>, args: Formatted) -> Result<Str, ToolError> {
    let moment = read("time", &args.time.as_text(), Zone::parse("zone", "Z")?)?;
    let format = args.format.as_text();
    let items = items(&format)?;
    let shown = Zone::parse("zone", &args.zone.as_text())?.in_offset(&moment);
    let mut text = String::new();
    match write!(text, "{}", shown.format_with_items(items.iter())) {
        Ok(()) => Ok(Str::new(&text)),
        Err(_) => Err(ToolError::bad_argument("format", "`format` asks for what a time does not have")),
    }
}
