//! Tools: their declarations, the binding of arguments, and the gate that every call goes through.
//!
//! Tools are leaves: they get a context and arguments, and return a value. They know nothing about scripts.
//!
//! Invariants:
//!
//! - A tool is a leaf (2): it cannot reach the evaluator. Functions that call a procedure are in
//!   `program/higher_order`.
//! - Every call passes the gate (3). `Tool::run` is called only in `gate`, so no front end can skip a rule.
//! - A path is a kind of parameter with an [`Access`]: look, read, change or make (5). The gate resolves it and asks
//!   the policy, so a tool never gets a raw path. A tool asks the context for every other path that it finds, such as a
//!   match or an entry of a tree (`place`, `admit`, `open`, `admit_tree`), and the same rules apply.
//! - Errors have no source position (8). A tool names the argument and the path, and the evaluator adds the span. The
//!   gate adds the argument from the paths of the call (`named`), so an error of the sandbox has only its path.
//! - A warning of a successful call, such as an unusable `.gitignore`, is a note. The gate keeps notes until the
//!   evaluator or the command line shows them ([`Gate::take_notes`]).

mod answer;
mod approval;
mod bind;
mod bound;
mod call_record;
mod console;
mod context;
mod error;
mod excerpt;
mod gate;
mod given;
pub mod groups;
mod history;
mod literal_path;
mod memory;
mod module;
mod named;
mod names;
mod observer;
mod plan;
mod policy;
mod random;
mod registry;
pub mod schema;
mod settings;
mod spec;
mod truncate;

pub use crate::audit::Items;
pub use crate::sandbox::BELOW_ROOT;
pub use crate::sandbox::{
    Applied, ChangeKind, ChangeReport, Conflict, Content, Displaced, End, EndedRun, Holds, Origin, Reversal, RunReport,
    RunSummary, Selection, UndoReport,
};
pub use crate::sandbox::{FormError as PlanError, Plan};
pub use answer::{Answer, AnyList, AnyMap, AnyValue, Number};
pub use approval::{Approvals, Approver, KeepAnswer, Question, Reply};
pub use bind::{ArgError, Binder};
pub use bound::{Arguments, Bound, ListedPath};
pub use call_record::{LoggedArgument, LoggedForm};
pub use console::{Console, InputFault};
pub use context::{Context, Visit, Visited};
pub use error::{FailureMode, ToolError};
pub use excerpt::{Excerpt, body_of, excerpt, read_on};
pub use gate::Gate;
pub use given::{Given, GivenArg};
pub use history::UndoRefusal;
pub use memory::{Memory, MemoryEntry, MemoryRow, Salvaged, Scope, SessionMemory};
pub use module::{Library, LibraryPlace, ModuleError, ModuleFile};
pub use observer::ProgressView;
pub use plan::shown_change;
pub use policy::{
    DirectoryRule, Extensions, Layer, MAX_FILES_OF_SERVER, Patterns, Policy, PolicyFile, Provenance, SourceLine,
    ToolRule, ToolRules, Unused,
};
pub use random::{Clock, RandomSource};
pub use registry::{Projection, Registry, Tool, ToolId};
pub use settings::{ListDirectorySettings, Settings};
pub(crate) use spec::arguments;
pub use spec::{Access, Effect, Example, Failure, Kind, Literal, Param, Risk, Spec, WhenAbsent, name_of};
pub use truncate::{DONE, answers_are_bounded};
