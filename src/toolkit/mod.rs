//! Tools: their declarations, the binding of arguments, and the gate that every call goes through.
//!
//! Tools are leaves: they get a context and arguments, and return a value. They know nothing about scripts.

mod admission;
mod answer;
mod approval;
mod arguments;
mod auditing;
mod bind;
mod bound;
mod call_record;
mod caller;
mod console;
mod context;
mod declaration;
mod error;
mod excerpt;
mod gate;
mod given;
pub mod groups;
mod history;
mod library;
mod literal_path;
mod locator;
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
mod tool;
mod truncate;
mod world;

pub use crate::audit::Items;
pub use crate::memory::{Entry as MemoryEntry, Row as MemoryRow, Salvaged, Session as SessionMemory};
pub use crate::sandbox::BELOW_ROOT;
pub use crate::sandbox::{
    Applied, ChangeKind, ChangeReport, Conflict, Content, Displaced, End, EndedRun, Holds, Origin, Reversal, RunReport,
    RunSummary, Selection, UndoReport,
};
pub use crate::sandbox::{FormError as PlanError, Plan};
pub use answer::{Answer, AnyList, AnyMap, AnyValue, Number};
pub use approval::{Approvals, Approver, KeepAnswer, Question, Reply};
pub use arguments::Arguments;
pub(crate) use arguments::arguments;
pub use bind::{ArgError, Binder};
pub use bound::{Bound, ListedPath};
pub use call_record::{LoggedArgument, LoggedForm};
pub use caller::Caller;
pub use console::{Console, InputFault};
pub use context::{Context, Visit, Visited};
pub use declaration::Declaration;
pub use error::{FailureMode, ToolError};
pub use excerpt::{Excerpt, body_of, excerpt, read_on};
pub use gate::{Gate, GateParts};
pub use given::{Given, GivenArg};
pub use history::{UndoRefusal, UndoRequest};
pub use library::{Library, LibraryPlace};
pub use memory::{Memory, Scope};
pub use module::{ModuleError, ModuleFile};
pub use observer::ProgressView;
pub use plan::shown_change;
pub use policy::{
    DirectoryRule, Extensions, Layer, MAX_FILES_OF_SERVER, Patterns, Policy, PolicyFile, Provenance, SourceLine,
    ToolRule, ToolRules, Unused,
};
pub use random::{Clock, RandomSource};
pub use registry::{Projection, Registry, ToolId};
pub use settings::{ListDirectorySettings, Settings};
pub use spec::{Access, Effect, Example, Failure, Kind, Literal, Param, Risk, Spec, WhenAbsent, name_of};
pub use tool::{Tool, Toolbox};
pub use truncate::{DONE, answers_are_bounded};
