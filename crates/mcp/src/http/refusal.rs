//! Requests that are refused before they reach the protocol.

use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

/// The body of an answer.
pub type Body = BoxBody<Bytes, std::convert::Infallible>;

/// A request that is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// The reason for metrics.
    pub reason: &'static str,
    /// The text of the answer: what is wrong, and what to do.
    pub text: String,
    /// The time after which the client may try again.
    pub retry_after: Option<Duration>,
    /// The challenge for a client without a right token.
    pub challenge: Option<String>,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(status: StatusCode, reason: &'static str, text: impl Into<String>) -> Refusal {
        Refusal { status, reason, text: text.into(), retry_after: None, challenge: None }
    }

    /// Tells when the client may try again.
    pub fn retry_after(self, time: Duration) -> Refusal {
        Refusal { retry_after: Some(time), ..self }
    }

    /// Converts it to an answer. The connection is closed after it, because the body of the request is not read.
    pub fn answer(self) -> Response<Body> {
        let mut response = text(self.status, self.text);
        let headers = response.headers_mut();
        if let Some(time) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(time.as_secs_f64().ceil() as u64));
        }
        if let Some(challenge) = self.challenge.and_then(|challenge| challenge.try_into().ok()) {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// Returns an answer with a line of text.
pub fn text(status: StatusCode, text: impl Into<String>) -> Response<Body> {
    let mut text: String = text.into();
    text.push('\n');
    with_type(status, "text/plain; charset=utf-8", text)
}

/// Returns an answer with a body of this type.
pub fn with_type(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
