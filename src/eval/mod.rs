//! Runs programs: a tree-walking interpreter over the closures that [`compile`] creates from the lowered tree.
//!
//! It uses values, limits and the gate, and does not depend on parsing, files or terminals.

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
pub use machine::{EmitError, Machine, Output, RunContext, emitted};
pub use refusals::is_refusal;

use must::{closed, unprintable};
