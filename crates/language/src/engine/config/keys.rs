//! The keys of the policy file: the field of each value, and how values of several files are combined.
//!
//! Reading, combining, `ns doctor`, the table in `docs/policy.md` and the tests of widening all use this table.

use std::time::Duration;

use crate::gate::{DirectoryRule, Extensions, Patterns, ToolRule, ToolRules};
use crate::sandbox::Durability;

use super::Config;

/// The tables of the policy file.
pub const SECTIONS: [&str; 6] = ["limits", "policy", "tools", "tools.env", "tools.list_directory", "tools.memory"];

/// A key of the policy file.
pub struct Key {
    /// The table of the key.
    pub section: &'static str,
    /// The name, unique among all keys.
    pub name: &'static str,
    /// How values of several files are combined.
    pub rule: Rule,
    /// Returns the field for the value.
    pub field: for<'c> fn(&'c mut Config) -> Field<'c>,
}

/// How values of several policy files are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The smaller number; unlimited counts as the largest.
    Smaller,
    /// The larger number; unlimited counts as the largest. One file cannot discard what another wants to keep.
    Larger,
    /// True if any file says so.
    TrueWins,
    /// Each change by itself if any file says so.
    EachWins,
    /// False if any file says so: less is shown unless a call asks for more.
    FalseWins,
    /// Everything that any file blocks is blocked.
    Union,
    /// The same for patterns, of which one with `!` makes an exception in its own file.
    UnionOfPatterns,
    /// Only what every file with a list allows is allowed.
    Intersection,
    /// `allow` lifts only rules of its own file.
    OwnFile,
    /// Only names in every list of the user's own files; the file in the root adds nothing.
    Users,
}

impl Rule {
    /// Returns the rule in words, for the table in `docs/policy.md`.
    pub fn described(self) -> &'static str {
        match self {
            Rule::Smaller => "the smaller; no limit is the largest",
            Rule::Larger => {
                "the larger, since what one file wants kept is not to be lost by another; no limit is the largest"
            }
            Rule::TrueWins => "`true` wins",
            Rule::EachWins => "`\"each\"` wins",
            Rule::FalseWins => "`false` wins: a call that wants to see more asks for it",
            Rule::Union => "all lists together",
            Rule::UnionOfPatterns => "all lists together; an exception (`!`) works in its own list",
            Rule::Intersection => "what every list allows",
            Rule::OwnFile => "lifts rules of its own file alone",
            Rule::Users => "what every list names; a list in the root opens nothing",
        }
    }
}

