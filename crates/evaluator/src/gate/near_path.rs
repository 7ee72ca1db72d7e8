//! Hints for paths that do not exist while a path with a similar name does.
//!
//! They are given to callers of single tools, which show every error. A script may ask for many paths that are not
//! there, and each hint lists a directory.

use crate::sandbox::{EntryBuffer, PathRule, SandboxPath};
use crate::text::{ToolCode, nearest};
use crate::toolkit::{Access, ToolError};

use super::Gate;
use super::locator::Locator;

/// Maximum number of names in a directory that are compared.
const NAMES: usize = 10_000;

impl Gate {
    /// Adds the name that the missing path of an error probably was meant to be.
    pub fn with_near_path(&self, error: ToolError) -> ToolError {
        let is_missing = error.code == ToolCode::NotFound && error.hint.is_none();
        let near = error.path.as_deref().filter(|_| is_missing).and_then(|path| near(self.locator(), path));
        match near {
            Some(near) => error.hint(format!("there is `{near}`")),
            None => error,
        }
    }
}

/// Returns a path that exists and differs from a missing one in one similar name. Names that the policy hides are not
/// used.
fn near(locator: Locator<'_>, path: &str) -> Option<String> {
    let find = |path: &str| locator.place(path, PathRule::INSIDE, Access::Look, |_| {}).ok();
    let is_there = |path: &str| find(path).is_some_and(|place| place.metadata().is_ok());
    // The longest part that exists, the missing name after it, and the rest.
    let above = path.rmatch_indices('/').map(|(at, _)| at).find(|at| is_there(&path[..*at]));
    let (folder, rest) = above.map_or(("", path), |at| (&path[..at], &path[at + 1..]));
    let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
    let names = names(&find(if folder.is_empty() { "." } else { folder })?)?;
    let near = nearest(name, names.iter().map(String::as_str))?;
    let parts = [folder, near, below].into_iter().filter(|part| !part.is_empty());
    let whole = parts.collect::<Vec<_>>().join("/");
    is_there(&whole).then_some(whole)
}

/// Returns the names in a directory, unless they are too many.
fn names(folder: &SandboxPath) -> Option<Vec<String>> {
    let listed = folder.open_folder().ok()?.listed().ok()?;
    let mut names = Vec::new();
    let mut add = |name: &[u8], _| {
        names.extend(str::from_utf8(name).ok().map(str::to_owned));
        names.len() <= NAMES
    };
    listed.each_entry(&mut EntryBuffer::default(), &mut add).ok()?;
    (names.len() <= NAMES).then_some(names)
}
