//! `TOML.Text`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value};

const SPEC: Spec = Spec::pure(
    "TOML.Text",
    "toml_text",
    "Formats a map as TOML text",
    "Values come before tables; otherwise keys keep their order. TOML has no nil: a nil is an error that says \
        where it is.",
    Example {
        script: "EMIT TOML.Text({\"name\": \"ns\", \"server\": {\"port\": 8080}})",
        output: "name = \"ns\"\n\n[server]\nport = 8080\n\n",
    },
)
.keywords(&["toml.dump", "toml.dumps", "write toml", "toml.Marshal", "toml.stringify"]);

arguments! {
    struct Args {
        map: Rc<Map> = Required, Kind::Map, "map to write";
    }
}

/// Upper bound for the memory that the writer of the `toml` crate uses temporarily, per byte of the text.
const GROWTH: usize = 24;

pub fn tool() -> Tool {
    Tool::new(SPEC, write)
}

fn write(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let whole = Value::Map(args.map);
    let bytes = measure(context, &whole, &mut Vec::new(), 0)?;
    context.spend_text(bytes)?;
    space::check(bytes.saturating_mul(GROWTH))?;
    let text = toml::to_string(&whole).map_err(|error| ToolError::bad_argument("map", error.to_string()))?;
    space::check_string(text.len())?;
    Ok(Str::from_compact(text.into()))
}

/// Returns the approximate length of a value as text, added to `before`. Errors: a nil. Shared parts are
/// written out repeatedly, so the length is computed before any memory is used.
fn measure(context: &mut Context<'_>, value: &Value, way: &mut Vec<String>, before: usize) -> Result<usize, ToolError> {
    context.spend(1)?;
    let mut bytes = before + 2;
    match value {
        Value::Nil | Value::Unset => {
            let message = format!("`{}` is nil, which TOML does not have", way.concat().trim_start_matches('.'));
            return Err(ToolError::bad_argument("map", message).hint("leave the key out with `MAP.Remove`"));
        }
        Value::List(list) => {
            for (index, item) in list.iter().enumerate() {
                way.push(format!("[{index}]"));
                bytes = measure(context, &item, way, bytes)?;
                way.pop();
            }
        }
        Value::Map(map) => {
            // A table header repeats the path to the table.
            bytes += way.iter().map(String::len).sum::<usize>();
            for (key, item) in map.iter() {
                way.push(format!(".{}", key.as_text()));
                bytes = measure(context, &item, way, bytes + key.as_text().len())?;
                way.pop();
            }
        }
        value => bytes += value.as_text().map_or(8, |text| text.len()),
    }
    space::check_string(bytes)?;
    Ok(bytes)
}
