//! The built-in tools: one file per operation, or per group of variants of one operation.
//!
//! Each tool consists of a declaration and a function; see [`crate::toolkit`] and
//! [`crate::gate`].
//!
//! The pure tools (`STR`, `LIST`, `MAP`, `MATH`, `JSON`, …) share rules, so that knowing one helps to guess the
//! others:
//!
//! - **Names** are `GROUP.VerbOrNoun`. A name from an older dialect is an alias with the same arguments
//!   (`TOOL.SplitString`).
//! - **Arguments**: first the subject (`text`, `list`, `map`, `number`, `time`, `path`, `value`), then the operands,
//!   then options, which scripts should name. Nothing changes in place: the result is a new value.
//! - **Positions** count from 0, in characters of texts and elements of lists, never in bytes. Negative ones count from
//!   the end; `end` is exclusive. A position beyond the length is an error, as for `[i]`. A search without a match
//!   returns nil.
//! - **Values** are compared like `==` (`value::Hashed` in tables) and ordered like `<`. With `key`, elements are maps
//!   and their values under that key count.
//! - **Failure** is the error `bad_args` with the argument, since nothing but the arguments can be wrong. For data
//!   (JSON, CSV, …) it also has line and column; for a pattern or template of one line, the character.
//! - **Cost** is linear, except for sorting: one step per element, one per KiB of text. Memory is charged before it is
//!   allocated (`build`: `TextBuilder`, `ListBuilder`, `list`), and no recursion is as deep as a text nests.

mod build;
mod console;
mod data;
mod diff;
mod digest;
mod edit;
mod environment;
mod fallback;
mod fs;
mod glob;
mod json;
mod list;
mod locate;
mod map;
mod markdown;
mod math;
mod media;
mod memory;
mod mime;
mod parallel;
mod path;
mod place;
mod random;
mod range;
mod recent;
mod regex;
mod text;
mod time;

use std::rc::Rc;

use crate::gate::{Tool, Toolbox};
use crate::toolkit::Registry;

pub use diff::{Diff, Sides};
pub use fs::compare::compare;

/// Capacity for all tools, larger than their number, so that the list is never reallocated.
const ROOM: usize = 256;

/// Returns the declarations of all built-in tools.
pub fn registry() -> Rc<Registry> {
    toolbox().registry
}

/// Returns all built-in tools.
pub fn toolbox() -> Toolbox {
    let mut tools: Vec<Tool> = Vec::with_capacity(ROOM);
    tools.extend(fs::tools());
    tools.extend(text::tools());
    tools.extend(regex::tools());
    tools.extend(list::tools());
    tools.extend(map::tools());
    tools.extend(math::tools());
    tools.extend(json::tools());
    tools.extend(data::tools());
    tools.extend(markdown::tools());
    tools.extend(time::tools());
    tools.extend(path::tools());
    tools.extend(digest::tools());
    tools.extend(media::tools());
    tools.extend(random::tools());
    tools.extend(mime::tools());
    tools.extend(environment::tools());
    tools.extend(console::tools());
    tools.extend(memory::tools());
    Toolbox::new(tools)
}
