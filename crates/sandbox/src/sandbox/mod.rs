//! All file system access of scripts.
//!
//! The sandbox is an open directory, not a path prefix. Every path below it is resolved from handle to handle
//! ([`Root::locate`]), and every operation works on a name in an open directory. No path is checked as text and then
//! opened again by that text.
//!
//! This is the only room that touches the disk for scripts. `std::fs` is also allowed in modules that access files
//! which the user names (ARCHITECTURE.md, invariant 11); clippy (`disallowed-methods` in `clippy.toml`) refuses it
//! elsewhere. `memory` opens its database with SQLite, and everything else through this room.
//!
//! The inner rooms, lowest first, each of which uses only those before it: [`handles`] (open directories, names and
//! paths); [`reading`] (files, listings, walks, searches); [`internal`] (our own files in `.ns`); [`changing`] (the
//! journal, the backup store, the operations); [`runs`] (undo, recovery, reports); [`plan`]. `tests/layers` checks it.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room is what the fence is for")]

mod changing;
mod handles;
mod internal;
mod plan;
mod reading;
mod runs;

pub use changing::backups::{
    Amount, BackupKind, BackupPath, BackupPathText, BackupStore, ReclaimReason, Reclaimed, Retention, SweepReport,
    Tally,
};
pub use changing::change::{PendingRenaming, Renaming};
pub use changing::copier::CopyScope;
pub use changing::copy::CopyOptions;
pub use changing::journal::{
    Barrier, Begin, Change, Durability, End, EndedRun, JOURNALS, Journal, Origin, Ownership, Reversal, Roots,
    RunSummary, Selection,
};
pub use changing::overwrite::Overwrite;
pub use changing::remove::RemoveOptions;
pub use changing::temporary::{TemporaryFolders, temporary_name};
pub use changing::unpack::Unpacking;
pub use changing::write::{NewFile, PendingFile, Writing, Written};
pub use handles::address::Address;
pub use handles::error::{RenameError, SandboxError};
pub use handles::folder::File;
#[cfg(target_os = "linux")]
pub use handles::folder::scratch_handles;
pub use handles::folder::{
    EntryBuffer, Folder, Overlay, Replace, Resolver, leave_scratch, scratch_home, settle_scratch,
};
pub use handles::metadata::{Identity, Kind, Metadata, Timestamp};
pub use handles::path::{BELOW_ROOT, PathRule, PathText, entry_parts, is_device_name};
pub use handles::process::process_id;
pub use handles::reserved::{is_ignorable, is_reserved};
pub use handles::root::{Root, SandboxPath, SharedFolders, Unresolved};
pub use handles::seal::{RootSeal, UserKey};
pub use handles::stamp::short as short_name;
pub use handles::store_usage::UNDOABLE;
pub use handles::user_state::{AuditEnd, NO_KEY_YET, UserState, state_folder_of};
pub use internal::internal_change::InternalChange;
pub use internal::log::{LogFile, LogFolder, LogLock};
pub use internal::state_dir::StateDir;
pub use internal::witness::Witness;
pub use plan::{Applied, ApplyError, FormError, Plan, PlanAbout, PlanAction, PlanRefusals, PlannedChange};
pub use reading::ignore::{IgnoreSources, NoteMark};
pub use reading::listing::{ListedAs, Lister, ListingPlan, Step};
pub use reading::read::{OpenFile, ReadError};
pub use reading::stray_links::{FuturePath, StrayLink, link_stays};
pub use reading::walk::{
    Bounds, Candidate, Choice, Details, FileNames, FoundEntries, Resolve, Search, SearchScope, Skip, Tree, WalkLimits,
    search, walk,
};
pub use runs::{
    Abandoned, AllAbandoned, ChangeKind, ChangeReport, ChangeRules, Conflict, Content, ContentSource, Displaced,
    ForeignAction, ForeignRun, ForeignState, GcRules, Holds, RecoverError, Recovered, RunReport, UndoError, UndoReport,
    attribute_change,
};
