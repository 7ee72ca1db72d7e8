//! Resolves the paths in a journal without following symbolic links.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;

use super::super::super::handles::address::Address;
use super::super::super::handles::error::SandboxError;
use super::super::super::handles::path::parts_of;
use super::super::super::handles::private::reopen_ours;
use super::super::super::handles::reserved::STATE_DIR;
use super::super::super::handles::root::{Root, SandboxPath};
use super::super::super::handles::stamp;
use super::super::super::handles::state::State;

/// The roots of a run.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'a> {
    /// The main root: the sandbox.
    pub main: &'a Root,
    /// Further roots that the policy opens.
    pub further: &'a [Root],
}

impl<'a> Roots<'a> {
    /// Returns the root of a path and the path relative to it.
    pub(in crate::sandbox) fn of<'p>(&self, address: &'p Address) -> Result<(&'a Root, &'p Path), SandboxError> {
        let path = Path::new(&address.0);
        if !path.is_absolute() {
            return Ok((self.main, path));
        }
        let below = |root: &'a Root| Some((root, path.strip_prefix(root.path()).ok()?));
        self.further.iter().find_map(below).ok_or_else(|| {
            let path = address.display().into_owned();
            SandboxError::Io { path, reason: "it lies below no root that the policy in force opens".to_owned() }
        })
    }

    /// Locates a path.
    pub(in crate::sandbox) fn place(&self, address: &Address) -> Result<SandboxPath, SandboxError> {
        let (root, path) = self.of(address)?;
        root.locate_exactly(path)
    }

    /// Returns the root that a path belongs to.
    pub(in crate::sandbox) fn root_of(&self, address: &Address) -> Result<&'a Root, SandboxError> {
        self.of(address).map(|(root, _)| root)
    }

    /// Returns the state of the entry at a path, or `None` if there is none.
    pub(in crate::sandbox) fn state(&self, address: &Address) -> Result<Option<State>, SandboxError> {
        match self.place(address).and_then(|place| place.metadata()) {
            Ok(metadata) => Ok(Some(State::of(&metadata))),
            Err(SandboxError::NotFound(_) | SandboxError::NotAFolder(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a path leads into the state directory of its root.
    pub(in crate::sandbox) fn is_kept(&self, address: &Address) -> bool {
        self.of(address).is_ok_and(|(_, path)| path.iter().next() == Some(OsStr::new(STATE_DIR)))
    }

    /// Locates a path in the tree, or a backup below `.ns`; returns `None` if that backup does not exist.
    ///
    /// # Errors
    /// Returns [`SandboxError::Foreign`] if the backup is not sealed for its directory.
    pub(in crate::sandbox) fn entry(&self, address: &Address) -> Result<Option<SandboxPath>, SandboxError> {
        if self.is_kept(address) { self.kept(address) } else { self.place(address).map(Some) }
    }

    /// Locates a backup below `.ns`; returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns [`SandboxError::Foreign`] if the backup is not sealed for its directory.
    pub(in crate::sandbox) fn kept(&self, address: &Address) -> Result<Option<SandboxPath>, SandboxError> {
        let (root, path) = self.of(address)?;
        let shown = address.display().into_owned();
        let names: Vec<OsString> = parts_of(path).collect();
        let Some(([own_name, folders @ ..], name)) = names.split_last().map(|(last, rest)| (rest, last)) else {
            return Ok(None);
        };
        let own = if own_name == OsStr::new(STATE_DIR) { root.own_folder()? } else { None };
        let Some(own) = own else { return Ok(None) };
        // Names after the first with the shape of a backup belong to a tree that was backed up as a whole.
        let below = &names[1..];
        let at = below.iter().position(|part| stamp::is_kept_shape(part));
        if !at.is_some_and(|at| stamp::is_kept(&below[at], &below[..at], &root.seal)) {
            return Err(SandboxError::Foreign(shown));
        }
        let mut folder = own.into_folder();
        for part in folders {
            match reopen_ours(&folder, part, || shown.clone())? {
                Some((inner, _)) => folder = inner,
                None => return Ok(None),
            }
        }
        match folder.metadata(name) {
            Ok(_) => Ok(Some(SandboxPath::own(folder, name, shown))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SandboxError::io(shown, &error)),
        }
    }
}
