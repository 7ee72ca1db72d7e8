//! Reads files. Only regular files are ever opened.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};

use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::reserved::is_reserved;
use super::super::handles::root::{Root, SandboxPath};

/// A regular file opened for reading, with its metadata at that time.
#[derive(Debug)]
pub struct OpenFile {
    /// The file; reads from it never block.
    pub file: File,
    /// The metadata, taken from the open file itself.
    pub metadata: Metadata,
}

impl OpenFile {
    /// Reads the whole file. Errors: if it has more than `limit` bytes.
    pub fn read_to_limit(self, place: &SandboxPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        let OpenFile { file, metadata } = self;
        if metadata.size > limit {
            return Err(ReadError::TooLarge { size: metadata.size });
        }
        let mut bytes = Vec::with_capacity(metadata.size as usize);
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| place.error(&error))?;
        if bytes.len() as u64 > limit { Err(ReadError::TooLarge { size: bytes.len() as u64 }) } else { Ok(bytes) }
    }
}

impl SandboxPath {
    /// Opens the path as a regular file.
    ///
    /// The kind is checked before opening, so that no pipe or device is ever opened. It is checked again on the open
    /// file, since the entry may have been replaced in between.
    pub fn open_file(&self) -> Result<OpenFile, SandboxError> {
        if self.is_root() {
            return Err(SandboxError::IsAFolder(self.display().to_owned()));
        }
        self.require_file(self.metadata()?.kind)?;
        let (folder, name) = self.entry()?;
        let file = folder.open_file(name).map_err(|error| self.error(&error))?;
        let metadata = folder.file_metadata(&file).map_err(|error| self.error(&error))?;
        self.require_file(metadata.kind)?;
        Ok(OpenFile { file, metadata })
    }

    /// Returns the target of the link at this path as stored.
    pub fn read_link(&self) -> Result<std::ffi::OsString, SandboxError> {
        let (folder, name) = self.entry()?;
        folder.read_link(name).map_err(|error| self.error(&error))
    }

    /// Reads the whole file. Errors: if it has more than `limit` bytes.
    pub fn read_bytes(&self, limit: u64) -> Result<(Vec<u8>, Metadata), ReadError> {
        let open = self.open_file()?;
        let metadata = open.metadata;
        Ok((open.read_to_limit(self, limit)?, metadata))
    }

    fn require_file(&self, kind: Kind) -> Result<(), SandboxError> {
        match kind {
            Kind::File => Ok(()),
            Kind::Folder => Err(SandboxError::IsAFolder(self.display().to_owned())),
            Kind::Special => Err(SandboxError::Special(self.display().to_owned())),
            // The rule says not to follow links, or the file was replaced by a link in the meantime.
            Kind::Link => {
                let reason = "it is a link, which is not followed".to_owned();
                Err(SandboxError::Io { path: self.display().to_owned(), reason })
            }
        }
    }
}

impl Root {
    /// Reads one of our own files directly below the root. Returns `None` if it does not exist.
    ///
    /// Errors: if the name is a link, a directory or a special file, or if the file has more than `limit` bytes.
    pub fn read_reserved(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        debug_assert!(is_reserved(OsStr::new(name)), "tools read everything else");
        let wrap = |error: &io::Error| SandboxError::io(name, error);
        match self.folder.metadata(OsStr::new(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| wrap(&error))?,
        };
        match SandboxPath::own(self.folder.clone(), OsStr::new(name), name.to_owned()).read_bytes(limit) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(ReadError::Sandbox(error)) => Err(error),
            Err(ReadError::TooLarge { size }) => Err(SandboxError::Io {
                path: name.to_owned(),
                reason: format!("it has {size} bytes, more than {limit}"),
            }),
        }
    }
}

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The sandbox refused the access.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The file is larger than the caller's limit.
    #[error("the file has {size} bytes")]
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
    },
}
