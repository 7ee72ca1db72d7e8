//! `ns mcp --http`: who may connect, and `ns mcp --new-token`.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use crate::mcp::{
    self, Access, Fault, HttpClient, Listening, NamedSandbox, Settings, Token, TokenEntry, TokenHash, new_token,
};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error, report_setup, say};
use crate::terminal::script_file::read_text;

use super::args::McpArgs;

/// The variable with the token of a server without a tokens file.
const TOKEN: &str = "NS_MCP_TOKEN";

/// Who may connect.
pub enum Tokens {
    /// One token for all clients. `is_new`: it was just made and must be shown to the user.
    One { token: String, is_new: bool },
    /// The clients of a tokens file.
    Listed(Vec<TokenEntry>),
}

/// Starts to listen. Must run before the lockdown, which forbids binding ports.
pub fn listen(address: SocketAddr, is_public: bool) -> Result<TcpListener, Exit> {
    if !address.ip().is_loopback() && !is_public {
        report_error(
            &format!("`{address}` can be reached from other machines"),
            "name a loopback address, such as 127.0.0.1:8765, or add `--public`, with TLS before it",
        );
        return Err(Exit::Usage);
    }
    TcpListener::bind(address).map_err(|error| {
        report_error(&format!("`{address}` cannot be listened at: {error}"), "name another port; 0 takes a free one");
        Exit::Failed
    })
}

/// Returns who may connect. Must run before the lockdown, which forbids reading the file.
pub fn tokens(sandboxes: &[NamedSandbox], args: &McpArgs) -> Result<Tokens, Exit> {
    if let Some(file) = &args.over_http.tokens {
        return listed(file, sandboxes).map(Tokens::Listed);
    }
    let given = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let is_new = given.is_none();
    let token = given.map_or_else(made, Ok)?;
    Ok(Tokens::One { token, is_new })
}

fn listed(file: &Path, sandboxes: &[NamedSandbox]) -> Result<Vec<TokenEntry>, Exit> {
    let (name, bytes) = read_text(file)?;
    let refused = |message: String, help: &str| {
        report_error(&message, help);
        Err(Exit::Usage)
    };
    let paths = sandboxes.iter().map(|sandbox| sandbox.path.as_deref().unwrap_or(Path::new(".")));
    let roots: Vec<PathBuf> = paths.filter_map(|path| path.canonicalize().ok()).collect();
    let is_reachable = |file: &Path| {
        let file = file.canonicalize().ok();
        file.is_some_and(|file| roots.iter().any(|root| file.starts_with(root)))
    };
    let in_sandbox = |name: &str| {
        let message = format!("`{name}` is in the sandbox, where clients could change it");
        refused(message, "move it to a directory outside the sandbox")
    };
    if is_reachable(file) {
        return in_sandbox(&name);
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return refused(format!("`{name}` is not UTF-8"), "write it again as UTF-8");
    };
    let entries = mcp::parse_tokens(&text).or_else(|fault| {
        let place = fault.line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        let help = "an entry is `[[token]]` with `name` and `hash`, and may have `policy`, `write`, `rate` and `access`; `ns mcp --new-token NAME` prints one";
        refused(format!("{place}: {}", fault.message), help)
    })?;
    let beside = |policy: PathBuf| file.parent().unwrap_or(Path::new("")).join(policy);
    let entries: Vec<TokenEntry> =
        entries.into_iter().map(|entry| TokenEntry { policy: entry.policy.map(beside), ..entry }).collect();
    match entries.iter().filter_map(|entry| entry.policy.as_deref()).find(|policy| is_reachable(policy)) {
        Some(policy) => in_sandbox(&policy.display().to_string()),
        None => Ok(entries),
    }
}

/// Serves over HTTP. `settings` returns the settings of a client from the options of the command line.
///
/// # Errors
/// Returns an error if the server cannot start.
pub fn serve(
    listener: TcpListener,
    tokens: Tokens,
    args: &McpArgs,
    settings: impl Fn(&Client) -> Settings,
) -> Result<(), Fault> {
    let http = &args.over_http;
    let new = if let Tokens::One { token, is_new: true } = &tokens { Some(token.clone()) } else { None };
    let clients = match tokens {
        Tokens::One { token, .. } => {
            let token = Token { hash: TokenHash::of(&token), rate: http.rate, reads_metrics: true };
            vec![HttpClient { token, settings: Some(settings(&Client::default())) }]
        }
        Tokens::Listed(entries) => entries
            .into_iter()
            .map(|entry| {
                let reads_metrics = entry.access == Access::Metrics;
                let token = Token { hash: entry.hash, rate: entry.rate.or(http.rate), reads_metrics };
                let client = Client { name: Some(entry.name), policy: entry.policy, write: entry.write };
                HttpClient { token, settings: (!reads_metrics).then(|| settings(&client)) }
            })
            .collect(),
    };
    let listening = Listening {
        listener,
        url: http.url.clone(),
        origins: http.origins.clone(),
        authorization_servers: http.authorization_servers.clone(),
        offers_metrics: http.metrics,
        idle: http.session_idle,
        patience: args.patience,
        grace: http.grace,
    };
    mcp::serve_http(clients, listening, report_setup, |address| {
        say(&format!("listening at http://{address}/mcp\n"));
        if let Some(token) = new {
            say(&format!("Authorization: Bearer {token}\n"));
        }
    })
}

/// The options of a client, which take precedence over those of the command line.
#[derive(Default)]
pub struct Client {
    /// Its name; `None` if there is only one.
    pub name: Option<String>,
    /// Its policy file.
    pub policy: Option<PathBuf>,
    /// Whether it may change files.
    pub write: Option<bool>,
}

/// `ns mcp --new-token NAME`
pub fn print_new_token(name: &str) -> Exit {
    let token = match made() {
        Ok(token) => token,
        Err(exit) => return exit,
    };
    // The entry may be appended to a file; the token must not get into it.
    say(&format!("Authorization: Bearer {token}\n"));
    print(&format!("[[token]]\nname = \"{name}\"\nhash = \"{}\"\n", TokenHash::of(&token)))
}

fn made() -> Result<String, Exit> {
    new_token().map_err(|error| {
        report_error(&format!("no token can be made: {error}"), "set NS_MCP_TOKEN");
        Exit::Failed
    })
}
