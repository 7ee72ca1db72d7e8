//! `TOML`: read from the events of `toml_parser`, and written.

mod expressions;
mod read;
mod tables;
mod write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    vec![read::tool(), write::tool()]
}
