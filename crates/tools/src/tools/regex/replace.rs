//! `REGEX.Replace`.

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Given, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;
use super::compile::{PATTERN, compiled};
use super::template::Template;

const SPEC: Spec = Spec::pure(
    "REGEX.Replace",
    "regex_replace",
    "Replaces the matches of a pattern in a text",
    "Returns the text with the replacements. In `replacement`, `$1` or `${1}` stands for a group, `${name}` \
        for a named group, `$0` for the whole match and `$$` for a dollar sign; a group that the pattern does not have \
        is an error. `most` limits the number of replacements, from the left.",
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
    Template::parse(&replacement, &*compiled(&pattern)?).map(drop)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    let replacement = args.replacement.as_text();
    let template = Template::parse(&replacement, &expression)?;
    context.spend_text(text.len())?;
    let mut replaced = TextBuilder::with_room(text.len())?;
    let mut from = 0;
    let mut matches = expression.matches(&text);
    for _ in 0..args.most.map_or(usize::MAX, |most| most as usize) {
        let Some(found) = matches.next()? else { break };
        context.spend(1)?;
        replaced.push(&text[from..found.start])?;
        from = found.end;
        template.push(&expression, &text, found, &mut replaced)?;
    }
    replaced.push(&text[from..])?;
    replaced.finish(context)
}
