//! The audit log: one line of JSON for each change and each refusal, every line bound to the one
//! before by its hash.
//!
//! [`Audit`] is what a gate holds: it opens the log of the root, or that of the user's state folder
//! where nothing below the root may change, shows it writable before a change and adds the line after
//! it. What a line says is [`Entry`]; [`verify`] walks the chain, [`Backwards`] reads it from its end.
//! This room knows nothing of tools and policies, and opens no file but through the sandbox.

mod argument;
mod backwards;
mod error;
mod keeper;
mod line;
mod log;
mod verify;

pub use argument::Argument;
pub use backwards::Backwards;
pub use error::AuditError;
pub use keeper::{Audit, Keeping, Site};
pub use line::{Entry, Items, Line, Outcome};
pub use verify::{Expected, Fault, Verdict, verify};

/// The most bytes of one line; longer ones are not ours.
pub const MAX_LINE: usize = 1 << 20;
