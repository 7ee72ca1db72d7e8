//! The work of the engine for a call, and the form of its result in the protocol.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value as Json};

use crate::engine::{internal_fault, on_large_stack};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::super::ask::Asker;
use super::super::connection_state::{ConnectionState, Reply, failure};
use super::super::offer::Offered;

/// Returns the work of the engine for a call, scripts excepted.
pub fn work(
    offered: Offered,
    arguments: Map<String, Json>,
    asker: Asker,
) -> impl FnOnce(&mut ConnectionState) -> Reply + Send + 'static {
    move |state| {
        state.approver.set(asker);
        let reply = on_large_stack(|| match offered {
            Offered::Tool(name) => state.call(name, &arguments),
            Offered::Method(method) => state.method(method, &arguments),
            Offered::Script(_) => unreachable!("scripts run in a worker"),
        });
        // The call is answered even if there is a bug in its preparation or its answer.
        let reply =
            reply.unwrap_or_else(|panic| failure(&ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        state.approver.set(Asker::Nobody);
        reply
    }
}

/// Converts a reply to its protocol form: the same data as structured content and as text, followed by the notes.
pub fn result(reply: Reply) -> CallToolResult {
    let Reply { structured, meta, notes, is_error } = reply;
    let mut content = vec![ContentBlock::text(structured.to_string())];
    content.extend(notes.into_iter().map(ContentBlock::text));
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured);
    result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    result
}
