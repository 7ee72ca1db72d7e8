//! What the user allows: which tools, where, on which files, how much at once.
//!
//! Rules about paths are asked of resolved names, compared part by part, without regard to letter case
//! and Unicode form. An address is a path from the root, or absolute below one of the further roots.

mod directory;
mod file;
mod leave;
mod stated;
mod summary;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sandbox::{Journal, Kind, Metadata, Retention, SandboxPath};
use crate::text::ToolCode;

use super::error::ToolError;
use super::spec::{Access, Spec};

pub use directory::DirectoryRule;
use directory::{Asked, parts_of};
use file::careless;
pub use file::{Extensions, Patterns};
pub use stated::{Layer, PolicyFile, Provenance, Stated, Unused};
use stated::{change_of, source_of};
pub use tools::{ToolRule, ToolRules};

/// The rules in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nothing may be changed.
    pub read_only: bool,
    /// Where tools may work: a list of each policy file that has one, all of which hold; everywhere below
    /// the root when there are none.
    pub allowed_directories: Vec<Vec<DirectoryRule>>,
    /// Where a program that has tools called lets them work, besides.
    within: Option<Vec<DirectoryRule>>,
    /// Where they may not, although they could otherwise.
    pub blocked_directories: Vec<DirectoryRule>,
    /// The files that may be read and changed: a list of each policy file that has one, all of which hold;
    /// all files when there are none.
    pub allowed_extensions: Vec<Extensions>,
    /// Files that may not be read or changed, by any of these lists.
    pub blocked_extensions: Vec<Extensions>,
    /// Files and directories that may not be read or changed, by name or way, by any of these lists.
    pub blocked_patterns: Vec<Patterns>,
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
    /// Which tools run, ask or are refused, by each policy file; the strictest holds.
    pub tools: Vec<ToolRules>,
    /// Where all of it comes from.
    pub provenance: Arc<Provenance>,
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
            allowed_extensions: Vec::new(),
            blocked_extensions: Vec::new(),
            blocked_patterns: vec![Patterns::default()],
            max_file_size: 0,
            max_files_per_operation: MAX_FILES,
            require_confirmation_for_delete: false,
            enable_audit_logging: true,
            reject_hard_links: false,
            require_kernel_sandbox: false,
            retention: Retention::default(),
            tools: Vec::new(),
            provenance: Arc::default(),
            further: Vec::new(),
            own_files: Vec::new(),
        }
    }
}

/// Why the policy refuses a path, and how it would allow it.
struct Refusal {
    reason: String,
    hint: Option<String>,
}

impl Refusal {
    /// A refusal by nothing that somebody may change.
    fn final_one(reason: &str) -> Option<Refusal> {
        Some(Refusal { reason: reason.to_owned(), hint: None })
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
        /// The file whose `allow` would lift it; none where it is not one of the user's, or not one alone.
        lifted_by: Option<Layer>,
    },
}

impl Policy {
    /// Whether a tool may be called at all, and whether a person is asked first.
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
        let Some(Refusal { reason, hint }) = self.refusal(address, is_directory, access) else { return Ok(()) };
        let shown = if address.is_empty() { "." } else { address };
        let message = format!("the policy refuses `{shown}`: {reason}");
        let error = ToolError::new(ToolCode::PolicyDenied, message).path(shown);
        Err(match hint {
            Some(hint) => error.hint(hint),
            None => error,
        })
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

    /// Whether a file may have so many bytes, to be read or written.
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

    fn refusal(&self, address: &str, is_directory: bool, access: Access) -> Option<Refusal> {
        let path = Asked::new(address, &self.further);
        if access >= Access::Change && self.holds_own_file(&path, access) {
            return Refusal::final_one("no tool changes a policy file that may be in force");
        }
        if let Some(rule) = self.blocked_directories.iter().find(|rule| rule.is_on(&path, is_directory)) {
            let hint = (!rule.is_ours()).then(|| change_of("blocked_directories", "policy", rule.stated()));
            return Some(Refusal { reason: rule.reason(), hint });
        }
        if let Some(none) = self.allowed_directories.iter().find(|rules| !rules.iter().any(|rule| rule.holds(&path))) {
            let stated = none.first().and_then(DirectoryRule::stated);
            let reason = format!("it is in none of `allowed_directories` ({})", source_of(stated));
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
            return Some(Refusal { reason, hint: Some(change_of("blocked_patterns", "policy", stated.as_ref())) });
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
    fn refused_extension(&self, name: &str) -> Option<Refusal> {
        let blocks = |blocked: &Extensions| {
            let extension = blocked.of(name).or_else(|| blocked.of(careless(name).as_ref()))?;
            let stated = blocked.stated.as_ref();
            let reason = format!("`{extension}` is in `blocked_extensions` ({})", source_of(stated));
            Some(Refusal { reason, hint: Some(change_of("blocked_extensions", "policy", stated)) })
        };
        if let Some(refusal) = self.blocked_extensions.iter().find_map(blocks) {
            return Some(refusal);
        }
        let none = self.allowed_extensions.iter().find(|allowed| allowed.of(name).is_none())?;
        let stated = none.stated.as_ref();
        let reason = format!("its extension is not in `allowed_extensions` ({})", source_of(stated));
        Some(Refusal { reason, hint: Some(change_of("allowed_extensions", "policy", stated)) })
    }

    /// Finds out where the absolute paths among the rules lead. `below` gives the part of one below the
    /// root, `truth` its true path; `open` opens another as a further root and gives its true path. An error is the first that
    /// `open` gives.
    ///
    /// The file in the root opens nothing: its rules narrow what the user's files open. A directory that
    /// overlaps one of another file is not opened either, since what both allow is open already.
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

    /// Rules of the file in the root about directories outside that the user's files do not open.
    pub fn unopened(&self) -> impl Iterator<Item = &DirectoryRule> {
        let is_unopened =
            |rule: &&DirectoryRule| rule.is_outside() && !self.further.iter().any(|root| rule.overlaps(root));
        self.allowed_directories.iter().flatten().filter(is_unopened)
    }

    /// Notes that a folder with this absolute address is read besides the sandbox: the user named it, so
    /// `allowed_directories` need not; every rule that refuses holds.
    pub fn open_library(&mut self, address: &str) {
        self.further.push(parts_of(address));
        self.allowed_directories.iter_mut().for_each(|rules| rules.push(DirectoryRule::ours(address)));
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
