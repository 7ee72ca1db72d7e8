//! Suggestions for the name of a missing file.

#![allow(clippy::disallowed_methods, reason = "the user named a file, not a script")]

use std::path::Path;

use crate::text::{nearest, safe};

/// Maximum number of directory entries to examine.
const MOST_NAMES: usize = 10_000;

/// Maximum number of scripts in a message.
const MOST_LISTED: usize = 3;

/// The scripts in the directory of a missing file.
#[derive(Default)]
pub struct ScriptsBeside<'a> {
    missing: &'a str,
    parent: Option<&'a Path>,
    names: Vec<String>,
}

impl<'a> ScriptsBeside<'a> {
    /// Reads the directory in which a file is missing.
    pub fn of(missing: &'a Path) -> ScriptsBeside<'a> {
        let parent = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
        let name = missing.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let entries = std::fs::read_dir(parent.unwrap_or(Path::new("."))).into_iter().flatten().take(MOST_NAMES);
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.path().is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.') && is_script(name))
            .collect();
        names.sort_unstable();
        ScriptsBeside { missing: name, parent, names }
    }

    /// Returns the path of the script whose name is nearest to that of the missing file, in the form in which the
    /// missing one was given.
    pub fn nearest(&self) -> Option<String> {
        let names = || self.names.iter().map(String::as_str);
        let with_ending = format!("{}.ns", self.missing);
        let exact = names().find(|name| *name == with_ending);
        // Without the endings too, so that `tidi` finds `tidy.ns`, and `ls` does not find `m.ns`.
        let near = exact.or_else(|| nearest(self.missing, names())).or_else(|| {
            let stem = nearest(self.missing, names().map(stem_of))?;
            names().find(|name| stem_of(name) == stem)
        });
        near.map(|name| self.path_of(name))
    }

    /// Returns the paths of the first scripts for a message; `None` if there are no scripts.
    pub fn listed(&self) -> Option<String> {
        let of_language = |name: &&String| !is_document(name);
        let paths: Vec<String> = self
            .names
            .iter()
            .filter(of_language)
            .map(|name| format!("`{}`", safe::name(&self.path_of(name))))
            .collect();
        let more = if paths.len() > MOST_LISTED { ", …" } else { "" };
        (!paths.is_empty()).then(|| format!("{}{more}", paths[..paths.len().min(MOST_LISTED)].join(", ")))
    }

    fn path_of(&self, name: &str) -> String {
        self.parent.map_or_else(|| name.to_owned(), |parent| parent.join(name).to_string_lossy().into_owned())
    }
}

/// Endings of scripts, longer ones first, and of documents with scripts.
const SCRIPTS: [&str; 2] = [".ns.txt", ".ns"];
const DOCUMENTS: [&str; 2] = [".md", ".markdown"];

/// Returns whether a name is that of a script or of a document with scripts.
pub fn is_script(name: &str) -> bool {
    SCRIPTS.iter().any(|ending| name.ends_with(ending)) || is_document(name)
}

fn is_document(name: &str) -> bool {
    DOCUMENTS.iter().any(|ending| name.ends_with(ending))
}

/// Returns the name of a script without its ending.
fn stem_of(name: &str) -> &str {
    SCRIPTS.iter().chain(&DOCUMENTS).find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
