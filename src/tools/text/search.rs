//! `STR.Contains`, `STR.StartsWith`, `STR.EndsWith`, `STR.Replace`.

use crate::limits::space;
use crate::toolkit::{Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::Str;

const CONTAINS: Spec = Spec::pure(
    "STR.Contains",
    "str_contains",
    "Tells whether a text holds another",
    "The same as `part IN text`; letter case counts.",
    Example { script: "EMIT STR.Contains(\"cabin\", \"ab\")", output: "true\n" },
);
const STARTS_WITH: Spec = Spec::pure(
    "STR.StartsWith",
    "str_starts_with",
    "Tells whether a text begins with another",
    "Letter case counts.",
    Example { script: "EMIT STR.StartsWith(\"report.md\", \"report\")", output: "true\n" },
);
const ENDS_WITH: Spec = Spec::pure(
    "STR.EndsWith",
    "str_ends_with",
    "Tells whether a text ends with another",
    "Letter case counts.",
    Example { script: "EMIT STR.EndsWith(\"report.md\", \".txt\")", output: "false\n" },
);
const REPLACE: Spec = Spec::pure(
    "STR.Replace",
    "str_replace",
    "Gives the text with every occurrence of a part replaced",
    "The part is not empty; occurrences do not overlap.",
    Example { script: "EMIT STR.Replace(\"a-b-c\", \"-\", \"_\")", output: "a_b_c\n" },
);

arguments! {
    struct Searched {
        text: Str = Required, Kind::Text, "text to search";
        part: Str = Required, Kind::Text, "text to look for";
    }
}

arguments! {
    struct Replaced {
        text: Str = Required, Kind::Text, "text to change";
        old: Str = Required, Kind::Text, "part to replace";
        new: Str = Required, Kind::Text, "what comes in its place";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(CONTAINS, |_, args: Searched| Ok(args.text.as_text().contains(&*args.part.as_text()))),
        Tool::new(STARTS_WITH, |_, args: Searched| Ok(args.text.as_text().starts_with(&*args.part.as_text()))),
        Tool::new(ENDS_WITH, |_, args: Searched| Ok(args.text.as_text().ends_with(&*args.part.as_text()))),
        Tool::new(REPLACE, replace),
    ]
}

fn replace(context: &mut Context<'_>, args: Replaced) -> Result<Str, ToolError> {
    let (text, old, new) = (args.text.as_text(), args.old.as_text(), args.new.as_text());
    if old.is_empty() {
        return Err(ToolError::bad_argument("old", "`STR.Replace` needs a part that is not empty"));
    }
    let count = text.matches(&*old).count();
    context.spend(count)?;
    let length = (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
    space::check_string(length)?;
    space::check(length)?;
    Ok(Str::new(&text.replace(&*old, &new)))
}
