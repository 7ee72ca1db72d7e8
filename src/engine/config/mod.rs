//! The policy files: reading each one, and combining them to the values in force.

// Scripts do not read policy files; see ARCHITECTURE.md, invariant 11.
#![allow(clippy::disallowed_methods, reason = "the fence leaves this room out")]

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
