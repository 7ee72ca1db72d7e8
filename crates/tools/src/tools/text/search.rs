//! `STR.Contains`, `STR.StartsWith`, `STR.EndsWith`, `STR.Find`, `STR.FindLast`, `STR.Count`, `STR.Replace`,
//! `STR.RemovePrefix`, `STR.RemoveSuffix`.

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;
use super::super::locate;
use super::super::range::bounds;

const CONTAINS: Spec = Spec::pure(
    "STR.Contains",
    "str_contains",
    "Tells whether a text holds another",
    "The same as `part IN text`; letter case counts.",
    Example { script: "EMIT STR.Contains(\"cabin\", \"ab\")", output: "true\n" },
)
.keywords(&["contains", "includes", "has", "str_contains", "strstr", "in text"])
.also(&["TOOL.Contains"]);
const STARTS_WITH: Spec = Spec::pure(
    "STR.StartsWith",
    "str_starts_with",
    "Tells whether a text begins with another",
    "Letter case counts.",
    Example { script: "EMIT STR.StartsWith(\"report.md\", \"report\")", output: "true\n" },
)
.keywords(&["startswith", "hasprefix", "begins", "begins with", "start_with", "starts_with"])
.also(&["TOOL.HasPrefix", "STR.HasPrefix"]);
const ENDS_WITH: Spec = Spec::pure(
    "STR.EndsWith",
    "str_ends_with",
    "Tells whether a text ends with another",
    "Letter case counts.",
    Example { script: "EMIT STR.EndsWith(\"report.md\", \".txt\")", output: "false\n" },
)
.keywords(&["endswith", "hassuffix", "ends", "ends with", "end_with", "ends_with"])
.also(&["TOOL.HasSuffix", "STR.HasSuffix"]);
const FIND: Spec = Spec::pure(
    "STR.Find",
    "str_find",
    "Returns the first position of a text in another, nil if it is absent",
    "Positions count characters from 0.",
    Example { script: "EMIT STR.Find(\"naïve cat\", \"cat\"), \" \", STR.Find(\"cat\", \"dog\")", output: "6 nil\n" },
)
.keywords(&["find", "indexOf", "index", "strpos", "position", "search", "instr"]);
const FIND_LAST: Spec = Spec::pure(
    "STR.FindLast",
    "str_find_last",
    "Returns the last position of a text in another, nil if it is absent",
    "Positions count characters from 0.",
    Example { script: "EMIT STR.FindLast(\"a/b/c\", \"/\")", output: "3\n" },
)
.keywords(&["rfind", "lastIndexOf", "rindex", "last position", "strrpos"]);
const COUNT: Spec = Spec::pure(
    "STR.Count",
    "str_count",
    "Counts occurrences in a text",
    "The part must not be empty; occurrences do not overlap.",
    Example { script: "EMIT STR.Count(\"banana\", \"an\")", output: "2\n" },
)
.keywords(&["count", "occurrences", "substr_count", "how often"]);
const REPLACE: Spec = Spec::pure(
    "STR.Replace",
    "str_replace",
    "Replaces every occurrence of a part in a text",
    "The part must not be empty; occurrences do not overlap. `most` limits the number of replacements, from \
        the left.",
    Example { script: "EMIT STR.Replace(\"a-b-c\", \"-\", \"_\")", output: "a_b_c\n" },
)
.keywords(&["replace", "replaceAll", "str_replace", "gsub", "substitute", "replace text", "strtr"])
.also(&["TOOL.ReplaceAll"]);
const REMOVE_PREFIX: Spec = Spec::pure(
    "STR.RemovePrefix",
    "str_remove_prefix",
    "Removes a prefix from a text",
    "A text that does not begin so stays as it is.",
    Example { script: "EMIT STR.RemovePrefix(\"refs/heads/main\", \"refs/heads/\")", output: "main\n" },
)
.keywords(&["removeprefix", "trimprefix", "strip_prefix", "remove prefix", "prefix", "cut prefix"]);
const REMOVE_SUFFIX: Spec = Spec::pure(
    "STR.RemoveSuffix",
    "str_remove_suffix",
    "Removes a suffix from a text",
    "A text that does not end so stays as it is.",
    Example { script: "EMIT STR.RemoveSuffix(\"notes.txt\", \".txt\")", output: "notes\n" },
)
.keywords(&["removesuffix", "trimsuffix", "strip_suffix", "remove suffix", "suffix", "cut suffix"]);

