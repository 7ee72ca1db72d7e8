//! Rules about directories: below the root, of one name wherever it stands, or outside the root.

use std::path::{Path, PathBuf};

use crate::text::fold;

use super::file::careless;
use super::stated::{Stated, source_of};

/// A directory that a rule is about.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryRule {
    written: String,
    /// Where it is stated; nowhere for a rule that is ours.
    stated: Option<Stated>,
    place: Place,
    /// It is not of the policy file, but keeps tools out of what is ours.
    is_ours: bool,
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
        // What would name no directory, and so neither allow nor block what is meant.
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
            (true, _) => Place::Absolute(PathBuf::from(written)),
            (false, parts) if parts.len() == 1 && !written.trim_end_matches('/').contains('/') => {
                Place::Name(parts.concat())
            }
            (false, parts) => Place::Below(parts),
        };
        Ok(DirectoryRule { written: written.to_owned(), stated: None, place, is_ours: false })
    }

    /// A rule that keeps tools out of a directory of ours with this address.
    pub fn ours(address: &str) -> DirectoryRule {
        let parts = parts_of(address);
        let place = if address.starts_with('/') { Place::Outside(parts) } else { Place::Below(parts) };
        DirectoryRule { written: address.to_owned(), stated: None, place, is_ours: true }
    }

    /// The same rule with the place where it is stated.
    pub fn at(self, stated: Stated) -> DirectoryRule {
        DirectoryRule { stated: Some(stated), ..self }
    }

    /// Where it is stated.
    pub fn stated(&self) -> Option<&Stated> {
        self.stated.as_ref()
    }

    /// Whether it is no rule of the policy file.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Why it refuses what is in it.
    pub fn reason(&self) -> String {
        match self.is_ours {
            true => "it is where NeuroScript keeps files of its own".to_owned(),
            false => {
                format!("it is in `{}` of `blocked_directories` ({})", self.written, source_of(self.stated.as_ref()))
            }
        }
    }

    /// The absolute path of a rule that nobody has looked at yet.
    pub fn absolute(&self) -> Option<&Path> {
        match &self.place {
            Place::Absolute(path) => Some(path),
            _ => None,
        }
    }

    /// Whether it is a directory outside the sandbox root.
    pub fn is_outside(&self) -> bool {
        matches!(self.place, Place::Outside(_)) && !self.is_ours
    }

    /// Whether it holds a further root, or lies in it.
    pub fn overlaps(&self, root: &[String]) -> bool {
        matches!(&self.place, Place::Outside(parts) if parts.starts_with(root) || root.starts_with(parts))
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

    /// Whether a path leads through the directory; a bare name is meant wherever it stands, and so is
    /// what a careless file system takes for the same name.
    ///
    /// The last part of the path counts only when it is a directory, or when nothing else may stand there.
    pub fn is_on(&self, path: &Asked, is_directory: bool) -> bool {
        let is_leaf = !is_directory && !self.is_ours && !path.parts.is_empty();
        let upto = path.parts.len() - usize::from(is_leaf);
        let way = &path.parts[..upto];
        match &self.place {
            Place::Name(name) => way[path.own.min(upto)..].iter().any(|part| may_be(part, name)),
            Place::Below(parts) => !path.outside && may_begin(way, parts),
            Place::Outside(parts) => path.outside && may_begin(way, parts),
            Place::Absolute(_) => false,
        }
    }
}

/// Whether a way may lead through a directory.
fn may_begin(way: &[String], directory: &[String]) -> bool {
    way.len() >= directory.len() && way.iter().zip(directory).all(|(part, name)| may_be(part, name))
}

/// Whether some file system may take one folded name for another.
fn may_be(part: &str, name: &str) -> bool {
    part == name || {
        let part = careless(part);
        !part.is_empty() && part == careless(name)
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
