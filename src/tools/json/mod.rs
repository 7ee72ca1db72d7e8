//! `JSON`: RFC 8259, read with the place of the fault, written, and looked into by paths.

mod parse;
mod query;
mod write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    vec![parse::tool(), write::text_tool(), write::pretty_tool(), query::tool()]
}
