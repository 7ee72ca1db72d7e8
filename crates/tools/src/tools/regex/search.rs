//! `REGEX.Match`, `REGEX.Find`, `REGEX.All`, `REGEX.Split`, `REGEX.Escape`.

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::build::{ListBuilder, TextBuilder};
use super::super::locate;
use super::compile::{PATTERN, compiled};

const MATCH: Spec = Spec::pure(
    "REGEX.Match",
    "regex_match",
    "Tells whether a pattern matches in a text",
    "Returns true or false. `^` and `$` anchor the pattern to the ends of the text. In front of the pattern, \
        `(?i)` ignores case, `(?m)` makes `^` and `$` match at the ends of lines, and `(?s)` makes `.` match line \
        breaks.\n\n\
        There are no look-arounds and no back-references, so the time is linear in the text. In a script, write \
        patterns in `'''…'''` or double the backslashes.",
    Example { script: "EMIT REGEX.Match(\"report-2024.md\", '''\\d{4}''')", output: "true\n" },
)
.keywords(&[
    "match",
    "regex",
    "re.match",
    "re.fullmatch",
    "test",
    "preg_match",
    "regex test",
    "is_match",
    "regexp.MatchString",
    "pattern",
]);
const FIND: Spec = Spec::pure(
    "REGEX.Find",
    "regex_find",
    "Returns the first match of a pattern, nil if there is none",
    "`REGEX.Groups` gives what its groups matched.",
    Example {
        script: "EMIT REGEX.Find(\"report-2024.md\", '''\\d+'''), \" \", REGEX.Find(\"a\", \"b\")",
        output: "2024 nil\n",
    },
)
.keywords(&["re.search", "search", "first match", "regexp.FindString", "exec", "regex.search"]);
const ALL: Spec = Spec::pure(
    "REGEX.All",
    "regex_all",
    "Returns all matches of a pattern, from the left, without overlap",
    "`most` bounds how many are given.",
    Example { script: "EMIT REGEX.All(\"a1 b22 c333\", '''\\d+''')", output: "[\"1\", \"22\", \"333\"]\n" },
)
.keywords(&["findall", "re.findall", "re.finditer", "matchAll", "preg_match_all", "find_iter", "all matches"]);
const SPLIT: Spec = Spec::pure(
    "REGEX.Split",
    "regex_split",
    "Splits a text at matches of a pattern",
    "With `most`, the last part is the rest of the text.",
    Example { script: "EMIT REGEX.Split(\"a, b;c\", '''[,;]\\s*''')", output: "[\"a\", \"b\", \"c\"]\n" },
)
.keywords(&["re.split", "preg_split", "split by pattern"]);
const ESCAPE: Spec = Spec::pure(
    "REGEX.Escape",
    "regex_escape",
    "Returns the pattern that matches a text literally",
    "Characters with a meaning in patterns get a backslash.",
    Example { script: "EMIT REGEX.Escape(\"a.b*c\")", output: "a\\.b\\*c\n" },
)
.keywords(&["re.escape", "preg_quote", "quote", "QuoteMeta", "escape"]);

arguments! {
    struct Searched {
        text: Str = Required, Kind::Text, "text to search";
        pattern: Str = Required, Kind::Form(PATTERN), "regular expression";
    }
}

arguments! {
    struct Bounded {
        text: Str = Required, Kind::Text, "text to search";
        pattern: Str = Required, Kind::Form(PATTERN), "regular expression";
        most: Option<i64> = Absent, Kind::at_least(1), "how many are given at most; all when left out";
    }
}

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to match";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(MATCH, is_match),
        Tool::new(FIND, find),
        Tool::new(ALL, all),
        Tool::new(SPLIT, split),
        Tool::new(ESCAPE, escape),
    ]
}

fn is_match(context: &mut Context<'_>, args: Searched) -> Result<bool, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    compiled(&args.pattern.as_text())?.is_match(&text)
}

fn find(context: &mut Context<'_>, args: Searched) -> Result<Option<String>, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let found = compiled(&args.pattern.as_text())?.find_at(&text, 0)?.map(|found| &text[found]);
    space::check(found.map_or(0, |found| 2 * found.len()))?;
    Ok(found.map(str::to_owned))
}

fn all(context: &mut Context<'_>, args: Bounded) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    context.spend_text(text.len())?;
    let (mut list, mut matches) = (ListBuilder::default(), expression.matches(&text));
    let most = args.most.map_or(usize::MAX, |most| most as usize);
    while list.len() < most
        && let Some(found) = matches.next()?
    {
        push(context, &mut list, &text[found])?;
    }
    list.finish()
}

fn split(context: &mut Context<'_>, args: Bounded) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    context.spend_text(text.len())?;
    let (mut list, mut matches) = (ListBuilder::default(), expression.matches(&text));
    let most = args.most.map_or(usize::MAX, |most| most as usize);
    let mut from = 0;
    while list.len() + 1 < most
        && let Some(found) = matches.next()?
    {
        push(context, &mut list, &text[from..found.start])?;
        from = found.end;
    }
    push(context, &mut list, &text[from..])?;
    list.finish()
}

fn push(context: &mut Context<'_>, list: &mut ListBuilder, text: &str) -> Result<(), ToolError> {
    list.push(context, Value::checked_text(text)?)
}

fn escape(context: &mut Context<'_>, args: OneText) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let mut escaped = TextBuilder::with_room(text.len())?;
    for piece in locate::pieces(&text) {
        escaped.push(&regex::escape(piece))?;
    }
    Ok(escaped.into_str())
}
