//! Runs programs: a tree-walking interpreter over the closures that [`compile`] creates from the lowered tree.
//!
//! It uses values, limits and the gate, and does not depend on parsing, files or terminals.
//!
//! An error is a zero-sized `Thrown`, and the error itself is stored in the machine, so `Result<Value, Thrown>` stays
//! in two registers. The span is attached here, by the call or operation that knows it; values, tools and the sandbox
//! have none. Frames are parts of one slab, and its first slots are the top-level variables, so procedures access them
//! by number.
//!
//! Nested calls check the remaining native stack (`machine`); see `engine/stack` for the other bounds on recursion.

mod builtins;
mod compile;
mod debug;
mod debug_table;
mod fault;
mod handler;
mod machine;
mod must;
mod output;
mod pulled;
mod refusals;
mod template;
mod tool_call;

pub use compile::{compile, compile_for_debugger};
pub use debug_table::{BodyId, DebugTable, StatementPlace};
pub use fault::Fault;
pub use machine::{ChangingCall, Compiled, Debugger, Machine, RunContext};
pub use output::{EmitError, Output, emitted};
pub use refusals::is_refusal;
