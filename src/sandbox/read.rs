//! Reading files. Nothing but regular files is ever opened.

use std::fs::File;
use std::io::Read;

use super::error::SandboxError;
use super::metadata::{Kind, Metadata};
use super::root::SandboxPath;

/// A regular file that is open for reading, and what was known of it when it was opened.
#[derive(Debug)]
pub struct OpenFile {
    /// The file; reads never block.
    pub file: File,
    /// From the open file itself.
    pub metadata: Metadata,
}

impl OpenFile {
    /// The bytes of the file, which is at a place, at most `limit`; one byte more is an error that says so.
    pub fn read_to_limit(self, place: &SandboxPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        let OpenFile { file, metadata } = self;
        if metadata.size > limit {
            return Err(ReadError::TooLarge { size: metadata.size });
        }
        let mut bytes = Vec::with_capacity(metadata.size as usize);
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| place.error(&error))?;
        match bytes.len() as u64 > limit {
            true => Err(ReadError::TooLarge { size: bytes.len() as u64 }),
            false => Ok(bytes),
        }
    }
}

impl SandboxPath {
    /// Opens the place as a regular file.
    ///
    /// Its kind is looked at first, so that no pipe or device is ever opened, and again on the open
    /// file, since it may have been exchanged in between.
    pub fn open_file(&self) -> Result<OpenFile, SandboxError> {
        if self.is_root() {
            return Err(SandboxError::IsAFolder(self.shown().to_owned()));
        }
        self.require_file(self.metadata()?.kind)?;
        let (folder, name) = self.entry()?;
        let file = folder.open_file(name).map_err(|error| self.error(&error))?;
        let metadata = folder.file_metadata(&file).map_err(|error| self.error(&error))?;
        self.require_file(metadata.kind)?;
        Ok(OpenFile { file, metadata })
    }

    /// The text of the place, which is a link, as it is stored.
    pub fn read_link(&self) -> Result<std::ffi::OsString, SandboxError> {
        let (folder, name) = self.entry()?;
        folder.read_link(name).map_err(|error| self.error(&error))
    }

    /// The bytes of the place, at most `limit`; one byte more is an error that says so.
    pub fn read_bytes(&self, limit: u64) -> Result<(Vec<u8>, Metadata), ReadError> {
        let open = self.open_file()?;
        let metadata = open.metadata;
        Ok((open.read_to_limit(self, limit)?, metadata))
    }

    fn require_file(&self, kind: Kind) -> Result<(), SandboxError> {
        match kind {
            Kind::File => Ok(()),
            Kind::Folder => Err(SandboxError::IsAFolder(self.shown().to_owned())),
            Kind::Special => Err(SandboxError::Special(self.shown().to_owned())),
            // It was not to be followed, or came in between.
            Kind::Link => {
                let reason = "it is a link, which is not followed".to_owned();
                Err(SandboxError::Io { path: self.shown().to_owned(), reason })
            }
        }
    }
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The sandbox says no.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// More bytes than the caller takes.
    #[error("the file has {size} bytes")]
    TooLarge {
        /// The size that was found.
        size: u64,
    },
}
