//! `YAML`: read from the events of `granit-parser`, and written.

mod read;
mod scalar;
mod write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    vec![read::tool(), write::tool()]
}
