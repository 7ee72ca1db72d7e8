//! `ENV.Get` and `ENV.Names`: environment variables. The policy says which of them scripts may see.

use crate::gate::{Context, Tool};
use crate::text::ToolCode;
use crate::toolkit::{AnyList, AnyValue, Effect, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value, print};

use super::build;

const GET: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "ENV.Get",
        "env_get",
        "Returns an environment variable, nil if it is not set",
        "Only variables that `names` in `[tools.env]` lists are visible, in the user's policy file or in one \
        given as `--policy`. Any other is `policy_denied`, whether it is set or not. Bytes that are not UTF-8 become \
        U+FFFD.",
        Example {
            script: "ON ERROR AS err DO\n  EMIT err.code\n  CLEAR_ERROR\nENDON\nEMIT ENV.Get(\"HOME\")",
            output: "policy_denied\n",
        },
    )
    .keywords(&[
        "getenv",
        "os.getenv",
        "os.environ",
        "os.environ.get",
        "process.env",
        "environment",
        "environment variable",
        "os.Getenv",
        "env::var",
        "env",
    ])
};
const NAMES: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "ENV.Names",
        "env_names",
        "Lists the environment variables that scripts may see",
        "Returns the names that the policy lists and that are set, in the order of the policy.",
        Example { script: "EMIT ENV.Names()", output: "[]\n" },
    )
    .keywords(&["environ", "list environment", "os.Environ", "printenv"])
};

arguments! {
    struct Named {
        name: Str = Required, Kind::Text, "name of the variable";
        default: Value = Absent, Kind::Any, "value where it is not set; nil when left out";
    }
}

arguments! {
    struct Nothing {}
}

/// Returns the tools of this file, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![Tool::new(GET, get), Tool::new(NAMES, names)]
}

fn get(context: &mut Context<'_>, args: Named) -> Result<AnyValue, ToolError> {
    let name = args.name.as_text();
    if !context.settings().env.names.iter().any(|allowed| *allowed == *name) {
        let shown = print::shortened(&name, 60);
        return Err(ToolError::new(ToolCode::PolicyDenied, format!("scripts may not see the variable `{shown}`"))
            .argument("name")
            .hint("list it in `names` of `[tools.env]`, in your own policy file or one given as `--policy`"));
    }
    Ok(AnyValue(variable(&name).unwrap_or(args.default)))
}

fn variable(name: &str) -> Option<Value> {
    std::env::var_os(name).map(|value| Value::text(&value.to_string_lossy()))
}

fn names(context: &mut Context<'_>, _: Nothing) -> Result<AnyList, ToolError> {
    let names: Vec<String> = context.settings().env.names.clone();
    let names: Vec<&String> = names.iter().filter(|name| variable(name).is_some()).collect();
    build::list(context, names.len(), names.iter().map(|name| Value::text(name)))
}
