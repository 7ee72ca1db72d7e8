//! Runs programs: a tree-walker over closures that [`compile`] makes of the lowered tree.
//!
//! It knows values, limits and the gate; nothing of text, files or terminals.

mod builtins;
mod compile;
mod fault;
mod handler;
mod machine;
mod must;
mod refusals;
mod template;
mod tool_call;

pub use compile::{Compiled, compile};
pub use fault::Fault;
pub use machine::{EmitError, Machine, Output, World, emitted};
pub use refusals::is_refusal;

use must::{closed, unprintable};
