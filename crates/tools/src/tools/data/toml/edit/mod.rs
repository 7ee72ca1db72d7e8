//! `TOML.Set` and `TOML.Remove`.

mod append;
mod model;
mod plan;
mod planner;
mod relation;
mod remove;
mod spell;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{BigNumbers, Str, Value, parts};

use super::super::super::edit::path::PLACE;
use super::super::super::edit::{self, Edit, Format, Splices};
use super::read::value_of;

const SET: Spec = Spec::pure(
    "TOML.Set",
    "toml_set",
    "Sets the value at a path in a TOML text",
    "Returns the text with `value` at `path`. Every other byte stays: comments, layout, order, line breaks. \
        `path` is a path of `JSON.Query` without `*`; an empty one writes the whole text anew. TOML has no nil.\n\n\
        - A missing key is added after the others of its table, in its layout, and so are missing tables on the way to \
        it.\n\
        - An index equal to the length of the list appends, also to an array of tables.\n\
        - A text keeps its kind of quotes. In place of a date, a text that is a TOML date stays a date; everywhere \
        else it gets quotes.",
    Example {
        script: "SET text = \"[package]\\nname = \\\"ns\\\"\\nversion = \\\"0.1.0\\\" # bump me\\n\"\n\
            EMIT TOML.Set(text, \"package.version\", \"0.2.0\")",
        output: "[package]\nname = \"ns\"\nversion = \"0.2.0\" # bump me\n\n",
    },
)
.keywords(&[
    "tomlkit",
    "toml_edit",
    "toml set",
    "sed",
    "bump version",
    "cargo set-version",
    "Cargo.toml",
    "pyproject.toml",
    "edit toml",
    "change a value in a config",
    "dasel",
    "toml-cli",
]);
const REMOVE: Spec = Spec::pure(
    "TOML.Remove",
    "toml_remove",
    "Removes the value or table at a path from a TOML text",
    "Returns the text without the value or table. Every other byte stays. A comment on its line is removed \
        with it; comments above stay.\n\n\
        `path` is a path of `JSON.Query` without `*`. A key that does not exist is ignored, as by `MAP.Remove`; an \
        index beyond the list is an error.",
    Example {
        script: "EMIT TOML.Remove(\"[a]\\nx = 1\\n# about y\\ny = 2\\n\", \"a.x\")",
        output: "[a]\n# about y\ny = 2\n\n",
    },
)
.keywords(&["tomlkit", "toml_edit", "cargo remove", "delete key from toml", "remove table"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "TOML text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `package.version`";
        value: Value = Required, Kind::Any, "new value";
    }
}

arguments! {
    struct Removed {
        text: Str = Required, Kind::Text, "TOML text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `package.version`";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SET, |context, args: Args| edit::set(context, &Toml, &args.text, &args.path, args.value)),
        Tool::new(REMOVE, |context, args: Removed| edit::remove(context, &Toml, &args.text, &args.path)),
    ]
}

struct Toml;

impl Format for Toml {
    const NAME: &'static str = "TOML";

    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
        value_of(context, text, BigNumbers::Text)
    }

    fn admit(&self, value: &Value) -> Result<(), ToolError> {
        if parts::any_scalar(value, &|scalar| matches!(scalar, Value::Nil | Value::Unset))? {
            let error = ToolError::bad_argument("value", "it is nil, or has a nil in it, which TOML does not have");
            Err(error.hint("`TOML.Remove` takes a key out"))
        } else {
            Ok(())
        }
    }

    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
        plan::plan(context, job)
    }
}
