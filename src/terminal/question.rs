//! Questions that the person at the terminal answers with yes or no.

use crate::engine::Engine;

use super::keyboard::{forget_typed, read_line};
use super::report::say;

/// The answer of the person at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Apply.
    Yes,
    /// Do not apply.
    No,
    /// Ctrl-C.
    Interrupted,
    /// The end of the input.
    Nobody,
}

/// Asks the person at the terminal. Discards input that was typed before the question.
pub fn asked(engine: &Engine, question: &str) -> Answer {
    forget_typed(false);
    loop {
        say(&format!("\n{question}"));
        let line = match read_line(&engine.watch()) {
            Ok(Some(line)) => line,
            Ok(None) => return Answer::Nobody,
            Err(_) => return Answer::Interrupted,
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Answer::Yes,
            "n" | "no" | "" => return Answer::No,
            _ => {}
        }
    }
}
