//! The MCP server over HTTP, for clients that cannot start a process, and for several at once.
//!
//! It listens on loopback only, unless another address is requested; TLS is left to a proxy. Every request must carry a
//! token, name an allowed host and come from an allowed origin; otherwise it is refused before its body is read. Each
//! token is a client of its own ([`client`]). The roots of a client restrict nothing.
//!
//! Everything that waits is bounded: connections and the time to send a head ([`accept`]), bodies, requests and sessions
//! ([`client`]), what is kept for streams that continue ([`events`]), and the time in which a client that does not read
//! must read on.

mod client;
mod events;
mod rate;
mod refusal;
mod resource;
mod sessions;
mod signals;
mod site;
mod tokens;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;
use super::server::Parts;

use client::{Client, MAX_BODY, Shared};
use resource::Resource;
use signals::Signals;
use site::Site;

pub use client::Token;
pub use resource::PublicUrl;
pub use tokens::{Access, TokenEntry, TokenHash, TokensFault, is_token_name, new_token, parse_tokens};

/// Origins of pages served by the same machine; their requests still need a token.
const OWN_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
/// Maximum number of simultaneous connections; others wait until one is closed.
const CONNECTIONS: usize = 512;
/// Maximum size in bytes of the head of a request, and maximum number of its headers.
const HEAD: usize = 32 << 10;
const HEADERS: usize = 100;
/// Time for a client to send the head of a request, and for which a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Time after which the server accepts connections again when the system refused one.
const AGAIN: Duration = Duration::from_millis(100);
/// Time for the last answers to be written when the server ends.
const CLOSING: Duration = Duration::from_secs(1);

/// The settings of an HTTP server.
#[derive(Debug)]
pub struct Listening {
    /// Already listening: a process in lockdown can no longer start to listen.
    pub listener: std::net::TcpListener,
    /// The URL of the endpoint as clients see it, if it differs from the address.
    pub url: Option<PublicUrl>,
    /// Additional origins whose pages may send requests, such as `https://app.example.com:443`; none by default.
    pub origins: Vec<String>,
    /// The issuers of the authorization servers to which clients without a token are sent.
    pub authorization_servers: Vec<String>,
    /// Whether `/metrics` is offered.
    pub offers_metrics: bool,
    /// Time after which an idle session ends.
    pub idle: Duration,
    /// Time after which a client that does not read is disconnected.
    pub patience: Duration,
    /// Time for calls in progress when the server ends.
    pub grace: Duration,
}

/// Serves until the process is told to end. Calls `on_listening` with the address as soon as the server listens.
pub async fn listen(
    listening: Listening,
    clients: Vec<(Token, Option<Parts>)>,
    on_listening: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let Listening { listener, url, origins, authorization_servers, offers_metrics, idle, patience, grace } = listening;
    listener.set_nonblocking(true)?;
    let mut signals = Signals::listen()?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let streams = CancellationToken::new();
    let metrics = offers_metrics.then(Arc::<Metrics>::default);
    let config = config(address, url.as_ref(), origins).with_cancellation_token(streams.clone());
    let shared = Shared { config, idle, metrics: metrics.as_ref() };
    let site = Arc::new(Site {
        clients: clients.into_iter().map(|(token, parts)| Client::new(token, parts, &shared)).collect(),
        resource: Resource::new(url.as_ref(), authorization_servers),
        metrics,
        ending: CancellationToken::new(),
        failures: Default::default(),
        connections: Default::default(),
    });
    let graceful = GracefulShutdown::new();
    let mut accepting = Box::pin(accept(listener, site.clone(), &graceful, patience));
    on_listening(address);
    tokio::select! {
        () = &mut accepting => {}
        () = signals.next() => {}
    }
    site.ending.cancel();
    // Connections are accepted while calls end, so that a health check learns that the server ends.
    tokio::select! {
        () = &mut accepting => {}
        () = signals.next() => {}
        _ = timeout(grace, calls_end(&site)) => {}
    }
    drop(accepting);
    streams.cancel();
    // A client that does not read its last answer is left behind.
    let _ = timeout(CLOSING, graceful.shutdown()).await;
    site.clients.iter().for_each(Client::stop);
    Ok(())
}

async fn calls_end(site: &Site) {
    for client in &site.clients {
        client.is_idle().await;
    }
}

fn config(address: SocketAddr, url: Option<&PublicUrl>, origins: Vec<String>) -> StreamableHttpServerConfig {
    let mut hosts = vec![
        address.ip().to_string(),
        address.to_string(),
        "localhost".to_owned(),
        format!("localhost:{}", address.port()),
    ];
    hosts.extend(url.map(|url| url.authority().to_owned()));
    let own = url.map(PublicUrl::origin);
    let origins = origins.into_iter().chain(OWN_ORIGINS.map(str::to_owned)).chain(own);
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY)
}

/// Accepts connections forever.
async fn accept(listener: TcpListener, site: Arc<Site>, graceful: &GracefulShutdown, patience: Duration) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    // Fails only if the semaphore were closed.
    while let Ok(place) = room.clone().acquire_owned().await {
        let Ok((stream, peer)) = listener.accept().await else {
            // The client is gone, or the system is out of descriptors, which others will close.
            sleep(AGAIN).await;
            continue;
        };
        let (site, watcher) = (site.clone(), graceful.watcher());
        tokio::spawn(async move {
            site.connections.fetch_add(1, Ordering::Relaxed);
            serve(stream, peer, &site, watcher, patience).await;
            site.connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, site: &Arc<Site>, watcher: Watcher, patience: Duration) {
    // Answers are small and come one by one; without this, each would wait for the acknowledgement of the last.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience));
    let answer = service_fn(move |request| {
        let site = site.clone();
        async move { site.answer(peer.ip(), request).await }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEADERS)
        .max_header_size(HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer);
    // Errors of one connection concern only its client.
    let _ = watcher.watch(connection).await;
}