/// The field for a value.
pub enum Field<'c> {
    Bool(&'c mut bool),
    /// A whole number with a minimum.
    U64(&'c mut u64, u64),
    /// A whole number with a minimum, where 0 means no limit.
    Unlimited(&'c mut u64, u64),
    Usize(&'c mut usize, u64),
    /// The nesting limit of texts, bounded by the size of the stack.
    Depth(&'c mut usize),
    OptionalU64(&'c mut Option<u64>),
    I64(&'c mut i64, i64),
    Seconds(&'c mut Option<Duration>),
    Durability(&'c mut Durability),
    AllowedDirectories(&'c mut Vec<Vec<DirectoryRule>>),
    BlockedDirectories(&'c mut Vec<DirectoryRule>),
    Extensions(&'c mut Vec<Extensions>),
    Patterns(&'c mut Vec<Patterns>),
    /// One of the lists of rules about tools.
    Tools(&'c mut Vec<ToolRules>, fn(&mut ToolRules) -> &mut Vec<ToolRule>),
    Variables(&'c mut Vec<String>),
}

/// All keys.
#[rustfmt::skip]
pub const KEYS: [Key; 42] = [
    Key { section: "limits", name: "max_steps", rule: Rule::Smaller, field: |config| Field::U64(&mut config.limits.max_steps, 1) },
    Key { section: "limits", name: "timeout_s", rule: Rule::Smaller, field: |config| Field::Seconds(&mut config.limits.timeout) },
    Key { section: "limits", name: "call_depth", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.call_depth, 1) },
    Key { section: "limits", name: "nesting", rule: Rule::Smaller, field: |config| Field::Depth(&mut config.limits.nesting) },
    Key { section: "limits", name: "value_depth", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.value_depth, 1) },
    Key { section: "limits", name: "memory_bytes", rule: Rule::Smaller, field: |config| Field::U64(&mut config.limits.memory_bytes, 1 << 16) },
    Key { section: "limits", name: "string_bytes", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.string_bytes, 1) },
    Key { section: "limits", name: "collection_items", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.collection_items, 1) },
    Key { section: "limits", name: "script_bytes", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.script_bytes, 1) },
    Key { section: "limits", name: "modules", rule: Rule::Smaller, field: |config| Field::Usize(&mut config.limits.modules, 0) },
    Key { section: "limits", name: "output_bytes", rule: Rule::Smaller, field: |config| Field::OptionalU64(&mut config.limits.output_bytes) },
    Key { section: "limits", name: "tool_output_bytes", rule: Rule::Smaller, field: |config| Field::OptionalU64(&mut config.limits.tool_output_bytes) },
    Key { section: "limits", name: "files_changed", rule: Rule::Smaller, field: |config| Field::OptionalU64(&mut config.limits.files_changed) },
    Key { section: "limits", name: "bytes_written", rule: Rule::Smaller, field: |config| Field::OptionalU64(&mut config.limits.bytes_written) },
    Key { section: "policy", name: "read_only", rule: Rule::TrueWins, field: |config| Field::Bool(&mut config.policy.read_only) },
    Key { section: "policy", name: "allowed_directories", rule: Rule::Intersection, field: |config| Field::AllowedDirectories(&mut config.policy.allowed_directories) },
    Key { section: "policy", name: "blocked_directories", rule: Rule::Union, field: |config| Field::BlockedDirectories(&mut config.policy.blocked_directories) },
    Key { section: "policy", name: "allowed_extensions", rule: Rule::Intersection, field: |config| Field::Extensions(&mut config.policy.allowed_extensions) },
    Key { section: "policy", name: "blocked_extensions", rule: Rule::Union, field: |config| Field::Extensions(&mut config.policy.blocked_extensions) },
    Key { section: "policy", name: "blocked_patterns", rule: Rule::UnionOfPatterns, field: |config| Field::Patterns(&mut config.policy.blocked_patterns) },
    Key { section: "policy", name: "max_file_size", rule: Rule::Smaller, field: |config| Field::Unlimited(&mut config.policy.max_file_size, 0) },
    Key { section: "policy", name: "max_files_per_operation", rule: Rule::Smaller, field: |config| Field::U64(&mut config.policy.max_files_per_operation, 1) },
    Key { section: "policy", name: "require_confirmation_for_delete", rule: Rule::TrueWins, field: |config| Field::Bool(&mut config.policy.require_confirmation_for_delete) },
    Key { section: "policy", name: "enable_audit_logging", rule: Rule::TrueWins, field: |config| Field::Bool(&mut config.policy.enable_audit_logging) },
    Key { section: "policy", name: "reject_hard_links", rule: Rule::TrueWins, field: |config| Field::Bool(&mut config.policy.reject_hard_links) },
    Key { section: "policy", name: "require_kernel_sandbox", rule: Rule::TrueWins, field: |config| Field::Bool(&mut config.policy.require_kernel_sandbox) },
    Key { section: "policy", name: "durability", rule: Rule::EachWins, field: |config| Field::Durability(&mut config.policy.durability) },
    Key { section: "policy", name: "backup_count", rule: Rule::Larger, field: |config| Field::Unlimited(&mut config.policy.retention.count, 0) },
    Key { section: "policy", name: "backup_days", rule: Rule::Larger, field: |config| Field::Unlimited(&mut config.policy.retention.days, 0) },
    Key { section: "policy", name: "backup_bytes", rule: Rule::Larger, field: |config| Field::Unlimited(&mut config.policy.retention.bytes, 0) },
    Key { section: "tools", name: "allow", rule: Rule::OwnFile, field: |config| Field::Tools(&mut config.policy.tools, |rules| &mut rules.allow) },
    Key { section: "tools", name: "deny", rule: Rule::Union, field: |config| Field::Tools(&mut config.policy.tools, |rules| &mut rules.deny) },
    Key { section: "tools", name: "ask", rule: Rule::Union, field: |config| Field::Tools(&mut config.policy.tools, |rules| &mut rules.ask) },
    Key { section: "tools.env", name: "names", rule: Rule::Users, field: |config| Field::Variables(&mut config.settings.env.names) },
    Key { section: "tools.list_directory", name: "max_entries", rule: Rule::Smaller, field: |config| Field::I64(&mut config.settings.list_directory.max_entries, 1) },
    Key { section: "tools.list_directory", name: "max_depth", rule: Rule::Smaller, field: |config| Field::I64(&mut config.settings.list_directory.max_depth, 1) },
    Key { section: "tools.list_directory", name: "include_hidden_default", rule: Rule::FalseWins, field: |config| Field::Bool(&mut config.settings.list_directory.include_hidden_default) },
    Key { section: "tools.list_directory", name: "include_symlinks_default", rule: Rule::FalseWins, field: |config| Field::Bool(&mut config.settings.list_directory.include_symlinks_default) },
    Key { section: "tools.list_directory", name: "include_files_default", rule: Rule::FalseWins, field: |config| Field::Bool(&mut config.settings.list_directory.include_files_default) },
    Key { section: "tools.list_directory", name: "include_dirs_default", rule: Rule::FalseWins, field: |config| Field::Bool(&mut config.settings.list_directory.include_dirs_default) },
    Key { section: "tools.list_directory", name: "include_other_default", rule: Rule::FalseWins, field: |config| Field::Bool(&mut config.settings.list_directory.include_other_default) },
    Key { section: "tools.memory", name: "max_value_bytes", rule: Rule::Smaller, field: |config| Field::U64(&mut config.settings.memory.max_value_bytes, 1) },
];
