//! The only room that touches the disk for scripts.
//!
//! The sandbox is an open folder, not a prefix of a path: every place below it is found from handle
//! to handle ([`Root::locate`]), and every operation works on a name in an open folder. A path that
//! was checked and is then used again as a text does not exist here.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room is what the fence is for")]

mod change;
mod content;
mod copy;
mod draft;
mod error;
mod folder;
mod ignore;
mod journal;
mod keep;
mod listing;
mod log;
mod metadata;
mod mounts;
mod overlay;
mod own;
mod parents;
mod path;
mod permissions;
mod plan;
mod read;
mod remove;
mod reserved;
mod root;
mod seal;
mod take;
mod temporary;
mod unpack;
mod user_state;
mod walk;
mod witness;
mod write;

pub use change::RenameError;
pub use copy::{Copying, Extent};
pub use error::SandboxError;
pub use folder::{Folder, Replace, Resolver};
pub use journal::{
    Abandoned, Address, AllAbandoned, Begin, Change, Conflict, Content, Displaced, End, Ended, ForeignDeed, ForeignRun,
    ForeignState, GcRules, Holds, JOURNALS, Journal, Listed, Origin, OwnChange, Ownership, RecoverError, RecoverRules,
    Recovered, Reversal, Roots, Selection, ShownChange, ShownRun, Source, UndoError, Undone, What,
};
pub use keep::stamp::short as short_name;
pub use keep::{Amount, Drawer, GivenUp, Keeper, KeptPath, KeptText, Retention, Swept, Tally, UNDOABLE, Why};
pub use listing::{Lister, ListingPlan, Shown, Step};
pub use log::{LogFile, LogFolder, LogLock};
pub use metadata::{Identity, Kind, Metadata, Timestamp};
#[cfg(target_os = "linux")]
pub use overlay::scratch_handles;
pub use overlay::{Overlay, leave_scratch, scratch_home, settle_scratch};
pub use own::OwnFolder;
pub use path::{BELOW_ROOT, PathRule, PathText, entry_parts};
pub use plan::{Applied, ApplyError, Deed, FormError, Plan, PlannedChange};
pub use read::{OpenFile, ReadError};
pub use remove::Going;
pub use reserved::{is_ignorable, is_reserved};
pub use root::{Root, SandboxPath, Unreached};
pub use seal::{RootSeal, UserKey};
pub use take::Overwrite;
pub use temporary::{TemporaryFolders, temporary_name};
pub use unpack::Unpacking;
pub use user_state::{AuditEnd, UserState, state_folder_of};
pub use walk::{
    Bounds, Candidate, Choice, Details, FoundEntries, Grounds, Resolve, Search, Skip, Tree, WalkLimits, search, walk,
};
pub use witness::Witness;
