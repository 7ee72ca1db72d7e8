#![doc = include_str!("../README.md")]
//!
//! # How it is built
//!
//! The server has three parts. A single-threaded runtime serves the protocol through rmcp and never does the work
//! itself. The engine executes calls one after another on its own thread (`engine_thread`), so values need not be
//! shared. Scripts run in separate processes (`worker`). All traffic passes through `wire`, which bounds it and
//! hands most calls directly to the engine (`server`). Every tool call goes through the gate like any other; nothing
//! here decides what is allowed.
//!
//! A worker is the same binary under a hidden command. It seals itself like `ns run`, gets the session memory of the
//! connection, and returns the changes to it with its report. It ends with its server (`worker/lifeline`).
//!
//! Most calls bypass rmcp, because its passing from task to task is most of the cost of a short call. Their answers
//! have the same bytes, and none overtakes a call that rmcp has. Scripts, and calls that want progress or whose client
//! names roots, go through rmcp. A script whose question ends the request (revision 2026-07-28) waits for the request
//! with the answer; at most four wait (`server/scripts`).
//!
//! Resources are read by the tools that read files (`resources`), and prompts ask the model to run a script of the
//! cookbook (`prompts`). Changes are watched in directories that the gate has found by handle; the gate decides about a
//! change again before a client hears of it (`subscriptions`). A request for a stream of notifications stays open
//! outside of the budget below, so that it neither stops other requests nor keeps them from the direct way.
//!
//! Everything that waits is bounded in `wire`: a frame has at most 16 MiB (a longer one is skipped and answered), 64
//! requests or 32 MiB are in flight before reading pauses, as many other messages wait for rmcp, and a client that does
//! not read is disconnected. A message that rmcp would take for the end of the connection, or leave unanswered, does not
//! reach it.

mod ask;
mod connection_state;
mod engine_thread;
mod hints;
#[cfg(feature = "http")]
mod http;
mod logging;
mod media;
mod methods;
#[cfg(feature = "http")]
mod metrics;
mod offer;
mod order;
mod progress;
mod prompts;
mod recent_answers;
mod resources;
mod sandboxes;
mod server;
mod stop;
#[cfg(target_os = "linux")]
mod subscriptions;
#[cfg(feature = "http")]
mod traffic;
mod wire;
mod worker;

use neuroscript_language::engine;
use neuroscript_language::front_end::{gate, toolkit, value};
use neuroscript_text as text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rmcp::service::serve_server;

use crate::engine::{Limits, Network, Options, SetupError};
use crate::gate::MAX_FILES_OF_SERVER;

#[cfg(feature = "http")]
pub use http::{
    Access, Listening, PublicUrl, Token, TokenEntry, TokenHash, TokensFault, is_token_name, new_token, parse_tokens,
};
pub use offer::{ScriptFault, ScriptTool, definition, plain_input};
pub use sandboxes::NamedSandbox;
pub use worker::work;

use engine_thread::EngineHandle;
use offer::{Offer, instructions};
use progress::CurrentProgress;
use server::{Parts, Scripts, Server};
use wire::{Ending, Wire};
use worker::Workers;

/// Maximum time for the engine thread to end after the connection has ended.
const END: Duration = Duration::from_secs(10);

/// The settings of a server.
pub struct Settings {
    /// The sandboxes; at least one.
    pub sandboxes: Vec<NamedSandbox>,
    /// Options for the engines, of which the sandbox is ignored. Limits that they do not set are those of a server.
    pub options: Options,
    /// The selection of tools: `default`, `all`, `script`, `none`, groups or wire names.
    pub tools: Vec<String>,
    /// Scripts offered as additional tools.
    pub scripts: Vec<ScriptTool>,
    /// Whether the roots of a client restrict its calls.
    pub follows_roots: bool,
    /// Time after which a client that does not read is disconnected.
    pub patience: Duration,
    /// The binary that runs scripts, and the arguments that start it as a worker, without the sandbox.
    pub worker: (PathBuf, Vec<OsString>),
}

/// The reason why a server could not start or ended early.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A sandbox, the policy or the tool selection cannot be used; the cause has already been reported.
    #[error("nothing can be served")]
    Setup,
    /// The tool selection is invalid.
    #[error("{0}")]
    Tools(String),
    /// A system call failed.
    #[error("the connection cannot be served: {0}")]
    Io(#[from] std::io::Error),
    /// The client did not read for too long.
    #[error("the client has not read for {} s", .0.as_secs())]
    Stalled(Duration),
}

