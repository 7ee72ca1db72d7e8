//! What the user allows: which tools, where, on which files, how much at once.
//!
//! Rules about paths are asked of resolved names, compared part by part, without regard to letter case
//! and Unicode form. An address is a path from the root, or absolute below one of the further roots.

mod directory;
mod file;
mod summary;
mod tools;

use std::path::{Path, PathBuf};

use crate::sandbox::{Journal, Kind, Metadata, Retention, SandboxPath};
use crate::text::ToolCode;

use super::error::ToolError;
use super::spec::{Access, Effect, Spec};

pub use directory::DirectoryRule;
use directory::{Asked, parts_of};
use file::careless;
pub use file::{Extensions, Patterns};
use tools::ToolVerdict;
pub use tools::{ToolRule, ToolRules};

/// The rules in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nothing may be changed.
    pub read_only: bool,
    /// Where tools may work; everywhere below the root when there are none.
    pub allowed_directories: Vec<DirectoryRule>,
    /// Where a program that has tools called lets them work, besides.
    within: Option<Vec<DirectoryRule>>,
    /// Where they may not, although they could otherwise.
    pub blocked_directories: Vec<DirectoryRule>,
    /// The files that may be read and changed; all when there are none.
    pub allowed_extensions: Extensions,
    /// Files that may not be read or changed.
    pub blocked_extensions: Extensions,
    /// Files and directories that may not be read or changed, by name or way.
    pub blocked_patterns: Patterns,
    /// The most bytes of a file that is read or written; 0 for no limit.
    pub max_file_size: u64,
    /// The most files that one operation lists or changes.
    pub max_files_per_operation: u64,
    /// Whether a person is asked before anything is deleted.
    pub require_confirmation_for_delete: bool,
    /// Whether changes and refusals are kept in the audit log.
    pub enable_audit_logging: bool,
    /// Whether the content of files with more than one name is off limits.
    pub reject_hard_links: bool,
    /// Whether nothing runs unless the kernel restricts the process.
    pub require_kernel_sandbox: bool,
    /// How long old content is kept.
    pub retention: Retention,
    /// Which tools run, ask or are refused.
    pub tools: ToolRules,
    /// The ways to the further roots, folded.
    further: Vec<Vec<String>>,
    /// The ways to policy files that the user named or has, as far as tools could reach them.
    own_files: Vec<Vec<String>>,
}

/// Files of one operation, unless something else is said: everything can be undone.
const MAX_FILES: u64 = 100_000;
/// The same where a program has the tools called, and nobody watches.
pub const MAX_FILES_OF_SERVER: u64 = 1_000;

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            read_only: false,
            allowed_directories: Vec::new(),
            within: None,
            blocked_directories: Vec::new(),
            allowed_extensions: Extensions::default(),
            blocked_extensions: Extensions::default(),
            blocked_patterns: Patterns::default(),
            max_file_size: 0,
            max_files_per_operation: MAX_FILES,
            require_confirmation_for_delete: false,
            enable_audit_logging: true,
            reject_hard_links: false,
            require_kernel_sandbox: false,
            retention: Retention::default(),
            tools: ToolRules::default(),
            further: Vec::new(),
            own_files: Vec::new(),
        }
    }
}

/// Whether a person must be asked before a tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// No.
    NotNeeded,
    /// Yes, since a rule says so.
    Needed {
        /// The rule, as a clause.
        reason: String,
        /// How to do without the question.
        instead: String,
    },
}

