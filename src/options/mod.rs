//! The options that every command takes, and that the head of a test case can take too.
//!
//! This room declares and converts them; it acts on none. Options of single commands belong to `cli/args`.

mod global;
mod values;

pub use global::{Global, OutputFormat};
pub use values::seconds;
