//! Markdown documents that are rendered or run: what in them is code, the calls and names outside of it.
//!
//! The room reads; it runs nothing and knows no tool. What a document holds is found in one pass, from
//! left to right, in time linear in its text, and nothing that comes in through a variable is read again.

mod call;
mod markdown;
mod scan;
mod value;

pub use call::{Arg, Call, Place};
pub use markdown::{ScriptBlock, script, script_blocks};
pub use scan::{MAX_FINDINGS, Piece, Reading, read};
