//! Markdown documents that are rendered or run: code, and the calls and variables outside of it.
//!
//! This module only parses; it runs nothing and knows no tools. It parses a document in one pass, from left to right,
//! in time linear in its size. The values of variables are never parsed.

mod call;
mod markdown;
mod scan;
mod scanner;
mod value;
mod variable;

pub use call::{Arg, Call, CallPosition};
pub use markdown::{ScriptBlock, script, script_blocks};
pub use scan::{Piece, read};
pub use scanner::{MAX_FINDINGS, Reading};
