//! `STR.Split`, `STR.Lines`, `STR.Join`, `STR.Sub`.

use std::rc::Rc;

use crate::limits::space;
use crate::toolkit::{AnyList, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{List, Str, Value};

use super::super::range::bounds;

const SPLIT: Spec = Spec::pure(
    "STR.Split",
    "str_split",
    "Gives the parts of a text between separators",
    "The separator is not empty. A text without it is one part.",
    Example { script: "EMIT STR.Split(\"a,b,,c\", \",\")", output: "[\"a\", \"b\", \"\", \"c\"]\n" },
);
const LINES: Spec = Spec::pure(
    "STR.Lines",
    "str_lines",
    "Gives the lines of a text without their ends",
    "Lines end in LF or CRLF; an end at the very end of the text begins no further line.",
    Example { script: "EMIT STR.Lines(\"one\\ntwo\\n\")", output: "[\"one\", \"two\"]\n" },
);
const JOIN: Spec = Spec::pure(
    "STR.Join",
    "str_join",
    "Joins texts with a separator between them",
    "The elements are all texts.",
    Example { script: "EMIT STR.Join([\"a\", \"b\"], \", \")", output: "a, b\n" },
);
const SUB: Spec = Spec::pure(
    "STR.Sub",
    "str_sub",
    "Gives the characters from one position up to another",
    "Positions count from 0, negative ones from the end; `end` itself is left out. A position beyond the text is an error.",
    Example { script: "EMIT STR.Sub(\"2025-04-22T20:36:00Z\", 0, 10)", output: "2025-04-22\n" },
);

arguments! {
    struct Separated {
        text: Str = Required, Kind::Text, "text to split";
        separator: Str = Required, Kind::Text, "text between the parts";
    }
}

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to split";
    }
}

arguments! {
    struct Joined {
        list: Rc<List> = Required, Kind::Texts, "texts to join";
        separator: Str = Is(Literal::Text("")), Kind::Text, "text to put between them";
    }
}

arguments! {
    struct Stretch {
        text: Str = Required, Kind::Text, "text to take from";
        start: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "position of the first character";
        end: Option<i64> = Absent, Kind::Int { min: i64::MIN, max: i64::MAX }, "position after the last character; the text's length when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(SPLIT, split), Tool::new(LINES, lines), Tool::new(JOIN, join), Tool::new(SUB, sub)]
}

fn split(context: &mut Context<'_>, args: Separated) -> Result<AnyList, ToolError> {
    let (text, separator) = (args.text.as_text(), args.separator.as_text());
    if separator.is_empty() {
        let error = ToolError::bad_argument("separator", "`STR.Split` needs a separator that is not empty");
        return Err(error.hint("FOR EACH goes through the characters of a text"));
    }
    let parts = text.matches(&*separator).count() + 1;
    collect(context, parts, text.split(&*separator))
}

fn lines(context: &mut Context<'_>, args: OneText) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let parts = text.lines().count();
    collect(context, parts, text.lines())
}

/// A list of so many texts.
fn collect<'t>(
    context: &mut Context<'_>,
    parts: usize,
    texts: impl Iterator<Item = &'t str>,
) -> Result<AnyList, ToolError> {
    context.spend(parts)?;
    space::check_items(parts)?;
    space::check(parts.saturating_mul(size_of::<Value>()))?;
    let mut values = Vec::with_capacity(parts);
    for text in texts {
        space::check(text.len())?;
        values.push(Value::text(text));
    }
    Ok(AnyList(Value::list(values)?))
}

fn join(context: &mut Context<'_>, args: Joined) -> Result<Str, ToolError> {
    let separator = args.separator.as_text();
    context.spend(args.list.len())?;
    let mut joined = String::new();
    for (index, part) in args.list.iter().enumerate() {
        let part = part.as_text().expect("the binder lets only lists of texts through");
        let between = if index > 0 { &*separator } else { "" };
        let length = joined.len() + between.len() + part.len();
        space::check_string(length)?;
        space::check(length)?;
        joined.push_str(between);
        joined.push_str(&part);
    }
    Ok(Str::new(&joined))
}

fn sub(_: &mut Context<'_>, args: Stretch) -> Result<Str, ToolError> {
    let (from, to) = bounds(args.start, args.end, args.text.char_count(), "characters")?;
    Ok(args.text.slice(from, to))
}
