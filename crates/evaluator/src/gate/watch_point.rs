//! The directory in which a front end can watch a path of the sandbox for changes.
//!
//! The path passes the policy like the path of a tool that reads, and is resolved from handle to handle. The result is
//! a handle, never a path: whatever replaces the path later, only this directory is watched.

use std::ffi::OsString;

use rustix::fd::OwnedFd;

use crate::sandbox::{Folder, Identity, Kind, PathRule, SandboxError, SandboxPath};
use crate::toolkit::{Access, ToolError};

use super::assembly::Gate;

/// A directory that tells about changes of a path.
#[derive(Debug)]
pub struct WatchPoint {
    /// The directory.
    pub handle: OwnedFd,
    /// Its device and inode.
    pub identity: Identity,
    /// The name in it that the path leads through: its last name, or the first one that does not exist. `None` if the
    /// path is the directory itself.
    pub name: Option<OsString>,
    /// Whether the path exists.
    pub exists: bool,
    /// The time of the last change of its content or metadata, in milliseconds since 1970.
    pub changed_ms: Option<i64>,
}

impl Gate {
    /// Returns where a path can be watched, if the policy lets tools read it. This is not a call, so the audit log
    /// records nothing.
    pub fn watch_point(&self, path: &str) -> Result<WatchPoint, ToolError> {
        self.watch_point_by(path, PathRule::INSIDE)
    }

    /// Returns where the last name of a path can be watched, even if it is a link that leads nowhere or outside.
    pub fn watch_point_of_entry(&self, path: &str) -> Result<WatchPoint, ToolError> {
        self.watch_point_by(path, PathRule::INSIDE.not_following())
    }

    fn watch_point_by(&self, path: &str, rule: PathRule) -> Result<WatchPoint, ToolError> {
        let place = self.locator().place(path, rule, Access::Read, |_| {})?;
        let fault = |error: std::io::Error| ToolError::from(place.error(&error));
        let (folder, name) = directory_of(&place)?;
        let metadata = place.metadata().ok();
        let exists = name.is_none() || metadata.is_some();
        let changed = metadata.and_then(|metadata| metadata.changed);
        let changed_ms = changed.map(|time| time.seconds * 1000 + i64::from(time.nanos / 1_000_000));
        let identity = folder.own_metadata().map_err(fault)?.identity;
        Ok(WatchPoint { handle: folder.descriptor().map_err(fault)?, identity, name, exists, changed_ms })
    }
}

fn directory_of(place: &SandboxPath) -> Result<(Folder, Option<OsString>), SandboxError> {
    if place.metadata().is_ok_and(|metadata| metadata.kind == Kind::Folder) {
        return Ok((place.open_folder()?, None));
    }
    let (folder, missing) = place.missing_folders();
    let name = match missing.first() {
        Some(name) => name.clone(),
        None => place.name()?.to_owned(),
    };
    Ok((folder.duplicate().map_err(|error| place.error(&error))?, Some(name)))
}
