//! `TEXT.Template`: expands `{{name}}` placeholders, as in the templates of the language itself.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value, print};

use super::super::build::TextBuilder;

const SPEC: Spec = Spec::pure(
    "TEXT.Template",
    "text_template",
    "Inserts values at placeholders such as `{{name}}`",
    "Returns the template with the values in place of its placeholders. A placeholder is a key of `values`, \
        or keys with dots between them that lead into maps and, as numbers, into lists: `{{user.name}}`, \
        `{{files.0}}`. Blanks around it are ignored. Braces around anything else are text.\n\n\
        Values are printed as by EMIT and not expanded again. A placeholder without a value is an error, unless \
        `missing` says that it stays as it is or becomes empty.",
    Example {
        script: "EMIT TEXT.Template(\"Dear {{who.name}}, {{n}} files.\", {\"who\": {\"name\": \"Ana\"}, \"n\": 3})",
        output: "Dear Ana, 3 files.\n",
    },
)
.keywords(&["template", "render", "mustache", "jinja", "placeholders", "fill in"]);

arguments! {
    struct Args {
        template: Str = Required, Kind::Text, "text with places";
        values: Rc<Map> = Required, Kind::Map, "values by name";
        missing: Str = Is(Literal::Text("error")), Kind::Word(&["error", "keep", "empty"]), "what to do without a value";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let template = args.template.as_text();
    context.spend_text(template.len())?;
    let values = Value::Map(args.values);
    let mut text = TextBuilder::default();
    let mut from = 0;
    while let Some((start, end)) = next_place(&template, from) {
        text.push(&template[from..start])?;
        let name = template[start + 2..end].trim_matches([' ', '\t']);
        match (found(&values, name), &*args.missing.as_text()) {
            (Some(value), _) => push_value(context, &mut text, &value)?,
            (None, "keep") => text.push(&template[start..end + 2])?,
            (None, "empty") => {}
            (None, _) => return Err(missing(&template[..start], name)),
        }
        from = end + 2;
    }
    text.push(&template[from..])?;
    text.finish(context)
}

/// Returns the next `{{name}}` at or after a byte: where it starts, and where its name ends.
fn next_place(template: &str, from: usize) -> Option<(usize, usize)> {
    let mut from = from;
    loop {
        let start = from + template[from..].find("{{")?;
        let inside = &template[start + 2..];
        let length = inside.find(|c: char| !(is_name(c) || c == ' ' || c == '\t')).unwrap_or(inside.len());
        let name = inside[..length].trim_matches([' ', '\t']);
        if inside[length..].starts_with("}}") && !name.is_empty() && name.chars().all(is_name) {
            return Some((start, start + 2 + length));
        }
        // In `{{{name}}` the placeholder starts one byte later.
        from = start + 1;
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

fn found(values: &Value, name: &str) -> Option<Value> {
    if let Value::Map(map) = values
        && let Some(value) = map.get_str(name)
    {
        return Some(value);
    }
    name.split('.').try_fold(values.clone(), |value, part| match &value {
        Value::Map(map) => map.get_str(part),
        Value::List(list) => list.get(part.parse().ok()?),
        _ => None,
    })
}

/// Appends a value as EMIT prints it.
pub fn push_value(context: &mut Context<'_>, text: &mut TextBuilder, value: &Value) -> Result<(), ToolError> {
    context.spend(1)?;
    if let Some(own) = value.as_text() {
        return Ok(text.push(&own)?);
    }
    Ok(text.push(&print::to_text(value)?)?)
}

fn missing(before: &str, name: &str) -> ToolError {
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    let name = print::shortened(name, 60);
    ToolError::bad_argument(
        "values",
        format!("`values` has no `{name}`, at line {line}, column {column} of `template`"),
    )
    .hint("`missing: \"keep\"` or `missing: \"empty\"` accepts that")
}
