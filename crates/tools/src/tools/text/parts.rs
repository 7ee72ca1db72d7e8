//! `STR.Split`, `STR.Words`, `STR.Lines`, `STR.LineCount`, `STR.Chars`, `STR.Join`, `STR.Sub`.

use std::ops::Range;
use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{space, work};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{List, Str, Value, print};

use super::super::build::{self, ListBuilder, TextBuilder};
use super::super::locate;
use super::super::range::bounds;

const SPLIT: Spec = Spec::pure(
    "STR.Split",
    "str_split",
    "Splits a text at a separator",
    "The separator must not be empty. A text without it is one part. With `most`, the last part is the rest \
        of the text.",
    Example {
        script: "EMIT STR.Split(\"a,b,,c\", \",\")\nEMIT STR.Split(\"key=a=b\", \"=\", most: 2)",
        output: "[\"a\", \"b\", \"\", \"c\"]\n[\"key\", \"a=b\"]\n",
    },
)
.keywords(&["split", "explode", "tokenize", "separate", "fields", "split text"])
.also(&["TOOL.SplitString"]);
const WORDS: Spec = Spec::pure(
    "STR.Words",
    "str_words",
    "Splits a text at white space",
    "Any amount of white space separates words; there are no empty parts.",
    Example { script: "EMIT STR.Words(\" the  quick fox\")", output: "[\"the\", \"quick\", \"fox\"]\n" },
)
.keywords(&["words", "split words", "strings.Fields", "word count"])
.also(&["TOOL.SplitWords", "STR.SplitWords"]);
const LINES: Spec = Spec::pure(
    "STR.Lines",
    "str_lines",
    "Returns the lines of a text without their ends",
    "Lines end in LF or CRLF. A line end at the very end of the text begins no further line. `FS.Lines` reads \
        the lines of a file of any size.",
    Example { script: "EMIT STR.Lines(\"one\\ntwo\\n\")", output: "[\"one\", \"two\"]\n" },
)
.keywords(&["lines", "splitlines", "split lines"]);
const LINE_COUNT: Spec = Spec::pure(
    "STR.LineCount",
    "str_line_count",
    "Returns the number of lines of a text",
    "The number of lines that `STR.Lines` returns. `FS.LineCount` counts those of a file.",
    Example { script: "EMIT STR.LineCount(\"one\\ntwo\\n\")", output: "2\n" },
)
.keywords(&["count lines"])
.also(&["TOOL.LineCount"]);
const CHARS: Spec = Spec::pure(
    "STR.Chars",
    "str_chars",
    "Returns the characters of a text, each a text",
    "`FOR EACH c IN text` goes through them without a list.",
    Example { script: "EMIT STR.Chars(\"añb\")", output: "[\"a\", \"ñ\", \"b\"]\n" },
)
.keywords(&["chars", "characters", "toCharArray", "letters"]);
const JOIN: Spec = Spec::pure(
    "STR.Join",
    "str_join",
    "Joins texts with a separator between them",
    "Numbers and booleans are joined as `EMIT` prints them. Nil, a list or a map among the elements is an \
        error that states its index: `STR(value)` makes it a text, `LIST.Flatten` makes one list of several.",
    Example { script: "EMIT STR.Join([\"a\", \"b\", 3], \", \")", output: "a, b, 3\n" },
)
.keywords(&["join", "implode", "concat", "concatenate", "glue", "join texts", "list to text"])
.also(&["TOOL.JoinStrings", "STR.Concat"]);
const SUB: Spec = Spec::pure(
    "STR.Sub",
    "str_sub",
    "Returns the characters from one position up to another",
    "Positions count from 0, negative ones from the end; `end` itself is left out, and is a position, not a length. A \
        position beyond the text is an error.",
    Example { script: "EMIT STR.Sub(\"2025-04-22T20:36:00Z\", 0, 10)", output: "2025-04-22\n" },
)
.keywords(&[
    "substring",
    "substr",
    "slice",
    "mid",
    "part of text",
    "first characters",
    "last characters",
    "left",
    "right",
])
.also(&["TOOL.Substring", "STR.Substring"]);

arguments! {
    struct Separated {
        text: Str = Required, Kind::Text, "text to split";
        separator | sep: Str = Required, Kind::Text, "text between the parts";
        most: Option<i64> = Absent, Kind::at_least(1), "parts that are given at most; all when left out";
    }
}

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to take apart";
    }
}

