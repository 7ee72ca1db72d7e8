//! Handles and paths: open directories, the entries in them by name, and the resolution of path texts from handle to
//! handle.
//!
//! Beside them lies all that the other rooms share: addresses, names, stamps, seals, states of entries, errors, and
//! the removal of what is unfinished. Nothing here knows of tools, changes or plans.

pub(super) mod address;
pub(super) mod discard;
pub(super) mod emptying;
pub(super) mod error;
pub(super) mod folder;
pub(super) mod metadata;
pub(super) mod mounts;
pub(super) mod path;
pub(super) mod private;
pub(super) mod process;
pub(super) mod reserved;
pub(super) mod root;
pub(super) mod seal;
pub(super) mod staging;
pub(super) mod stamp;
pub(super) mod state;
pub(super) mod store_usage;
pub(super) mod user_state;
