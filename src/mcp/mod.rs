//! `ns mcp`: the tools and scripts for agents, over the Model Context Protocol.
//!
//! Three threads meet here. The one that serves the protocol (rmcp on a runtime of one thread) never works;
//! the engine works on its own, one call after another ([`lane`]); scripts run in other processes
//! ([`worker`]). Everything that comes and goes passes [`wire`], which bounds it and gives most calls to the
//! engine itself ([`server`]). Every call of a tool goes through the gate as any other does; nothing here
//! decides what is allowed.

mod ask;
#[cfg(feature = "http")]
mod http;
mod lane;
mod methods;
mod offer;
mod place;
mod progress;
mod roots;
mod server;
mod wire;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rmcp::service::serve_server;

use crate::engine::{Limits, Network, Options, SetupError};
use crate::toolkit::MAX_FILES_OF_SERVER;

#[cfg(feature = "http")]
pub use http::Listening;
pub use offer::{ScriptFault, ScriptTool, definition, plain_input};
pub use worker::work;

use lane::Lane;
use offer::Offer;
use progress::Watched;
use server::{Parts, Scripts, Server};
use wire::{Ending, Wire};
use worker::Workers;

/// How long the engine may take to end once all is over.
const END: Duration = Duration::from_secs(10);

/// What a server is asked to be.
pub struct Settings {
    /// For the engine; the limits are those of a server, where nothing else says so.
    pub options: Options,
    /// Which tools are offered: `default`, `all`, `script`, `none`, groups, wire names.
    pub tools: Vec<String>,
    /// Scripts that are offered besides.
    pub scripts: Vec<ScriptTool>,
    /// Whether the roots of a client narrow what its calls may do.
    pub follows_roots: bool,
    /// How long a client may take nothing before it is given up.
    pub patience: Duration,
    /// The binary that runs scripts, and the words that make it a worker.
    pub worker: (PathBuf, Vec<OsString>),
}

/// Why there is no server, or it ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The sandbox, the policy or the choice of tools cannot be used; it was told by then.
    #[error("nothing can be served")]
    Setup,
    /// The choice of tools.
    #[error("{0}")]
    Tools(String),
    /// The system refuses.
    #[error("the connection cannot be served: {0}")]
    Io(#[from] std::io::Error),
    /// The client took nothing for too long.
    #[error("the client has not read for {} s", .0.as_secs())]
    Stalled(Duration),
}

/// Serves one client on standard input and output, until it leaves.
///
/// # Errors
/// What keeps it from beginning, and a client that does not read.
pub fn serve(settings: Settings, refused: impl FnOnce(&SetupError) + Send + 'static) -> Result<(), Fault> {
    let (patience, follows_roots) = (settings.patience, settings.follows_roots);
    let Some((parts, thread)) = begin(settings, Network::None, refused)? else { return Err(Fault::Setup) };
    let (wire, closing) = Wire::on_standard_streams(patience)?;
    let lane = parts.lane.clone();
    let server = Server::new(Parts { follows_roots, closing: Some(closing.clone()), ..parts });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        // A client that leaves before it begins is nobody's fault.
        if let Ok(service) = serve_server(server, wire).await {
            let _ = service.waiting().await;
        }
    });
    lane.stop();
    drop(lane);
    runtime.shutdown_timeout(END);
    let end = Instant::now() + END;
    while !thread.is_finished() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    match closing.ending() {
        Ending::Left => Ok(()),
        Ending::Stalled => Err(Fault::Stalled(patience)),
    }
}

/// Serves clients over HTTP, until the process is ended. `told` hears where.
///
/// # Errors
/// What keeps it from beginning.
#[cfg(feature = "http")]
pub fn serve_http(
    settings: Settings,
    listening: Listening,
    refused: impl FnOnce(&SetupError) + Send + 'static,
    told: impl FnOnce(std::net::SocketAddr),
) -> Result<(), Fault> {
    let Some((parts, _)) = begin(settings, Network::Accepts, refused)? else { return Err(Fault::Setup) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    Ok(runtime.block_on(http::listen(listening, move || Server::new(parts.clone()), told))?)
}

/// The parts of a server, and the thread of its engine; none where that was refused.
fn begin(
    settings: Settings,
    network: Network,
    refused: impl FnOnce(&SetupError) + Send + 'static,
) -> Result<Option<(Parts, JoinHandle<()>)>, Fault> {
    let Settings { options, tools, scripts, worker: (program, words), .. } = settings;
    let options = Options {
        limits: Limits::of_server(),
        max_files_unless_set: Some(MAX_FILES_OF_SERVER),
        calls_only: true,
        ..options
    };
    let watched = Watched::default();
    let own = watched.clone();
    let begun = Lane::begin(
        options.clone(),
        network,
        move |place| {
            own.watch(&place.engine);
            let gate = place.engine.gate();
            let offer = Offer::choose(&tools, scripts, &gate.registry, &gate.policy);
            (offer, instructions(gate.policy.read_only), place.engine.limits().timeout)
        },
        refused,
    )?;
    let Some((lane, (offer, instructions, timeout), thread)) = begun else { return Ok(None) };
    let offer = Arc::new(offer.map_err(Fault::Tools)?);
    let workers = Workers { program, words, timeout };
    let scripts = Arc::new(Scripts::default());
    let parts =
        Parts { lane, offer, instructions, watched, workers, scripts, options, follows_roots: false, closing: None };
    Ok(Some((parts, thread)))
}

/// What a model is told of the server as a whole.
fn instructions(read_only: bool) -> String {
    let changes = match read_only {
        true => "Nothing can be changed here.",
        false => "Every change can be taken back with `undo`.",
    };
    format!(
        "Files of one directory. Paths are relative to its root, with `/` between their parts; `.` is the root. {changes} \
         To see what is there take `list_dir`, a tree without what `.gitignore` names; `list_directory` gives the entries \
         of one directory with sizes and times, `walk_dir` those of all below. \
         For work of more than a few calls write one script: read `language_guide`, then `run_script`. \
         An answer that was cut says so; read on with `read_result`. A failure has a code, a message and a hint."
    )
}
