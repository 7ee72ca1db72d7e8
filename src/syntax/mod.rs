//! From text to tree: the grammar, the parser, and what the formatter needs.
//!
//! Nothing here knows what a name or a call means; that is the business of `program`.

pub mod ast;
mod grammar;
pub mod keyword;
mod parser;
mod scan;
mod template;

pub use parser::{TextLimits, escape, is_unfinished, parse};
pub use template::{Part, Template, placeholder};
