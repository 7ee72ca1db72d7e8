//! The policy files: what each says, and what is in force when all of them hold.

// The policy is not a script's file; see ARCHITECTURE.md, invariant 11.
#![allow(clippy::disallowed_methods, reason = "the fence leaves this room out")]

pub mod approve;
mod combine;
pub mod files;
mod keys;
mod reader;

use crate::limits::Limits;
use crate::toolkit::{Policy, Settings};

use keys::KEYS;

pub use combine::combine;
pub use reader::read;

/// A key of the policy file, for whoever shows it.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// The table that it stands in.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How the values of several files combine, in words.
    pub combines: &'static str,
}

/// Every key of the policy file.
pub fn policy_keys() -> impl Iterator<Item = KeyRow> {
    KEYS.iter().map(|key| KeyRow { section: key.section, name: key.name, combines: key.rule.described() })
}

/// What the policy files say, over the built-in values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `[limits]`
    pub limits: Limits,
    /// `[policy]`
    pub policy: Policy,
    /// `[tools.*]`
    pub settings: Settings,
}
