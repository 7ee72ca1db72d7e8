//! The built-in tools: one file per operation, or per group of variants of one operation.
//!
//! Each tool consists of a declaration and a function; see [`crate::toolkit`].

mod build;
mod console;
mod data;
mod diff;
mod digest;
mod edit;
mod environment;
mod fs;
mod glob;
mod json;
mod list;
mod locate;
mod map;
mod math;
mod memory;
mod mime;
mod path;
mod place;
mod random;
mod range;
mod regex;
mod text;
mod time;

use crate::toolkit::{Registry, Tool};

pub use diff::{Diff, Sides};
pub use fs::compare::compare;

/// Capacity for all tools, larger than their number, so that the list is never reallocated.
const ROOM: usize = 256;

/// Returns the registry of all built-in tools.
pub fn registry() -> Registry {
    let mut tools: Vec<Tool> = Vec::with_capacity(ROOM);
    tools.extend(fs::tools());
    tools.extend(text::tools());
    tools.extend(regex::tools());
    tools.extend(list::tools());
    tools.extend(map::tools());
    tools.extend(math::tools());
    tools.extend(json::tools());
    tools.extend(data::tools());
    tools.extend(time::tools());
    tools.extend(path::tools());
    tools.extend(digest::tools());
    tools.extend(random::tools());
    tools.extend(mime::tools());
    tools.extend(environment::tools());
    tools.extend(console::tools());
    tools.extend(memory::tools());
    Registry::new(tools)
}
