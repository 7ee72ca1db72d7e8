//! Metrics in the text form of Prometheus (OpenMetrics). No label has a value that a client chooses freely, so their
//! number is bounded; none names a token, a path or a session.

use std::time::Duration;

use hyper::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The content type of the metrics.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Bounds of the durations of calls, in seconds.
const DURATIONS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0];

/// The metrics of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    calls: Family<Call, Counter>,
    durations: Family<Tool, Histogram>,
    refused: Family<Reason, Counter>,
    sessions: Gauge,
    scripts: Gauge,
    in_progress: Gauge,
    connections: Gauge,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Call {
    tool: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Tool {
    tool: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

/// The numbers that hold at the time of a request for the metrics.
#[derive(Debug, Default)]
pub struct Now {
    /// Open sessions.
    pub sessions: usize,
    /// Scripts that run or wait for an answer.
    pub scripts: usize,
    /// Calls in progress.
    pub calls: usize,
    /// Open connections.
    pub connections: usize,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let durations = Family::<Tool, Histogram>::new_with_constructor(|| Histogram::new(DURATIONS.iter().copied()));
        let mut metrics = Metrics {
            registry: Registry::with_prefix("ns"),
            requests: Family::default(),
            calls: Family::default(),
            durations,
            refused: Family::default(),
            sessions: Gauge::default(),
            scripts: Gauge::default(),
            in_progress: Gauge::default(),
            connections: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("http_requests", "HTTP requests answered", metrics.requests.clone());
        registry.register("calls", "Calls of tools and scripts", metrics.calls.clone());
        registry.register("call_duration_seconds", "Durations of calls", metrics.durations.clone());
        registry.register("refused_requests", "HTTP requests refused", metrics.refused.clone());
        registry.register("sessions", "Open sessions", metrics.sessions.clone());
        registry.register("scripts", "Scripts that run or wait for an answer", metrics.scripts.clone());
        registry.register("calls_in_progress", "Calls in progress", metrics.in_progress.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        metrics
    }
}

impl Metrics {
    /// Counts a request that was answered.
    pub fn count_request(&self, method: &Method, status: StatusCode) {
        let mut known = ["GET", "POST", "DELETE", "HEAD", "OPTIONS"].into_iter();
        let method = known.find(|known| *known == method.as_str()).unwrap_or("other");
        self.requests.get_or_create(&Request { method, status: status.as_u16() }).inc();
    }

    /// Counts a request that was refused, beside its status.
    pub fn count_refusal(&self, reason: &'static str) {
        self.refused.get_or_create(&Reason { reason }).inc();
    }

    /// Counts a call that ended. `tool` is the name of an offered tool.
    pub fn count_call(&self, tool: &str, outcome: &'static str, duration: Duration) {
        self.calls.get_or_create(&Call { tool: tool.to_owned(), outcome }).inc();
        self.durations.get_or_create(&Tool { tool: tool.to_owned() }).observe(duration.as_secs_f64());
    }

    /// Returns the metrics as text.
    pub fn text(&self, now: &Now) -> Result<String, std::fmt::Error> {
        let set = |gauge: &Gauge, number: usize| gauge.set(i64::try_from(number).unwrap_or(i64::MAX));
        set(&self.sessions, now.sessions);
        set(&self.scripts, now.scripts);
        set(&self.in_progress, now.calls);
        set(&self.connections, now.connections);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
