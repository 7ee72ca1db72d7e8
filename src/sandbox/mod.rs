//! All file system access of scripts.
//!
//! The sandbox is an open directory, not a path prefix. Every path below it is resolved from handle to handle
//! ([`Root::locate`]), and every operation works on a name in an open directory. No path is checked as text and then
//! opened again by that text.
//!
//! This is the only room that touches the disk for scripts. `std::fs` is also allowed in `engine/config`,
//! `engine/test_folder` and `cli`, which access files that the user names; clippy (`disallowed-methods` in
//! `clippy.toml`) refuses it elsewhere. `memory` opens its database with SQLite, and everything else through this room.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room is what the fence is for")]

mod backups;
mod change;
mod content;
mod copy;
mod error;
mod folder;
mod ignore;
mod journal;
mod listing;
mod log;
mod metadata;
mod mounts;
mod overlay;
mod parents;
mod path;
mod permissions;
mod plan;
mod read;
mod remove;
mod replace;
mod reserved;
mod root;
mod seal;
mod staging;
mod state_dir;
mod temporary;
mod unpack;
mod user_state;
mod walk;
mod witness;
mod write;

pub use backups::stamp::short as short_name;
pub use backups::{
    Amount, BackupKind, BackupPath, BackupPathText, BackupStore, ReclaimReason, Reclaimed, Retention, SweepReport,
    Tally, UNDOABLE,
};
pub use change::RenameError;
pub use copy::{CopyOptions, CopyScope};
pub use error::SandboxError;
pub use folder::{Folder, Replace, Resolver};
pub use journal::{
    Abandoned, Address, AllAbandoned, Begin, Change, ChangeKind, ChangeReport, Conflict, Content, ContentSource,
    Displaced, End, EndedRun, ForeignAction, ForeignRun, ForeignState, GcRules, Holds, InternalChange, JOURNALS,
    Journal, Origin, Ownership, RecoverError, RecoverRules, Recovered, Reversal, Roots, RunReport, RunSummary,
    Selection, UndoError, UndoReport,
};
pub use listing::{ListedAs, Lister, ListingPlan, Step};
pub use log::{LogFile, LogFolder, LogLock};
pub use metadata::{Identity, Kind, Metadata, Timestamp};
#[cfg(target_os = "linux")]
pub use overlay::scratch_handles;
pub use overlay::{Overlay, leave_scratch, scratch_home, settle_scratch};
pub use path::{BELOW_ROOT, PathRule, PathText, entry_parts};
pub use plan::{Applied, ApplyError, FormError, Plan, PlanAction, PlannedChange};
pub use read::{OpenFile, ReadError};
pub use remove::RemoveOptions;
pub use replace::Overwrite;
pub use reserved::{is_ignorable, is_reserved};
pub use root::{Root, SandboxPath, Unresolved};
pub use seal::{RootSeal, UserKey};
pub use state_dir::StateDir;
pub use temporary::{TemporaryFolders, temporary_name};
pub use unpack::Unpacking;
pub use user_state::{AuditEnd, UserState, state_folder_of};
pub use walk::{
    Bounds, Candidate, Choice, Details, FoundEntries, Resolve, Search, SearchScope, Skip, Tree, WalkLimits, search,
    walk,
};
pub use witness::Witness;
