//! Display of findings: on a terminal for people, as JSON and SARIF for programs.

mod json;
mod sarif;
mod terminal;

pub use json::{JsonFinding, JsonFix, JsonPlace, to_json};
pub use sarif::to_sarif;
pub use terminal::{Style, to_terminal};