arguments! {
    struct Searched {
        text: Str = Required, Kind::Text, "text to search";
        part: Str = Required, Kind::Text, "text to look for";
    }
}

arguments! {
    struct SearchedFrom {
        text: Str = Required, Kind::Text, "text to search";
        part: Str = Required, Kind::Text, "text to look for";
        start: i64 = Is(Literal::Int(0)), Kind::Int { min: i64::MIN, max: i64::MAX }, "position where the search begins; negative ones count from the end";
    }
}

arguments! {
    struct Replaced {
        text: Str = Required, Kind::Text, "text to change";
        old: Str = Required, Kind::Text, "part to replace";
        new: Str = Required, Kind::Text, "what comes in its place";
        most: Option<i64> = Absent, Kind::at_least(0), "how many are replaced at most; all when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(CONTAINS, |context, args: Searched| {
            Ok(position(context, &args.text.as_text(), &args.part)?.is_some())
        }),
        Tool::new(STARTS_WITH, |_, args: Searched| Ok(args.text.as_text().starts_with(&*args.part.as_text()))),
        Tool::new(ENDS_WITH, |_, args: Searched| Ok(args.text.as_text().ends_with(&*args.part.as_text()))),
        Tool::new(FIND, find),
        Tool::new(FIND_LAST, find_last),
        Tool::new(COUNT, count),
        Tool::new(REPLACE, replace),
        Tool::new(REMOVE_PREFIX, |_, args: Searched| removed(&args, End::Start)),
        Tool::new(REMOVE_SUFFIX, |_, args: Searched| removed(&args, End::Last)),
    ]
}

/// Returns the byte position of the first occurrence of a part, and charges the text up to it.
fn position(context: &mut Context<'_>, text: &str, part: &Str) -> Result<Option<usize>, ToolError> {
    let found = locate::first(text, &part.as_text())?;
    context.spend_text(found.unwrap_or(text.len()))?;
    Ok(found)
}

fn find(context: &mut Context<'_>, args: SearchedFrom) -> Result<Option<u64>, ToolError> {
    let SearchedFrom { text, part, start } = args;
    let start = bounds(start, None, text.char_count(), "characters")?.start;
    let before = text.with_rest(start, |text| {
        let found = position(context, text, &part)?;
        Ok::<_, ToolError>(found.map(|byte| locate::char_count(&text[..byte])).transpose()?)
    })?;
    Ok(before.map(|before| (start + before) as u64))
}

fn find_last(context: &mut Context<'_>, args: Searched) -> Result<Option<u64>, ToolError> {
    let (text, part) = (args.text.as_text(), args.part.as_text());
    context.spend_text(text.len())?;
    let before = locate::last(&text, &part)?.map(|byte| locate::char_count(&text[..byte])).transpose()?;
    Ok(before.map(|before| before as u64))
}

fn count(context: &mut Context<'_>, args: Searched) -> Result<u64, ToolError> {
    let (text, part) = (args.text.as_text(), args.part.as_text());
    if part.is_empty() {
        return Err(ToolError::bad_argument("part", "`STR.Count` needs a part that is not empty"));
    }
    context.spend_text(text.len())?;
    let mut places = locate::Occurrences::new(&text, &part)?;
    let mut count = 0;
    while places.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

fn replace(context: &mut Context<'_>, args: Replaced) -> Result<Str, ToolError> {
    let (text, old, new) = (args.text.as_text(), args.old.as_text(), args.new.as_text());
    if old.is_empty() {
        return Err(ToolError::bad_argument("old", "`STR.Replace` needs a part that is not empty"));
    }
    let mut replaced = TextBuilder::with_room(text.len())?;
    let mut places = locate::Occurrences::new(&text, &old)?;
    let mut from = 0;
    for _ in 0..args.most.map_or(usize::MAX, |most| most as usize) {
        let Some(at) = places.next()? else { break };
        replaced.push(&text[from..at])?;
        replaced.push(&new)?;
        from = at + old.len();
    }
    replaced.push(&text[from..])?;
    replaced.finish(context)
}

/// An end of a text.
#[derive(Clone, Copy)]
enum End {
    Start,
    Last,
}

fn removed(args: &Searched, end: End) -> Result<Str, ToolError> {
    let (text, part) = (args.text.as_text(), args.part.as_text());
    let rest = match end {
        End::Start => text.strip_prefix(&*part),
        End::Last => text.strip_suffix(&*part),
    };
    let Some(rest) = rest else { return Ok(args.text.clone()) };
    Ok(Str::checked(rest)?)
}
