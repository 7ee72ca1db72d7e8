//! The paths of the server, and who may use them.
//!
//! A request without a right token is refused before its body is read. A right token is always accepted, however many
//! wrong ones came from the same address.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::super::metrics::{self, Metrics, Now};
use super::client::Client;
use super::rate::Failures;
use super::refusal::{Body, Refusal, text, with_type};
use super::resource::{Resource, challenge};
use super::tokens::TokenHash;

/// The path of the endpoint.
const ENDPOINT: &str = "/mcp";
/// The path of the health check.
const HEALTH: &str = "/healthz";
/// The path of the metrics.
const METRICS: &str = "/metrics";
/// Time after which a client may look for another server when this one ends.
const ENDING: Duration = Duration::from_secs(5);

/// The state of the server that its connections share.
pub struct Site {
    /// The clients.
    pub clients: Vec<Client>,
    /// The protected resource, if an authorization server is configured.
    pub resource: Option<Resource>,
    /// The metrics, if they are offered.
    pub metrics: Option<Arc<Metrics>>,
    /// Cancelled when the server begins to end.
    pub ending: CancellationToken,
    /// Failed authentications.
    pub failures: Failures,
    /// Number of open connections.
    pub connections: AtomicUsize,
}

impl Site {
    /// Answers a request.
    pub async fn answer(&self, peer: IpAddr, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let method = request.method().clone();
        let answer = self.route(peer, request).await;
        if let (Some(metrics), Err(refusal)) = (&self.metrics, &answer) {
            metrics.count_refusal(refusal.reason);
        }
        let response = answer.unwrap_or_else(Refusal::answer);
        if let Some(metrics) = &self.metrics {
            metrics.count_request(&method, response.status());
        }
        Ok(response)
    }

    async fn route(&self, peer: IpAddr, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        let path = request.uri().path();
        if path == HEALTH {
            return Ok(self.health());
        }
        if let Some(resource) = self.resource.as_ref().filter(|resource| resource.is_at(path)) {
            return Ok(with_type(StatusCode::OK, "application/json", resource.metadata()));
        }
        match (path, &self.metrics) {
            (METRICS, Some(metrics)) => self.metrics(metrics, self.client(peer, &request)?).await,
            (ENDPOINT, _) => {
                let client = self.client(peer, &request)?;
                if self.ending.is_cancelled() {
                    let text = "the server ends; send the request to another, or later";
                    let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "ending", text);
                    return Err(refusal.retry_after(ENDING));
                }
                let answer = client.answer(request).await?;
                if let (Some(metrics), StatusCode::FORBIDDEN) = (&self.metrics, answer.status()) {
                    metrics.count_refusal("host_or_origin");
                }
                Ok(answer)
            }
            _ => Err(Refusal::new(StatusCode::NOT_FOUND, "path", "nothing is here; the endpoint is /mcp")),
        }
    }

    fn health(&self) -> Response<Body> {
        if self.ending.is_cancelled() {
            return text(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
        }
        text(StatusCode::OK, "ok")
    }

    async fn metrics(&self, metrics: &Metrics, client: &Client) -> Result<Response<Body>, Refusal> {
        if !client.token.reads_metrics {
            let text = "the token gives no access to /metrics; use one with `access = \"metrics\"`";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "access", text));
        }
        let mut now = Now { connections: self.connections.load(Ordering::Relaxed), ..Now::default() };
        for client in &self.clients {
            client.add_to(&mut now).await;
        }
        let written = metrics.text(&now).map_err(|error| {
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "fault", format!("the metrics cannot be written: {error}"))
        })?;
        Ok(with_type(StatusCode::OK, metrics::CONTENT_TYPE, written))
    }

    /// Returns the client whose token a request carries.
    fn client(&self, peer: IpAddr, request: &Request<Incoming>) -> Result<&Client, Refusal> {
        let given = request.headers().get(AUTHORIZATION);
        let token = given.and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
        let hash = TokenHash::of(token.unwrap_or_default());
        // Each hash is compared, so that the time does not tell which one fits.
        let fitting = self
            .clients
            .iter()
            .fold(None, |found, client| if client.token.hash.is(&hash) { Some(client) } else { found });
        if let Some(client) = fitting.filter(|_| token.is_some()) {
            return Ok(client);
        }
        let is_wrong = given.is_some();
        // Clients begin without a token, to be told where to get one.
        if is_wrong && let Err(time) = self.failures.count(peer, Instant::now()) {
            let text = "too many wrong tokens came from this address; try again later";
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, "failures", text).retry_after(time));
        }
        let (reason, text) = if is_wrong {
            ("token", "the server does not know the token; ask its operator for a new one")
        } else {
            ("no_token", "a token is needed: `Authorization: Bearer TOKEN`")
        };
        let challenge = Some(challenge(self.resource.as_ref(), is_wrong));
        Err(Refusal { challenge, ..Refusal::new(StatusCode::UNAUTHORIZED, reason, text) })
    }
}
