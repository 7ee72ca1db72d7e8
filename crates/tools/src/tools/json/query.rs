//! `JSON.Query`: finds values inside others by a path such as `users[0].name`.

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::operators::position;
use crate::value::{Str, Value};

use super::super::build::ListBuilder;
use super::super::edit::path::{PATH, Step, parse};

const SPEC: Spec = Spec::pure(
    "JSON.Query",
    "json_query",
    "Returns the values at a path in lists and maps",
    "Without `*`, returns the value at the path, or `default` if there is none; with `*`, returns the list of \
        all values found.\n\n\
        A path consists of names with dots between them, indexes in brackets (`[0]`, negative ones from the end), \
        names in brackets and quotes (`[\"a.b\"]`), and `*` or `[*]` for everything in a list or map. It may begin \
        with `$`.",
    Example {
        script: "SET data = {\"users\": [{\"name\": \"Ann\"}, {\"name\": \"Bo\"}]}\n\
            EMIT JSON.Query(data, \"users[0].name\"), \" \", JSON.Query(data, \"users[*].name\"), \" \", \\\n    JSON.Query(data, \"a.b\")",
        output: "Ann [\"Ann\", \"Bo\"] nil\n",
    },
)
.keywords(&["jq", "jsonpath", "query json", "json path"]);

arguments! {
    struct Args {
        value: Value = Required, Kind::Any, "value to look into";
        path: Str = Required, Kind::Form(PATH), "where to look";
        default: Value = Absent, Kind::Any, "result if nothing is at a path without `*`; nil when left out";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let steps = parse(&args.path.as_text())?;
    let steps = steps.as_slice();
    context.spend(steps.len())?;
    if !steps.iter().any(|step| matches!(step, Step::All)) {
        let found = steps.iter().try_fold(args.value, |value, step| step_into(&value, step));
        return Ok(AnyValue(found.unwrap_or(args.default)));
    }
    let mut found = vec![args.value];
    for step in steps {
        let mut next = ListBuilder::default();
        for value in found {
            context.spend(1)?;
            match (step, &value) {
                (Step::All, Value::List(list)) => list.iter().try_for_each(|item| next.push(context, item))?,
                (Step::All, Value::Map(map)) => map.iter().try_for_each(|(_, item)| next.push(context, item))?,
                (step, value) => step_into(value, step).into_iter().try_for_each(|item| next.push(context, item))?,
            }
        }
        found = next.into_values();
    }
    Ok(AnyValue(Value::list(found)?))
}

fn step_into(value: &Value, step: &Step) -> Option<Value> {
    match (value, step) {
        (Value::Map(map), Step::Name(name)) => map.get(name),
        (Value::List(list), Step::Index(index)) => list.get(position(*index, list.len())?),
        _ => None,
    }
}
