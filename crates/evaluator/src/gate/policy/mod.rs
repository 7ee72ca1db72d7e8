//! The policy: which tools may run, in which directories, on which files, and how much at once.
//!
//! Rules about paths apply to resolved names and compare component by component, without regard to letter case and
//! Unicode normalization. An address is a path from the root, or an absolute path below one of the further roots.

mod checked_path;
mod directory;
mod file;
mod leave;
mod stated;
mod summary;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::audit::LogLocation;
use crate::sandbox::{Durability, Journal, Kind, Metadata, Retention, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Spec, ToolError};

use checked_path::{CheckedPath, lenient_name, parts_of};
pub use directory::DirectoryRule;
pub use file::{Extensions, Patterns};
pub use stated::{Layer, PolicyFile, Provenance, SourceLine, Unused};
use stated::{change_of, source_of};
pub use tools::{ToolRule, ToolRules};

/// The rules in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// The directories where tools may work: one list per policy file that has one. A path must be in every list. If
    /// there are no lists, tools may work everywhere below the root.
    pub allowed_directories: Vec<Vec<DirectoryRule>>,
    /// The directories to which a client of the server restricts tools, in addition to the other rules.
    within: Option<Vec<DirectoryRule>>,
    /// Blocked directories, which take precedence over allowed ones.
    pub blocked_directories: Vec<DirectoryRule>,
    /// The extensions that may be read and changed: one list per policy file that has one. A file must match every
    /// list. If there are no lists, every file is allowed.
    pub allowed_extensions: Vec<Extensions>,
    /// Extensions that may not be read or changed, by any of these lists.
    pub blocked_extensions: Vec<Extensions>,
    /// Files and directories that may not be read or changed, by name or path, by any of these lists.
    pub blocked_patterns: Vec<Patterns>,
    /// Maximum number of bytes of a file that is read or written; 0 for no limit.
    pub max_file_size: u64,
    /// Maximum number of files that one operation lists or changes.
    pub max_files_per_operation: u64,
    /// Whether a person is asked before anything is deleted.
    pub require_confirmation_for_delete: bool,
    /// Whether the audit log records changes and refusals.
    pub enable_audit_logging: bool,
    /// Whether the content of files with several hard links is off limits.
    pub reject_hard_links: bool,
    /// Whether nothing runs unless the kernel restricts the process.
    pub require_kernel_sandbox: bool,
    /// When changes become durable.
    pub durability: Durability,
    /// The retention of backups.
    pub retention: Retention,
    /// The tools that run, ask or are refused: one entry per policy file; the strictest holds.
    pub tools: Vec<ToolRules>,
    /// The origin of each value.
    pub provenance: Arc<Provenance>,
    /// The case-folded paths of the further roots.
    further: Vec<Vec<String>>,
    /// The case-folded paths of the user's policy files, as far as tools could reach them.
    own_files: Vec<Vec<String>>,
}

/// Default for the files of one operation: high, since everything can be undone.
const MAX_FILES: u64 = 100_000;
/// The same default for tools that a client calls through the server, with no person present.
pub const MAX_FILES_OF_SERVER: u64 = 1_000;

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            read_only: false,
            allowed_directories: Vec::new(),
            within: None,
            blocked_directories: Vec::new(),
            allowed_extensions: Vec::new(),
            blocked_extensions: Vec::new(),
            blocked_patterns: vec![Patterns::default()],
            max_file_size: 0,
            max_files_per_operation: MAX_FILES,
            require_confirmation_for_delete: false,
            enable_audit_logging: true,
            reject_hard_links: false,
            require_kernel_sandbox: false,
            durability: Durability::default(),
            retention: Retention::default(),
            tools: Vec::new(),
            provenance: Arc::default(),
            further: Vec::new(),
            own_files: Vec::new(),
        }
    }
}

/// Returns how to allow what a built-in pattern refuses.
fn allow_built_in(pattern: &str) -> String {
    format!(
        "write `blocked_patterns = [\"@default\", \"!{pattern}\"]` below `[policy]` in your own policy file, or in one \
        given as `--policy`, to allow it"
    )
}

/// A refusal by the policy: the reason, and how to allow the path.
struct Refusal {
    reason: String,
    hint: Option<String>,
}

