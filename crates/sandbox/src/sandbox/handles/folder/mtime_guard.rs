//! Restores the modification time of a directory after a temporary change of ours.

use std::io;

use super::super::metadata::Timestamp;
use super::Folder;

/// The modification times of a directory before and after a change of ours that may be undone.
#[derive(Clone, Copy, Debug, Default)]
pub struct MtimeGuard(Option<(Timestamp, Timestamp)>);

impl MtimeGuard {
    /// Performs a change in a directory and records the modification times around it.
    ///
    /// Errors: those of the change.
    pub fn of<T>(folder: &Folder, change: impl FnOnce() -> io::Result<T>) -> io::Result<(T, MtimeGuard)> {
        let before = folder.modified();
        let done = change()?;
        Ok((done, MtimeGuard(before.zip(folder.modified()))))
    }

    /// Records a later change of ours in the same directory.
    ///
    /// Errors: those of the change.
    pub fn extend<T>(&mut self, folder: &Folder, change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let before = self.time_before(folder);
        let done = change()?;
        self.0 = before.zip(folder.modified());
        Ok(done)
    }

    /// Restores the modification time now, although the changes stay until [`MtimeGuard::erase`].
    pub fn conceal(&mut self, folder: &Folder) {
        // Failing to restore a modification time is not an error.
        self.0 = self.time_before(folder).filter(|before| folder.set_own_modified(*before).is_ok()).map(|it| (it, it));
    }

    /// Undoes the changes and restores the modification time before them or, if somebody else has changed the directory
    /// since, the present one.
    pub fn erase<T>(self, folder: &Folder, take_back: impl FnOnce() -> T) -> T {
        let before = self.time_before(folder);
        let done = take_back();
        // Failing to restore a modification time is not an error.
        before.map(|before| folder.set_own_modified(before));
        done
    }

    /// Returns the modification time that the directory would have without the changes: that before them or, if somebody
    /// else has changed the directory since, the present one.
    pub fn time_before(self, folder: &Folder) -> Option<Timestamp> {
        let ((before, after), now) = self.0.zip(folder.modified())?;
        Some(if now == after { before } else { now })
    }
}
