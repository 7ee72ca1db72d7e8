//! Stops, as the client hears of them.

use serde_json::{Value as Json, json};

use crate::engine::{AnnouncedChange, BreakpointStop, Paused, RaisedError, Stop};

/// Returns the body of a `stopped` event.
pub fn stopped(stop: &Stop, paused: &Paused<'_>) -> Json {
    let mut body = json!({ "threadId": 1, "allThreadsStopped": true });
    let reason = match stop {
        Stop::Entry => "entry",
        Stop::Step => "step",
        Stop::Pause => "pause",
        Stop::Breakpoint(BreakpointStop { ids, is_of_procedure, problem }) => {
            body["hitBreakpointIds"] = json!(ids);
            if let Some(problem) = problem {
                body["text"] = json!(problem);
            }
            if *is_of_procedure { "function breakpoint" } else { "breakpoint" }
        }
        Stop::Error(error) => {
            body["description"] = json!(if error.is_handled { "Handled error" } else { "Error that ends the run" });
            body["text"] = json!(format!("{}: {}", error.code, error.message));
            "exception"
        }
        Stop::Change(change) => {
            body["description"] = json!("Before a change");
            body["text"] = json!(call_text(change));
            "exception"
        }
    };
    body["reason"] = json!(reason);
    let [taken_back, all] = paused.changes();
    if taken_back > 0 {
        body["description"] = json!(format!("Before change {} of {all}", all - taken_back + 1));
    }
    body
}

/// Returns the answer to `exceptionInfo`; `None` if the run did not stop at an error or before a change.
pub fn exception_info(stop: &Stop) -> Option<Json> {
    match stop {
        Stop::Error(RaisedError { code, message, help, is_handled }) => {
            let description = help.as_ref().map_or_else(|| message.clone(), |help| format!("{message}\nhelp: {help}"));
            let mode = if *is_handled { "always" } else { "unhandled" };
            Some(json!({ "exceptionId": code, "description": description, "breakMode": mode }))
        }
        Stop::Change(change) => {
            Some(json!({ "exceptionId": "change", "description": call_text(change), "breakMode": "always" }))
        }
        _ => None,
    }
}

/// Returns a call with its paths.
pub fn call_text(change: &AnnouncedChange) -> String {
    let mut paths = change.paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    if change.more > 0 {
        paths.push_str(&format!(" and {} more", change.more));
    }
    if paths.is_empty() { change.tool.to_owned() } else { format!("{} of {paths}", change.tool) }
}
