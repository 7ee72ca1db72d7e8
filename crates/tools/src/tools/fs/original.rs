//! Reads a file that is appended to or edited, and replaces it with the new content.
//!
//! The file is not locked between reading and replacing. The replacement checks that the file still has the content
//! that was read; if not, the operation is retried on the current content. So concurrent writes of
//! others are never lost.

use std::convert::Infallible;
use std::io::Read;

use sha2::{Digest, Sha256};

use crate::gate::Context;
use crate::limits::space;
use crate::sandbox::{
    Change, File, Metadata, NewFile, Overwrite, PathRule, PendingFile, Replace, SandboxError, SandboxPath, Writing,
    Written,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};

use super::super::parallel::{Pace, Parallel, Work};
use super::encoding::{Charset, Choice, Decoder, MarkedCharset, detect, is_binary};
use super::operation::Operation;
use super::ownership::ReplacedFile;

/// Maximum number of attempts before concurrent writes cause a conflict.
const ATTEMPTS: usize = 100;
/// Bytes that are read at a time, and that identify the file format.
const PIECE: usize = 1 << 16;
/// Upper bound for the memory that the texts and bytes of a file use, as a multiple of its size.
const COPIES: usize = 6;

/// The content of a file.
pub struct Original {
    /// All bytes of the file.
    pub bytes: Vec<u8>,
    /// Their SHA-256.
    pub digest: [u8; 32],
    /// The metadata of the file, from before it was read.
    metadata: Metadata,
}

/// The new content of a file, and where the old content is.
pub struct Replaced<T> {
    /// The new content.
    pub bytes: Vec<u8>,
    /// Additional results.
    pub about: T,
    /// The backup path for `FS.RestoreBackup`.
    pub backup: Option<String>,
    /// Number of other names of the old file.
    pub other_names: Option<u64>,
}

impl<T> Replaced<T> {
    /// Returns the result of the operation.
    pub fn operation(&self, operation: &'static str, path: &SandboxPath) -> Operation {
        let done = Operation::done(operation, path.display(), Some(self.bytes.len() as u64));
        done.with_backup(self.backup.clone()).with_other_names(self.other_names)
    }
}

/// A change to a file that is in the journal, and whose new content has been written under a temporary name.
pub struct StagedEdit<'a, T> {
    /// Size of the new content in bytes.
    pub size: u64,
    /// Additional results.
    pub about: T,
    path: &'a SandboxPath,
    /// `None` if nothing changes.
    file: Option<NewFile<'a>>,
}

/// A change to a file.
pub struct FileEdit<'a> {
    /// The file.
    pub path: &'a SandboxPath,
    /// Maximum size of the file in MiB.
    pub max_size_mb: i64,
    /// Whether the result reports the path of the backup. The old content is kept in either case.
    pub reports_backup: bool,
    /// The SHA-256 that the old content must have.
    pub if_match: Option<[u8; 32]>,
    /// Whether nothing is written.
    pub is_dry_run: bool,
    /// The change that the file is part of; `None` for a change of its own.
    pub change: Option<&'a Change<'a>>,
}

