//! A second file system: a small tmpfs inside the sandbox.
//!
//! It requires permission to mount, and is created in a separate mount namespace, so that nothing stays behind.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};

use super::probe::Probe;
use super::report::Verdict;

/// Whether mounts are possible, or the reason why not.
static MOUNTS: OnceLock<Result<(), String>> = OnceLock::new();

/// Enters a separate mount namespace. Must be called while there is only one thread.
pub fn own_mounts() {
    let left = leave_mounts().map_err(|error| format!("no mounts of our own can be had: {error}"));
    MOUNTS.set(left).expect("the mounts are left once");
}

#[expect(deprecated, reason = "the other one is unsafe for the sake of a flag that is not used here")]
fn leave_mounts() -> rustix::io::Result<()> {
    rustix::thread::unshare(rustix::thread::UnshareFlags::NEWNS)?;
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
}

/// A tmpfs, mounted until dropped.
pub struct Mount(PathBuf);

impl Mount {
    /// Mounts a tmpfs of a size at `other` in the sandbox.
    pub fn at_other(probe: &Probe, size: &str) -> Result<Mount, Verdict> {
        if let Err(reason) = MOUNTS.get().expect("the mounts are left at the start") {
            return Err(Verdict::Skipped(reason.clone()));
        }
        let place = probe.arena.place("other");
        std::fs::create_dir(&place).expect("a folder");
        let options = CString::new(format!("size={size},mode=0755")).expect("options have no NUL");
        match rustix::mount::mount("tmpfs", &place, "tmpfs", MountFlags::empty(), options.as_c_str()) {
            Ok(()) => Ok(Mount(place)),
            Err(error) => Err(Verdict::Skipped(format!("no tmpfs can be mounted: {error}"))),
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(&self.0, UnmountFlags::DETACH);
    }
}
