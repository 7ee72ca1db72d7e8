//! NeuroScript: a scripting language whose tools work on files inside an escape-proof sandbox.
//!
//! This crate is the command `ns`. A front end holds an [`engine::Engine`], which checks and runs scripts and calls
//! single tools, all with one sandbox directory, one policy and one set of limits. `ARCHITECTURE.md` describes the
//! crates below this one, their modules and dependencies.

pub mod cli;
mod completion;
mod dap;
mod frames;
mod lsp;
mod manual;
mod options;
mod repl;
mod terminal;
mod testing;
mod watch;

pub use neuroscript_language::engine;
use neuroscript_language::front_end::{gate, toolkit, value};
use neuroscript_mcp as mcp;
pub use neuroscript_text as text;
