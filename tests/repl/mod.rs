//! The session on a pseudo-terminal that the test types into.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod commands;
mod completing;
mod debugging;
mod editing;
mod ended;
mod kept;
mod lines;
mod plan;
mod poor;
mod progress;
mod terminal;
mod values;