arguments! {
    struct Joined {
        list: Rc<List> = Required, Kind::Scalars, "texts, numbers and truth values to join";
        separator | sep: Str = Is(Literal::Text("")), Kind::Text, "text to put between them";
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
    vec![
        Tool::new(SPLIT, split),
        Tool::new(WORDS, |context, args: OneText| words(context, &args.text.as_text())),
        Tool::new(LINES, |context, args: OneText| parts(context, args.text.as_text().lines())),
        Tool::new(LINE_COUNT, line_count),
        Tool::new(CHARS, chars),
        Tool::new(JOIN, join),
        Tool::new(SUB, sub),
    ]
}

fn split(context: &mut Context<'_>, args: Separated) -> Result<AnyList, ToolError> {
    let (text, separator) = (args.text.as_text(), args.separator.as_text());
    if separator.is_empty() {
        let error = ToolError::bad_argument("separator", "`STR.Split` needs a separator that is not empty");
        return Err(error.hint("`STR.Chars` gives the characters of a text"));
    }
    let most = args.most.map_or(usize::MAX, |most| most as usize);
    context.spend_text(text.len())?;
    let mut list = ListBuilder::default();
    let mut from = 0;
    match separator.as_bytes() {
        // Searching without windows is faster for dense separators; each is charged with the text before it.
        [only] => {
            for place in memchr::memchr_iter(*only, text.as_bytes()) {
                if list.len() + 1 >= most {
                    break;
                }
                work::charge_bytes(place - from)?;
                list.push(context, part(&text[from..place])?)?;
                from = place + 1;
            }
        }
        several => {
            let mut places = locate::Occurrences::new(&text, &separator)?;
            while list.len() + 1 < most
                && let Some(place) = places.next()?
            {
                list.push(context, part(&text[from..place])?)?;
                from = place + several.len();
            }
        }
    }
    list.push(context, part(&text[from..])?)?;
    list.finish()
}

fn part(text: &str) -> Result<Value, ToolError> {
    space::check(text.len())?;
    Ok(Value::text(text))
}

/// Returns a list of texts of unknown number.
fn parts<'t>(context: &mut Context<'_>, texts: impl Iterator<Item = &'t str>) -> Result<AnyList, ToolError> {
    let mut list = ListBuilder::default();
    for text in texts {
        list.push(context, part(text)?)?;
    }
    list.finish()
}

/// Returns the words of a text. Each character is charged, because words may be far apart.
fn words(context: &mut Context<'_>, text: &str) -> Result<AnyList, ToolError> {
    let mut list = ListBuilder::default();
    let (mut begin, mut start) = (None, 0);
    for piece in locate::pieces(text) {
        work::charge_bytes(8 * piece.len())?;
        for (at, character) in piece.char_indices() {
            match (begin, character.is_whitespace()) {
                (None, false) => begin = Some(start + at),
                (Some(from), true) => {
                    list.push(context, part(&text[from..start + at])?)?;
                    begin = None;
                }
                _ => {}
            }
        }
        start += piece.len();
    }
    if let Some(from) = begin {
        list.push(context, part(&text[from..])?)?;
    }
    list.finish()
}

fn line_count(context: &mut Context<'_>, args: OneText) -> Result<u64, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let is_open = !text.is_empty() && !text.ends_with('\n');
    Ok(ends as u64 + u64::from(is_open))
}

fn chars(context: &mut Context<'_>, args: OneText) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let mut buffer = [0; 4];
    build::list(context, args.text.char_count(), text.chars().map(|c| Value::text(c.encode_utf8(&mut buffer))))
}

fn join(context: &mut Context<'_>, args: Joined) -> Result<Str, ToolError> {
    let Joined { mut list, separator } = args;
    let separator = separator.as_text();
    context.spend(list.len())?;
    let continued = TextBuilder::continue_first(&mut list);
    let first = usize::from(continued.is_some());
    let mut joined = continued.unwrap_or_default();
    for (index, part) in list.iter().enumerate().skip(first) {
        if index > 0 {
            joined.push(&separator)?;
        }
        match part.as_text() {
            Some(text) => joined.push(&text)?,
            None => joined.push(&print::to_text(&part)?)?,
        }
    }
    joined.finish(context)
}

fn sub(context: &mut Context<'_>, args: Stretch) -> Result<Str, ToolError> {
    let Stretch { mut text, start, end } = args;
    let Range { start, end } = bounds(start, end, text.char_count(), "characters")?;
    // A character has at most four bytes.
    space::check((end - start).saturating_mul(4).min(text.as_text().len()))?;
    // The removed characters of a text with no other holder were charged when it was made.
    let is_shortened = text.shorten(start, end);
    context.spend_text(if is_shortened { 0 } else { end - start })?;
    Ok(text)
}
