#![doc = include_str!("../README.md")]

mod tools;

use neuroscript_evaluator::{gate, memory, toolkit, value};
use neuroscript_sandbox::{self as sandbox, limits};
use neuroscript_text as text;
pub use tools::*;
