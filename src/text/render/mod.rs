//! How findings are shown: to people on a terminal, and to programs as JSON.

mod json;
mod terminal;

pub use json::{JsonFinding, JsonPlace, to_json};
pub use terminal::{Style, to_terminal};
