//! What the user allows: whether anything may be changed, and in which directories tools work.
//!
//! The rest of the File System Tool's policy grows here. Rules are asked of resolved names, compared
//! part by part, without regard to letter case and Unicode form.

use crate::sandbox::{Journal, Kind, Metadata, Retention, SandboxPath};
use crate::text::{ToolCode, fold};

use super::error::ToolError;
use super::spec::{Access, Spec};

/// The rules in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nothing may be changed.
    pub read_only: bool,
    /// Where tools may work; everywhere when there are none.
    pub allowed_directories: Vec<DirectoryRule>,
    /// Where they may not, although they could otherwise.
    pub blocked_directories: Vec<DirectoryRule>,
    /// The most files that one operation lists or changes.
    pub max_files_per_operation: u64,
    /// Whether changes and refusals are kept in the audit log.
    pub enable_audit_logging: bool,
    /// How long old content is kept.
    pub retention: Retention,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            read_only: false,
            allowed_directories: Vec::new(),
            blocked_directories: Vec::new(),
            max_files_per_operation: 1000,
            enable_audit_logging: true,
            retention: Retention::default(),
        }
    }
}

/// A directory that a rule is about.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryRule {
    written: String,
    /// Its parts from the root, folded.
    parts: Vec<String>,
    /// A bare name, which is meant wherever it stands.
    anywhere: bool,
}

impl DirectoryRule {
    /// A rule as the policy file writes it; an error says what is wrong with it.
    pub fn parse(written: &str) -> Result<DirectoryRule, &'static str> {
        if written.starts_with('/') || written.contains('\\') {
            return Err("a directory relative to the root, with `/` between its parts");
        }
        let parts: Vec<String> = written.split('/').filter(|part| !matches!(*part, "" | ".")).map(fold).collect();
        if parts.iter().any(|part| part == "..") {
            return Err("a directory below the root, without `..`");
        }
        Ok(DirectoryRule { written: written.to_owned(), anywhere: !written.contains('/') && parts.len() == 1, parts })
    }

    /// Whether a path with these folded parts lies in the directory, or is it.
    fn holds(&self, path: &[String]) -> bool {
        path.len() >= self.parts.len() && path[..self.parts.len()] == self.parts[..]
    }

    /// Whether a path leads through the directory, wherever that stands.
    ///
    /// The last part counts only when it is a directory.
    fn is_on(&self, path: &[String], is_directory: bool) -> bool {
        let directories = if is_directory { path } else { path.split_last().map_or(path, |(_, before)| before) };
        match self.anywhere {
            true => directories.contains(&self.parts[0]),
            false => self.holds(directories),
        }
    }
}

fn parts_of(resolved: &str) -> Vec<String> {
    resolved.split('/').filter(|part| !part.is_empty()).map(fold).collect()
}

impl Policy {
    /// Whether a tool may be called at all.
    pub fn admit(&self, spec: &Spec) -> Result<(), ToolError> {
        if self.read_only && spec.effect.changes_files() {
            let message = format!("`{}` changes files, and the run is read-only", spec.name);
            return Err(ToolError::new(ToolCode::PolicyDenied, message).hint("run without `--read-only`"));
        }
        Ok(())
    }

    /// Whether a tool may do this at a place.
    pub fn admit_place(&self, place: &SandboxPath, access: Access) -> Result<(), ToolError> {
        if !self.has_directory_rules() {
            return Ok(());
        }
        // What does not exist yet may become a directory.
        let is_directory = place.metadata().map_or(true, |metadata| metadata.kind == Kind::Folder);
        self.admit_path(place.resolved(), is_directory, access)
    }

    /// Whether a tool may do this to what has this resolved path.
    pub fn admit_path(&self, resolved: &str, is_directory: bool, _access: Access) -> Result<(), ToolError> {
        let Some(reason) = self.refusal(resolved, is_directory) else { return Ok(()) };
        let shown = if resolved.is_empty() { "." } else { resolved };
        let message = format!("the policy refuses `{shown}`: {reason}");
        Err(ToolError::new(ToolCode::PolicyDenied, message)
            .path(shown)
            .hint("change `[policy]` in the policy file to allow it"))
    }

    /// Whether listings leave out what has this resolved path.
    pub fn hides(&self, resolved: &str, is_directory: bool) -> bool {
        let path = parts_of(resolved);
        self.blocked_directories.iter().any(|rule| rule.is_on(&path, is_directory))
    }

    /// Whether the content of an open file may be read.
    pub fn admit_content(&self, _shown: &str, _metadata: &Metadata) -> Result<(), ToolError> {
        Ok(())
    }

    /// Whether there is any rule about paths.
    pub fn has_path_rules(&self) -> bool {
        self.has_directory_rules()
    }

    /// Whether there is any rule about directories, so that paths must be looked at.
    pub fn has_directory_rules(&self) -> bool {
        !(self.allowed_directories.is_empty() && self.blocked_directories.is_empty())
    }

    fn refusal(&self, resolved: &str, is_directory: bool) -> Option<String> {
        let path = parts_of(resolved);
        if let Some(rule) = self.blocked_directories.iter().find(|rule| rule.is_on(&path, is_directory)) {
            return Some(format!("it is in `{}` of `blocked_directories`", rule.written));
        }
        let allowed =
            self.allowed_directories.is_empty() || self.allowed_directories.iter().any(|rule| rule.holds(&path));
        (!allowed).then(|| "it is in none of `allowed_directories`".to_owned())
    }

    /// The journal that fits.
    pub fn journal(&self) -> Journal {
        if self.read_only { Journal::read_only() } else { Journal::writable() }
    }
}
