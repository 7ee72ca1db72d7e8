//! The audit log: one line of JSON for each change and each refusal, each line chained to the previous one by its hash.
//!
//! A gate owns an [`Audit`], which opens the log of the root, or the one in the user state if nothing below the root
//! may change. It ensures before a change that the log is writable, and appends the line afterwards. [`Entry`] is the
//! content of a line; [`verify`] checks the chain, [`Backwards`] reads it from its end. This module does not depend on
//! tools and policies, and opens files only through the sandbox.
//!
//! The line of a change has its space before the change begins (`gate/auditing`), so a full disk refuses the change
//! instead of losing the line. After a line is lost nevertheless, further changes are refused. Arguments that carry
//! content are logged by size and hash only.

mod argument;
mod backwards;
mod error;
mod line;
mod log;
mod verify;
mod writer;

pub use argument::{Argument, HashExtent, json_bytes};
pub use backwards::Backwards;
pub use error::AuditError;
pub use line::{Entry, Items, Line, Outcome};
pub use verify::{Expected, Fault, Verdict, verify};
pub use writer::{Audit, LogContext, LogLocation};

/// Maximum length of a line in bytes; longer lines are not ours.
pub const MAX_LINE: usize = 1 << 20;
