//! `YAML.Set` and `YAML.Remove`.

mod compose;
mod find;
mod plan;
mod tree;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{BigNumbers, Str, Value};

use super::super::super::edit::path::PLACE;
use super::super::super::edit::{self, Edit, Format, Splices};
use super::read::{documents, several};

const SET: Spec = Spec::pure(
    "YAML.Set",
    "yaml_set",
    "Sets the value at a path in a YAML text",
    "Returns the text with `value` at `path`. Every other byte stays: comments, layout, order, quotes, line \
        breaks. `path` is a path of `JSON.Query` without `*`.\n\n\
        - A missing key is added after the others, in their layout, and so are missing maps on the way to it, also in \
        place of a nil.\n\
        - An index equal to the length of the list appends.\n\
        - A key that comes from `<<` gets a value of its own.\n\n\
        A place inside an alias, or one with an anchor that is used elsewhere, is an error, because other places would \
        change too. A text of several documents is an error.",
    Example {
        script: "SET text = \"image: web:1.0 # pinned\\nports:\\n  - 80\\n\"\n\
            EMIT YAML.Set(text, \"image\", \"web:1.1\")\nEMIT YAML.Set(text, \"ports[1]\", 443)",
        output: "image: web:1.1 # pinned\nports:\n  - 80\n\nimage: web:1.0 # pinned\nports:\n  - 80\n  - 443\n\n",
    },
)
.keywords(&[
    "yq",
    "ruamel.yaml",
    "sed",
    "yaml set",
    "edit yaml",
    "change a value in a config",
    "docker-compose",
    "bump version",
    "kubectl set image",
    "values.yaml",
]);
const REMOVE: Spec = Spec::pure(
    "YAML.Remove",
    "yaml_remove",
    "Removes the value at a path from a YAML text",
    "Returns the text without the entry. Every other byte stays. A comment on the line of the entry is \
        removed with it; comments above stay. If it was the last entry, `{}` or `[]` is left.\n\n\
        `path` is a path of `JSON.Query` without `*`. A key that does not exist is ignored, as by `MAP.Remove`; an \
        index beyond the list is an error.",
    Example {
        script: "EMIT YAML.Remove(\"a: 1\\n# about b\\nb: [x, y]\\n\", \"b[0]\")",
        output: "a: 1\n# about b\nb: [y]\n\n",
    },
)
.keywords(&["yq del", "ruamel.yaml", "yq", "delete key from yaml"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "YAML text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `services.web.image`";
        value: Value = Required, Kind::Any, "new value";
    }
}

arguments! {
    struct Removed {
        text: Str = Required, Kind::Text, "YAML text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `services.web.image`";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SET, |context, args: Args| edit::set(context, &Yaml, &args.text, &args.path, args.value)),
        Tool::new(REMOVE, |context, args: Removed| edit::remove(context, &Yaml, &args.text, &args.path)),
    ]
}

struct Yaml;

impl Format for Yaml {
    const NAME: &'static str = "YAML";

    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
        let mut documents = documents(context, text, BigNumbers::Text)?;
        match documents.len() {
            0 | 1 => Ok(documents.pop().unwrap_or(Value::Nil)),
            count => Err(several(count).hint("split the text at its lines `---`, and change one of the parts")),
        }
    }

    fn admit(&self, _value: &Value) -> Result<(), ToolError> {
        Ok(())
    }

    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
        plan::plan(context, job)
    }
}
