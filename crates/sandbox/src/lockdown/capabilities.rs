//! Drops privileges that file operations do not need: core dumps, and most capabilities of root.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use super::LockdownError;

/// The capabilities that root keeps. File operations of root in directories of other users depend on these four:
/// bypassing permission bits, setting modes and times of files of others, restoring the owner of a replaced file, and
/// keeping the setgid bit when a mode is set. Landlock confines them to the granted directories.
const KEPT: [(CapabilitySet, &str); 4] = [
    (CapabilitySet::CHOWN, "CAP_CHOWN"),
    (CapabilitySet::DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
    (CapabilitySet::FOWNER, "CAP_FOWNER"),
    (CapabilitySet::FSETID, "CAP_FSETID"),
];

/// Disables core dumps and makes the process undumpable: values of a script are not written to disk after a crash, and
/// other processes of the user cannot inspect this one.
pub fn forbid_core_dumps() -> Result<(), LockdownError> {
    let wrap = |error: rustix::io::Errno| LockdownError::Privileges("core dumps", error.into());
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).map_err(wrap)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(wrap)
}

/// Drops every capability of this thread except [`KEPT`]. Returns the names of those in [`KEPT`] that the thread had.
pub fn drop_capabilities() -> Result<Vec<&'static str>, LockdownError> {
    let wrap = |error: rustix::io::Errno| LockdownError::Privileges("root's powers", error.into());
    let had = capabilities(None).map_err(wrap)?;
    let keeps = KEPT.iter().fold(CapabilitySet::empty(), |all, (one, _)| all | *one);
    let left = CapabilitySets {
        effective: had.effective & keeps,
        permitted: had.permitted & keeps,
        inheritable: CapabilitySet::empty(),
    };
    if left != had {
        set_capabilities(None, left).map_err(wrap)?;
    }
    Ok(KEPT.iter().filter(|(one, _)| left.effective.contains(*one)).map(|(_, name)| *name).collect())
}
