//! What the policy file says for single tools.

use crate::memory::MAX_VALUE;

/// `[tools.list_directory]`: defaults and caps of `FS.ListDirectory` (CFG-LD-01 to CFG-LD-05).
#[derive(Clone, Debug, PartialEq)]
pub struct ListDirectorySettings {
    /// The default and the hard cap of `max_entries`.
    pub max_entries: i64,
    /// The default and the hard cap of `max_depth` for recursive listings.
    pub max_depth: i64,
    /// Default of `include_hidden`.
    pub include_hidden_default: bool,
    /// Default of `include_symlinks`.
    pub include_symlinks_default: bool,
    /// Default of `include_files`.
    pub include_files_default: bool,
    /// Default of `include_dirs`.
    pub include_dirs_default: bool,
    /// Default of `include_other`.
    pub include_other_default: bool,
}

impl Default for ListDirectorySettings {
    fn default() -> ListDirectorySettings {
        ListDirectorySettings {
            max_entries: 200,
            max_depth: 4,
            include_hidden_default: false,
            include_symlinks_default: true,
            include_files_default: true,
            include_dirs_default: true,
            include_other_default: false,
        }
    }
}

/// `[tools.memory]`: bounds of project memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySettings {
    /// The most bytes of JSON that one value has.
    pub max_value_bytes: u64,
}

impl Default for MemorySettings {
    fn default() -> MemorySettings {
        MemorySettings { max_value_bytes: MAX_VALUE }
    }
}

/// `[tools.env]`: the environment as scripts see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvSettings {
    /// The variables that scripts may see.
    pub names: Vec<String>,
}

impl Settings {
    /// Every key of `[tools.*]` with what is in force.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let list = &self.list_directory;
        vec![
            ("names", format!("{:?}", self.env.names)),
            ("max_entries", list.max_entries.to_string()),
            ("max_depth", list.max_depth.to_string()),
            ("include_hidden_default", list.include_hidden_default.to_string()),
            ("include_symlinks_default", list.include_symlinks_default.to_string()),
            ("include_files_default", list.include_files_default.to_string()),
            ("include_dirs_default", list.include_dirs_default.to_string()),
            ("include_other_default", list.include_other_default.to_string()),
            ("max_value_bytes", self.memory.max_value_bytes.to_string()),
        ]
    }
}

/// Settings of all tools that have any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Of `FS.ListDirectory`.
    pub list_directory: ListDirectorySettings,
    /// Of project memory.
    pub memory: MemorySettings,
    /// Of `ENV.Get` and `ENV.Names`.
    pub env: EnvSettings,
}
