//! The built-in tools: one file for one operation, or for a few that are variants of one idea.
//!
//! Each declares itself once and has one function; see [`crate::toolkit`].

mod build;
mod fs;
mod list;
mod map;
mod math;
mod memory;
mod path;
mod range;
mod text;

use crate::toolkit::{Registry, Tool};

/// All built-in tools.
pub fn registry() -> Registry {
    let mut tools: Vec<Tool> = fs::tools();
    tools.extend(text::tools());
    tools.extend(list::tools());
    tools.extend(map::tools());
    tools.extend(math::tools());
    tools.extend(path::tools());
    tools.extend(memory::tools());
    Registry::new(tools)
}
