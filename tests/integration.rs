//! The tests that share one test program, which is linked once.
//!
//! `cargo test --test integration -- undo::` runs the tests of one module. Tests with their own harness, tests that
//! measure memory or processor time, and tests that lock down their process are separate programs (`Cargo.toml`).

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
mod debugging;
mod descriptors;
mod doc;
mod docs;
mod documents;
mod durability;
mod editing;
mod editors;
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
mod in_memory;
mod journal;
mod layers;
mod letter_case;
mod list_dir;
mod literals;
mod lsp;
mod mcp;
mod media;
mod memory;
mod migrate;
mod modules;
mod moving;
mod mutations;
mod numbers;
mod outside;
mod pages;
mod parallel;
mod plan;
mod policy;
mod projection;
mod read_only;
mod reference;
mod repl;
mod replacing;
mod scripts;
mod security;
mod show;
mod specs;
mod spellings;
mod stability;
mod strangers;
mod streams;
mod support;
mod testing;
mod tools;
mod undo;
mod unusual;
mod usage;
mod watching;
mod words;
