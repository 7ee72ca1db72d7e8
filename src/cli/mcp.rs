//! `ns mcp`: a server for agents, and the workers in which it runs scripts.

use std::ffi::OsString;

use crate::engine::Options;
use crate::mcp::{self, Fault, Settings};

use super::args::{Global, McpArgs};
use super::exit::Exit;
use super::terminal::{report_error, report_setup};

/// The hidden word that makes a process a worker.
pub const WORKER: &str = "mcp-worker";

/// `ns mcp`
pub fn mcp(global: &Global, args: &McpArgs) -> Exit {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            report_error(&format!("`ns` cannot be found: {error}"), "start it by its whole path");
            return Exit::Failed;
        }
    };
    let global = Global { read_only: global.read_only || !args.write, ..global.clone() };
    let settings = Settings {
        options: global.options(),
        tools: args.tools.clone(),
        follows_roots: !args.ignore_roots,
        patience: args.patience,
        worker: (program, worker_words(&global)),
    };
    match mcp::serve(settings, report_setup) {
        Ok(()) => Exit::Done,
        Err(Fault::Setup) => Exit::Usage,
        Err(fault @ Fault::Tools(_)) => {
            let help = "`--tools` takes `default`, `all`, `script`, groups such as `fs`, and wire names";
            report_error(&fault.to_string(), help);
            Exit::Usage
        }
        Err(fault) => {
            report_error(&fault.to_string(), "look at the client that started the server");
            Exit::Failed
        }
    }
}

/// `ns mcp-worker`: what the server starts for each script.
pub fn worker(global: &Global) -> Exit {
    match mcp::work(&Options { ..global.options() }, |_| Ok(())) {
        Ok(()) => Exit::Done,
        // The server is gone, and nobody waits for the report.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            report_error(&format!("the worker cannot work: {error}"), "`ns mcp` starts it; nobody else needs to");
            Exit::Failed
        }
    }
}

fn worker_words(global: &Global) -> Vec<OsString> {
    let sandbox = global.sandbox.iter().flat_map(|path| ["--sandbox".into(), path.into()]);
    sandbox.chain(global.words()).chain([WORKER.into()]).collect()
}
