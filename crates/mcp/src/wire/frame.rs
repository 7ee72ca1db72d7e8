//! Parsing of one frame: a line that is a message, or the error to send back for a line that is not.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta,
    JsonRpcError, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::text::JsonFault;
use crate::value::json;

/// The content of a line.
#[derive(Debug)]
pub enum Frame {
    /// A message that needs no answer.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A tool call.
    Call(RequestId, Box<CallToolRequestParams>),
    /// Another request.
    Request(RequestId, Box<RxJsonRpcMessage<RoleServer>>),
    /// A notification that cancels the request with this id.
    Cancelled(RequestId, Box<RxJsonRpcMessage<RoleServer>>),
    /// An invalid frame, with the error to send back.
    Refused(JsonRpcError),
    /// A blank line, or an invalid frame that needs no answer.
    Nothing,
}

/// The fields that determine the kind of a message.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    jsonrpc: Option<Json>,
    #[serde(deserialize_with = "present")]
    id: Option<Json>,
    method: Option<Json>,
    #[serde(deserialize_with = "is_there")]
    result: bool,
    #[serde(deserialize_with = "is_there")]
    error: bool,
}

/// The parameters of a call. Calls are the most frequent messages, so they are read directly into this type.
#[derive(Deserialize)]
struct Call {
    params: CallToolRequestParams,
}

/// Parses a line.
pub fn parse(line: &[u8]) -> Frame {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Frame::Nothing;
    }
    if simdutf8::basic::from_utf8(line).is_err() {
        let at = str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
        return refused(None, ErrorCode::PARSE_ERROR, format!("the frame is not UTF-8, from byte {at} on"));
    }
    if line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        let message = "a frame is one JSON-RPC message, not a list of them; send them one after another";
        return refused(None, ErrorCode::INVALID_REQUEST, message.to_owned());
    }
    match serde_json::from_slice::<Head>(line) {
        Ok(head) => message(&head, line),
        Err(error) if error.is_data() => refused(
            None,
            ErrorCode::INVALID_REQUEST,
            format!("a frame is a JSON-RPC object: {}", JsonFault::of(&error)),
        ),
        Err(error) => {
            refused(None, ErrorCode::PARSE_ERROR, format!("the frame is not JSON: {}", JsonFault::of(&error)))
        }
    }
}

/// Returns the error for a frame that was too long and therefore not read.
pub fn too_long(most: usize) -> JsonRpcError {
    let message = format!("a frame may have {most} bytes; this one has more and was not read");
    JsonRpcError::new(None, ErrorData::new(ErrorCode::INVALID_REQUEST, message, None))
}

/// Returns the error for a request whose id is already in use by an unanswered request.
pub fn doubled(id: &RequestId) -> JsonRpcError {
    let message = format!("a request with the id {} is not answered yet; this one was not taken", display(id));
    // Sent without the id, so that the client does not take it for the answer to the first request.
    JsonRpcError::new(None, ErrorData::new(ErrorCode::INVALID_REQUEST, message, None))
}

fn message(head: &Head, line: &[u8]) -> Frame {
    let id = match head.id.as_ref().map(RequestId::deserialize) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(_)) => {
            let message = "`id` is a text or a whole number".to_owned();
            return refused(None, ErrorCode::INVALID_REQUEST, message);
        }
    };
    if head.jsonrpc.as_ref().and_then(Json::as_str) != Some("2.0") {
        return refused(id, ErrorCode::INVALID_REQUEST, "`jsonrpc` is \"2.0\" in every message".to_owned());
    }
    let method = match &head.method {
        None if head.result != head.error => return answer(line),
        None => {
            let message = "a message has a `method`, or a `result`, or an `error`".to_owned();
            return refused(id, ErrorCode::INVALID_REQUEST, message);
        }
        Some(method) => method.as_str(),
    };
    match (method, id) {
        (None, id) => refused(id, ErrorCode::INVALID_REQUEST, "`method` is a text".to_owned()),
        (Some(method), Some(id)) => request(method, id, line),
        (Some(_), None) => notification(line),
    }
}

