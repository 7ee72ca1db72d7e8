//! `ns mcp`: the MCP server, and the workers in which it runs scripts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::engine::{Network, Options, Process, seal_tester};
use crate::mcp::{self, Fault, NamedSandbox, ScriptFault, ScriptTool, Settings};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{report_error, report_findings, report_setup};
use crate::terminal::script_file::read_script;

use super::args::McpArgs;
#[cfg(feature = "http")]
use super::mcp_over_http;
use super::sandboxes;
use super::start::settle;

/// The hidden subcommand that starts a worker.
pub const WORKER: &str = "mcp-worker";

/// `ns mcp`
pub fn mcp(global: &Global, args: &McpArgs) -> Exit {
    #[cfg(feature = "http")]
    if let Some(name) = &args.over_http.new_token {
        return mcp_over_http::print_new_token(name);
    }
    match serve(global, args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn serve(global: &Global, args: &McpArgs) -> Result<Exit, Exit> {
    let (program, sandboxes) = (program()?, sandboxes_of(global)?);
    #[cfg(feature = "http")]
    let serving = serving_over_http(&sandboxes, args)?;
    #[cfg(feature = "http")]
    let network = serving.as_ref().map_or(Network::None, |_| Network::Accepts);
    #[cfg(not(feature = "http"))]
    let network = Network::None;
    let scripts: Vec<ScriptTool> = args.scripts.iter().map(|file| offered(file)).collect::<Result<_, _>>()?;
    // The engine's thread is locked down after it has opened the sandbox, all others now.
    if let Err(error) = seal_tester(network) {
        report_error(&format!("the kernel does not restrict the process: {error}"), "nothing runs");
        return Err(Exit::Failed);
    }
    settle()?;
    let settings = |global: &Global, write: bool, client: Option<String>| {
        let global = Global { read_only: global.read_only || !write, ..global.clone() };
        Settings {
            sandboxes: sandboxes.clone(),
            options: Options { answer_bytes: args.max_output_bytes, client, ..global.options() },
            tools: args.tools.clone(),
            scripts: Vec::clone(&scripts),
            follows_roots: !args.ignore_roots,
            patience: args.patience,
            worker: (program.clone(), worker_words(&global)),
        }
    };
    #[cfg(feature = "http")]
    if let Some((listener, tokens)) = serving {
        return Ok(end(mcp_over_http::serve(listener, tokens, args, |client| {
            let policy = client.policy.clone().or_else(|| global.policy.clone());
            let write = client.write.unwrap_or(args.write);
            settings(&Global { policy, ..global.clone() }, write, client.name.clone())
        })));
    }
    Ok(end(mcp::serve(settings(global, args.write, None), report_setup)))
}

fn program() -> Result<PathBuf, Exit> {
    std::env::current_exe().map_err(|error| {
        report_error(&format!("`ns` cannot be found: {error}"), "start it by its whole path");
        Exit::Failed
    })
}

fn sandboxes_of(global: &Global) -> Result<Vec<NamedSandbox>, Exit> {
    sandboxes::named(&global.sandboxes).map_err(|message| {
        report_error(&message, "a sandbox is `DIR`, or `NAME=DIR`");
        Exit::Usage
    })
}

/// Starts to listen and reads the tokens, if the server is to serve over HTTP.
#[cfg(feature = "http")]
fn serving_over_http(
    sandboxes: &[NamedSandbox],
    args: &McpArgs,
) -> Result<Option<(std::net::TcpListener, mcp_over_http::Tokens)>, Exit> {
    let Some(address) = args.over_http.http else { return Ok(None) };
    let tokens = mcp_over_http::tokens(sandboxes, args)?;
    Ok(Some((mcp_over_http::listen(address, args.over_http.public)?, tokens)))
}

/// Reads a script to offer as a tool. Must run before the lockdown.
fn offered(file: &Path) -> Result<ScriptTool, Exit> {
    ScriptTool::new(&read_script(file)?).map_err(|fault| {
        match fault {
            ScriptFault::Faulty(findings, sources) => report_findings(&findings, &sources),
            ScriptFault::Name(file) => {
                report_error(&format!("`{file}` is no name for a tool"), "rename the file: it begins with a letter");
            }
        }
        Exit::Usage
    })
}

fn end(served: Result<(), Fault>) -> Exit {
    match served {
        Ok(()) => Exit::Done,
        Err(Fault::Setup) => Exit::Usage,
        Err(fault @ Fault::Tools(_)) => {
            let help = "`--tools` takes `default`, `all`, `script`, `none`, groups such as `fs`, and wire names; a script is called as its file is";
            report_error(&fault.to_string(), help);
            Exit::Usage
        }
        Err(fault) => {
            report_error(&fault.to_string(), "look at the client that started the server");
            Exit::Failed
        }
    }
}

/// `ns mcp-worker`: the process that the server starts for each script.
pub fn worker(global: &Global) -> Exit {
    match mcp::work(&Options { ..global.options() }, |engine| engine.seal(Process::Script)) {
        Ok(()) => Exit::Done,
        // The server has ended, so nobody waits for the report.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            report_error(&format!("the worker cannot work: {error}"), "`ns mcp` starts it; nobody else needs to");
            Exit::Failed
        }
    }
}

fn worker_words(global: &Global) -> Vec<OsString> {
    [WORKER.into()].into_iter().chain(global.words()).collect()
}
