//! `YAML`: parsed from the events of `granit-parser`, written, and edited in place.

mod edit;
mod input;
mod read;
mod scalar;
mod write;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![read::tool(), write::tool()];
    tools.extend(edit::tools());
    tools
}