impl Policy {
    /// Whether a tool may be called at all, and whether a person is asked first.
    pub fn admit(&self, spec: &Spec) -> Result<Approval, ToolError> {
        if self.read_only && spec.effect.changes_files() {
            let message = format!("`{}` changes files, and the run is read-only", spec.name);
            let hint = "run without `--read-only`, and without `read_only = true` in `[policy]`";
            return Err(ToolError::new(ToolCode::PolicyDenied, message).hint(hint));
        }
        let name = spec.name;
        let instead = || format!("add `{name}` to `allow` in `[tools]` of the policy file");
        match self.tools.verdict(spec) {
            ToolVerdict::Denied(rule) => {
                let message = format!("the policy refuses `{name}`: it is in `deny` as `{rule}`");
                Err(ToolError::new(ToolCode::PolicyDenied, message).hint("change `deny` in `[tools]` to allow it"))
            }
            ToolVerdict::Ask { rule, by_name } => {
                let instead = match by_name {
                    true => format!("move `{rule}` from `ask` to `allow` in `[tools]` of the policy file"),
                    false => instead(),
                };
                Ok(Approval::Needed { reason: format!("it is in `ask` as `{rule}`"), instead })
            }
            ToolVerdict::Allowed { by_name: true } => Ok(Approval::NotNeeded),
            _ if spec.effect == Effect::Deletes && self.require_confirmation_for_delete => Ok(Approval::Needed {
                reason: "`require_confirmation_for_delete` is true".to_owned(),
                instead: format!("{}, or set `require_confirmation_for_delete = false` in `[policy]`", instead()),
            }),
            ToolVerdict::Silent if spec.requires_approval => {
                let reason = "the tool asks unless the policy allows it".to_owned();
                Ok(Approval::Needed { reason, instead: instead() })
            }
            ToolVerdict::Silent | ToolVerdict::Allowed { .. } => Ok(Approval::NotNeeded),
        }
    }

    /// Whether a tool may do this at a place.
    pub fn admit_place(&self, place: &SandboxPath, access: Access) -> Result<(), ToolError> {
        if !(self.has_directory_rules() || access > Access::Look && self.has_path_rules()) {
            return Ok(());
        }
        let address = place.address();
        if !self.has_rules_about_kinds() {
            return self.admit_path(&address, true, access);
        }
        match place.metadata() {
            Ok(metadata) => self.admit_path(&address, metadata.kind == Kind::Folder, access),
            Err(_) => self.admit_absent(&address, access),
        }
    }

    /// Whether a tool may do this to what is not there, or cannot be found out about: it may become a
    /// directory, and a file unless the tool alone knows.
    pub fn admit_absent(&self, address: &str, access: Access) -> Result<(), ToolError> {
        self.admit_path(address, true, access)?;
        if access == Access::Make { Ok(()) } else { self.admit_path(address, false, access) }
    }

    /// Whether a tool may do this to what has this address.
    pub fn admit_path(&self, address: &str, is_directory: bool, access: Access) -> Result<(), ToolError> {
        let Some(reason) = self.refusal(address, is_directory, access) else { return Ok(()) };
        let shown = if address.is_empty() { "." } else { address };
        let message = format!("the policy refuses `{shown}`: {reason}");
        Err(ToolError::new(ToolCode::PolicyDenied, message)
            .path(shown)
            .hint("change `[policy]` in the policy file to allow it"))
    }

    /// Whether listings leave out what has this address.
    pub fn hides(&self, address: &str, is_directory: bool) -> bool {
        let path = Asked::new(address, &self.further);
        self.blocked_directories.iter().any(|rule| rule.is_on(&path, is_directory))
    }

    /// Whether the content of an open file may be read.
    pub fn admit_content(&self, shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
        if self.reject_hard_links && metadata.links > 1 {
            let links = metadata.links;
            let message = format!("the policy refuses `{shown}`: it has {links} names, and what they share is refused");
            return Err(ToolError::new(ToolCode::PolicyDenied, message)
                .path(shown)
                .hint("set `reject_hard_links = false` in `[policy]` to allow it"));
        }
        self.admit_size(shown, metadata.size)
    }

    /// Whether a file may have so many bytes, to be read or written.
    pub fn admit_size(&self, shown: &str, bytes: u64) -> Result<(), ToolError> {
        if self.max_file_size == 0 || bytes <= self.max_file_size {
            return Ok(());
        }
        let most = self.max_file_size;
        let message = format!("the policy refuses `{shown}`: {bytes} bytes are more than {most}");
        Err(ToolError::new(ToolCode::PolicyDenied, message)
            .path(shown)
            .hint("work on a smaller file, or raise `max_file_size` in `[policy]`"))
    }

    /// Whether there is any rule about paths.
    pub fn has_path_rules(&self) -> bool {
        self.has_directory_rules()
            || !(self.own_files.is_empty()
                && self.allowed_extensions.is_empty()
                && self.blocked_extensions.is_empty()
                && self.blocked_patterns.is_empty())
    }

    /// Whether there is any rule for which it matters what a directory is and what a file.
    fn has_rules_about_kinds(&self) -> bool {
        self.has_directory_rules() || !(self.allowed_extensions.is_empty() && self.blocked_extensions.is_empty())
    }

