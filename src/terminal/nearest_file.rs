//! Suggestions for the name of a missing file.

#![allow(clippy::disallowed_methods, reason = "the user named a file, not a script")]

use std::path::Path;

use crate::text::nearest;

/// Maximum number of directory entries to examine.
const MOST_NAMES: usize = 10_000;

/// Finds the script in the same directory whose name is nearest to that of a missing file. Returns its path in the form
/// in which the missing one was given.
pub fn nearest_file(missing: &Path) -> Option<String> {
    let wanted = missing.file_name()?.to_str()?;
    let parent = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(parent.unwrap_or(Path::new("."))).ok()?.take(MOST_NAMES).flatten();
    let names: Vec<String> = entries
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && is_script(name))
        .collect();
    let with_ending = format!("{wanted}.ns");
    let exact = names.iter().find(|name| **name == with_ending).map(String::as_str);
    let near = exact.or_else(|| nearest(wanted, names.iter().map(String::as_str)));
    // Compare with the extension added, so that `tidi` finds `tidy.ns`.
    let near = near.or_else(|| nearest(&with_ending, names.iter().map(String::as_str)))?;
    Some(parent.map_or_else(|| near.to_owned(), |parent| parent.join(near).to_string_lossy().into_owned()))
}

fn is_script(name: &str) -> bool {
    [".ns", ".ns.txt", ".md", ".markdown"].iter().any(|ending| name.ends_with(ending))
}
