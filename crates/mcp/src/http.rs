//! The MCP server over HTTP, for clients that cannot start a process.
//!
//! It listens on loopback only, unless another address is requested. Every request must carry the token, name an
//! allowed host and come from an allowed origin; otherwise it is refused before its body is read. One engine serves all
//! sessions, so session memory is shared by all clients of the server, and the roots of a client restrict nothing.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::server::Server;

/// The URL path of the endpoint.
const PATH: &str = "/mcp";
/// Maximum size of a request body, in bytes.
const MAX_REQUEST: usize = 16 << 20;
/// Origins of pages served by the same machine; their requests still need the token.
const OWN_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
/// Maximum number of simultaneous connections; others wait.
const CONNECTIONS: usize = 64;

/// The address, token and origins of an HTTP server.
#[derive(Debug)]
pub struct Listening {
    /// Already listening: a process in lockdown can no longer start to listen.
    pub listener: std::net::TcpListener,
    /// The bearer token that every request must carry.
    pub token: String,
    /// Additional origins whose pages may send requests, such as `https://app.example.com:443`; none by default.
    pub origins: Vec<String>,
}

/// Serves until the process ends. Calls `on_listening` with the address as soon as the server listens.
pub async fn listen(
    listening: Listening,
    server: impl Fn() -> Server + Send + Sync + 'static,
    on_listening: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    listening.listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listening.listener)?;
    let address = listener.local_addr()?;
    let hosts = [
        address.ip().to_string(),
        address.to_string(),
        "localhost".to_owned(),
        format!("localhost:{}", address.port()),
    ];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(listening.origins.iter().map(String::as_str).chain(OWN_ORIGINS))
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_REQUEST);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server()), sessions, config);
    let token: Arc<str> = listening.token.into();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    on_listening(address);
    loop {
        let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
        let (stream, _) = listener.accept().await?;
        let (service, token) = (service.clone(), token.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request| answer(service.clone(), token.clone(), request));
            // Errors of one connection concern only its client.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

type Service = StreamableHttpService<Server, LocalSessionManager>;
type Answer = http_body_util::combinators::BoxBody<hyper::body::Bytes, Infallible>;

async fn answer(service: Service, token: Arc<str>, request: Request<Incoming>) -> Result<Response<Answer>, Infallible> {
    if request.uri().path() != PATH {
        return Ok(refused(StatusCode::NOT_FOUND, "there is only /mcp\n"));
    }
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if !is_same(given.as_bytes(), token.as_bytes()) {
        let mut response = refused(StatusCode::UNAUTHORIZED, "the token of the server is needed\n");
        response.headers_mut().insert("WWW-Authenticate", hyper::header::HeaderValue::from_static("Bearer"));
        return Ok(response);
    }
    Ok(service.handle(request).await)
}

/// Compares two byte strings without revealing through timing where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

fn refused(status: StatusCode, why: &'static str) -> Response<Answer> {
    use http_body_util::{BodyExt, Full};
    let mut response = Response::new(Full::new(hyper::body::Bytes::from_static(why.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
