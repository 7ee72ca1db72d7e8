//! `REGEX.Groups`, `REGEX.AllGroups`.

use regex_automata::util::captures::Captures;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyList, AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::super::build::ListBuilder;
use super::compile::{PATTERN, compiled};

const GROUPS: Spec = Spec::pure(
    "REGEX.Groups",
    "regex_groups",
    "Returns the groups of the first match of a pattern, nil if there is none",
    "Returns a map: `0` is the whole match, a named group (`(?<year>…)`) has its name as key, any other group \
        its number. A group that took no part is nil.",
    Example {
        script: "EMIT REGEX.Groups(\"on 2024-05-01\", '''(?<year>\\d{4})-(\\d\\d)''')",
        output: "{\"0\": \"2024-05\", \"year\": \"2024\", \"2\": \"05\"}\n",
    },
)
.keywords(&["groups", "capture", "captures", "groupdict", "re.groups", "named groups", "capture groups"]);
const ALL_GROUPS: Spec = Spec::pure(
    "REGEX.AllGroups",
    "regex_all_groups",
    "Returns the groups of each match of a pattern",
    "Returns a list of maps as `REGEX.Groups` returns them. `most` limits their number.",
    Example {
        script: "FOR EACH pair IN REGEX.AllGroups(\"a=1 b=2\", '''(?<key>\\w)=(?<value>\\w)''') DO\n  EMIT pair.key, \" is \", pair.value\nENDBLOCK",
        output: "a is 1\nb is 2\n",
    },
)
.keywords(&["all captures", "captures_iter"]);

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
        most: Option<i64> = Absent, Kind::at_least(1), "how many matches are given at most; all when left out";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(GROUPS, groups), Tool::new(ALL_GROUPS, all_groups)]
}

fn groups(context: &mut Context<'_>, args: Searched) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    context.spend_text(text.len())?;
    let Some(found) = expression.find_at(&text, 0)? else { return Ok(AnyValue(Value::Nil)) };
    let groups = expression.groups(&text, found)?;
    Ok(AnyValue(map(context, &expression.group_names(), &text, &groups)?))
}

fn all_groups(context: &mut Context<'_>, args: Bounded) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let expression = compiled(&args.pattern.as_text())?;
    context.spend_text(text.len())?;
    let names = expression.group_names();
    let (mut list, mut matches) = (ListBuilder::default(), expression.matches(&text));
    let most = args.most.map_or(usize::MAX, |most| most as usize);
    while list.len() < most
        && let Some(found) = matches.next()?
    {
        let groups = expression.groups(&text, found)?;
        let map = map(context, &names, &text, &groups)?;
        list.push(context, map)?;
    }
    list.finish()
}

fn map(context: &mut Context<'_>, names: &[Str], text: &str, groups: &Captures) -> Result<Value, ToolError> {
    context.spend(names.len())?;
    let mut map = Map::with_capacity(names.len());
    for (name, group) in names.iter().zip(groups.iter()) {
        let group = group.map(|group| Value::checked_text(&text[group.range()]));
        map.put(name.clone(), group.transpose()?.unwrap_or_default())?;
    }
    Ok(map.into())
}
