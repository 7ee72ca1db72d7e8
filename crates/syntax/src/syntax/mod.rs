//! Parsing: the grammar, the parser, and the token lists for the formatter.
//!
//! This module does not resolve names or calls; `program` does.

pub mod ast;
mod comment;
mod foreign;
mod grammar;
pub mod keyword;
mod memory_estimate;
mod parser;
mod scan;
mod template;
mod tokens;
pub mod written;

pub use comment::CommentLines;
pub use memory_estimate::weight;
pub use parser::{
    KnownLines, MAX_FINDINGS, TextLimits, closed_heads, escape, is_foreign_statement, is_open, is_unfinished,
    joined_help, next_words, parse, parse_again, parse_value, parse_written, part_of_literal,
};
pub(crate) use scan::{begins_comment_block, comment_block_length, must_begin_statement};
pub use template::{Part, Template, placeholder};
pub use tokens::{Token, TokenClass, TokenKind, tokens};
