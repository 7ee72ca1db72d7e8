//! The policy files: reading each one, and combining them to the values in force.
//!
//! Every policy file that exists is in force. The files are read in the order user, `--policy`, root, and combined key
//! by key with the table in `keys`; `docs/policy.md` and the tests of widening come from that table too. A list that
//! restricts paths or tools is stored per file, so that a refusal names the file and line (`gate/policy/stated`).
//!
//! The policy (`gate/policy`) is asked about resolved names. An address is a path from the root without links and
//! `..`, or an absolute path below a further root, which only the user's own policy opens. Roots that contain each
//! other are refused, so that there is one way to the files of ours below each root.

pub mod approve;
mod combine;
pub mod files;
mod keys;
mod reader;

use crate::gate::Policy;
use crate::limits::Limits;
use crate::toolkit::Settings;

use keys::KEYS;

pub use combine::combine;
pub use reader::read;

/// A key of the policy file, for display.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// The table of the key.
    pub section: &'static str,
    /// The name of the key.
    pub name: &'static str,
    /// How values of several files are combined, in words.
    pub combines: &'static str,
}

/// Returns every key of the policy file.
pub fn policy_keys() -> impl Iterator<Item = KeyRow> {
    KEYS.iter().map(|key| KeyRow { section: key.section, name: key.name, combines: key.rule.described() })
}

/// The values of the policy files, on top of the built-in values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `[limits]`
    pub limits: Limits,
    /// `[policy]`
    pub policy: Policy,
    /// `[tools.*]`
    pub settings: Settings,
}
