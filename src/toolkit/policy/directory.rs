//! Rules about directories: below the root, of one name wherever it stands, or outside the root.

use std::path::{Path, PathBuf};

use crate::text::fold;

/// A directory that a rule is about.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryRule {
    written: String,
    place: Place,
}

/// Where the directory of a rule is. All parts are folded.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// A bare name, which a refusal means wherever it stands.
    Name(String),
    /// The way from the root.
    Below(Vec<String>),
    /// The way from the root of the file system, to a directory outside the sandbox root.
    Outside(Vec<String>),
    /// An absolute path that nobody has looked at yet.
    Absolute(PathBuf),
}

impl DirectoryRule {
    /// A rule as the policy file writes it; an error says what is expected.
    pub fn parse(written: &str) -> Result<DirectoryRule, &'static str> {
        if written.contains('\\') {
            return Err("directories with `/` between their parts");
        }
        if written.split('/').any(|part| part == "..") {
            return Err("directories without `..`");
        }
        let place = match (written.starts_with('/'), parts_of(written)) {
            (true, _) => Place::Absolute(PathBuf::from(written)),
            (false, parts) if parts.len() == 1 && !written.trim_end_matches('/').contains('/') => {
                Place::Name(parts.concat())
            }
            (false, parts) => Place::Below(parts),
        };
        Ok(DirectoryRule { written: written.to_owned(), place })
    }

    /// The absolute path of a rule that nobody has looked at yet.
    pub fn absolute(&self) -> Option<&Path> {
        match &self.place {
            Place::Absolute(path) => Some(path),
            _ => None,
        }
    }

    /// Says where an absolute path leads: below the root, or to a directory outside.
    pub fn settle(&mut self, below: Option<&str>, outside: &Path) {
        self.place = match below {
            Some(below) => Place::Below(parts_of(below)),
            None => Place::Outside(parts_of(&outside.to_string_lossy())),
        };
    }

    /// The same rule for where its path leads.
    pub fn leading(&self, below: Option<&str>, outside: &Path) -> DirectoryRule {
        let mut rule = self.clone();
        rule.settle(below, outside);
        rule
    }

    /// The rule as the policy file writes it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether the directory holds a path, or is it.
    pub fn holds(&self, path: &Asked) -> bool {
        match &self.place {
            Place::Name(name) => !path.outside && path.parts.first() == Some(name),
            Place::Below(parts) => !path.outside && path.parts.starts_with(parts),
            Place::Outside(parts) => path.outside && path.parts.starts_with(parts),
            Place::Absolute(_) => false,
        }
    }

    /// Whether a path leads through the directory; a bare name is meant wherever it stands.
    ///
    /// The last part of the path counts only when it is a directory.
    pub fn is_on(&self, path: &Asked, is_directory: bool) -> bool {
        let upto = path.parts.len() - usize::from(!is_directory && !path.parts.is_empty());
        match &self.place {
            Place::Name(name) => path.parts[path.own.min(upto)..upto].contains(name),
            Place::Below(parts) => !path.outside && path.parts[..upto].starts_with(parts),
            Place::Outside(parts) => path.outside && path.parts[..upto].starts_with(parts),
            Place::Absolute(_) => false,
        }
    }
}

/// A path that rules are asked about, in the form in which it is compared.
#[derive(Debug)]
pub struct Asked {
    /// Its parts, folded; from the root, or from the root of the file system.
    pub parts: Vec<String>,
    /// It lies in a further root, outside the sandbox root.
    pub outside: bool,
    /// Where the parts below its root begin.
    pub own: usize,
}

impl Asked {
    /// An address: relative to the root, or absolute below one of the further roots.
    pub fn new(address: &str, further: &[Vec<String>]) -> Asked {
        let parts = parts_of(address);
        let is_below = |root: &&Vec<String>| address.starts_with('/') && parts.starts_with(root);
        let root = further.iter().filter(is_below).map(Vec::len).max();
        Asked { own: root.unwrap_or(0), outside: root.is_some(), parts }
    }

    /// The parts below its root.
    pub fn own_parts(&self) -> &[String] {
        &self.parts[self.own..]
    }
}

/// The parts of a path text in the form in which they are compared.
pub fn parts_of(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).map(fold).collect()
}
