//! The manual: a page about each tool, built-in, statement, value, code and command, and how pages are found.
//!
//! The room holds only one sentence per command. Everything else comes from elsewhere: tool declarations, the
//! pages of the language (`program/pages`), the explanations of codes (`text/code`) and the book's pages (`docs/`). It
//! also holds what scripts cannot do, which nothing else declares.

pub mod about;
pub mod commands;
pub mod glossary;
mod json;
mod lacking;
mod layout;
mod page;
mod policy_key;
mod reference;
mod section;
mod tool_entry;
mod tool_page;
mod topic;

pub use lacking::{lacking, lacking_in};
pub use page::{About, about, code_markdown, code_page, overview, pages_text, part_markdown, similar_text};
pub use policy_key::policy_key;
pub use reference::{group_page, index_page};
pub use section::{book_page, passages, section, section_about};
pub use tool_entry::{ToolEntry, entries, entry_of, tools_matching};
pub use tool_page::{listing, tool_markdown, tool_page};
pub use topic::{Topic, find, near, numeric, serving, similar, summaries, topics};
