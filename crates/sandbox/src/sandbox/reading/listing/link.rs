//! Resolves the links that a listing meets.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::metadata::Kind;
use super::super::super::handles::path::PathRule;
use super::super::super::handles::root::{Root, SandboxPath};

/// Maximum number of links in a chain; a longer one counts as a loop.
const MAX_CHAIN: usize = 256;

/// The result of following a link.
#[derive(Debug)]
pub enum LinkEnd {
    /// A directory below the root.
    Folder(SandboxPath),
    /// Anything else that exists.
    File(SandboxPath),
    /// A loop or a missing target, with the target of the last link followed.
    Nowhere(OsString),
    /// A path outside the root, or one that no tool may access.
    Outside,
}

/// Follows a link step by step. `folder` is the directory that contains it, `path` the resolved path of that directory.
///
/// Visited links are identified by the resolved path of their directory and their own name.
pub fn follow(root: &Root, folder: &Folder, path: &OsStr, name: &OsStr) -> LinkEnd {
    let Ok(mut target) = folder.read_link(name) else { return LinkEnd::Nowhere(OsString::new()) };
    let mut place = path.to_owned();
    let mut seen = HashSet::from([Path::new(path).join(name).into_os_string()]);
    loop {
        let next = match root.locate_from(&place, &target, PathRule::INSIDE.not_following()) {
            Ok(next) => next,
            Err(SandboxError::Escapes { .. } | SandboxError::Path(_)) => return LinkEnd::Outside,
            Err(_) => return LinkEnd::Nowhere(target),
        };
        match next.metadata().map(|metadata| metadata.kind) {
            Err(_) => return LinkEnd::Nowhere(target),
            Ok(Kind::Folder) => return LinkEnd::Folder(next),
            Ok(Kind::File | Kind::Special) => return LinkEnd::File(next),
            Ok(Kind::Link) => {}
        }
        let Ok((folder, name)) = next.entry() else { return LinkEnd::Nowhere(target) };
        if seen.len() == MAX_CHAIN || !seen.insert(next.resolved_raw().to_owned()) {
            return LinkEnd::Nowhere(target);
        }
        let Ok(further) = folder.read_link(name) else { return LinkEnd::Nowhere(target) };
        place = Path::new(next.resolved_raw()).parent().map(|folder| folder.as_os_str().to_owned()).unwrap_or_default();
        target = further;
    }
}