fn request(method: &str, id: RequestId, line: &[u8]) -> Frame {
    if method == "tools/call" {
        if let Some(number) = lost_number(line) {
            let message = format!("the whole number {} of the arguments does not fit into 64 bits", cut(number));
            return refused(Some(id), ErrorCode::INVALID_PARAMS, message + "; give it as a text");
        }
        return match serde_json::from_slice::<Call>(line) {
            Ok(call) => Frame::Call(id, Box::new(call.params)),
            Err(error) => refused(Some(id), ErrorCode::INVALID_PARAMS, format!("`tools/call` {}", parse_fault(&error))),
        };
    }
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        // rmcp reads a request as custom if it does not know the method or the parameters do not fit.
        Ok(JsonRpcMessage::Request(request)) => match (&request.request, KNOWN.contains(&method)) {
            (ClientRequest::CustomRequest(_), true) => {
                refused(Some(id), ErrorCode::INVALID_PARAMS, format!("the parameters of `{method}` do not fit"))
            }
            (ClientRequest::CustomRequest(_), false) => {
                let message =
                    format!("there is no method `{}`: this server has what its capabilities say", cut(method));
                refused(Some(id), ErrorCode::METHOD_NOT_FOUND, message)
            }
            _ => Frame::Request(id, Box::new(JsonRpcMessage::Request(request))),
        },
        Ok(_) => refused(Some(id), ErrorCode::INVALID_REQUEST, "the frame is no request".to_owned()),
        Err(error) => {
            refused(Some(id), ErrorCode::INVALID_PARAMS, format!("`{}` {}", cut(method), parse_fault(&error)))
        }
    }
}

/// Finds a whole number in the arguments of a call that would lose precision: rmcp reads numbers beyond 64 bits as
/// floats.
fn lost_number(line: &[u8]) -> Option<&str> {
    #[derive(Deserialize)]
    struct Call<'t> {
        #[serde(borrow)]
        params: Params<'t>,
    }
    #[derive(Deserialize)]
    struct Params<'t> {
        #[serde(borrow)]
        arguments: Option<&'t RawValue>,
    }
    let is_long = |run: &[u8]| run.len() >= MAX_DIGITS;
    if !line.split(|byte| !byte.is_ascii_digit()).any(is_long) {
        return None;
    }
    let call: Call<'_> = serde_json::from_slice(line).ok()?;
    json::beyond_ints(call.params.arguments?.get())
}

/// Number of digits of the shortest whole number that may not fit into 64 bits.
const MAX_DIGITS: usize = 19;

/// Whether a request stays open for as long as the client wants.
pub fn stays_open(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::SubscriptionsListenRequest(_))
}

/// Converts a call to the form that rmcp expects.
pub fn call(id: RequestId, mut params: CallToolRequestParams) -> Box<RxJsonRpcMessage<RoleServer>> {
    let meta = params.meta.take().unwrap_or_default();
    let mut request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    *request.get_meta_mut() = meta;
    Box::new(JsonRpcMessage::Request(JsonRpcRequest::new(id, request)))
}

/// Parses a notification. Nobody waits for an answer to it, so an invalid one is ignored.
fn notification(line: &[u8]) -> Frame {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled {
        request_id: RequestId,
    }
    #[derive(Deserialize)]
    struct Params {
        params: Cancelled,
    }
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        Ok(
            message @ JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(_),
                ..
            }),
        ) => {
            let id = serde_json::from_slice::<Params>(line).map(|params| params.params.request_id);
            id.map_or(Frame::Nothing, |id| Frame::Cancelled(id, Box::new(message)))
        }
        Ok(message @ JsonRpcMessage::Notification(_)) => Frame::Message(Box::new(message)),
        _ => Frame::Nothing,
    }
}

/// Parses the client's answer to a question of the server.
fn answer(line: &[u8]) -> Frame {
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        Ok(message @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) => Frame::Message(Box::new(message)),
        _ => Frame::Nothing,
    }
}

fn refused(id: Option<RequestId>, code: ErrorCode, message: String) -> Frame {
    Frame::Refused(JsonRpcError::new(id, ErrorData::new(code, message, None)))
}

/// Formats an error of serde without its position in the frame.
fn parse_fault(error: &serde_json::Error) -> String {
    if error.to_string().starts_with("recursion limit exceeded") {
        return "is nested too deep: at most 120 levels".to_owned();
    }
    format!("does not fit: {}", cut(&JsonFault::of(error).words))
}

fn display(id: &RequestId) -> String {
    cut(&id.clone().into_json_value().to_string())
}

fn cut(text: &str) -> String {
    crate::value::print::shortened(text, 100)
}

/// Accepts `null` as a value, so that a key with `null` differs from a missing key.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

/// Methods that rmcp parses into types of their own.
const KNOWN: [&str; 16] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
];
