//! `JSON`: RFC 8259, parsed with the positions of errors, written, queried by paths, and edited in place.

mod edit;
mod lines;
mod parse;
mod query;
mod span;
mod write;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![parse::tool(), lines::tool(), write::text_tool(), write::pretty_tool(), query::tool()];
    tools.extend(edit::tools());
    tools
}
