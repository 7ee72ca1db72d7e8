//! From text to tree: the grammar, the parser, and what the formatter needs.
//!
//! Nothing here knows what a name or a call means; that is the business of `program`.

pub mod ast;
mod grammar;
pub mod keyword;
mod parser;
mod scan;
mod template;
mod tokens;

pub use parser::{TextLimits, escape, is_open, is_unfinished, parse, parse_value};
pub use template::{Part, Template, placeholder};
pub use tokens::{Token, TokenKind, tokens};
