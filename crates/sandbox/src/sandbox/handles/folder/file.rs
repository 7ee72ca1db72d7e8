//! An open file of a folder, on the disk or in memory.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::memory::MemoryFile;

/// An open file. Duplicates share one position, as those of the operating system do.
#[derive(Debug)]
pub enum File {
    /// A file of the operating system.
    Disk(fs::File),
    /// A file of a scratch directory, which is never made durable, because nobody needs it after the run.
    Scratch(fs::File),
    /// A file of a folder in memory.
    Memory(MemoryFile),
}

#[cfg(unix)]
impl From<std::os::fd::OwnedFd> for File {
    fn from(descriptor: std::os::fd::OwnedFd) -> File {
        File::Disk(descriptor.into())
    }
}

impl From<fs::File> for File {
    fn from(file: fs::File) -> File {
        File::Disk(file)
    }
}

impl File {
    /// Returns the file of the operating system.
    ///
    /// # Errors
    /// Returns an error of kind `Unsupported` if the file is in memory.
    pub fn on_disk(&self) -> io::Result<&fs::File> {
        match self {
            File::Disk(file) | File::Scratch(file) => Ok(file),
            File::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Converts it to the file of the operating system.
    ///
    /// # Errors
    /// Returns an error of kind `Unsupported` if the file is in memory.
    pub fn into_disk(self) -> io::Result<fs::File> {
        match self {
            File::Disk(file) | File::Scratch(file) => Ok(file),
            File::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Converts a new file of a scratch directory, so that it is never made durable.
    pub(super) fn into_scratch(self) -> File {
        match self {
            File::Disk(file) => File::Scratch(file),
            file => file,
        }
    }

    /// Returns the size in bytes.
    ///
    /// # Errors
    /// Returns errors of the operating system.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            File::Disk(file) | File::Scratch(file) => Ok(file.metadata()?.len()),
            File::Memory(file) => Ok(file.metadata().size),
        }
    }

    /// Duplicates the handle; both share one position.
    ///
    /// # Errors
    /// Returns errors of the operating system.
    pub fn try_clone(&self) -> io::Result<File> {
        match self {
            File::Disk(file) => file.try_clone().map(File::Disk),
            File::Scratch(file) => file.try_clone().map(File::Scratch),
            File::Memory(file) => Ok(File::Memory(file.clone())),
        }
    }

    /// Changes the size; bytes beyond the old end are zero.
    ///
    /// # Errors
    /// Returns errors of the operating system, and one of kind `StorageFull` if a folder in memory has no room.
    pub fn set_len(&self, size: u64) -> io::Result<()> {
        match self {
            File::Disk(file) | File::Scratch(file) => file.set_len(size),
            File::Memory(file) => file.set_len(size),
        }
    }

    /// Makes content and metadata durable. Nothing in memory or in a scratch directory is.
    ///
    /// # Errors
    /// Returns errors of the operating system.
    pub fn sync_all(&self) -> io::Result<()> {
        match self {
            File::Disk(file) if is_unsynced(file) => Ok(()),
            File::Disk(file) => file.sync_all(),
            File::Scratch(_) | File::Memory(_) => Ok(()),
        }
    }

    /// Makes the content durable. Nothing in memory or in a scratch directory is.
    ///
    /// # Errors
    /// Returns errors of the operating system.
    pub fn sync_data(&self) -> io::Result<()> {
        match self {
            File::Disk(file) => file.sync_data(),
            File::Scratch(_) | File::Memory(_) => Ok(()),
        }
    }

    /// Locks the file for this handle and its duplicates, without waiting.
    pub(in crate::sandbox) fn try_lock(&self) -> Result<(), fs::TryLockError> {
        match self {
            File::Disk(file) | File::Scratch(file) => file.try_lock(),
            File::Memory(file) => file.try_lock(),
        }
    }

    /// Releases the lock.
    pub(in crate::sandbox) fn unlock(&self) -> io::Result<()> {
        match self {
            File::Disk(file) | File::Scratch(file) => file.unlock(),
            File::Memory(file) => {
                file.unlock();
                Ok(())
            }
        }
    }
}

/// Whether it is a directory of Windows, which syncs files alone.
fn is_unsynced(file: &fs::File) -> bool {
    cfg!(windows) && file.metadata().is_ok_and(|metadata| metadata.is_dir())
}

impl Read for &File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            File::Disk(file) | File::Scratch(file) => { file }.read(buffer),
            File::Memory(file) => file.read(buffer),
        }
    }

    fn read_to_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            File::Disk(file) | File::Scratch(file) => { file }.read_to_end(bytes),
            File::Memory(file) => file.read_to_end(bytes),
        }
    }
}

impl Write for &File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            File::Disk(file) | File::Scratch(file) => { file }.write(bytes),
            File::Memory(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &File {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match self {
            File::Disk(file) | File::Scratch(file) => { file }.seek(position),
            File::Memory(file) => file.seek(position),
        }
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }

    fn read_to_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        (&*self).read_to_end(bytes)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        (&*self).seek(position)
    }
}
