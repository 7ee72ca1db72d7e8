//! Script memory: `MEMORY.Set`, `MEMORY.Get`, `MEMORY.Delete` and `MEMORY.List`.
//!
//! Failures are errors, because any value that `MEMORY.Get` could return as a sign of failure could also be
//! stored.

use crate::gate::{Context, Scope, Tool};
use crate::text::ToolCode;
use crate::toolkit::{AnyList, AnyValue, Effect, Example, Failure, Risk, Spec, ToolError, arguments};
use crate::value::{Str, Value};

/// Error codes of project memory.
const ERRORS: &[ToolCode] = &[ToolCode::Conflict, ToolCode::PermissionDenied, ToolCode::NoSpace, ToolCode::IoError];

const SET: Spec = Spec {
    name: "MEMORY.Set",
    wire: "memory_set",
    aliases: &[],
    keywords: &["remember", "store", "save value", "persist", "setItem", "localStorage.setItem", "cache", "state"],
    summary: "Stores a value by key",
    details: "Stores the value and returns nil. A value that the key already has is replaced. A key has 1 to 256 bytes \
        and no control characters.\n\n\
        - Session memory lasts as long as the run, the session at a terminal or the connection. It takes any value. \
        That of a connection is shared by its scripts and takes values that have a JSON form, 8 MiB in total.\n\
        - Project memory outlives them in `.ns/memory.db`, which many processes share. The value is on disk when the \
        call returns. It has at most 1 MiB as JSON (`max_value_bytes` in `[tools.memory]`), is nested at most 100 \
        levels deep and contains no infinite floats. The change counts like that of a file and is refused under \
        `--read-only`.",
    effect: Effect::Remembers,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::Raise,
    errors: ERRORS,
    example: Example {
        script: "CALL MEMORY.Set(\"build.count\", 1, \"project\")\n\
            CALL MEMORY.Set(\"build.count\", MEMORY.Get(\"build.count\", \"project\") + 1, \"project\")\n\
            EMIT MEMORY.Get(\"build.count\", scope: \"project\")",
        output: "2\n",
    },
};
const GET: Spec = Spec {
    name: "MEMORY.Get",
    wire: "memory_get",
    aliases: &[],
    keywords: &["recall", "load value", "getItem", "localStorage.getItem"],
    summary: "Returns the value of a key, nil if there is none",
    details: "Returns the value as it was stored: ints as ints, floats as floats, maps in their order. Reading creates \
        no file; under `--read-only` project memory is read from a copy in memory.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: ERRORS,
    example: Example {
        script: "CALL MEMORY.Set(\"seen\", [\"a.txt\"])\nEMIT MEMORY.Get(\"seen\"), \" \", MEMORY.Get(\"other\")",
        output: "[\"a.txt\"] nil\n",
    },
};
const DELETE: Spec = Spec {
    name: "MEMORY.Delete",
    wire: "memory_delete",
    aliases: &[],
    keywords: &["forget", "remove value", "removeItem", "localStorage.removeItem"],
    summary: "Deletes a key and returns whether it existed",
    details: "In project memory it is a change like `MEMORY.Set`.",
    effect: Effect::Remembers,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::Raise,
    errors: ERRORS,
    example: Example {
        script: "CALL MEMORY.Set(\"seen\", 1)\nEMIT MEMORY.Delete(\"seen\"), \" \", MEMORY.Delete(\"seen\")",
        output: "true false\n",
    },
};
const LIST: Spec = Spec {
    name: "MEMORY.List",
    wire: "memory_list",
    aliases: &[],
    keywords: &["what is remembered", "list memory", "stored keys"],
    summary: "Lists the keys in memory",
    details: "Returns a list of texts, ordered by their bytes. `ns memory list` also shows types, sizes, times and \
        writers of project memory.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: ERRORS,
    example: Example {
        script: "CALL MEMORY.Set(\"b.1\", 1)\nCALL MEMORY.Set(\"b.2\", 2)\nCALL MEMORY.Set(\"a\", 3)\n\
            EMIT MEMORY.List(), \" \", MEMORY.List(prefix: \"b.\")",
        output: "[\"a\", \"b.1\", \"b.2\"] [\"b.1\", \"b.2\"]\n",
    },
};

arguments! {
    struct SetArgs {
        key: Str = Required, Kind::Text, "key to keep the value under";
        value: Value = Required, Kind::Any, "value to keep";
        scope: Str = Is(Literal::Text("session")), Kind::Word(&Scope::WORDS), "how long it is kept";
    }
}

arguments! {
    struct KeyArgs {
        key: Str = Required, Kind::Text, "key of the value";
        scope: Str = Is(Literal::Text("session")), Kind::Word(&Scope::WORDS), "which memory";
    }
}

arguments! {
    struct ListArgs {
        scope: Str = Is(Literal::Text("session")), Kind::Word(&Scope::WORDS), "which memory";
        prefix: Option<Str> = Absent, Kind::Text, "what the keys begin with; all keys when left out";
    }
}

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![Tool::new(SET, set), Tool::new(GET, get), Tool::new(DELETE, delete), Tool::new(LIST, list)]
}

fn set(context: &mut Context<'_>, args: SetArgs) -> Result<(), ToolError> {
    context.memory().store(scope(&args.scope), &args.key.as_text(), args.value)
}

fn get(context: &mut Context<'_>, args: KeyArgs) -> Result<AnyValue, ToolError> {
    let value = context.memory().fetch(scope(&args.scope), &args.key.as_text())?;
    Ok(AnyValue(value.unwrap_or(Value::Nil)))
}

fn delete(context: &mut Context<'_>, args: KeyArgs) -> Result<bool, ToolError> {
    context.memory().delete(scope(&args.scope), &args.key.as_text())
}

fn list(context: &mut Context<'_>, args: ListArgs) -> Result<AnyList, ToolError> {
    let prefix = args.prefix.as_ref().map(Str::as_text);
    let keys = context.memory().keys(scope(&args.scope), prefix.as_deref().unwrap_or(""))?;
    Ok(AnyList(Value::list(keys.items.iter().map(|key| Value::text(key)).collect())?))
}

fn scope(word: &Str) -> Scope {
    Scope::of_word(&word.as_text())
}