    /// Whether there is any rule about directories, so that listings must look at paths.
    pub fn has_directory_rules(&self) -> bool {
        !(self.allowed_directories.is_empty() && self.blocked_directories.is_empty() && self.within.is_none())
    }

    fn refusal(&self, address: &str, is_directory: bool, access: Access) -> Option<String> {
        let path = Asked::new(address, &self.further);
        if access >= Access::Change && self.holds_own_file(&path, access) {
            return Some("no tool changes a policy file that may be in force".to_owned());
        }
        if let Some(rule) = self.blocked_directories.iter().find(|rule| rule.is_on(&path, is_directory)) {
            return Some(rule.reason());
        }
        let allowed =
            self.allowed_directories.is_empty() || self.allowed_directories.iter().any(|rule| rule.holds(&path));
        if !allowed {
            return Some("it is in none of `allowed_directories`".to_owned());
        }
        if self.within.as_ref().is_some_and(|within| !within.iter().any(|rule| rule.holds(&path))) {
            return Some("it is in none of the roots that the client names".to_owned());
        }
        if access == Access::Look {
            return None;
        }
        if let Some(pattern) = self.blocked_patterns.refusing(&path) {
            return Some(format!("it matches `{pattern}` of `blocked_patterns`"));
        }
        path.parts.last().filter(|_| !is_directory).and_then(|name| self.refused_extension(name))
    }

    /// Whether a path is a policy file of the user's, or a directory that would take it along. Something
    /// made in such a directory leaves it where it is.
    fn holds_own_file(&self, path: &Asked, access: Access) -> bool {
        let holds = |own: &&Vec<String>| own.starts_with(&path.parts) && !path.parts.is_empty();
        self.own_files.iter().any(|own| *own == path.parts || access == Access::Change && holds(&own))
    }

    /// Notes where a policy file of the user's can be reached, so that no tool changes it.
    pub fn keep_out_of(&mut self, address: &str) {
        self.own_files.push(parts_of(address));
    }

    /// Why a file of this folded name may not be read or changed.
    fn refused_extension(&self, name: &str) -> Option<String> {
        let blocked = &self.blocked_extensions;
        if let Some(extension) = blocked.of(name).or_else(|| blocked.of(&careless(name))) {
            return Some(format!("`{extension}` is in `blocked_extensions`"));
        }
        let allowed = self.allowed_extensions.is_empty() || self.allowed_extensions.of(name).is_some();
        (!allowed).then(|| "its extension is not in `allowed_extensions`".to_owned())
    }

    /// Finds out where the absolute paths among the rules lead. `below` gives the part of one below the
    /// root; `open` opens another as a further root and gives its true path. An error is the first that
    /// `open` gives.
    pub fn settle<E>(
        &mut self,
        below: impl Fn(&Path) -> Option<String>,
        mut open: impl FnMut(&Path) -> Result<PathBuf, E>,
    ) -> Result<(), E> {
        for rule in &mut self.blocked_directories {
            if let Some(path) = rule.absolute().map(Path::to_path_buf) {
                rule.settle(below(&path).as_deref(), &path);
            }
        }
        for rule in &mut self.allowed_directories {
            let Some(path) = rule.absolute().map(Path::to_path_buf) else { continue };
            match below(&path) {
                Some(inside) => rule.settle(Some(&inside), &path),
                None => {
                    let path = open(&path)?;
                    self.further.push(parts_of(&path.to_string_lossy()));
                    rule.settle(None, &path);
                }
            }
        }
        Ok(())
    }

    /// Notes that a folder with this absolute address is read besides the sandbox: the user named it, so
    /// `allowed_directories` need not; every rule that refuses holds.
    pub fn open_library(&mut self, address: &str) {
        self.further.push(parts_of(address));
        if !self.allowed_directories.is_empty() {
            self.allowed_directories.push(DirectoryRule::ours(address));
        }
    }

    /// Lets tools work below these addresses alone, as far as the other rules let them.
    pub fn narrow(&mut self, addresses: Vec<String>) {
        self.within = Some(addresses.iter().map(|address| DirectoryRule::ours(address)).collect());
    }

    /// The journal that fits.
    pub fn journal(&self) -> Journal {
        if self.read_only { Journal::read_only() } else { Journal::writable() }
    }
}
