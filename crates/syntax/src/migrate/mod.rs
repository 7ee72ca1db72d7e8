//! Migration: turns a script of upstream NeuroScript, in its older or its newer dialect, into one of ours that does the
//! same, with a report.
//!
//! Upstream has tokens that our grammar does not (`[[…]]`, `no x`), so its lines have a parser of their own, which
//! tolerates every line that it cannot read. The result is a list of edits: what is not rewritten keeps its bytes. A
//! migrated text is not changed again. Whether the result is a valid script is for the caller to check.

mod calls;
mod expr;
mod facts;
mod helpers;
mod lines;
mod literal;
mod rewrite;
mod statement;
mod tokens;
mod tools;

pub use tools::difference;

/// A migrated text.
#[derive(Debug)]
pub struct Migrated {
    /// The text.
    pub text: String,
    /// The report, in the order of the text.
    pub notes: Vec<Note>,
}

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The offset in the original text.
    pub at: usize,
    /// The outcome for the place.
    pub verdict: Verdict,
    /// The change or the difference, with its reason.
    pub message: String,
}

/// The outcome for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was rewritten, and does the same.
    Rewritten,
    /// A person should look at it.
    Check,
    /// It was left as it is, and does not do the same.
    Left,
}

/// Migrates a text. Takes time linear in its length, times the depth of nested calls.
pub fn migrate(text: &str) -> Migrated {
    lines::migrate(text)
}
