//! `STR.Format`: inserts values into a text at placeholders.

mod placeholder;

use std::ops::Range;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::toolkit::{Example, Form, Spec, ToolError, arguments};
use crate::value::{Str, Value, print};

use super::super::build::TextBuilder;
use placeholder::{Align, Placeholder, Style};

const SPEC: Spec = Spec::pure(
    "STR.Format",
    "str_format",
    "Inserts values at placeholders such as `{name}`",
    "Returns the template with the values in place of its placeholders. A placeholder without a value is an \
        error; `{{` and `}}` are literal braces. If `values` is a map, placeholders name its keys, and `{user.name}` \
        looks into maps. If it is a list, they give an index from 0 (`{0}`) or take the elements in turn (`{}`).\n\n\
        After `:` a placeholder says how the value is shown, in this order:\n\n\
        - fill and alignment: any character before `<`, `>` or `^` (left, right, middle). Numbers are right-aligned by \
        default, all else left-aligned.\n\
        - `0`: zeros after the sign.\n\
        - width: at most 10,000 characters.\n\
        - `,`: thousands separators.\n\
        - `.2`: decimals of a number, or maximum number of characters of a text.\n\
        - form: `f` (decimals, 6 by default), `d` (a whole number), `s` (as printed), `x`, `X`, `o`, `b` (base of a \
        whole number), `e` (exponent) or `%`.",
    Example {
        script: "EMIT STR.Format(\"{name:<6}|{size:>8,}|{part:.1%}\", {\"name\": \"a\", \"size\": 12345, \"part\": 0.256})\n\
            EMIT STR.Format(\"{}-{:03}\", [\"img\", 7])",
        output: "a     |  12,345|25.6%\nimg-007\n",
    },
)
.keywords(&["format", "sprintf", "printf", "interpolate", "interpolation", "f-string", "string.format", "String.Format", "decimals", "fmt.Sprintf"]);

/// The form of templates.
const TEMPLATE: Form = Form::new(|_, template| check(template));

arguments! {
    struct Args {
        template: Str = Required, Kind::Form(TEMPLATE), "text with placeholders";
        values | map | list: Value = Required, Kind::Any, "map or list of the values";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, mut args: Args) -> Result<Str, ToolError> {
    if !matches!(args.values, Value::Map(_) | Value::List(_)) {
        let found = print::preview(&args.values);
        let message = format!("`STR.Format` needs a map or a list for `values`, not {found}");
        let is_of_nil = matches!(args.values, Value::Nil);
        return Err(ToolError { is_of_nil, ..ToolError::bad_argument("values", message) });
    }
    let template = args.template.as_text();
    context.spend_text(template.len())?;
    let mut text = TextBuilder::default();
    let mut turn = 0;
    let mut from = 0;
    if let Value::List(list) = &mut args.values
        && template.starts_with("{}")
        && takes_in_turn(&template)
        && let Some(continued) = TextBuilder::continue_first(list)
    {
        text = continued;
        (turn, from) = (1, "{}".len());
    }
    while let Some(Brace { range, place }) = next_brace(&template, from)? {
        text.push(&template[from..range.start])?;
        from = range.end;
        let Some(place) = place else {
            text.push(&template[range.start..range.start + 1])?;
            continue;
        };
        let bad = |reason: &str| bad(&template, range.clone(), reason);
        let value = place.value(&args.values, &mut turn).map_err(|reason| bad(&reason))?;
        context.spend(1)?;
        write(&mut text, &value, &place.style).map_err(|fault| match fault {
            Fault::Limit(hit) => hit.into(),
            Fault::Value(reason) => bad(&reason),
        })?;
    }
    text.push(&template[from..])?;
    text.finish(context)
}

/// A part of a template that begins with a brace.
struct Brace<'t> {
    /// Its bytes in the template.
    range: Range<usize>,
    /// The placeholder; `None` for `{{` and `}}`, which stand for a brace.
    place: Option<Placeholder<'t>>,
}

/// Returns the first brace at or after a byte.
fn next_brace(template: &str, from: usize) -> Result<Option<Brace<'_>>, ToolError> {
    let Some(at) = memchr::memchr2(b'{', b'}', &template.as_bytes()[from..]).map(|at| from + at) else {
        return Ok(None);
    };
    let rest = &template[at..];
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return Ok(Some(Brace { range: at..at + 2, place: None }));
    }
    let bad_brace = |reason| bad(template, at..at + 1, reason);
    let end = match rest.find('}') {
        Some(end) if rest.starts_with('{') => end,
        Some(_) => return Err(bad_brace("a `}` closes nothing").hint("write `}}` for a brace")),
        None => return Err(bad_brace("a `{` is not closed").hint("write `{{` for a brace")),
    };
    let range = at..at + end + 1;
    let place = Placeholder::parse(&rest[1..end]).map_err(|reason| bad(template, range.clone(), &reason))?;
    Ok(Some(Brace { range, place: Some(place) }))
}

/// Checks everything that does not need the values.
fn check(template: &str) -> Result<(), ToolError> {
    let mut from = 0;
    while let Some(Brace { range, .. }) = next_brace(template, from)? {
        from = range.end;
    }
    Ok(())
}

fn bad(template: &str, part: Range<usize>, reason: &str) -> ToolError {
    let character = template[..part.start].chars().count() + 1;
    ToolError::bad_argument("template", format!("{reason}, at character {character} of `template`")).part(part)
}

/// Returns whether no place of a template names its value, so that each value is used at most once.
fn takes_in_turn(template: &str) -> bool {
    template.match_indices('{').all(|(at, _)| matches!(template.as_bytes().get(at + 1), Some(b'}' | b':' | b'{')))
}

/// Why a value cannot be formatted as requested.
enum Fault {
    Limit(crate::limits::LimitHit),
    Value(String),
}

impl From<crate::limits::LimitHit> for Fault {
    fn from(hit: crate::limits::LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

fn write(text: &mut TextBuilder, value: &Value, style: &Style) -> Result<(), Fault> {
    let shown = style.show(value).map_err(Fault::Value)?;
    let whole;
    let shown = match (&shown, value.as_text()) {
        (Some(number), _) => number.as_str(),
        (None, Some(own)) => {
            whole = own;
            style.cut(&whole)
        }
        (None, None) => {
            space::check(space::string_bound().min(1 << 20))?;
            let printed = print::to_text(value)?;
            return pad(text, style.cut(&printed), style, Align::Left);
        }
    };
    let is_number = matches!(value, Value::Int(_) | Value::Float(_));
    pad(text, shown, style, if is_number { Align::Right } else { Align::Left })
}

fn pad(text: &mut TextBuilder, shown: &str, style: &Style, usual: Align) -> Result<(), Fault> {
    let missing = style.width.saturating_sub(shown.chars().count());
    let fill = style.fill.encode_utf8(&mut [0; 4]).to_owned();
    let left = match style.align.unwrap_or(usual) {
        Align::Left => 0,
        Align::Right => missing,
        Align::Middle => missing / 2,
    };
    let signed = style.zeros && shown.starts_with('-');
    let (sign, digits) = shown.split_at(usize::from(signed));
    text.push(sign)?;
    text.push_times(&fill, left)?;
    text.push(digits)?;
    text.push_times(&fill, missing - left)?;
    Ok(())
}
