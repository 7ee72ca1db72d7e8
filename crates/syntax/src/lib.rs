#![doc = include_str!("../README.md")]

pub mod format;
mod syntax;

pub use neuroscript_text as text;
pub use syntax::*;