/// Serves one client on standard input and output until it disconnects.
///
/// # Errors
/// Returns an error if the server cannot start, or if the client stops reading.
pub fn serve(settings: Settings, refused: impl FnOnce(&SetupError) + Send + 'static) -> Result<(), Fault> {
    let (patience, follows_roots) = (settings.patience, settings.follows_roots);
    let Some((parts, thread)) = begin(settings, Network::None, refused)? else { return Err(Fault::Setup) };
    let (wire, closing) = Wire::on_standard_streams(patience)?;
    let engine = parts.engine.clone();
    let server = Server::new(Parts { follows_roots, closing: Some(closing.clone()), ..parts });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        // A client that disconnects before the handshake is not an error.
        if let Ok(service) = serve_server(server, wire).await {
            let _ = service.waiting().await;
        }
    });
    engine.stop();
    drop(engine);
    end(runtime, [thread]);
    match closing.ending() {
        Ending::Left => Ok(()),
        Ending::Stalled => Err(Fault::Stalled(patience)),
    }
}

/// A client of a server over HTTP.
#[cfg(feature = "http")]
pub struct HttpClient {
    /// Its token.
    pub token: Token,
    /// The settings of its server; `None` for a token that gives access to the metrics only.
    pub settings: Option<Settings>,
}

/// Serves clients over HTTP until the process is told to end. Calls `on_listening` with the address.
///
/// # Errors
/// Returns an error if the server cannot start.
#[cfg(feature = "http")]
pub fn serve_http(
    clients: Vec<HttpClient>,
    listening: Listening,
    refused: impl Fn(&SetupError) + Clone + Send + 'static,
    on_listening: impl FnOnce(std::net::SocketAddr),
) -> Result<(), Fault> {
    let (mut begun, mut threads) = (Vec::new(), Vec::new());
    for HttpClient { token, settings } in clients {
        let started = settings.map(|settings| begin(settings, Network::Accepts, refused.clone())).transpose()?;
        let parts = match started {
            None => None,
            Some(None) => return Err(Fault::Setup),
            Some(Some((parts, thread))) => {
                threads.push(thread);
                Some(parts)
            }
        };
        begun.push((token, parts));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    let served = runtime.block_on(http::listen(listening, begun, on_listening));
    end(runtime, threads);
    Ok(served?)
}

/// Waits until the runtime and the engine threads have ended, at most for [`END`] each.
fn end(runtime: tokio::runtime::Runtime, threads: impl IntoIterator<Item = JoinHandle<()>>) {
    runtime.shutdown_timeout(END);
    let end = Instant::now() + END;
    for thread in threads {
        while !thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Builds the parts of a server and starts its engine thread. Returns `None` if a sandbox could not be opened.
fn begin(
    settings: Settings,
    network: Network,
    refused: impl FnOnce(&SetupError) + Send + 'static,
) -> Result<Option<(Parts, JoinHandle<()>)>, Fault> {
    let Settings { sandboxes, options, tools, scripts, worker: (program, words), .. } = settings;
    let options = Options {
        limits: Limits::of_server(),
        max_files_unless_set: Some(MAX_FILES_OF_SERVER),
        calls_only: true,
        ..options
    };
    let watched = CurrentProgress::default();
    let own = watched.clone();
    let begun = EngineHandle::begin(
        sandboxes,
        options.clone(),
        network,
        move |state| {
            own.watch_all(&state.sandboxes);
            let offer = Offer::choose(&tools, scripts, &state.sandboxes);
            state.hidden = offer.iter().flat_map(Offer::hidden).cloned().collect();
            let instructions = offer.as_ref().map(|offer| instructions(offer, &state.sandboxes)).unwrap_or_default();
            (offer, instructions, state.sandboxes.timeout())
        },
        refused,
    )?;
    let Some((engine, (offer, instructions, timeout), thread)) = begun else { return Ok(None) };
    let offer = Arc::new(offer.map_err(Fault::Tools)?);
    let workers = Workers { program, words, timeout };
    let scripts = Arc::new(Scripts::default());
    let parts = Parts {
        engine,
        offer,
        instructions,
        watched,
        workers,
        scripts,
        options,
        follows_roots: false,
        closing: None,
        #[cfg(feature = "http")]
        traffic: None,
    };
    Ok(Some((parts, thread)))
}