impl<'a> FileEdit<'a> {
    /// Returns the file to write, which must have the content of `if_match`.
    pub fn writing(&self, context: &Context<'a>) -> Writing<'a> {
        let store = context.backup_store(self.path);
        let Self { path: place, reports_backup: is_told, if_match, .. } = *self;
        Writing { place, overwrite: Overwrite { store, replace: Replace::Yes, is_told, if_match }, known: None }
    }

    /// Writes the result of `make` for a file that is in the journal, under a temporary name.
    pub fn stage<T>(
        &self,
        context: &mut Context<'_>,
        pending: PendingFile<'a>,
        make: impl FnOnce(&mut Context<'_>, Option<&Original>) -> Result<(Vec<u8>, T), ToolError>,
    ) -> Result<StagedEdit<'a, T>, ToolError> {
        let path = self.path;
        context.meter.poll()?;
        let old = self.read(path, context)?;
        let (bytes, about) = make(context, old.as_ref())?;
        let size = bytes.len() as u64;
        if old.is_some_and(|old| old.bytes == bytes) {
            return Ok(StagedEdit { size, about, path, file: None });
        }
        context.begin_write(path, size, size).map_err(|error| self.at_path(error))?;
        let mut new = pending.create().map_err(|error| self.at_path(error))?;
        new.conceal();
        new.write(&bytes, context.meter).map_err(|error| self.at_path(error))?;
        Ok(StagedEdit { size, about, path, file: Some(new) })
    }
}

impl<'a, T> StagedEdit<'a, T> {
    /// Makes the new contents of several files durable, by threads that share commits of the file system's log.
    /// [`StagedEdit::finish`] reports failures.
    pub fn sync_all<'n>(context: &Context<'_>, edits: impl Iterator<Item = &'n mut StagedEdit<'a, T>>)
    where
        T: 'n,
        'a: 'n,
    {
        let mut new: Vec<&mut NewFile<'a>> = edits.filter_map(|edit| edit.file.as_mut()).collect();
        let files: Vec<&File> = new.iter().map(|new| &new.file).collect();
        let work = Work { scratch: || (), apply: |file: &&File, _: &mut (), _: Pace<'_>| file.sync_data() };
        let mut results = Vec::with_capacity(files.len());
        let Ok(()) = Parallel::waiting(context).map(&files, &work, |_, result| {
            results.push(result);
            Ok::<(), Infallible>(())
        });
        new.iter_mut().zip(results).for_each(|(new, synced)| new.set_synced(synced));
    }

    /// Puts the new content in its place. Returns the path of the backup.
    pub fn finish(&mut self, context: &mut Context<'_>) -> Result<Option<String>, ToolError> {
        let Some(new) = self.file.take() else { return Ok(None) };
        context.meter.poll()?;
        let at_path = |error: SandboxError| ToolError::from(error).argument("path").path(self.path.display());
        let written = new.finish(context.meter).map_err(at_path)?;
        ReplacedFile::of(self.path, &written).note_differences(context);
        Ok(written.backup)
    }
}

impl FileEdit<'_> {
    /// Replaces the content of a file with the result of `make`, which receives `None` if the file does not
    /// exist.
    pub fn run<T>(
        &self,
        context: &mut Context<'_>,
        mut make: impl FnMut(&mut Context<'_>, Option<&Original>) -> Result<(Vec<u8>, T), ToolError>,
    ) -> Result<Replaced<T>, ToolError> {
        self.check_place()?;
        let mut own_change = None;
        let mut again: Option<SandboxPath> = None;
        for _ in 0..ATTEMPTS {
            context.meter.poll()?;
            let path = again.as_ref().unwrap_or(self.path);
            let old = self.read(path, context)?;
            let (bytes, about) = make(context, old.as_ref())?;
            if self.is_dry_run || old.as_ref().is_some_and(|old| old.bytes == bytes) {
                // Without a change nothing is written and no backup is made.
                return Ok(Replaced { bytes, about, backup: None, other_names: None });
            }
            let change = match (self.change, &mut own_change) {
                (Some(change), _) => change,
                (None, Some(change)) => &*change,
                (None, empty) => empty.insert(context.begin_change(1)?),
            };
            let size = bytes.len() as u64;
            context.begin_write(path, size, size).map_err(|error| self.at_path(error))?;
            match self.write(path, context, old.as_ref(), &bytes, change) {
                Ok(written) => {
                    let replaced = ReplacedFile::of(path, &written);
                    replaced.note_differences(context);
                    let other_names = replaced.other_names();
                    return Ok(Replaced { bytes, about, backup: written.backup, other_names });
                }
                // The file was changed concurrently: retry with its current content.
                Err(SandboxError::Changed(_) | SandboxError::Exists(_)) if self.if_match.is_none() => {}
                Err(error) => return Err(self.at_path(error)),
            }
            if !path.missing_folders().1.is_empty() {
                let found = context.place(&path.address(), PathRule::INSIDE.creating(), Access::Change);
                again = Some(found.map_err(|error| self.at_path(error))?);
            }
        }
        Err(self.at_path(SandboxError::Changed(self.path.display().to_owned())))
    }

    fn at_path(&self, error: impl Into<ToolError>) -> ToolError {
        error.into().argument("path").path(self.path.display())
    }

    fn check_place(&self) -> Result<(), ToolError> {
        if self.path.is_root() {
            Err(self.at_path(SandboxError::RootItself("written")))
        } else if self.path.wants_folder() {
            Err(self.at_path(super::no_file_path(self.path)))
        } else {
            Ok(())
        }
    }

    fn read(&self, path: &SandboxPath, context: &mut Context<'_>) -> Result<Option<Original>, ToolError> {
        let mut open = match context.open(path) {
            Err(error) if error.code == ToolCode::NotFound => return self.check_digest(None).map(|()| None),
            open => open.map_err(|error| self.at_path(error))?,
        };
        self.check_size(open.metadata.size)?;
        let mut bytes = Vec::with_capacity(open.metadata.size as usize);
        let mut hash = Sha256::new();
        let mut buffer = vec![0; PIECE];
        loop {
            let length = open.file.read(&mut buffer).map_err(|error| self.at_path(path.error(&error)))?;
            if length == 0 {
                break;
            }
            context.spend_text(length)?;
            context.meter.poll()?;
            hash.update(&buffer[..length]);
            // The file may have grown.
            self.check_size((bytes.len() + length) as u64)?;
            bytes.extend_from_slice(&buffer[..length]);
        }
        let original = Original { bytes, digest: hash.finalize().into(), metadata: open.metadata };
        self.check_digest(Some(&original.digest)).map(|()| Some(original))
    }

    fn check_digest(&self, found: Option<&[u8; 32]>) -> Result<(), ToolError> {
        match &self.if_match {
            Some(wanted) if found != Some(wanted) => {
                Err(self.at_path(SandboxError::Changed(self.path.display().to_owned())))
            }
            _ => Ok(()),
        }
    }

    fn check_size(&self, size: u64) -> Result<(), ToolError> {
        super::check_size(self.path, size, self.max_size_mb).map_err(|error| self.at_path(error))?;
        Ok(space::check(usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(COPIES))?)
    }

    fn write(
        &self,
        path: &SandboxPath,
        context: &mut Context<'_>,
        old: Option<&Original>,
        bytes: &[u8],
        change: &Change<'_>,
    ) -> Result<Written, SandboxError> {
        let overwrite = Overwrite {
            store: context.backup_store(path),
            replace: if old.is_some() { Replace::Yes } else { Replace::No },
            is_told: self.reports_backup,
            if_match: old.map(|old| old.digest),
        };
        let known = old.map(|old| old.metadata);
        Writing { place: path, overwrite, known }.write(bytes, context.meter, change)
    }
}

impl Original {
    /// Detects the encoding as `FS.ReadFile` does.
    pub fn charset(&self, path: &SandboxPath, asked: Option<Choice>) -> Result<MarkedCharset, ToolError> {
        let unmarked = |charset| MarkedCharset { charset, mark: 0 };
        let found = match (Charset::of_mark(&self.bytes), asked) {
            (Some(found), _) => found,
            (None, Some(Choice::Text(charset))) => unmarked(charset.without_mark()),
            (None, None) if str::from_utf8(&self.bytes).is_ok() => unmarked(Charset::UTF_8),
            (None, _) => unmarked(detect(&mut &self.bytes[..]).map_err(|error| path.error(&error))?),
        };
        let start = &self.bytes[found.mark..self.bytes.len().min(PIECE)];
        if Decoder::new(found.charset).refuses_nul() && (self.bytes.contains(&0) || is_binary(start)) {
            let message = format!("`{}` is binary, not text", path.display());
            let hint = "`FS.WriteFile` with `encoding: \"base64\"` writes it; a text in UTF-16 needs its `encoding`";
            return Err(ToolError::new(ToolCode::NotText, message).path(path.display()).hint(hint));
        }
        Ok(found)
    }

    /// Decodes a file. Errors: encoding the text again would not restore the exact bytes, because some encodings
    /// have two codes for one character.
    pub fn text(&self, MarkedCharset { charset, mark }: MarkedCharset) -> Result<String, ToolError> {
        let bytes = &self.bytes[mark..];
        let refuse = |at: Option<usize>| {
            let name = charset.name();
            let line = |at: usize| bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = match at {
                Some(at) => format!("the file has bytes on line {} that are not {name}", line(at)),
                None => format!("the file has bytes that {name} does not give back as they are"),
            };
            ToolError::new(ToolCode::Encoding, message).hint("name the encoding that the file is in: `encoding`")
        };
        if charset == Charset::UTF_8 {
            return str::from_utf8(bytes).map(str::to_owned).map_err(|error| refuse(Some(error.valid_up_to())));
        }
        let mut decoder = Decoder::new(charset);
        let mut text = String::new();
        let whole = decoder.decode(bytes, true, &mut text).is_ok() && !decoder.malformed;
        if whole && super::encoded("path", &text, charset).is_ok_and(|again| *again == *bytes) {
            Ok(text)
        } else {
            Err(refuse(None))
        }
    }
}
