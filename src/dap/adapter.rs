//! The life of an adapter: `initialize`, `launch`, the run, `disconnect`.

use std::io::{BufRead, BufReader, Write, stdin, stdout};

use serde_json::{Value as Json, json};

use crate::engine::Options;

use super::arguments::Initialize;
use super::inspect::Counting;
use super::launch::{Connection, launch};
use super::message::{Refusal, Request, Sender};
use super::queue::Queue;

/// How an adapter ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With `disconnect`.
    Properly,
    /// The client is gone.
    Abruptly,
}

/// Serves a client on standard input and output. The options hold unless `launch` says otherwise.
pub fn serve(options: &Options) -> Ended {
    serve_on(BufReader::new(stdin()), stdout(), options)
}

fn serve_on(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static, options: &Options) -> Ended {
    let (sender, queue) = (Sender::new(output), Queue::new());
    queue.start(input, sender.clone());
    let Some(counting) = initialized(&sender, &queue) else { return Ended::Abruptly };
    let connection = Connection { sender, queue, counting };
    let mut launched = false;
    while let Some(request) = connection.queue.wait() {
        match request.command.as_str() {
            "disconnect" => {
                connection.sender.answer(&request, Ok(Json::Null));
                return Ended::Properly;
            }
            "launch" if !launched => match launch(&connection, options, request) {
                Ok(()) => launched = true,
                Err((request, refusal)) => connection.sender.answer(&request, Err(refusal)),
            },
            "threads" if launched => connection.sender.answer(&request, Ok(json!({ "threads": [] }))),
            "terminate" if launched => connection.sender.answer(&request, Ok(Json::Null)),
            command => {
                let refusal = refused(command, launched);
                connection.sender.answer(&request, Err(refusal));
            }
        }
        if launched && connection.queue.is_left() {
            break;
        }
    }
    if connection.queue.was_left() { Ended::Properly } else { Ended::Abruptly }
}

/// Returns why a request is refused outside of a run.
fn refused(command: &str, launched: bool) -> Refusal {
    Refusal::new(match command {
        "attach" => "`ns dap` starts the script itself: use `launch`".to_owned(),
        "initialize" => "the adapter is initialized already".to_owned(),
        _ if launched => "the run is over".to_owned(),
        _ => format!("`{command}` comes before `launch`"),
    })
}

/// Answers requests until `initialize` has succeeded. Returns `None` if the client leaves.
fn initialized(sender: &Sender, queue: &Queue) -> Option<Counting> {
    loop {
        let request = queue.wait()?;
        match request.command.as_str() {
            "initialize" => match initialize(&request) {
                Ok(counting) => {
                    sender.answer(&request, Ok(capabilities()));
                    return Some(counting);
                }
                Err(refusal) => sender.answer(&request, Err(refusal)),
            },
            "disconnect" => {
                sender.answer(&request, Ok(Json::Null));
                return None;
            }
            command => sender.answer(&request, Err(Refusal::new(format!("`{command}` comes before `initialize`")))),
        }
    }
}

fn initialize(request: &Request) -> Result<Counting, Refusal> {
    let given: Initialize = request.read()?;
    if given.path_format != "path" {
        return Err(Refusal::new(format!("files are named by paths, not by `{}`", given.path_format)));
    }
    Ok(Counting::of(&given))
}

fn capabilities() -> Json {
    let filter = |filter: &str, label: &str, is_on: bool| json!({ "filter": filter, "label": label, "default": is_on });
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsClipboardContext": true,
        "supportsSetVariable": true,
        "supportsStepBack": true,
        "supportsExceptionInfoRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [
            filter("changes", "Before each change of a file", false),
            filter("errors", "Errors, also handled ones", false),
            filter("uncaught", "Errors that end the run", true),
        ],
    })
}