impl Refusal {
    /// Creates a refusal by a rule that nobody can change.
    fn final_one(reason: &str) -> Option<Refusal> {
        Some(Refusal { reason: reason.to_owned(), hint: None })
    }
}

/// Whether a person must approve before a tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// No approval is needed.
    NotNeeded,
    /// A rule requires approval.
    Needed {
        /// The rule, as a clause.
        reason: String,
        /// How to avoid the question.
        instead: String,
        /// The file whose `allow` would lift the rule; `None` if several rules ask, or if it is not one of the user's
        /// own.
        lifted_by: Option<Layer>,
    },
}

impl Policy {
    /// Decides whether a tool may be called, and whether a person must approve first. Errors: `policy_denied`.
    pub fn admit(&self, spec: &Spec) -> Result<Approval, ToolError> {
        if self.read_only && spec.effect.changes_files() {
            let message = format!("`{}` changes files, and the run is read-only", spec.name);
            let hint = match self.provenance.of("read_only") {
                Some(stated) => format!("run without `--read-only`, and without `read_only = true` at {stated}"),
                None => "run without `--read-only`".to_owned(),
            };
            return Err(ToolError::new(ToolCode::PolicyDenied, message).hint(hint));
        }
        self.leave(spec)
    }

    /// Checks an access to a resolved path. Errors: `policy_denied`.
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

    /// Checks an access to something that does not exist or cannot be inspected. It may become a directory; it may
    /// also become a file, unless only the tool knows ([`Access::Make`]).
    pub fn admit_absent(&self, address: &str, access: Access) -> Result<(), ToolError> {
        self.admit_path(address, true, access)?;
        if access == Access::Make { Ok(()) } else { self.admit_path(address, false, access) }
    }

