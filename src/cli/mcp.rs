//! `ns mcp`: the MCP server, and the workers in which it runs scripts.

use std::ffi::OsString;
use std::path::Path;

use crate::engine::{Network, Options, Process, seal_tester};
use crate::mcp::{self, Fault, ScriptFault, ScriptTool, Settings};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{report_error, report_findings, report_setup};
use crate::terminal::script_file::read_script;

use super::args::McpArgs;
use super::sandboxes;
use super::start::settle;

/// The hidden subcommand that starts a worker.
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
    #[cfg(feature = "http")]
    let listener = match args.http.map(|address| listen(address, args.public)).transpose() {
        Ok(listener) => listener,
        Err(exit) => return exit,
    };
    #[cfg(feature = "http")]
    let network = listener.as_ref().map_or(Network::None, |_| Network::Accepts);
    #[cfg(not(feature = "http"))]
    let network = Network::None;
    let scripts = match args.scripts.iter().map(|file| offered(file)).collect() {
        Ok(scripts) => scripts,
        Err(exit) => return exit,
    };
    let sandboxes = match sandboxes::named(&global.sandboxes) {
        Ok(sandboxes) => sandboxes,
        Err(message) => {
            report_error(&message, "a sandbox is `DIR`, or `NAME=DIR`");
            return Exit::Usage;
        }
    };
    // The engine's thread is locked down after it has opened the sandbox, all others now.
    if let Err(error) = seal_tester(network) {
        report_error(&format!("the kernel does not restrict the process: {error}"), "nothing runs");
        return Exit::Failed;
    }
    if let Err(exit) = settle() {
        return exit;
    }
    let global = Global { read_only: global.read_only || !args.write, ..global.clone() };
    let settings = Settings {
        sandboxes,
        options: Options { answer_bytes: args.max_output_bytes, ..global.options() },
        tools: args.tools.clone(),
        scripts,
        follows_roots: !args.ignore_roots,
        patience: args.patience,
        worker: (program, worker_words(&global)),
    };
    #[cfg(feature = "http")]
    if let Some(listener) = listener {
        return over_http(listener, args, settings);
    }
    end(mcp::serve(settings, report_setup))
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

/// Starts to listen. Must run before the lockdown, which forbids binding ports.
#[cfg(feature = "http")]
fn listen(address: std::net::SocketAddr, is_public: bool) -> Result<std::net::TcpListener, Exit> {
    if !address.ip().is_loopback() && !is_public {
        report_error(
            &format!("`{address}` can be reached from other machines"),
            "name a loopback address, such as 127.0.0.1:8765, or add `--public`, with TLS before it",
        );
        return Err(Exit::Usage);
    }
    std::net::TcpListener::bind(address).map_err(|error| {
        report_error(&format!("`{address}` cannot be listened at: {error}"), "name another port; 0 takes a free one");
        Exit::Failed
    })
}

/// Serves over HTTP. Clients need the token.
#[cfg(feature = "http")]
fn over_http(listener: std::net::TcpListener, args: &McpArgs, settings: Settings) -> Exit {
    use crate::terminal::report::say;
    let given = std::env::var("NS_MCP_TOKEN").ok().filter(|token| !token.is_empty());
    let is_new = given.is_none();
    let token = match given.map_or_else(new_token, Ok) {
        Ok(token) => token,
        Err(error) => {
            report_error(&format!("no token can be made: {error}"), "set NS_MCP_TOKEN");
            return Exit::Failed;
        }
    };
    let listening = mcp::Listening { listener, token: token.clone(), origins: args.origins.clone() };
    end(mcp::serve_http(settings, listening, report_setup, |address| {
        say(&format!("listening at http://{address}/mcp\n"));
        if is_new {
            say(&format!("Authorization: Bearer {token}\n"));
        }
    }))
}

#[cfg(feature = "http")]
fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(crate::text::hex(&bytes))
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
