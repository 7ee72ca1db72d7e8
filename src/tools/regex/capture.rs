//! `REGEX.Groups`, `REGEX.AllGroups`.

use crate::toolkit::{AnyList, AnyValue, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::super::build::ListBuilder;
use super::compile::compiled;
use super::pattern::{Groups, Pattern};

const GROUPS: Spec = Spec::pure(
    "REGEX.Groups",
    "regex_groups",
    "Gives what the groups of a pattern hold in its first match, nil when there is none",
    "The result is a map: `0` is the whole match, a group with a name (`(?<year>…)`) has its name, every other one its \
        number; a group that took no part is nil.",
    Example {
        script: "EMIT REGEX.Groups(\"on 2024-05-01\", '''(?<year>\\d{4})-(\\d\\d)''')",
        output: "{\"0\": \"2024-05\", \"year\": \"2024\", \"2\": \"05\"}\n",
    },
);
const ALL_GROUPS: Spec = Spec::pure(
    "REGEX.AllGroups",
    "regex_all_groups",
    "Gives what the groups of a pattern hold in each of its matches",
    "A list of maps as `REGEX.Groups` gives them; `most` bounds how many.",
    Example {
        script: "FOR EACH pair IN REGEX.AllGroups(\"a=1 b=2\", '''(?<key>\\w)=(?<value>\\w)''') DO\n  EMIT pair.key, \" is \", pair.value\nENDBLOCK",
        output: "a is 1\nb is 2\n",
    },
);

arguments! {
    struct Searched {
        text: Str = Required, Kind::Text, "text to search";
        pattern: Str = Required, Kind::Text, "regular expression";
    }
}

arguments! {
    struct Bounded {
        text: Str = Required, Kind::Text, "text to search";
        pattern: Str = Required, Kind::Text, "regular expression";
        most: Option<i64> = Absent, Kind::at_least(1), "how many matches are given at most; all when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(GROUPS, groups), Tool::new(ALL_GROUPS, all_groups)]
}

fn groups(context: &mut Context<'_>, args: Searched) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    let pattern = compiled(&args.pattern.as_text(), &text)?;
    context.spend_text(text.len())?;
    let names = names(&pattern);
    let mut groups = pattern.groups(&text);
    Ok(AnyValue(match groups.advance() {
        Some(_) => map(context, &names, &groups)?,
        None => Value::Nil,
    }))
}

fn all_groups(context: &mut Context<'_>, args: Bounded) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let pattern = compiled(&args.pattern.as_text(), &text)?;
    context.spend_text(text.len())?;
    let names = names(&pattern);
    let mut groups = pattern.groups(&text);
    let mut list = ListBuilder::default();
    while args.most.is_none_or(|most| (list.len() as i64) < most) && groups.advance().is_some() {
        let map = map(context, &names, &groups)?;
        list.push(context, map)?;
    }
    list.finish()
}

/// The names of the groups, or their numbers where they have none.
fn names(pattern: &Pattern) -> Vec<Str> {
    let name = |(number, name): (usize, Option<&str>)| name.map_or_else(|| Str::new(&number.to_string()), Str::new);
    pattern.names().enumerate().map(name).collect()
}

fn map(context: &mut Context<'_>, names: &[Str], groups: &Groups<'_, '_>) -> Result<Value, ToolError> {
    context.spend(names.len())?;
    context.meter.poll()?;
    let mut map = Map::with_capacity(names.len());
    for (number, name) in names.iter().enumerate() {
        map.put(name.clone(), groups.get(number).map_or(Ok(Value::Nil), Value::checked_text)?)?;
    }
    Ok(map.into())
}
