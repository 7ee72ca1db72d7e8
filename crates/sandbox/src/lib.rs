//! An escape-proof folder in which every change is journaled.

pub mod limits;
pub mod lockdown;
mod sandbox;

pub use sandbox::*;

use neuroscript_text as text;
