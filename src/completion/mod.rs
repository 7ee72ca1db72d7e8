//! Completion of a script that is being typed, in a session or in an editor.
//!
//! [`cursor`] finds what surrounds the cursor in the text, [`candidates`] what can stand there. The names come from
//! [`Surroundings`]. Nothing here runs anything or knows how candidates are shown.

mod candidates;
mod cursor;
mod surroundings;

pub use candidates::{Candidate, CandidateKind, Candidates, begins_folded, candidates, sorted};
pub use cursor::{At, CursorContext, built_in, parameters};
pub use surroundings::Surroundings;
