//! The time of last change of a directory in which something of ours comes and goes again.

use std::io;

use super::super::metadata::Timestamp;
use super::Folder;

/// The times of last change of a directory before and after a change of ours, which may be taken back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace(Option<(Timestamp, Timestamp)>);

impl Trace {
    /// Makes a change in a directory, and records the times around it.
    ///
    /// # Errors
    /// Those of the change.
    pub fn of<T>(folder: &Folder, change: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Trace)> {
        let before = folder.modified();
        let done = change()?;
        Ok((done, Trace(before.zip(folder.modified()))))
    }

    /// Records a later change of ours in the same directory, unless somebody else changed it in between.
    ///
    /// # Errors
    /// Those of the change.
    pub fn extend<T>(&mut self, folder: &Folder, change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let before = self.time_before(folder);
        let done = change()?;
        self.0 = before.zip(folder.modified());
        Ok(done)
    }

    /// Takes the changes back, and restores the time before them, unless somebody else changed the directory since.
    pub fn erase<T>(self, folder: &Folder, take_back: impl FnOnce() -> T) -> T {
        let before = self.time_before(folder);
        let done = take_back();
        // A time that cannot be set is no reason to fail.
        before.map(|before| folder.set_own_modified(before));
        done
    }

    /// Returns the time before the changes, unless somebody else changed the directory since.
    pub fn time_before(self, folder: &Folder) -> Option<Timestamp> {
        self.0.filter(|(_, after)| folder.modified() == Some(*after)).map(|(before, _)| before)
    }
}
