//! Rules about directories: below the root, with a given name anywhere, or outside the root.

use std::path::{Path, PathBuf};

use super::checked_path::{CheckedPath, lenient_name, parts_of};
use super::stated::{SourceLine, source_of};

/// A rule about a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryRule {
    written: String,
    /// Where the rule is stated; `None` for a built-in rule.
    stated: Option<SourceLine>,
    place: DirectoryScope,
    /// Whether this is a built-in rule that protects NeuroScript's own files, not one of a policy file.
    is_ours: bool,
}

/// The directory of a rule. All path components are case-folded.
#[derive(Clone, Debug, PartialEq)]
enum DirectoryScope {
    /// A bare name; a blocking rule applies to it at any depth.
    Name(String),
    /// Components relative to the root.
    Below(Vec<String>),
    /// Components from the root of the file system, for a directory outside the sandbox root.
    Outside(Vec<String>),
    /// An absolute path that has not been resolved yet.
    Absolute(PathBuf),
}

impl DirectoryRule {
    /// Parses a rule of the policy file. The error says what is expected.
    pub fn parse(written: &str) -> Result<DirectoryRule, &'static str> {
        if written.contains('\\') {
            return Err("directories with `/` between their parts");
        }
        if written.split('/').any(|part| part == "..") {
            return Err("directories without `..`");
        }
        // These would match no directory, and so neither allow nor block what was meant.
        if written.trim().is_empty() {
            return Err("the names of directories; `.` is the root");
        }
        if written == "~" || written.starts_with("~/") {
            return Err("directories from the root, or whole paths instead of `~`");
        }
        if written.contains(['*', '?']) {
            return Err("directories without `*` and `?`; patterns stand in `blocked_patterns`");
        }
        let place = match (written.starts_with('/'), parts_of(written)) {
            (true, _) => DirectoryScope::Absolute(PathBuf::from(written)),
            (false, parts) if parts.len() == 1 && !written.trim_end_matches('/').contains('/') => {
                DirectoryScope::Name(parts.concat())
            }
            (false, parts) => DirectoryScope::Below(parts),
        };
        Ok(DirectoryRule { written: written.to_owned(), stated: None, place, is_ours: false })
    }

    /// Creates a built-in rule for the directory with this address.
    pub fn built_in(address: &str) -> DirectoryRule {
        let parts = parts_of(address);
        let place =
            if address.starts_with('/') { DirectoryScope::Outside(parts) } else { DirectoryScope::Below(parts) };
        DirectoryRule { written: address.to_owned(), stated: None, place, is_ours: true }
    }

    /// Sets the line that states the rule.
    pub fn at(self, stated: SourceLine) -> DirectoryRule {
        DirectoryRule { stated: Some(stated), ..self }
    }

    /// Returns the line that states the rule.
    pub fn stated(&self) -> Option<&SourceLine> {
        self.stated.as_ref()
    }

    /// Whether this is a built-in rule, not one of a policy file.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Returns why the rule refuses a path.
    pub fn reason(&self) -> String {
        if self.is_ours {
            "it is where NeuroScript keeps files of its own".to_owned()
        } else {
            format!("it is in `{}` of `blocked_directories` ({})", self.written, source_of(self.stated.as_ref()))
        }
    }

    /// Returns the path of the directory from the root, as written; `None` for a directory outside.
    pub fn path_below(&self) -> Option<String> {
        let is_below = matches!(self.place, DirectoryScope::Name(_) | DirectoryScope::Below(_));
        is_below.then(|| self.written.trim_end_matches('/').to_owned())
    }

    /// Returns the absolute path of a rule that has not been resolved yet.
    pub fn absolute(&self) -> Option<&Path> {
        match &self.place {
            DirectoryScope::Absolute(path) => Some(path),
            _ => None,
        }
    }

    /// Whether the rule is about a directory outside the sandbox root.
    pub fn is_outside(&self) -> bool {
        matches!(self.place, DirectoryScope::Outside(_)) && !self.is_ours
    }

    /// Whether the directory contains a further root, or is inside one.
    pub fn overlaps(&self, root: &[String]) -> bool {
        matches!(&self.place, DirectoryScope::Outside(parts) if parts.starts_with(root) || root.starts_with(parts))
    }

    /// Resolves an absolute path: `below` is the path from the root, otherwise the directory is `outside`.
    pub fn settle(&mut self, below: Option<&str>, outside: &Path) {
        self.place = match below {
            Some(below) => DirectoryScope::Below(parts_of(below)),
            None => DirectoryScope::Outside(parts_of(&outside.to_string_lossy())),
        };
    }

    /// Returns a copy of the rule with its path resolved.
    pub fn leading(&self, below: Option<&str>, outside: &Path) -> DirectoryRule {
        let mut rule = self.clone();
        rule.settle(below, outside);
        rule
    }

    /// Returns the rule as written in the policy file.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether a path is the directory or inside it.
    pub fn holds(&self, path: &CheckedPath) -> bool {
        match &self.place {
            DirectoryScope::Name(name) => !path.outside && path.parts.first() == Some(name),
            DirectoryScope::Below(parts) => !path.outside && path.parts.starts_with(parts),
            DirectoryScope::Outside(parts) => path.outside && path.parts.starts_with(parts),
            DirectoryScope::Absolute(_) => false,
        }
    }

    /// Whether a path leads through the directory. A bare name matches at any depth, and so does any name that a
    /// lenient file system treats as the same.
    ///
    /// The last component of the path counts only if it is a directory, or if the rule is built in.
    pub fn is_on(&self, path: &CheckedPath, is_directory: bool) -> bool {
        let is_leaf = !is_directory && !self.is_ours && !path.parts.is_empty();
        let upto = path.parts.len() - usize::from(is_leaf);
        let way = &path.parts[..upto];
        match &self.place {
            DirectoryScope::Name(name) => way[path.own.min(upto)..].iter().any(|part| may_be(part, name)),
            DirectoryScope::Below(parts) => !path.outside && may_begin(way, parts),
            DirectoryScope::Outside(parts) => path.outside && may_begin(way, parts),
            DirectoryScope::Absolute(_) => false,
        }
    }
}

/// Whether a path may lead through a directory.
fn may_begin(way: &[String], directory: &[String]) -> bool {
    way.len() >= directory.len() && way.iter().zip(directory).all(|(part, name)| may_be(part, name))
}

/// Whether some file system may treat two case-folded names as the same.
fn may_be(part: &str, name: &str) -> bool {
    part == name || {
        let part = lenient_name(part);
        !part.is_empty() && part == lenient_name(name)
    }
}
