//! `JSON`: RFC 8259, read with the place of the fault, written, looked into by paths, and changed in one place.

mod edit;
mod parse;
mod query;
mod span;
mod write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![parse::tool(), write::text_tool(), write::pretty_tool(), query::tool()];
    tools.extend(edit::tools());
    tools
}
