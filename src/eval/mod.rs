//! Runs programs: a tree-walking interpreter over the closures that [`compile`] creates from the lowered tree.
//!
//! It uses values, limits and the gate, and does not depend on parsing, files or terminals.

mod builtins;
mod compile;
mod fault;
mod handler;
mod machine;
mod must;
mod output;
mod refusals;
mod template;
mod tool_call;

pub use compile::compile;
pub use fault::Fault;
pub use machine::{Compiled, Machine, RunContext};
pub use output::{EmitError, Output, emitted};
pub use refusals::is_refusal;
