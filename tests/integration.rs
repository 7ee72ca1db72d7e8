//! The tests that need no program of their own, linked once.
//!
//! `cargo test --test integration -- undo::` runs those of one module. Programs of their own are those with a harness of
//! their own, those that count memory or processor time, and those that lock their process down (`Cargo.toml`).

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests set up directories of their own")]

mod answers;
mod archives;
mod audit;
mod cases;
mod checking;
mod chores;
mod cli;
mod command_line;
mod completions;
mod coverage;
mod cuts;
mod doc;
mod docs;
mod documents;
mod durability;
mod editing;
mod edits;
mod endings;
mod extremes;
mod faults;
mod find;
mod foreign;
mod format;
mod gc;
mod gitignore;
mod habits;
mod heads;
mod journal;
mod layers;
mod list_dir;
mod mcp;
mod memory;
mod modules;
mod mutations;
mod numbers;
mod outside;
mod plan;
mod policy;
mod projection;
mod reference;
mod repl;
mod scripts;
mod security;
mod show;
mod specs;
mod strangers;
mod support;
mod testing;
mod tools;
mod undo;
mod usage;
mod words;
