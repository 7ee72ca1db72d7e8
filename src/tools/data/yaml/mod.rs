//! `YAML`: read from the events of `granit-parser`, written, and changed in one place.

mod edit;
mod read;
mod scalar;
mod write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![read::tool(), write::tool()];
    tools.extend(edit::tools());
    tools
}
