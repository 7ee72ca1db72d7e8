//! Powers that work on files does not need: core dumps, and what root may besides.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use super::WallError;

/// What root keeps. In the folders of others, root's work on files rests on these four: passing by
/// permission bits, setting mode and times of what belongs to others, giving a replaced file its owner
/// back, and keeping the set-group bit when a mode is set. Landlock binds them to the grounds.
const KEPT: [(CapabilitySet, &str); 4] = [
    (CapabilitySet::CHOWN, "CAP_CHOWN"),
    (CapabilitySet::DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
    (CapabilitySet::FOWNER, "CAP_FOWNER"),
    (CapabilitySet::FSETID, "CAP_FSETID"),
];

/// No content of a script's values reaches a disk because we fell over, and no other process of the user
/// looks into this one.
pub fn forbid_core_dumps() -> Result<(), WallError> {
    let wrap = |error: rustix::io::Errno| WallError::Powers("core dumps", error.into());
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).map_err(wrap)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(wrap)
}

/// Gives up every capability of this thread but [`KEPT`]; gives the names of those that it had of them.
pub fn give_up() -> Result<Vec<&'static str>, WallError> {
    let wrap = |error: rustix::io::Errno| WallError::Powers("root's powers", error.into());
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
