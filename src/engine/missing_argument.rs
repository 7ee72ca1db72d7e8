//! `ARGS[0]` where no argument was given: an index beyond the end, of which the user of a script wants to know the
//! usage.

use crate::eval::Fault;
use crate::text::{Code, Sources};
use crate::value::Value;

/// Says of an index beyond the end of `ARGS` how the script is used: by its `:: usage` line, or by the command
/// that ran it.
pub fn explain(
    mut fault: Box<Fault>,
    sources: &Sources,
    args: &Value,
    usage: Option<&str>,
    command: &str,
) -> Box<Fault> {
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
    let usage = usage.map_or_else(|| format!("{command} VALUE …"), str::to_owned);
    fault.hint = Some(format!("usage: {usage}; a script asks first with `IF LEN(ARGS) > {given} THEN`"));
    fault
}

/// Whether a text is an index and nothing else: of `ARGS[0][5]` it may be a character that is not there.
fn is_one_index(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('[') && text.find(']') == Some(text.len() - 1)
}
