//! How findings are shown: to people on a terminal, and to programs as JSON and SARIF.

mod json;
mod sarif;
mod terminal;

pub use json::{JsonFinding, JsonFix, JsonPlace, to_json};
pub use sarif::to_sarif;
pub use terminal::{Style, to_terminal};
