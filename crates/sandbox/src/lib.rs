#![doc = include_str!("../README.md")]

pub mod limits;
pub mod lockdown;
mod sandbox;

use neuroscript_text as text;
pub use sandbox::*;
