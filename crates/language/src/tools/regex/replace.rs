//! `REGEX.Replace`.

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Given, Settings, Spec, ToolError, arguments};
use crate::value::{Str, print};

use super::super::build::TextBuilder;
use super::compile::{PATTERN, compiled};
use super::expression::Expression;

const SPEC: Spec = Spec::pure(
    "REGEX.Replace",
    "regex_replace",
    "Gives the text with the matches of a pattern replaced",
    "In `replacement`, `$1` or `${1}` stands for what a group holds, `${name}` for one with a name, `$0` for the whole \
        match and `$$` for a dollar; a group that the pattern does not have is an error. `most` bounds how many are \
        replaced, from the left.",
    Example {
        script: "EMIT REGEX.Replace(\"2024-05-01\", '''(\\d+)-(\\d+)-(\\d+)''', \"$3.$2.$1\")",
        output: "01.05.2024\n",
    },
)
.keywords(&[
    "re.sub",
    "re.subn",
    "preg_replace",
    "sub",
    "gsub",
    "replace_all",
    "ReplaceAllString",
    "replace pattern",
    "replace",
    "regex.replace",
]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "text to change";
        pattern: Str = Required, Kind::Form(PATTERN), "regular expression";
        replacement: Str = Required, Kind::Text, "what comes in the place of a match";
        most: Option<i64> = Absent, Kind::at_least(0), "how many are replaced at most; all when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(SPEC, run).with_early_check(check)]
}

/// Checks that the pattern has the groups that the replacement names.
fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let (Some(Some(pattern)), Some(Some(replacement))) = (given.text("pattern"), given.text("replacement")) else {
        return Ok(());
    };
    if !replacement.contains('$') {
        return Ok(());
    }
    parse(&replacement, &*compiled(&pattern)?).map(drop)
}

/// A part of a replacement.
enum Piece<'t> {
    Text(&'t str),
    Group(usize),
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    let replacement = args.replacement.as_text();
    let pieces = parse(&replacement, &expression)?;
    let has_groups = pieces.iter().any(|piece| matches!(piece, Piece::Group(1..)));
    context.spend_text(text.len())?;
    let mut replaced = TextBuilder::with_room(text.len())?;
    let mut from = 0;
    let mut matches = expression.matches(&text);
    for _ in 0..args.most.map_or(usize::MAX, |most| most as usize) {
        let Some(found) = matches.next()? else { break };
        context.spend(1)?;
        replaced.push(&text[from..found.start])?;
        from = found.end;
        let groups = if has_groups { Some(expression.groups(&text, found.clone())?) } else { None };
        for piece in &pieces {
            match piece {
                Piece::Text(text) => replaced.push(text)?,
                Piece::Group(0) => replaced.push(&text[found.clone()])?,
                Piece::Group(number) => {
                    let group = groups.as_ref().and_then(|groups| groups.get_group(*number));
                    replaced.push(group.map_or("", |group| &text[group.range()]))?;
                }
            }
        }
    }
    replaced.push(&text[from..])?;
    replaced.finish(context)
}

fn parse<'t>(replacement: &'t str, expression: &Expression) -> Result<Vec<Piece<'t>>, ToolError> {
    let mut pieces = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        pieces.push(Piece::Text(&rest[..at]));
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('$') {
            pieces.push(Piece::Text("$"));
            rest = after;
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, end) = match after.strip_prefix('{') {
            Some(inside) => {
                let end = inside.find('}').unwrap_or(inside.len());
                (&inside[..end], end + 2)
            }
            None => {
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                (&after[..end], end)
            }
        };
        let group = group_of(name, expression).ok_or_else(|| unknown(name))?;
        pieces.push(Piece::Group(group));
        rest = after.get(end..).unwrap_or("");
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

fn group_of(name: &str, expression: &Expression) -> Option<usize> {
    match name.parse::<usize>() {
        Ok(number) => Some(number).filter(|number| *number < expression.group_count()),
        Err(_) => expression.names().position(|known| known == Some(name)),
    }
}

fn unknown(name: &str) -> ToolError {
    let shown = print::shortened(name, 40);
    let error = ToolError::bad_argument("replacement", format!("the pattern has no group `{shown}`"));
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match digits {
        0 if name.is_empty() => error.hint("write `$$` for a dollar"),
        1 if name.len() == 1 => {
            error.hint("groups are the brackets of the pattern, counted from 1; write `$$` for a dollar")
        }
        digits if digits == name.len() => {
            let (group, rest) = name.split_at(1);
            let rest = print::shortened(rest, 40);
            error.hint(format!("where digits follow group {group}, write `${{{group}}}{rest}`"))
        }
        0 => error.hint("name groups as `(?<name>…)`, or count them from 1; write `$$` for a dollar"),
        digits => error.hint(format!("write `${{{}}}{}`", &name[..digits], &shown[digits.min(shown.len())..])),
    }
}
