//! `INI.Set` and `INI.Remove`.

mod plan;

use crate::gate::{Context, Tool};
use crate::limits::work;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Elements, Map, Str, Value};

use super::super::super::edit::path::PLACE;
use super::super::super::edit::{self, Edit, Format, Splices};
use super::read::{Continuation, layout_of, value_of};
use super::write::scalar_text;

use plan::Plan;

const SET: Spec = Spec::pure(
    "INI.Set",
    "ini_set",
    "Sets the value at a path in an INI text",
    "Returns the text with `value` at `path`. Every other byte stays: comments, layout, order, line breaks. `path` is a \
        path of `JSON.Query` without `*`: `section.key`, or a key alone before the first section. A name with a `.` stands \
        in brackets and quotes of either kind, such as `[\"*.md\"].indent_size` or `['remote \"origin\"'].url`; capital \
        letters count. An empty path writes the whole text anew.\n\n\
        - A missing key is added after the others of its section, in their layout, and a missing section at the end.\n\
        - Numbers and bools become texts; nil is a key alone.\n\
        - A list becomes a line for each of its values. Where a key comes again, its values are a list: an index sets \
        one of them, and an index equal to the length appends one.\n\
        - A map is a section: its keys are set, and those that it does not have are removed.\n\n\
        Text after a value on the same line belongs to the value, even if other programs read it as a comment. Replacing a \
        value of several lines also removes the comments between them. `continuation` works as in `INI.Parse`; only with \
        `\"keep\"` may a new value end in a `\\`.",
    Example {
        script: "SET text = \"; editor\\n[*.md]\\nindent_size = 2 \\n\"\nEMIT INI.Set(text, '[\"*.md\"].indent_size', 4)",
        output: "; editor\n[*.md]\nindent_size = 4\n\n",
    },
)
.keywords(&["crudini", "git config", "configparser.set", "ini_file", "edit ini", "set a key in a config", "editorconfig"]);
const REMOVE: Spec = Spec::pure(
    "INI.Remove",
    "ini_remove",
    "Removes a key or section from an INI text",
    "Returns the text without the key, with all its lines, or without the section, with the comments in it. Every other \
        byte stays; comments above stay, those of the next section too.\n\n\
        `path` is a path of `JSON.Query` without `*`. A key that does not exist is ignored, as by `MAP.Remove`; an \
        index removes one of the values of a key that comes again. `continuation` is that of `INI.Parse`.",
    Example {
        script: "EMIT INI.Remove(\"[a]\\nx = 1\\n# about y\\ny = 2\\n\", \"a.x\")",
        output: "[a]\n# about y\ny = 2\n\n",
    },
)
.keywords(&["configparser.remove_option", "git config unset", "crudini del", "delete key from ini", "remove section"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "INI text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `section.key`";
        value: Value = Required, Kind::Any, "new value";
        continuation: Str = Is(Literal::Text("error")), Kind::Word(&["error", "join", "keep"]), "what becomes of a `\\` at the end of a line";
    }
}

arguments! {
    struct Removed {
        text: Str = Required, Kind::Text, "INI text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `section.key`";
        continuation: Str = Is(Literal::Text("error")), Kind::Word(&["error", "join", "keep"]), "what becomes of a `\\` at the end of a line";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(SET, set), Tool::new(REMOVE, remove)]
}

fn set(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let value = as_read(&args.value, MAX_DEPTH)?;
    edit::set(context, &Ini::named(&args.continuation), &args.text, &args.path, value)
}

fn remove(context: &mut Context<'_>, args: Removed) -> Result<Str, ToolError> {
    edit::remove(context, &Ini::named(&args.continuation), &args.text, &args.path)
}

struct Ini {
    continuation: Continuation,
}

impl Ini {
    fn named(continuation: &Str) -> Ini {
        Ini { continuation: Continuation::named(&continuation.as_text()) }
    }
}

impl Format for Ini {
    const NAME: &'static str = "INI";

    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
        if let Some(at) = lone_return(text) {
            let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1;
            let message = format!("line {line} has a carriage return within, which is no line break here");
            return Err(ToolError::bad_argument("text", message)
                .hint("`STR.Replace(text, \"\\r\", \"\\n\")` makes line feeds of all"));
        }
        value_of(context, text, self.continuation)
    }

    fn admit(&self, _value: &Value) -> Result<(), ToolError> {
        Ok(())
    }

    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
        let layout = layout_of(context, job.text, self.continuation)?;
        let mut plan = Plan::new(job, &layout, self.continuation)?;
        plan.make(context)?;
        Ok(plan.splices)
    }

    fn read_back(&self, value: Value) -> Result<Value, ToolError> {
        as_read(&value, MAX_DEPTH)
    }
}

/// Maximum number of maps in each other: a text, and its sections.
const MAX_DEPTH: usize = 2;

/// Returns a value as it is read back from a text: scalars are texts, and a list of one scalar is that scalar. What has
/// no place in a text stays as it is.
fn as_read(value: &Value, depth: usize) -> Result<Value, ToolError> {
    work::charge(1)?;
    match value {
        Value::Map(map) if depth > 0 => {
            let mut made = Map::with_capacity(map.len());
            map.try_each(|key, value| Ok::<(), ToolError>(made.put(key.clone(), as_read(value, depth - 1)?)?))?;
            Ok(made.into())
        }
        Value::List(list) if list.len() == 1 => {
            let one = list.get(0).unwrap_or(Value::Nil);
            Ok(if let Value::List(_) | Value::Map(_) = one { value.clone() } else { scalar(&one) })
        }
        Value::List(list) => {
            let mut values = Elements::default();
            list.try_each(|value| {
                work::charge(1)?;
                values.push(scalar(value))
            })?;
            Ok(values.finish()?)
        }
        value => Ok(scalar(value)),
    }
}

fn scalar(value: &Value) -> Value {
    match value {
        Value::Nil | Value::Unset => Value::Nil,
        Value::List(_) | Value::Map(_) => value.clone(),
        value => scalar_text(value).into(),
    }
}

/// Returns where a carriage return stands that is not part of a line break.
fn lone_return(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'\r', text.as_bytes()).find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}
