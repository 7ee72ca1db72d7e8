//! `STR.Color`.

use crate::gate::{Context, Tool};
use crate::text::colors::{APPEARANCES, Appearance};
use crate::text::nearest;
use crate::toolkit::{Example, Form, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;

const SPEC: Spec = Spec::pure(
    "STR.Color",
    "str_color",
    "Colours a text for a terminal",
    "`style` is one or more of `red`, `green`, `yellow`, `blue`, `magenta`, `cyan`, `bold`, `dim`, `italic` and \
        `underline`, separated by blanks: at most one colour, and `bold` or `dim`. A coloured text may be part of \
        another one. Each EMIT ends its colours, so colour each line by itself.\n\n\
        The result contains escape sequences only if the script runs at a terminal that shows colours and prints \
        plain text. Everywhere else the text stays as it is: in a pipe or file, with `--output`, with the variable \
        `NO_COLOR` or `TERM=dumb`, in tests, on a server, and for `ns call`. So colour what you print, not what you \
        write to files or compare. Functions on texts see the sequences: cut, change and pad a text first, then \
        colour it. Messages of FAIL and MUST, prompts and progress have no colours, and elements of a list that is \
        printed show the sequences.\n\n\
        The sequences contain a random number of the process, and a terminal gets only these. Those in a name or file \
        that is printed are shown as escapes.",
    Example { script: "EMIT STR.Color(\"3 files are missing\", \"bold red\")", output: "3 files are missing\n" },
)
.keywords(&["color", "colour", "ansi", "red", "green", "bold", "chalk", "termcolor", "colorama", "tput", "Write-Host"]);

arguments! {
    struct Colored {
        text: Str = Required, Kind::Content, "text to colour";
        style: Str = Required, Kind::Form(STYLES), "names of colours and styles, separated by blanks";
    }
}

/// The form of lists of colours and styles.
const STYLES: Form = Form::new(|_, style| appearances(style).map(|_| ()));

pub fn tool() -> Tool {
    Tool::new(SPEC, color)
}

/// Returns the colours and styles that a text names.
fn appearances(style: &str) -> Result<Vec<&'static Appearance>, ToolError> {
    let mut found: Vec<&Appearance> = Vec::new();
    for name in style.split_ascii_whitespace() {
        let appearance = Appearance::find(name).ok_or_else(|| unknown(name))?;
        if let Some(other) = found.iter().find(|other| other.end == appearance.end) {
            let message = format!("`{}` and `{}` cannot be combined", other.name, appearance.name);
            return Err(ToolError::bad_argument("style", message).hint("name one of them"));
        }
        found.push(appearance);
    }
    if found.is_empty() {
        return Err(ToolError::bad_argument("style", "no colour is named").hint(all_names()));
    }
    Ok(found)
}

fn unknown(name: &str) -> ToolError {
    let names = APPEARANCES.iter().map(|appearance| appearance.name);
    let hint = match nearest(&name.to_lowercase(), names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => all_names(),
    };
    ToolError::bad_argument("style", format!("there is no colour or style `{name}`")).hint(hint)
}

fn all_names() -> String {
    let names: Vec<String> = APPEARANCES.iter().map(|appearance| format!("`{}`", appearance.name)).collect();
    format!("there are {}", names.join(", "))
}

fn color(context: &mut Context<'_>, args: Colored) -> Result<Str, ToolError> {
    let appearances = appearances(&args.style.as_text())?;
    let Some(key) = context.console().color_key() else { return Ok(args.text) };
    let begin: String = appearances.iter().map(|appearance| key.sequence(appearance.begin)).collect();
    let end: String = appearances.iter().rev().map(|appearance| key.sequence(appearance.end)).collect();
    let text = args.text.as_text();
    let length = begin.len() + text.len() + end.len();
    context.spend_text(length)?;
    let mut colored = TextBuilder::with_room(length)?;
    for part in [&*begin, &text, &end] {
        colored.push(part)?;
    }
    colored.finish(context)
}
