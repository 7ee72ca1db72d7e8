//! Symbolic links that would lead out of the sandbox from another path.
//!
//! A relative link keeps its text when it, or a directory that holds it, is moved or copied. Nearer to the root, a text
//! such as `../../a` leads to a directory above the root. Our tools would not follow it, but other programs do.

use std::ffi::{OsStr, OsString};

use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Kind;
use super::super::handles::path::parts_of;
use super::super::handles::root::SandboxPath;
use super::walk::{Details, Skip, Tree, WalkLimits, walk};

/// A symbolic link that would lead out of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayLink {
    /// Its path now, for messages.
    pub path: String,
    /// Its text.
    pub text: OsString,
}

/// A future path of an entry.
#[derive(Clone, Copy, Debug)]
pub struct FuturePath {
    /// The number of names of the path, counted from its root.
    pub depth: usize,
    /// Whether it has the root that the entry has now.
    pub is_below_same_root: bool,
}

/// Whether a symbolic link whose own path has `depth` names is relative and leads to a path below the same root.
pub fn link_stays(text: &OsStr, depth: usize) -> bool {
    if is_absolute(text) {
        return false;
    }
    let mut names = text.as_encoded_bytes().split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
    let climbs = names.by_ref().take_while(|name| *name == b"..").count();
    // A `..` after a name would climb from wherever that name leads.
    climbs < depth && !names.any(|name| name == b"..")
}

fn is_absolute(text: &OsStr) -> bool {
    text.as_encoded_bytes().starts_with(b"/")
}

impl SandboxPath {
    /// Returns the number of names of the path, counted from its root.
    pub fn depth(&self) -> usize {
        parts_of(self.resolved_raw().as_ref()).count()
    }

    /// Returns the future path of an entry that goes from here to `target`.
    pub fn future(&self, target: &SandboxPath) -> FuturePath {
        FuturePath { depth: target.depth(), is_below_same_root: self.has_root_of(target) }
    }

    /// Returns a symbolic link, here or below, that would lead out of the sandbox from a future path of this entry.
    /// Links that lead from there to where they lead now are left alone: absolute ones, and all of an entry that comes
    /// no nearer to its root.
    pub fn stray_link(&self, future: FuturePath, limits: &WalkLimits) -> Result<Option<StrayLink>, SandboxError> {
        if future.is_below_same_root && future.depth >= self.depth() {
            return Ok(None);
        }
        let strays = |text: &OsStr, depth| !is_absolute(text) && !link_stays(text, depth);
        match self.metadata()?.kind {
            Kind::Link => {
                let text = self.read_link()?;
                let path = self.display().to_owned();
                Ok(strays(&text, future.depth).then_some(StrayLink { path, text }))
            }
            Kind::Folder => {
                let tree = walk(self, limits, Skip { rule: None }, Details::KindAlone)?;
                for entry in tree.links.iter().map(|&entry| entry as usize) {
                    limits.watch.poll()?;
                    let (text, depth) = self.link_below(&tree, entry)?;
                    if strays(&text, future.depth + depth) {
                        let path = format!("{}/{}", self.display(), tree.path(entry));
                        return Ok(Some(StrayLink { path, text }));
                    }
                }
                Ok(None)
            }
            Kind::File | Kind::Special => Ok(None),
        }
    }

    /// Returns the text of a link in the tree of this directory, and the number of names that lead to it from here.
    fn link_below(&self, tree: &Tree, entry: usize) -> Result<(OsString, usize), SandboxError> {
        tree.check_text_of(entry, self.display())?;
        let below = tree.path(entry);
        let names: Vec<&OsStr> = below.split('/').map(OsStr::new).collect();
        let (name, folders) = names.split_last().expect("an entry has a name");
        let wrap = |error: std::io::Error| SandboxError::io(format!("{}/{below}", self.display()), &error);
        let mut folder = self.open_folder()?;
        for name in folders {
            folder = folder.open_folder(name).map_err(wrap)?;
        }
        Ok((folder.read_link(name).map_err(wrap)?, names.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::link_stays;

    #[test]
    fn a_link_may_climb_as_many_levels_as_there_are_above_it() {
        for (text, depth, stays) in [
            ("a", 1, true),
            ("..", 1, false),
            ("..", 2, true),
            ("../a", 2, true),
            ("../../a", 2, false),
            ("./../a", 2, true),
            (".//..//a", 1, false),
            ("a/../b", 9, false),
            ("a..b/..c", 1, true),
            ("/a", 9, false),
        ] {
            assert_eq!(link_stays(text.as_ref(), depth), stays, "{text} at {depth}");
        }
    }
}
