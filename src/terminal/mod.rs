//! The terminal: what the command line and the session show to a person and ask, in the same words.
//!
//! Output ([`printer`], [`table`], [`changes`], [`runs`], [`report`]), the progress line ([`screen`], [`progress`]), questions
//! ([`approver`], [`question`]), and the files that a person names ([`script_file`], [`input_file`]). It knows neither
//! commands nor sessions, and decides nothing that the engine decides.

pub mod approver;
pub mod changes;
pub mod console;
pub mod exit;
pub mod in_force;
pub mod input_file;
pub mod interrupts;
pub mod keyboard;
pub mod nearest_file;
pub mod paint;
pub mod printer;
pub mod progress;
pub mod question;
pub mod report;
pub mod runs;
pub mod sandbox_hint;
pub mod screen;
pub mod script_file;
pub mod table;
pub mod undo;
pub mod user_names;
