//! All file system access of scripts.
//!
//! The sandbox is an open directory, not a path prefix. Every path below it is resolved from handle to handle
//! ([`Root::locate`]), and every operation works on a name in an open directory. No path is checked as text and then
//! opened again by that text.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room is what the fence is for")]

mod address;
mod backups;
mod change;
mod content;
mod copier;
mod copy;
mod discard;
mod error;
mod folder;
mod ignore;
mod internal_change;
mod journal;
mod listing;
mod log;
mod metadata;
mod mounts;
mod overwrite;
mod parents;
mod path;
mod permissions;
mod plan;
mod private;
mod read;
mod remove;
mod replace;
mod reserved;
mod restore;
mod root;
mod runs;
mod seal;
mod staging;
mod stamp;
mod state;
mod state_dir;
mod store_usage;
mod temporary;
mod unpack;
mod user_state;
mod walk;
mod witness;
mod write;

pub use address::Address;
pub use backups::{
    Amount, BackupKind, BackupPath, BackupPathText, BackupStore, ReclaimReason, Reclaimed, Retention, SweepReport,
    Tally,
};
pub use copier::CopyScope;
pub use copy::CopyOptions;
pub use error::{RenameError, SandboxError};
#[cfg(target_os = "linux")]
pub use folder::scratch_handles;
pub use folder::{Folder, Overlay, Replace, Resolver, leave_scratch, scratch_home, settle_scratch};
pub use internal_change::InternalChange;
pub use journal::{
    Begin, Change, End, EndedRun, JOURNALS, Journal, Origin, Ownership, Reversal, Roots, RunSummary, Selection,
};
pub use listing::{ListedAs, Lister, ListingPlan, Step};
pub use log::{LogFile, LogFolder, LogLock};
pub use metadata::{Identity, Kind, Metadata, Timestamp};
pub use overwrite::Overwrite;
pub use path::{BELOW_ROOT, PathRule, PathText, entry_parts};
pub use plan::{Applied, ApplyError, FormError, Plan, PlanAction, PlannedChange};
pub use read::{OpenFile, ReadError};
pub use remove::RemoveOptions;
pub use reserved::{is_ignorable, is_reserved};
pub use root::{Root, SandboxPath, Unresolved};
pub use runs::{
    Abandoned, AllAbandoned, ChangeKind, ChangeReport, Conflict, Content, ContentSource, Displaced, ForeignAction,
    ForeignRun, ForeignState, GcRules, Holds, RecoverError, RecoverRules, Recovered, RunReport, UndoError, UndoReport,
};
pub use seal::{RootSeal, UserKey};
pub use stamp::short as short_name;
pub use state_dir::StateDir;
pub use store_usage::UNDOABLE;
pub use temporary::{TemporaryFolders, temporary_name};
pub use unpack::Unpacking;
pub use user_state::{AuditEnd, UserState, state_folder_of};
pub use walk::{
    Bounds, Candidate, Choice, Details, FoundEntries, Resolve, Search, SearchScope, Skip, Tree, WalkLimits, search,
    walk,
};
pub use witness::Witness;
