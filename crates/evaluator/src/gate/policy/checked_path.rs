//! Paths and names in the form in which rules compare them: component by component, without regard to case, and as a
//! lenient file system would read them.

use std::borrow::Cow;

use crate::sandbox::is_ignorable;
use crate::text::fold;

/// A path in the form in which rules compare it.
#[derive(Debug)]
pub struct CheckedPath {
    /// The case-folded components, from the root or from the root of the file system.
    pub parts: Vec<String>,
    /// Whether the path is inside a further root, outside the sandbox root.
    pub outside: bool,
    /// The index of the first component below its root.
    pub own: usize,
}

impl CheckedPath {
    /// Parses an address: relative to the root, or absolute below one of the further roots.
    pub fn new(address: &str, further: &[Vec<String>]) -> CheckedPath {
        let parts = parts_of(address);
        let is_below = |root: &&Vec<String>| address.starts_with('/') && parts.starts_with(root);
        let root = further.iter().filter(is_below).map(Vec::len).max();
        CheckedPath { own: root.unwrap_or(0), outside: root.is_some(), parts }
    }

    /// Returns the components below its root.
    pub fn own_parts(&self) -> &[String] {
        &self.parts[self.own..]
    }
}

/// Splits a path into components in the form in which they are compared.
pub fn parts_of(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).map(fold).collect()
}

/// Normalizes a case-folded name the way a lenient file system does: removes characters that some file systems
/// ignore, trailing dots and spaces, and everything from a `:` on (NTFS).
pub fn lenient_name(name: &str) -> Cow<'_, str> {
    let shown =
        if name.is_ascii() { Cow::Borrowed(name) } else { name.chars().filter(|&c| !is_ignorable(c)).collect() };
    let length = shown.split(':').next().unwrap_or(&shown).trim_end_matches(['.', ' ']).len();
    match shown {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..length]),
        Cow::Owned(mut text) => {
            text.truncate(length);
            Cow::Owned(text)
        }
    }
}
