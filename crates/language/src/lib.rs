#![doc = include_str!("../README.md")]

mod audit;
mod document;
pub mod engine;
mod eval;
pub mod gate;
mod memory;
mod program;
pub mod toolkit;
mod tools;
pub mod value;

use neuroscript_sandbox::{self as sandbox, limits, lockdown};
use neuroscript_syntax::{self as syntax, format};
use neuroscript_text as text;
