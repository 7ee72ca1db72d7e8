//! The session on a real terminal: a pseudo-terminal that a program types into.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod commands;
mod completing;
mod editing;
mod ended;
mod kept;
mod lines;
mod plan;
mod poor;
mod progress;
mod terminal;
mod values;
