//! Settings of single tools from the policy file.

use crate::memory::MAX_VALUE;

/// `[tools.list_directory]`: defaults and limits of `FS.ListDirectory` (CFG-LD-01 to CFG-LD-05).
#[derive(Clone, Debug, PartialEq)]
pub struct ListDirectorySettings {
    /// The default and the upper limit of `max_entries`.
    pub max_entries: i64,
    /// The default and the upper limit of `max_depth` for recursive listings.
    pub max_depth: i64,
    /// The default of `include_hidden`.
    pub include_hidden_default: bool,
    /// The default of `include_symlinks`.
    pub include_symlinks_default: bool,
    /// The default of `include_files`.
    pub include_files_default: bool,
    /// The default of `include_dirs`.
    pub include_dirs_default: bool,
    /// The default of `include_other`.
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

/// `[tools.memory]`: limits of project memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySettings {
    /// Maximum number of bytes of one value as JSON.
    pub max_value_bytes: u64,
}

impl Default for MemorySettings {
    fn default() -> MemorySettings {
        MemorySettings { max_value_bytes: MAX_VALUE }
    }
}

/// `[tools.env]`: the environment that scripts see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvSettings {
    /// The variables that scripts may read.
    pub names: Vec<String>,
}

impl Settings {
    /// Returns every key of `[tools.*]` with the value in force.
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

/// The settings of all tools that have any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Settings of `FS.ListDirectory`.
    pub list_directory: ListDirectorySettings,
    /// Settings of project memory.
    pub memory: MemorySettings,
    /// Settings of `ENV.Get` and `ENV.Names`.
    pub env: EnvSettings,
}
