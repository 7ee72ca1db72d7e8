#![doc = include_str!("../README.md")]
//!
//! This is the lowest crate. It defines the codes of findings ([`Code`], [`ToolCode`]); [`render`] displays findings.

mod code;
pub mod colors;
mod diagnostic;
mod fold;
mod habit;
mod hex;
mod joined;
mod json_fault;
mod json_length;
pub mod markup;
mod nearest;
mod purpose;
mod quote;
pub mod render;
pub mod safe;
mod shell;
mod source;
mod span;
pub mod uri;
mod written_as;

pub use code::{Code, ToolCode};
pub use diagnostic::{Diagnostic, Edit, FindingCode, Label, Severity};
pub use fold::fold;
pub use habit::{changed_by, is_length};
pub use hex::hex;
pub use joined::{composed, is_blank_mark};
pub use json_fault::{JsonFault, parse_json_object};
pub use json_length::{json_length, safe_json_length};
pub use nearest::{edits, nearest};
pub use purpose::{Purpose, meant, search};
pub use quote::{quote, quoted};
pub use shell::{first_shell_word, shell_line, shell_word};
pub use source::{Position, Source, Sources, position_in};
pub use span::Span;
pub use written_as::written_as;
