//! The life of an adapter: `initialize`, `launch`, the run, `disconnect`.

use std::io::{BufRead, BufReader, Write, stdin, stdout};

use serde_json::{Value as Json, json};

use crate::engine::Options;

use super::arguments::Initialize;
use super::inspect::Counting;
use super::launch::{Connection, Prepared, prepare, run};
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

fn serve_on(mut input: impl BufRead + Send + 'static, output: impl Write + Send + 'static, options: &Options) -> Ended {
    let sender = Sender::new(output);
    let Started { counting, launch, prepared } = match begin(&mut input, &sender, options) {
        Ok(started) => started,
        Err(ended) => return ended,
    };
    // The thread that reads is locked down too, since it starts after the lockdown.
    let queue = Queue::start(input, sender.clone(), prepared.interrupt());
    let connection = Connection { sender, queue, counting };
    run(&connection, prepared, launch);
    while !connection.queue.has_disconnected()
        && let Some(request) = connection.queue.wait()
    {
        let answer = match request.command.as_str() {
            "disconnect" | "terminate" => Ok(Json::Null),
            "threads" => Ok(json!({ "threads": [] })),
            command => Err(refused(command, "the run is over")),
        };
        connection.sender.answer(&request, answer);
    }
    if connection.queue.has_disconnected() { Ended::Properly } else { Ended::Abruptly }
}

/// A script that is ready to run, and the request that started it.
struct Started {
    counting: Counting,
    launch: Request,
    prepared: Prepared,
}

/// Answers requests until a script is ready and the process is locked down.
///
/// # Errors
/// The client leaves before.
fn begin(input: &mut impl BufRead, sender: &Sender, options: &Options) -> Result<Started, Ended> {
    let mut initialized = None;
    while let Some((request, _)) = Request::next(input, sender) {
        let answer = match (request.command.as_str(), initialized) {
            ("disconnect", _) => {
                sender.answer(&request, Ok(Json::Null));
                return Err(Ended::Properly);
            }
            ("initialize", None) => initialize(&request).map(|counting| {
                initialized = Some(counting);
                capabilities()
            }),
            ("launch", Some(counting)) => match prepare(options, &request) {
                Ok(prepared) => return Ok(Started { counting, launch: request, prepared }),
                Err(refusal) => Err(refusal),
            },
            (command, None) => Err(Refusal::new(format!("`{command}` comes before `initialize`"))),
            (command, Some(_)) => Err(refused(command, &format!("`{command}` comes before `launch`"))),
        };
        sender.answer(&request, answer);
    }
    Err(Ended::Abruptly)
}

/// Returns why a request is refused outside of a run.
fn refused(command: &str, otherwise: &str) -> Refusal {
    Refusal::new(match command {
        "attach" => "`ns dap` starts the script itself: use `launch`",
        "initialize" => "the adapter is initialized already",
        _ => otherwise,
    })
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
