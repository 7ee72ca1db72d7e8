//! `TOML`: parsed from the events of `toml_parser`, written, and edited in place.

mod edit;
mod expressions;
mod read;
mod tables;
mod write;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![read::tool(), write::tool()];
    tools.extend(edit::tools());
    tools
}
