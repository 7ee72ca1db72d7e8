//! The gate that every call of every tool passes: the policy, approvals, the audit log, and the context that a tool
//! sees.
//!
//! A [`Gate`] is a world, which calls work on, and an admission, which decides about them. Tools are leaves: they get a
//! context and arguments, and return a value. They know nothing about scripts.
//!
//! Every call passes the gate: a tool runs only in `gate/call`, so no front end can skip a rule. The gate resolves
//! paths and asks the policy, so a tool never gets a raw path. A tool asks the context for every other path that it
//! finds, such as a match or an entry of a tree (`place`, `admit`, `open`, `admit_tree`), and the same rules apply. The
//! gate adds to an error the argument that its path belongs to (`named`), so an error of the sandbox has only its path.
//!
//! A warning of a successful call, such as an unusable `.gitignore`, is a note. The gate keeps notes until the evaluator
//! or the command line shows them (`take_notes`).
//!
//! A change begins only after the audit log has reserved space for the line that will report it (`begin_change`). If
//! that line is lost nevertheless, the error of the call says whether the change was made.

mod admission;
mod approval;
mod assembly;
mod auditing;
mod call;
mod call_record;
mod caller;
mod conflict;
mod console;
mod context;
mod files;
mod history;
mod library;
mod listing;
mod literal_path;
mod locator;
mod memory;
mod module;
mod named;
mod names;
mod near_path;
mod observer;
mod opener;
mod permission;
mod plan;
mod policy;
mod random;
mod recovery;
mod stream;
mod tool;
mod truncate;
#[cfg(target_os = "linux")]
mod watch_point;
mod world;

pub use crate::audit::Items;
pub use crate::memory::{
    Entry as MemoryEntry, Row as MemoryRow, Rows as MemoryRows, Salvaged, Session as SessionMemory,
};
pub use crate::sandbox::{
    Applied, Barrier, ChangeKind, ChangeReport, Conflict, Content, Displaced, End, EndedRun, Holds, Origin, Reversal,
    RunReport, RunSummary, Selection, UndoReport,
};
pub use crate::sandbox::{FormError as PlanError, Plan, PlanAbout};
pub use approval::{Approvals, Approver, KeepAnswer, Question, Reply};
pub use assembly::{Gate, GateParts};
pub use call_record::{LoggedArgument, LoggedForm};
pub use caller::Caller;
pub use console::{Console, InputFault};
pub use context::Context;
pub use files::{FilePage, PageRequest};
pub use history::{RUN_NAME, UndoRefusal, UndoRequest};
pub use library::{Library, LibraryPlace};
pub use listing::{Visit, Visited, Visitor};
pub use memory::{Memory, Scope};
pub use module::{ModuleError, ModuleFile};
pub use names::NameRequest;
pub use observer::ProgressView;
pub use opener::Opener;
pub use plan::shown_change;
pub use policy::{
    DirectoryRule, Extensions, Layer, MAX_FILES_OF_SERVER, Patterns, Policy, PolicyFile, Provenance, SourceLine,
    ToolRule, ToolRules, Unused,
};
pub use random::{Clock, RandomSource};
pub use stream::OpenStream;
pub use tool::{Stream, Tool, Toolbox};
pub use truncate::{DONE, answers_are_bounded};
#[cfg(target_os = "linux")]
pub use watch_point::WatchPoint;
