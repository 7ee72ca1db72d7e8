//! Messages: requests of the client, and the answers and events that it gets.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::frames::{Frame, read, write};

/// A request of the client.
#[derive(Debug)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// The command.
    pub command: String,
    /// The arguments.
    pub arguments: Json,
}

/// Why a request fails: one sentence.
#[derive(Debug)]
pub struct Refusal(pub String);

/// The answer to a request.
pub type Answer = Result<Json, Refusal>;

impl Refusal {
    /// Creates a refusal.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}

impl Request {
    /// Reads the next request and its size in bytes. A message that is no request is reported and skipped. Returns `None`
    /// at the end of the input, or at a frame that cannot be read.
    pub fn next(input: &mut impl BufRead, sender: &Sender) -> Option<(Request, u64)> {
        loop {
            let frame = read(input).ok()??;
            let bytes = if let Frame::Json(_, bytes) = &frame { *bytes } else { 0 };
            match Request::of(frame) {
                Ok(request) => return Some((request, bytes)),
                Err(reason) => {
                    let _ = sender.show("stderr", &format!("a message was skipped: {reason}\n"));
                }
            }
        }
    }

    /// Reads a request from a frame.
    ///
    /// # Errors
    /// Why it is none.
    fn of(frame: Frame) -> Result<Request, String> {
        let body = match frame {
            Frame::Json(body, _) => body,
            Frame::Malformed(reason) => return Err(reason),
        };
        let Json::Object(mut body) = body else { return Err("a message is an object".to_owned()) };
        if body.get("type").and_then(Json::as_str) != Some("request") {
            return Err("`type` is not \"request\"".to_owned());
        }
        let Some(seq) = body.get("seq").and_then(Json::as_i64) else { return Err("`seq` is not a number".to_owned()) };
        let Some(Json::String(command)) = body.remove("command") else {
            return Err("`command` is not a text".to_owned());
        };
        Ok(Request { seq, command, arguments: body.remove("arguments").unwrap_or(Json::Null) })
    }

    /// Reads the arguments.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        let given = if self.arguments.is_null() { json!({}) } else { self.arguments.clone() };
        serde_json::from_value(given)
            .map_err(|error| Refusal::new(format!("the arguments of `{}` do not fit: {error}", self.command)))
    }
}

/// The connection to the client, shared by the threads.
#[derive(Clone)]
pub struct Sender(Arc<Mutex<Sending>>);

struct Sending {
    out: Box<dyn Write + Send>,
    seq: i64,
    is_gone: bool,
}

impl Sender {
    /// Creates the connection to this output.
    pub fn new(out: impl Write + Send + 'static) -> Sender {
        Sender(Arc::new(Mutex::new(Sending { out: Box::new(out), seq: 0, is_gone: false })))
    }

    /// Sends an event. If the client is gone, nothing happens; the reading thread notices it too.
    pub fn event(&self, event: &str, body: Json) {
        let _ = self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request, answer: Answer) {
        let mut message =
            json!({ "type": "response", "request_seq": request.seq, "command": request.command, "success": true });
        match answer {
            Ok(Json::Null) => {}
            Ok(body) => message["body"] = body,
            Err(Refusal(text)) => {
                message["success"] = json!(false);
                message["message"] = json!(text);
                message["body"] = json!({ "error": { "id": 1, "format": escaped(&text), "showUser": true } });
            }
        }
        let _ = self.send(message);
    }

    /// Shows a text to the user, in the category of the protocol.
    ///
    /// # Errors
    /// The client is gone.
    pub fn show(&self, category: &str, text: &str) -> io::Result<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(MAX_OUTPUT));
            self.send(
                json!({ "type": "event", "event": "output", "body": { "category": category, "output": piece } }),
            )?;
            rest = behind;
        }
        Ok(())
    }

    fn send(&self, mut message: Json) -> io::Result<()> {
        let mut sending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sending.is_gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        sending.seq += 1;
        message["seq"] = json!(sending.seq);
        let sent = write(&mut sending.out, &message);
        sending.is_gone = sent.is_err();
        sent
    }
}

/// Maximum size of the text in one event, in bytes.
const MAX_OUTPUT: usize = 64 << 10;

/// Returns a text in which no brace begins a variable of a message.
fn escaped(text: &str) -> String {
    text.replace('{', "(").replace('}', ")")
}
