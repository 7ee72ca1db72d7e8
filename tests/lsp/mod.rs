//! `ns lsp` from the editor's side: frames are sent to the real binary and read from it.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod any_request;
mod client;
mod edits;
mod explanations;
mod findings;
mod hints;
mod lenses;
mod lifecycle;
mod names;
mod strangers;
mod typing;
