//! An open file of a volume.

use std::fs::TryLockError;
use std::io::{self, ErrorKind, SeekFrom};
use std::sync::{Arc, Mutex, Weak};

use super::super::super::metadata::Metadata;
use super::node::{Node, locked};

/// The allowed use of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Reading,
    /// From the position on.
    Writing,
    /// Reading, and writing at the end.
    Appending,
}

/// An open file or directory. Clones share its position and its lock.
#[derive(Clone, Debug)]
pub struct MemoryFile(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    node: Arc<Node>,
    for_use: Use,
    position: Mutex<u64>,
    /// The holder of a lock.
    token: Arc<()>,
}

impl MemoryFile {
    pub(super) fn open(node: Arc<Node>, for_use: Use) -> MemoryFile {
        MemoryFile(Arc::new(Opened { node, for_use, position: Mutex::default(), token: Arc::new(()) }))
    }

    pub(in crate::sandbox) fn metadata(&self) -> Metadata {
        self.0.node.metadata()
    }

    pub(in crate::sandbox) fn set_access(&self, like: &Metadata) {
        self.0.node.set_access(like);
    }

    pub(in crate::sandbox) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_with(|rest| {
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            length
        })
    }

    pub(in crate::sandbox) fn read_to_end(&self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        self.read_with(|rest| {
            bytes.extend_from_slice(rest);
            rest.len()
        })
    }

    /// Passes the content from the position on to `take`, and advances by what that returns.
    fn read_with(&self, take: impl FnOnce(&[u8]) -> usize) -> io::Result<usize> {
        if self.0.for_use == Use::Writing {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let mut position = locked(&self.0.position);
        let content = self.0.node.content()?;
        let start = usize::try_from(*position).unwrap_or(usize::MAX).min(content.len());
        let length = take(&content[start..]);
        *position += length as u64;
        Ok(length)
    }

    pub(in crate::sandbox) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut position = locked(&self.0.position);
        let mut content = self.0.node.content()?;
        match self.0.for_use {
            Use::Reading => return Err(ErrorKind::PermissionDenied.into()),
            Use::Writing => {}
            Use::Appending => *position = content.len() as u64,
        }
        let start = usize::try_from(*position).map_err(|_| ErrorKind::FileTooLarge)?;
        let end = start.checked_add(bytes.len()).ok_or(ErrorKind::FileTooLarge)?;
        if end > content.len() {
            self.0.node.volume.take((end - content.len()) as u64)?;
            content.resize(end, 0);
        }
        content[start..end].copy_from_slice(bytes);
        *position = end as u64;
        drop(content);
        self.0.node.touch();
        Ok(bytes.len())
    }

    pub(in crate::sandbox) fn set_len(&self, size: u64) -> io::Result<()> {
        if self.0.for_use == Use::Reading {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let mut content = self.0.node.content()?;
        let (size, before) = (usize::try_from(size).map_err(|_| ErrorKind::FileTooLarge)?, content.len());
        let volume = &self.0.node.volume;
        if size > before {
            volume.take((size - before) as u64)?;
        } else {
            volume.give_back((before - size) as u64);
        }
        content.resize(size, 0);
        drop(content);
        self.0.node.touch();
        Ok(())
    }

    pub(in crate::sandbox) fn seek(&self, target: SeekFrom) -> io::Result<u64> {
        let mut position = locked(&self.0.position);
        let sought = match target {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => position.checked_add_signed(offset),
            SeekFrom::End(offset) => (self.0.node.content()?.len() as u64).checked_add_signed(offset),
        };
        *position = sought.ok_or(ErrorKind::InvalidInput)?;
        Ok(*position)
    }

    pub(in crate::sandbox) fn try_lock(&self) -> Result<(), TryLockError> {
        let mut holder = locked(&self.0.node.lock);
        if holder.upgrade().is_some_and(|holder| !Arc::ptr_eq(&holder, &self.0.token)) {
            return Err(TryLockError::WouldBlock);
        }
        *holder = Arc::downgrade(&self.0.token);
        Ok(())
    }

    pub(in crate::sandbox) fn unlock(&self) {
        let mut holder = locked(&self.0.node.lock);
        if holder.upgrade().is_some_and(|holder| Arc::ptr_eq(&holder, &self.0.token)) {
            *holder = Weak::new();
        }
    }
}
