//! The work of the engine for a call, and the form of its result in the protocol.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value as Json, json};

use crate::engine::{internal_fault, on_large_stack};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::super::ask::Asker;
use super::super::connection_state::{ConnectionState, Reply, failure};
use super::super::media::Media;
use super::super::offer::Offered;

/// The member of the metadata with the duration of a script. It is no part of the answer, which equal calls repeat.
pub const TIME: &str = "time_ms";

/// Returns the work of the engine for a call, scripts excepted.
pub fn work(
    offered: Offered,
    arguments: Map<String, Json>,
    asker: Asker,
) -> impl FnOnce(&mut ConnectionState) -> Reply + Send + 'static {
    move |state| {
        state.approver.set(asker);
        let reply = on_large_stack(|| match offered {
            Offered::Tool(name) => state.call(name, arguments),
            Offered::Method(method) => state.method(method, arguments),
            Offered::Script(_) => unreachable!("scripts run in a worker"),
        });
        // The call is answered even if there is a bug in its preparation or its answer.
        let reply =
            reply.unwrap_or_else(|panic| failure(&ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        state.approver.set(Asker::Nobody);
        reply
    }
}

/// Converts a reply to its protocol form: the same data as structured content and as JSON text, followed by the notes and
/// by an image or audio, whose data is in neither. An answer that is a text comes as this text alone.
///
/// Some clients pass on only the structured content, others only the text, and few pass on the metadata of the protocol.
/// So each of the two also has a member `_meta` with all that a model needs to go on.
pub fn result(reply: Reply) -> CallToolResult {
    let Reply { mut structured, meta, notes, media, is_error, .. } = reply;
    let needed = needed(&meta, &notes);
    if let (false, Json::Object(structured)) = (needed.is_empty(), &mut structured) {
        // An answer may have a member of this name that is its own.
        structured.entry("_meta").or_insert(Json::Object(needed));
    }
    // A text has no room for it, but its notes say how to read on, and no tool that changes something answers with one.
    let (text, structured) = match structured {
        Json::String(text) => (text, None),
        structured => (structured.to_string(), Some(structured)),
    };
    let mut content = vec![ContentBlock::text(text)];
    content.extend(notes.into_iter().map(ContentBlock::text));
    content.extend(media.map(Media::into_content));
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = structured;
    result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    result
}

/// Returns what a model needs of the metadata and the notes of an answer: nothing if the answer is whole and changed
/// nothing.
fn needed(meta: &Map<String, Json>, notes: &[String]) -> Map<String, Json> {
    let is_cut = meta.get("truncated") == Some(&Json::Bool(true));
    let is_needed = |key: &str| key == "undo_id" || (is_cut && key != TIME);
    let mut needed: Map<String, Json> =
        meta.iter().filter(|(key, _)| is_needed(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    if !notes.is_empty() {
        needed.insert("notes".to_owned(), json!(notes));
    }
    needed
}
