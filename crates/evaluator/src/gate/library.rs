//! Libraries: directories of modules that the user names.
//!
//! A library outside the sandbox is a root of its own, which no tool can reach. One inside the sandbox, or inside a
//! further root, is a path there, so that all rules about that path apply.

use crate::sandbox::Root;

/// A directory of modules in addition to the sandbox.
#[derive(Debug)]
pub struct Library {
    /// The directory as the user named it, for messages.
    pub named: String,
    /// Its location.
    pub place: LibraryPlace,
}

/// The location of a library.
#[derive(Debug)]
pub enum LibraryPlace {
    /// Below a root that tools can reach, at this address.
    Inside(String),
    /// A root of its own.
    Outside(Box<Root>),
}
