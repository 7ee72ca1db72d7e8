//! Parses and formats NeuroScript.

pub mod format;
mod syntax;

pub use syntax::*;

use neuroscript_text as text;
