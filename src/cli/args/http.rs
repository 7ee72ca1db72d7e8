//! Arguments of `ns mcp` for serving over HTTP.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::mcp::{PublicUrl, is_token_name};
use crate::options::seconds;

/// Arguments of `ns mcp` for serving over HTTP.
#[derive(Args, Debug)]
#[command(next_help_heading = "Over HTTP")]
pub struct HttpArgs {
    /// Serve over HTTP at this address, such as 127.0.0.1:8765, instead of standard input and output; without `--tokens`, the token is NS_MCP_TOKEN, or a new one that is printed on standard error
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// A file outside the sandbox that lists the clients by name, with the hashes of their tokens
    #[arg(long, value_name = "FILE", requires = "http")]
    pub tokens: Option<PathBuf>,
    /// Make a token: print its entry for the file of `--tokens` on standard output, the token itself on standard error, and end
    #[arg(long, value_name = "NAME", value_parser = token_name, conflicts_with = "http")]
    pub new_token: Option<String>,
    /// Maximum number of requests per minute of a token that sets no `rate` of its own [default: unlimited]
    #[arg(long, value_name = "N", requires = "http")]
    pub rate: Option<NonZeroU32>,
    /// Allow an address that other machines can reach; put TLS in front of it
    #[arg(long, requires = "http")]
    pub public: bool,
    /// The URL of the endpoint as clients see it, such as https://files.example.com/mcp; its host is then allowed too
    #[arg(long, value_name = "URL", requires = "http")]
    pub url: Option<PublicUrl>,
    /// A web origin that may send requests, such as https://app.example.com:443; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    pub origins: Vec<String>,
    /// An OAuth authorization server to which clients without a token are sent; may be repeated
    #[arg(long = "authorization-server", value_name = "URL", requires = "url")]
    pub authorization_servers: Vec<String>,
    /// Offer metrics for Prometheus at /metrics
    #[arg(long, requires = "http")]
    pub metrics: bool,
    /// Seconds after which an idle session ends
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3600", requires = "http")]
    pub session_idle: Duration,
    /// Seconds that calls in progress have to end after SIGTERM
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5", requires = "http")]
    pub grace: Duration,
}

fn token_name(name: &str) -> Result<String, String> {
    let expected = "expected 1 to 64 of the characters A-Z a-z 0-9 . _ -";
    is_token_name(name).then(|| name.to_owned()).ok_or_else(|| expected.to_owned())
}
