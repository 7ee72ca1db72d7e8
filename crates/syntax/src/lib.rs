#![doc = include_str!("../README.md")]

pub mod format;
pub mod migrate;
mod syntax;

pub use neuroscript_text as text;
pub use syntax::*;
