//! Runs that journals record are shown, undone, rolled back, recovered after a crash, reclaimed with their backups, and
//! adopted if they are foreign.
//!
//! The journal ([`crate::sandbox::changing::journal`]) does not know of any of this: it only writes and reads records.

mod abandoned;
mod aftermath;
mod below;
mod collect;
mod conflicts;
mod contents;
mod forced;
mod foreign;
mod later;
mod obstacles;
mod origins;
mod outcome;
mod recover;
mod report;
mod resolve;
pub(super) mod reverse;
mod rules;
mod skipped;
mod times;
mod together;
mod undo;

pub use abandoned::{Abandoned, AllAbandoned};
pub use collect::GcRules;
pub(super) use contents::read_content;
pub use contents::{Content, ContentSource};
pub use forced::Displaced;
pub use foreign::{ForeignAction, ForeignRun, ForeignState};
pub use obstacles::Conflict;
pub use recover::{RecoverError, Recovered};
pub use report::{ChangeKind, ChangeReport, Holds, RunReport, attribute_change};
pub(super) use rules::Admit;
pub use rules::ChangeRules;
pub use undo::{UndoError, UndoReport};
