#![doc = include_str!("../README.md")]

pub mod audit;
pub mod eval;
pub mod gate;
pub mod memory;
pub mod program;
pub mod toolkit;
pub mod value;

use neuroscript_sandbox::{self as sandbox, limits};
use neuroscript_syntax::{self as syntax, migrate};
use neuroscript_text as text;
