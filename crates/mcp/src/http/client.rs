//! A client of the server, that is, a token: its endpoint, its sessions, and what it may take at once.
//!
//! All sessions of a token share one engine, which executes their calls one after another, so that a change and a read
//! that depends on it have an order. Tokens share nothing but the sandbox: each has its own engine on a thread of its
//! own, policy, session memory, approvals, truncated answers, scripts and history.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::super::engine_thread::EngineHandle;
use super::super::metrics::{Metrics, Now};
use super::super::server::{Parts, Scripts, Server};
use super::super::traffic::Traffic;
use super::rate::Bucket;
use super::refusal::{Body, Refusal};
use super::sessions::Sessions;
use super::tokens::TokenHash;

/// Maximum size of a request body, in bytes.
pub const MAX_BODY: usize = 16 << 20;
/// Maximum size in bytes of the bodies of a token that are being read.
const MAX_BODIES: usize = 32 << 20;
/// The unit in which these are counted, in bytes.
const UNIT: usize = 1 << 10;
/// Time for a client to send a body.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Maximum number of requests of a token in progress.
const REQUESTS: usize = 64;
/// Time after which a client may try again when too much is in progress.
const SOON: Duration = Duration::from_secs(1);

/// A token as the server knows it.
#[derive(Debug)]
pub struct Token {
    /// Its hash.
    pub hash: TokenHash,
    /// Maximum number of requests per minute; none if omitted.
    pub rate: Option<NonZeroU32>,
    /// Whether it gives access to the metrics.
    pub reads_metrics: bool,
}

/// A client of the server.
pub struct Client {
    /// Its token.
    pub token: Token,
    /// The endpoint; `None` if the token gives access to the metrics only.
    endpoint: Option<Endpoint>,
    bucket: Option<Mutex<Bucket>>,
}

struct Endpoint {
    service: StreamableHttpService<Server, Sessions>,
    sessions: Arc<Sessions>,
    engine: EngineHandle,
    traffic: Arc<Traffic>,
    scripts: Arc<Scripts>,
    requests: Arc<Semaphore>,
    /// Room for bodies that are being read, in units.
    bodies: Semaphore,
}

/// The settings that all clients share.
pub struct Shared<'a> {
    /// The configuration of the protocol.
    pub config: StreamableHttpServerConfig,
    /// Time after which an idle session ends.
    pub idle: Duration,
    /// The metrics, if they are offered.
    pub metrics: Option<&'a Arc<Metrics>>,
}

impl Client {
    /// Creates a client from the parts of its server, which a token for metrics does not have.
    pub fn new(token: Token, parts: Option<Parts>, shared: &Shared<'_>) -> Client {
        let bucket = token.rate.map(|rate| Mutex::new(Bucket::per_minute(rate)));
        let endpoint = parts.map(|parts| Endpoint::new(parts, shared));
        Client { token, endpoint, bucket }
    }

    /// Answers a request to the endpoint.
    pub async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        let Some(endpoint) = &self.endpoint else {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "access", "the token gives access to /metrics only"));
        };
        if let Some(bucket) = &self.bucket {
            let taken = bucket.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
            taken.map_err(|time| {
                let text = "the token has used up its requests per minute; try again later";
                Refusal::new(StatusCode::TOO_MANY_REQUESTS, "rate", text).retry_after(time)
            })?;
        }
        endpoint.answer(request).await
    }

    /// Waits until no call is in progress and all answers are written.
    pub async fn is_idle(&self) {
        if let Some(endpoint) = &self.endpoint {
            endpoint.traffic.is_over().await;
            // Fails only if the semaphore were closed.
            let _ = endpoint.requests.acquire_many(REQUESTS as u32).await;
        }
    }

    /// Adds the numbers of this client.
    pub async fn add_to(&self, now: &mut Now) {
        if let Some(Endpoint { sessions, traffic, scripts, .. }) = &self.endpoint {
            now.sessions += sessions.count().await;
            now.scripts += scripts.count();
            now.calls += traffic.in_progress();
        }
    }

    /// Interrupts the current call, and ends the engine.
    pub fn stop(&self) {
        self.endpoint.iter().for_each(|endpoint| endpoint.engine.stop());
    }
}

impl Endpoint {
    fn new(parts: Parts, shared: &Shared<'_>) -> Endpoint {
        let traffic = Arc::new(Traffic::new(shared.metrics.cloned()));
        let (engine, scripts) = (parts.engine.clone(), parts.scripts.clone());
        let parts = Parts { traffic: Some(traffic.clone()), ..parts };
        let sessions = Arc::new(Sessions::new(shared.idle));
        let service =
            StreamableHttpService::new(move || Ok(Server::new(parts.clone())), sessions.clone(), shared.config.clone());
        let requests = Arc::new(Semaphore::new(REQUESTS));
        let bodies = Semaphore::new(MAX_BODIES / UNIT);
        Endpoint { service, sessions, engine, traffic, scripts, requests, bodies }
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        if request.method() != Method::POST {
            let is_end = request.method() == Method::DELETE;
            let mut response = self.service.handle(request).await;
            // Clients expect 200 or 204 at the end of a session; the Python SDK warns about any other status.
            if is_end && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return Ok(response);
        }
        let permit = self.admit()?;
        let (head, body) = request.into_parts();
        let body = self.read(body).await?;
        let response = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        // The request is in progress until its answer is written or dropped.
        Ok(response.map(|body| {
            let permit = permit;
            body.map_frame(move |frame| {
                let _ = &permit;
                frame
            })
            .boxed()
        }))
    }

    /// Admits a request if not too many are in progress. A call goes on when its client has left.
    fn admit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let permit = self.requests.clone().try_acquire_owned().ok();
        permit.filter(|_| self.traffic.in_progress() < REQUESTS).ok_or_else(|| {
            let text = format!("{REQUESTS} requests of this token are in progress; try again when one has ended");
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, "busy", text).retry_after(SOON)
        })
    }

    /// Reads a body, if there is room for it in time.
    async fn read(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let large = || {
            let text = format!("the body has more than {MAX_BODY} bytes; send less at once");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "size", text)
        };
        let size = body.size_hint();
        let size = usize::try_from(size.upper().unwrap_or(MAX_BODY as u64)).unwrap_or(usize::MAX);
        if size > MAX_BODY {
            return Err(large());
        }
        let reading = async {
            let _room = self.bodies.acquire_many(size.div_ceil(UNIT) as u32).await;
            Limited::new(body, MAX_BODY).collect().await
        };
        match timeout(BODY_TIME, reading).await {
            Ok(Ok(read)) => Ok(read.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(large()),
            Ok(Err(_)) => Err(Refusal::new(StatusCode::BAD_REQUEST, "body", "the body breaks off; send it again")),
            Err(_) => {
                let text = format!("the body did not come within {} s; send it again", BODY_TIME.as_secs());
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "slow", text))
            }
        }
    }
}