    /// Checks an access to an address.
    pub fn admit_path(&self, address: &str, is_directory: bool, access: Access) -> Result<(), ToolError> {
        let Some(Refusal { reason, hint }) = self.refusal(address, is_directory, access) else { return Ok(()) };
        let shown = if address.is_empty() { "." } else { address };
        let message = format!("the policy refuses `{shown}`: {reason}");
        let error = ToolError::new(ToolCode::PolicyDenied, message).path(shown);
        Err(match hint {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }

    /// Returns the directories below the root that rules allow, as they are written. Other rules may refuse them.
    pub fn allowed_paths(&self) -> impl Iterator<Item = String> {
        let rules = self.allowed_directories.iter().flatten().chain(self.within.iter().flatten());
        rules.filter_map(DirectoryRule::path_below)
    }

    /// Whether listings omit an address.
    pub fn hides(&self, address: &str, is_directory: bool) -> bool {
        let path = CheckedPath::new(address, &self.further);
        self.blocked_directories.iter().any(|rule| rule.is_on(&path, is_directory))
    }

    /// Checks that the content of an open file may be read.
    pub fn admit_content(&self, shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
        if self.reject_hard_links && metadata.links > 1 {
            let links = metadata.links;
            let stated = self.provenance.of("reject_hard_links");
            let message = format!(
                "the policy refuses `{shown}`: it has {links} names, and `reject_hard_links` is true ({})",
                source_of(stated)
            );
            let hint = change_of("reject_hard_links", "policy", stated);
            return Err(ToolError::new(ToolCode::PolicyDenied, message).path(shown).hint(hint));
        }
        self.admit_size(shown, metadata.size)
    }

    /// Checks that a file of this size may be read or written.
    pub fn admit_size(&self, shown: &str, bytes: u64) -> Result<(), ToolError> {
        if self.max_file_size == 0 || bytes <= self.max_file_size {
            return Ok(());
        }
        let most = self.max_file_size;
        let stated = self.provenance.of("max_file_size");
        let message = format!(
            "the policy refuses `{shown}`: {bytes} bytes are more than {most}, which is `max_file_size` ({})",
            source_of(stated)
        );
        let hint = format!("work on a smaller file, or {}", change_of("max_file_size", "policy", stated));
        Err(ToolError::new(ToolCode::PolicyDenied, message).path(shown).hint(hint))
    }

    /// Whether there are rules about paths.
    pub fn has_path_rules(&self) -> bool {
        self.has_directory_rules()
            || !(self.own_files.is_empty()
                && self.allowed_extensions.is_empty()
                && self.blocked_extensions.is_empty()
                && self.blocked_patterns.is_empty())
    }

    /// Whether there are rules that distinguish directories from files.
    fn has_rules_about_kinds(&self) -> bool {
        self.has_directory_rules() || !(self.allowed_extensions.is_empty() && self.blocked_extensions.is_empty())
    }

    /// Whether there are rules about directories, so that listings must check paths.
    pub fn has_directory_rules(&self) -> bool {
        !(self.allowed_directories.is_empty() && self.blocked_directories.is_empty() && self.within.is_none())
    }

    fn refusal(&self, address: &str, is_directory: bool, access: Access) -> Option<Refusal> {
        let path = CheckedPath::new(address, &self.further);
        if access >= Access::Change && self.holds_own_file(&path, access) {
            return Refusal::final_one("no tool changes a policy file that may be in force");
        }
        if let Some(rule) = self.blocked_directories.iter().find(|rule| rule.is_on(&path, is_directory)) {
            let hint = (!rule.is_ours()).then(|| change_of("blocked_directories", "policy", rule.stated()));
            return Some(Refusal { reason: rule.reason(), hint });
        }
        if let Some(none) = self.allowed_directories.iter().find(|rules| !rules.iter().any(|rule| rule.holds(&path))) {
            let stated = none.first().and_then(DirectoryRule::stated);
            let allowed = none.iter().filter(|rule| !rule.is_ours()).map(DirectoryRule::written);
            let reason =
                format!("it is in none of `allowed_directories` ({}){}", source_of(stated), which_are(allowed));
            return Some(Refusal { reason, hint: Some(change_of("allowed_directories", "policy", stated)) });
        }
        if self.within.as_ref().is_some_and(|within| !within.iter().any(|rule| rule.holds(&path))) {
            return Refusal::final_one("it is in none of the roots that the client names");
        }
        if access == Access::Look {
            return None;
        }
        if let Some((pattern, stated)) = self.blocked_patterns.iter().find_map(|patterns| patterns.refusing(&path)) {
            let reason = format!("it matches `{pattern}` of `blocked_patterns` ({})", source_of(stated.as_ref()));
            let hint = match &stated {
                Some(_) => change_of("blocked_patterns", "policy", stated.as_ref()),
                None => allow_built_in(pattern),
            };
            return Some(Refusal { reason, hint: Some(hint) });
        }
        path.parts.last().filter(|_| !is_directory).and_then(|name| self.refused_extension(name))
    }

    /// Whether a path is one of the user's policy files, or a directory that contains one and would be moved or
    /// removed with it. Creating something inside such a directory is harmless.
    fn holds_own_file(&self, path: &CheckedPath, access: Access) -> bool {
        let holds = |own: &&Vec<String>| own.starts_with(&path.parts) && !path.parts.is_empty();
        self.own_files.iter().any(|own| *own == path.parts || access == Access::Change && holds(&own))
    }

    /// Registers the address of one of the user's policy files, so that no tool changes it.
    pub fn keep_out_of(&mut self, address: &str) {
        self.own_files.push(parts_of(address));
    }

    /// Returns why a file with this case-folded name may not be read or changed.
    fn refused_extension(&self, name: &str) -> Option<Refusal> {
        let blocks = |blocked: &Extensions| {
            let extension = blocked.of(name).or_else(|| blocked.of(lenient_name(name).as_ref()))?;
            let stated = blocked.stated.as_ref();
            let reason = format!("`{extension}` is in `blocked_extensions` ({})", source_of(stated));
            Some(Refusal { reason, hint: Some(change_of("blocked_extensions", "policy", stated)) })
        };
        if let Some(refusal) = self.blocked_extensions.iter().find_map(blocks) {
            return Some(refusal);
        }
        let none = self.allowed_extensions.iter().find(|allowed| allowed.of(name).is_none())?;
        let stated = none.stated.as_ref();
        let allowed = which_are(none.iter());
        let reason = format!("its extension is not in `allowed_extensions` ({}){allowed}", source_of(stated));
        Some(Refusal { reason, hint: Some(change_of("allowed_extensions", "policy", stated)) })
    }

    /// Resolves the absolute paths among the rules. `below` returns the part of a path below the root, `truth` the
    /// resolved path. `open` opens an outside directory as a further root and returns its resolved path. Errors: the
    /// first error of `open`.
    ///
    /// The policy file in the root opens nothing: its rules only narrow what the user's own files open. A directory
    /// that overlaps one of another file is not opened either, since the part that both allow is already open.
    pub fn settle<E>(
        &mut self,
        below: impl Fn(&Path) -> Option<String>,
        truth: impl Fn(&Path) -> PathBuf,
        mut open: impl FnMut(&Path) -> Result<PathBuf, E>,
    ) -> Result<(), E> {
        for rule in &mut self.blocked_directories {
            if let Some(path) = rule.absolute().map(Path::to_path_buf) {
                rule.settle(below(&path).as_deref(), &path);
            }
        }
        let mut opened: Vec<(usize, Vec<String>)> = Vec::new();
        for (number, rules) in self.allowed_directories.iter_mut().enumerate() {
            for rule in rules {
                let Some(path) = rule.absolute().map(Path::to_path_buf) else { continue };
                if let Some(inside) = below(&path) {
                    rule.settle(Some(&inside), &path);
                    continue;
                }
                let truth = truth(&path);
                let parts = parts_of(&truth.to_string_lossy());
                let overlaps = |(other, root): &(usize, Vec<String>)| {
                    *other != number && (root.starts_with(&parts) || parts.starts_with(root))
                };
                if opened.iter().any(overlaps) || !rule.stated().is_none_or(|stated| stated.layer.is_users()) {
                    rule.settle(None, &truth);
                    continue;
                }
                let path = open(&path)?;
                let parts = parts_of(&path.to_string_lossy());
                opened.push((number, parts.clone()));
                self.further.push(parts);
                rule.settle(None, &path);
            }
        }
        Ok(())
    }

    /// Returns rules of the file in the root about outside directories that the user's files do not open.
    pub fn unopened(&self) -> impl Iterator<Item = &DirectoryRule> {
        let is_unopened =
            |rule: &&DirectoryRule| rule.is_outside() && !self.further.iter().any(|root| rule.overlaps(root));
        self.allowed_directories.iter().flatten().filter(is_unopened)
    }

    /// Registers a library outside the sandbox by its absolute address. Since the user named it,
    /// `allowed_directories` need not list it; every rule that refuses still applies.
    pub fn open_library(&mut self, address: &str) {
        self.further.push(parts_of(address));
        self.allowed_directories.iter_mut().for_each(|rules| rules.push(DirectoryRule::built_in(address)));
    }

    /// Restricts tools to these addresses, in addition to the other rules.
    pub fn narrow(&mut self, addresses: Vec<String>) {
        self.within = Some(addresses.iter().map(|address| DirectoryRule::built_in(address)).collect());
    }

    /// Returns the directories to which tools are restricted in addition to the other rules; `.` is the root.
    pub fn within(&self) -> Option<Vec<String>> {
        let mut within: Vec<&str> = self.within.as_ref()?.iter().map(DirectoryRule::written).collect();
        within.dedup();
        Some(within.into_iter().map(|written| if written.is_empty() { "." } else { written }.to_owned()).collect())
    }

    /// Returns whether and where the audit log is kept.
    pub fn log_location(&self) -> LogLocation {
        if !self.enable_audit_logging {
            LogLocation::Off
        } else if self.read_only {
            LogLocation::State
        } else {
            LogLocation::Root
        }
    }

    /// Returns a journal for this policy: read-only or writable.
    pub fn journal(&self) -> Journal {
        if self.read_only { Journal::read_only() } else { Journal::writable(self.durability) }
    }
}

/// Maximum number of allowed names in a refusal.
const MAX_ALLOWED: usize = 8;

/// Returns the part of a refusal that names what is allowed.
fn which_are<'a>(allowed: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = allowed.take(MAX_ALLOWED + 1).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => ": nothing is allowed".to_owned(),
        1..=MAX_ALLOWED => format!(": {}", names.join(", ")),
        _ => {
            names.truncate(MAX_ALLOWED);
            format!(": {}, …", names.join(", "))
        }
    }
}
