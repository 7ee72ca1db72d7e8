//! Help for `ARGS[0]` without an argument: the user of the script needs its usage, not an index error.

use crate::eval::Fault;
use crate::text::{Code, Sources};
use crate::value::Value;

/// Rewrites the error of an index beyond the end of `ARGS`: adds the usage that `--help` shows.
pub fn explain(mut fault: Box<Fault>, sources: &Sources, args: &Value, usage: &str) -> Box<Fault> {
    let shown = fault.span.and_then(|span| Some(sources.of(span)?.slice(span))).unwrap_or_default();
    let is_argument = ["ARGS", "args"].iter().any(|name| shown.strip_prefix(name).is_some_and(is_one_index));
    // A session has no arguments, not even an empty list.
    let (given, code) = match args {
        Value::List(given) => (given.len(), Code::IndexOutOfRange),
        _ => (0, Code::NotIndexable),
    };
    if fault.code != code.into() || !is_argument {
        return fault;
    }
    fault.message = match given {
        0 => format!("`{shown}`: no argument was given"),
        1 => format!("`{shown}`: only one argument was given"),
        count => format!("`{shown}`: only {count} arguments were given"),
    };
    fault.hint = Some(format!("usage: {usage}; a script asks first with `IF LEN(ARGS) > {given} THEN`"));
    fault
}

/// Whether a text is exactly one index. In `ARGS[0][5]`, the second index may be the one out of range.
fn is_one_index(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('[') && text.find(']') == Some(text.len() - 1)
}
