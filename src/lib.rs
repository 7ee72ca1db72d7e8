//! NeuroScript: a scripting language whose tools work on files inside an escape-proof sandbox.
//!
//! A front end holds an [`engine::Engine`]: it checks and runs scripts and calls single tools,
//! all against one sandbox folder, one policy and one set of limits. `ARCHITECTURE.md` describes
//! the rooms of this crate and the arrows between them.

mod audit;
pub mod cli;
mod document;
pub mod engine;
mod eval;
mod format;
mod limits;
mod mcp;
mod memory;
mod program;
mod repl;
mod sandbox;
mod syntax;
pub mod text;
mod toolkit;
mod tools;
mod value;
mod wall;
