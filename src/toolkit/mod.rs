//! What a tool is: its declaration, how arguments are bound to it, and the gate that every call
//! goes through.
//!
//! Tools are leaves: context and arguments in, a value out. They know nothing of scripts.

mod answer;
mod approval;
mod bind;
mod bound;
mod call_record;
mod chance;
mod console;
mod context;
mod error;
mod excerpt;
mod gate;
mod given;
pub mod groups;
mod history;
mod literal_path;
mod lookout;
mod memory;
mod module;
mod named;
mod names;
mod plan;
mod policy;
mod registry;
pub mod schema;
mod settings;
mod spec;
mod told;

pub use crate::audit::Items;
pub use crate::sandbox::BELOW_ROOT;
pub use crate::sandbox::{
    Applied, Conflict, Content, Displaced, End, Ended, Holds, Listed, Origin, Reversal, Selection, ShownChange,
    ShownRun, Undone, What,
};
pub use crate::sandbox::{FormError as PlanError, Plan};
pub use answer::{Answer, AnyList, AnyMap, AnyValue, Number};
pub use approval::{Approvals, Approver, KeepAnswer, Question, Reply};
pub use bind::{ArgError, Binder};
pub use bound::{Arguments, Bound, ListedPath};
pub use call_record::{Shown, Told};
pub use chance::{Chance, Clock};
pub use console::{Console, InputFault};
pub use context::{Context, Visit, Visited};
pub use error::{Manner, ToolError};
pub use excerpt::{Excerpt, body_of, excerpt, read_on};
pub use gate::Gate;
pub use given::{Given, GivenArg};
pub use history::UndoRefusal;
pub use lookout::ProgressView;
pub use memory::{Memory, MemoryEntry, MemoryRow, Salvaged, Scope, SessionMemory};
pub use module::{Library, LibraryPlace, ModuleError, ModuleFile};
pub use plan::shown_change;
pub use policy::{
    DirectoryRule, Extensions, Layer, MAX_FILES_OF_SERVER, Patterns, Policy, PolicyFile, Provenance, Stated, ToolRule,
    ToolRules, Unused,
};
pub use registry::{Registry, Sparing, Tool, ToolId};
pub use settings::{ListDirectorySettings, Settings};
pub(crate) use spec::arguments;
pub use spec::{Access, Effect, Example, Failure, Kind, Literal, Param, Risk, Spec, WhenAbsent, name_of};
pub use told::{DONE, answers_are_bounded};
