//! NeuroScript: a scripting language whose tools work on files inside an escape-proof sandbox.
//!
//! A front end holds an [`engine::Engine`], which checks and runs scripts and calls single tools, all with one sandbox
//! directory, one policy and one set of limits. `ARCHITECTURE.md` describes the modules of this crate and their
//! dependencies.

mod audit;
pub mod cli;
mod document;
pub mod engine;
mod eval;
mod format;
mod gate;
mod limits;
mod lockdown;
mod manual;
mod mcp;
mod memory;
mod options;
mod program;
mod repl;
mod sandbox;
mod syntax;
mod terminal;
mod testing;
pub mod text;
mod toolkit;
mod tools;
mod value;
