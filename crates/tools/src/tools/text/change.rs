//! `STR.Length`, `STR.Upper`, `STR.Lower`, `STR.Trim`, `STR.TrimStart`, `STR.TrimEnd`, `STR.Reverse`.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;

const LENGTH: Spec = Spec::pure(
    "STR.Length",
    "str_length",
    "Returns the number of characters",
    "The same as `LEN` of a text.",
    Example { script: "EMIT STR.Length(\"café\")", output: "4\n" },
)
.keywords(&["length", "len", "size", "characters", "strlen"])
.also(&["TOOL.StringLength"]);
const UPPER: Spec = Spec::pure(
    "STR.Upper",
    "str_upper",
    "Returns the text in upper case",
    "By Unicode's rules, whatever the language of the system.",
    Example { script: "EMIT STR.Upper(\"café\")", output: "CAFÉ\n" },
)
.keywords(&["upper", "uppercase", "toUpperCase", "toUpper", "strtoupper", "capital letters", "upcase", "to_uppercase"])
.also(&["TOOL.ToUpper", "STR.ToUpper"]);
const LOWER: Spec = Spec::pure(
    "STR.Lower",
    "str_lower",
    "Returns the text in lower case",
    "By Unicode's rules, whatever the language of the system.",
    Example { script: "EMIT STR.Lower(\"README\")", output: "readme\n" },
)
.keywords(&["lower", "lowercase", "toLowerCase", "toLower", "strtolower", "casefold", "downcase", "to_lowercase"])
.also(&["TOOL.ToLower", "STR.ToLower"]);
const TRIM: Spec = Spec::pure(
    "STR.Trim",
    "str_trim",
    "Removes white space, or other characters, at both ends of a text",
    "White space is as in Unicode and includes line breaks; `characters` names other characters to remove \
        instead.",
    Example { script: "EMIT \"[\", STR.Trim(\"  a b \"), \"] \", STR.Trim(\"--a-b--\", \"-\")", output: "[a b] a-b\n" },
)
.keywords(&["trim", "strip", "trimSpace", "whitespace", "chomp"])
.also(&["TOOL.TrimSpace", "STR.TrimSpace"]);
const TRIM_START: Spec = Spec::pure(
    "STR.TrimStart",
    "str_trim_start",
    "Removes white space, or other characters, at the start of a text",
    "As `STR.Trim` does at both ends.",
    Example { script: "EMIT STR.TrimStart(\"007\", \"0\")", output: "7\n" },
)
.keywords(&["lstrip", "trimLeft", "ltrim", "trim_start", "trim left"]);
const TRIM_END: Spec = Spec::pure(
    "STR.TrimEnd",
    "str_trim_end",
    "Removes white space, or other characters, at the end of a text",
    "As `STR.Trim` does at both ends.",
    Example { script: "EMIT STR.TrimEnd(\"wait...\", \".\")", output: "wait\n" },
)
.keywords(&["rstrip", "trimRight", "rtrim", "trim_end", "trim right"]);
const REVERSE: Spec = Spec::pure(
    "STR.Reverse",
    "str_reverse",
    "Reverses the characters of a text",
    "Characters are code points; accents that are written as characters of their own lose their letters.",
    Example { script: "EMIT STR.Reverse(\"abc\")", output: "cba\n" },
)
.keywords(&["reverse text", "strrev"]);

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to work on";
    }
}

arguments! {
    struct Trimmed {
        text: Str = Required, Kind::Text, "text to work on";
        characters: Option<Str> = Absent, Kind::Text, "characters to take away; white space when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(LENGTH, |_, args: OneText| Ok(args.text.char_count() as u64)),
        Tool::new(UPPER, |context, args: OneText| cased(context, &args.text, str::to_uppercase)),
        Tool::new(LOWER, |context, args: OneText| cased(context, &args.text, str::to_lowercase)),
        Tool::new(TRIM, |context, args: Trimmed| trim(context, &args, true, true)),
        Tool::new(TRIM_START, |context, args: Trimmed| trim(context, &args, true, false)),
        Tool::new(TRIM_END, |context, args: Trimmed| trim(context, &args, false, true)),
        Tool::new(REVERSE, reverse),
    ]
}

fn cased(context: &mut Context<'_>, text: &Str, change: fn(&str) -> String) -> Result<Str, ToolError> {
    let text = text.as_text();
    // Changing the case can make a character up to three times as long.
    space::check(3 * text.len())?;
    context.spend_text(text.len())?;
    let mut changed = String::with_capacity(text.len());
    for piece in independent_pieces(&text) {
        work::charge_bytes(16 * piece.len())?;
        changed.push_str(&change(piece));
    }
    space::check_string(changed.len())?;
    Ok(Str::from_compact(changed.into()))
}

/// Bytes that are converted between two charges.
const STRETCH: usize = 1 << 16;

/// Splits a text into pieces whose case can be converted independently. The only context-dependent letter is a
/// Greek sigma at the end of a word, and its context does not extend beyond a character that is neither a sigma
/// nor case-ignorable.
fn independent_pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_firm =
        |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || matches!(c, 'α'..='ω' | '\u{4e00}'..='\u{9fff}');
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = rest.floor_char_boundary(STRETCH);
        let mut before = ' ';
        let firm = rest[from..].char_indices().find(|(at, c)| {
            let is_between = *at > 0 && is_firm(before) && is_firm(*c);
            before = *c;
            is_between
        });
        let (piece, after) = rest.split_at(firm.map_or(rest.len(), |(at, _)| from + at));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn trim(context: &mut Context<'_>, args: &Trimmed, start: bool, end: bool) -> Result<Str, ToolError> {
    let (whole, wanted) = (args.text.as_text(), args.characters.as_ref().map(Str::as_text));
    let set = wanted.as_ref().map(|wanted| set_of(wanted)).transpose()?;
    let goes = |character: char| match &set {
        Some(wanted) => wanted.contains(&character),
        None => character.is_whitespace(),
    };
    let mut text: &str = &whole;
    while start && let Some(character) = text.chars().next().filter(|character| goes(*character)) {
        work::charge(1)?;
        text = &text[character.len_utf8()..];
    }
    while end && let Some(character) = text.chars().next_back().filter(|character| goes(*character)) {
        work::charge(1)?;
        text = &text[..text.len() - character.len_utf8()];
    }
    context.spend_text(whole.len() - text.len() + wanted.as_ref().map_or(0, |wanted| wanted.len()))?;
    if text.len() == whole.len() {
        return Ok(args.text.clone());
    }
    Ok(Str::checked(text)?)
}

fn set_of(characters: &str) -> Result<HashSet<char, RandomState>, LimitHit> {
    let mut set = HashSet::default();
    for character in characters.chars() {
        work::charge(1)?;
        set.insert(character);
    }
    Ok(set)
}

fn reverse(context: &mut Context<'_>, args: OneText) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    let mut reversed = TextBuilder::with_room(text.len())?;
    for character in text.chars().rev() {
        reversed.push_char(character)?;
    }
    reversed.finish(context)
}
