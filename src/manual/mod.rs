//! The manual: a page about each tool, built-in, statement, value, code and command, and how pages are found.
//!
//! Nothing is written here but what the commands do in a sentence: tools have their declarations, the language its
//! pages, codes their explanations.

pub mod about;
pub mod commands;
mod json;
mod layout;
mod page;
mod tool_entry;
mod tool_page;
mod topic;

pub use page::{About, about, code_page, overview, pages_text, similar_text};
pub use tool_entry::{ToolEntry, entries, entry_of, tools_matching};
pub use tool_page::{absent, listing, tool_page};
pub use topic::{find, near, numeric, similar, topics};
