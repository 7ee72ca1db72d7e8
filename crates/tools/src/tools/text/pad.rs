//! `STR.Repeat`, `STR.PadLeft`, `STR.PadRight`, `STR.Center`.

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Form, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;

const REPEAT: Spec = Spec::pure(
    "STR.Repeat",
    "str_repeat",
    "Repeats a text",
    "0 times is the empty text.",
    Example { script: "EMIT STR.Repeat(\"ab\", 3)", output: "ababab\n" },
)
.keywords(&["repeat", "str_repeat", "times", "multiply text"]);
const PAD_LEFT: Spec = Spec::pure(
    "STR.PadLeft",
    "str_pad_left",
    "Pads a text on the left to a width",
    "A text that already has the width stays as it is. `fill` is one character.",
    Example { script: "EMIT STR.PadLeft(\"7\", 3, \"0\")", output: "007\n" },
)
.keywords(&[
    "padleft",
    "padStart",
    "ljust",
    "rjust",
    "zfill",
    "leading zeros",
    "align right",
    "pad",
    "zero padding",
    "str_pad",
]);
const PAD_RIGHT: Spec = Spec::pure(
    "STR.PadRight",
    "str_pad_right",
    "Pads a text on the right to a width",
    "A text that already has the width stays as it is. `fill` is one character.",
    Example { script: "EMIT STR.PadRight(\"name\", 6) + \"|\"", output: "name  |\n" },
)
.keywords(&["padright", "padEnd", "align left", "pad", "columns"]);

const CENTER: Spec = Spec::pure(
    "STR.Center",
    "str_center",
    "Pads a text on both sides to a width",
    "Like `STR.PadLeft`; an odd character goes to the right.",
    Example { script: "EMIT \"[\", STR.Center(\"ok\", 5), \"]\"", output: "[ ok  ]\n" },
)
.keywords(&["center", "centre"]);

arguments! {
    struct Repeated {
        text: Str = Required, Kind::Text, "text to repeat";
        times: i64 = Required, Kind::at_least(0), "how many times";
    }
}

/// The form of texts to fill with.
const ONE_CHARACTER: Form = Form::new(|_, fill| check_fill(fill));

fn check_fill(fill: &str) -> Result<(), ToolError> {
    match fill.chars().count() {
        1 => Ok(()),
        count => Err(ToolError::bad_argument("fill", format!("`fill` is one character, not {count}"))),
    }
}

arguments! {
    struct Padded {
        text: Str = Required, Kind::Text, "text to fill up";
        width: i64 = Required, Kind::at_least(0), "characters that it shall have at least";
        fill: Str = Is(Literal::Text(" ")), Kind::Form(ONE_CHARACTER), "character to fill with";
    }
}

/// Which side is padded.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Both,
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(REPEAT, repeat),
        Tool::new(PAD_LEFT, |context, args: Padded| pad(context, &args, Side::Left)),
        Tool::new(PAD_RIGHT, |context, args: Padded| pad(context, &args, Side::Right)),
        Tool::new(CENTER, |context, args: Padded| pad(context, &args, Side::Both)),
    ]
}

fn repeat(context: &mut Context<'_>, args: Repeated) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    let times = if text.is_empty() { 0 } else { args.times as usize };
    let length = text.len().saturating_mul(times);
    let mut repeated = TextBuilder::with_room(length)?;
    context.spend_text(length)?;
    repeated.push_times(&text, times)?;
    repeated.finish(context)
}

fn pad(context: &mut Context<'_>, args: &Padded, side: Side) -> Result<Str, ToolError> {
    let fill = args.fill.as_text();
    check_fill(&fill)?;
    let missing = (args.width as usize).saturating_sub(args.text.char_count());
    let left = match side {
        Side::Left => missing,
        Side::Right => 0,
        Side::Both => missing / 2,
    };
    let length = missing.saturating_mul(fill.len()).saturating_add(args.text.as_text().len());
    let mut padded = TextBuilder::with_room(length)?;
    context.spend_text(length)?;
    padded.push_times(&fill, left)?;
    padded.push(&args.text.as_text())?;
    padded.push_times(&fill, missing - left)?;
    padded.finish(context)
}
