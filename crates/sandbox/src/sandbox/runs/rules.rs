//! The rules that undo, recovery and plans share for changing paths.

use super::super::changing::backups::Retention;
use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;

/// Returns an error with the reason if the policy refuses to change a path. The flag tells whether a directory is, was
/// or will be there.
pub(in crate::sandbox) type Admit<'a> = dyn Fn(&Address, bool) -> Result<(), String> + 'a;

/// The rules for undoing and recovering a run, and for applying a plan.
#[derive(Clone, Copy)]
pub struct ChangeRules<'a> {
    /// The roots that contain the paths.
    pub roots: Roots<'a>,
    /// Retention of backups.
    pub retention: Retention,
    /// Returns an error with the reason if the policy refuses to change a path. The flag tells whether a directory is,
    /// was or will be there.
    pub admit: &'a Admit<'a>,
}
