//! `STR.Repeat`, `STR.PadLeft`, `STR.PadRight`.

use crate::limits::space;
use crate::toolkit::{Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::Str;

const REPEAT: Spec = Spec::pure(
    "STR.Repeat",
    "str_repeat",
    "Gives a text so many times in a row",
    "0 times is the empty text.",
    Example { script: "EMIT STR.Repeat(\"ab\", 3)", output: "ababab\n" },
);
const PAD_LEFT: Spec = Spec::pure(
    "STR.PadLeft",
    "str_pad_left",
    "Fills a text up to a width, at its left",
    "A text that is as wide already stays as it is. `fill` is one character.",
    Example { script: "EMIT STR.PadLeft(\"7\", 3, \"0\")", output: "007\n" },
);
const PAD_RIGHT: Spec = Spec::pure(
    "STR.PadRight",
    "str_pad_right",
    "Fills a text up to a width, at its right",
    "A text that is as wide already stays as it is. `fill` is one character.",
    Example { script: "EMIT STR.PadRight(\"name\", 6) + \"|\"", output: "name  |\n" },
);

arguments! {
    struct Repeated {
        text: Str = Required, Kind::Text, "text to repeat";
        times: i64 = Required, Kind::at_least(0), "how many times";
    }
}

arguments! {
    struct Padded {
        text: Str = Required, Kind::Text, "text to fill up";
        width: i64 = Required, Kind::at_least(0), "characters that it shall have at least";
        fill: Str = Is(Literal::Text(" ")), Kind::Text, "character to fill with";
    }
}

/// Where the filling goes.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(REPEAT, repeat),
        Tool::new(PAD_LEFT, |context, args: Padded| pad(context, &args, Side::Left)),
        Tool::new(PAD_RIGHT, |context, args: Padded| pad(context, &args, Side::Right)),
    ]
}

fn repeat(context: &mut Context<'_>, args: Repeated) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    let times = usize::try_from(args.times).unwrap_or(usize::MAX);
    let length = text.len().saturating_mul(times);
    check_length(length)?;
    context.spend_text(length)?;
    Ok(Str::new(&text.repeat(if text.is_empty() { 0 } else { times })))
}

fn pad(context: &mut Context<'_>, args: &Padded, side: Side) -> Result<Str, ToolError> {
    let fill = args.fill.as_text();
    if fill.chars().count() != 1 {
        let message = format!("`fill` is one character, not {}", fill.chars().count());
        return Err(ToolError::bad_argument("fill", message));
    }
    let missing = (args.width as usize).saturating_sub(args.text.char_count());
    let text = args.text.as_text();
    let length = missing.saturating_mul(fill.len()).saturating_add(text.len());
    check_length(length)?;
    context.spend_text(length)?;
    let filling = fill.repeat(missing);
    Ok(Str::new(&match side {
        Side::Left => filling + &text,
        Side::Right => text.to_string() + &filling,
    }))
}

fn check_length(length: usize) -> Result<(), ToolError> {
    space::check_string(length)?;
    Ok(space::check(length)?)
}
