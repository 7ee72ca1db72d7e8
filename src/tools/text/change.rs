//! `STR.Length`, `STR.Upper`, `STR.Lower`, `STR.Trim`.

use crate::limits::space;
use crate::toolkit::{Example, Spec, Tool, ToolError, arguments};
use crate::value::Str;

const LENGTH: Spec = Spec::pure(
    "STR.Length",
    "str_length",
    "Gives the number of characters",
    "The same as `LEN` of a text.",
    Example { script: "EMIT STR.Length(\"café\")", output: "4\n" },
);
const UPPER: Spec = Spec::pure(
    "STR.Upper",
    "str_upper",
    "Gives the text in upper case",
    "By Unicode's rules, whatever the language of the system.",
    Example { script: "EMIT STR.Upper(\"café\")", output: "CAFÉ\n" },
);
const LOWER: Spec = Spec::pure(
    "STR.Lower",
    "str_lower",
    "Gives the text in lower case",
    "By Unicode's rules, whatever the language of the system.",
    Example { script: "EMIT STR.Lower(\"README\")", output: "readme\n" },
);
const TRIM: Spec = Spec::pure(
    "STR.Trim",
    "str_trim",
    "Gives the text without white space at either end",
    "White space is what Unicode calls so, line breaks included.",
    Example { script: "EMIT \"[\" + STR.Trim(\"  a b \") + \"]\"", output: "[a b]\n" },
);

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to work on";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(LENGTH, |_, args: OneText| Ok(args.text.char_count() as u64)),
        Tool::new(UPPER, |_, args: OneText| cased(&args.text, str::to_uppercase)),
        Tool::new(LOWER, |_, args: OneText| cased(&args.text, str::to_lowercase)),
        Tool::new(TRIM, |_, args: OneText| Ok(Str::new(args.text.as_text().trim()))),
    ]
}

fn cased(text: &Str, change: fn(&str) -> String) -> Result<Str, ToolError> {
    let text = text.as_text();
    // A letter becomes at most three in another case.
    space::check(3 * text.len())?;
    let changed = change(&text);
    space::check_string(changed.len())?;
    Ok(Str::new(&changed))
}
