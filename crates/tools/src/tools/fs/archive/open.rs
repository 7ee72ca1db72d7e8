//! An archive that is read several times: to check it, and to read its files.

use std::io;

use crate::gate::Context;
use crate::sandbox::{File, OpenFile, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::fault::{invalid, read_error};
use super::unsafe_entry::{self, OnUnsafe};
use super::{ArchivedKind, Budget, Entry, NodeKind, Plan, Reader, display, parts_of};

/// An open archive with the limits on what it unpacks to.
pub struct OpenArchive {
    file: File,
    /// How it is read.
    pub budget: Budget,
    single: SingleFile,
}

/// Ends of the names of archives.
const ARCHIVE_ENDS: [&str; 12] =
    [".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".tb2"];

/// The single file in a compressed file that is no archive.
#[derive(Clone, Debug)]
pub struct SingleFile {
    /// The name of the compressed file.
    pub name: String,
    /// Whether the name says that there is an archive, so that nothing else is read.
    pub is_archive: bool,
    /// Permission bits.
    pub mode: u32,
    /// Modification time in seconds since 1970.
    pub modified: Option<i64>,
}

impl SingleFile {
    fn of(path: &SandboxPath, open: &OpenFile) -> SingleFile {
        let name = path.file_name();
        let lower = name.to_ascii_lowercase();
        let is_archive = ARCHIVE_ENDS.iter().any(|end| lower.ends_with(end));
        let (mode, modified) = (open.metadata.mode & 0o777, open.metadata.modified.map(|time| time.seconds));
        SingleFile { name, is_archive, mode, modified }
    }
}

impl OpenArchive {
    /// Prepares an open file. The budget gets its size.
    pub fn new(path: &SandboxPath, open: OpenFile, budget: Budget) -> OpenArchive {
        let single = SingleFile::of(path, &open);
        OpenArchive { budget: Budget { archive_bytes: open.metadata.size, ..budget }, file: open.file, single }
    }

    /// Returns a reader at the first entry.
    pub fn reader(&self) -> Result<Reader, ToolError> {
        let file = self.file.try_clone().map_err(read_error)?;
        Reader::open(file, &self.budget, &self.single)
    }

    /// Reads the archive once without unpacking, and validates it.
    pub fn plan(&self, context: &mut Context<'_>, on_unsafe: OnUnsafe) -> Result<Plan, ToolError> {
        let mut reader = self.reader()?;
        let mut plan = Plan::new();
        while let Some(entry) = reader.advance()? {
            context.meter.poll()?;
            context.spend(1)?;
            plan.add(entry, &self.budget)?;
        }
        match unsafe_entry::error(&plan.unsafe_entries) {
            Some(error) if on_unsafe == OnUnsafe::Refuse => Err(error),
            _ => Ok(plan),
        }
    }

    /// Finds the file with a name in an archive that has this plan.
    pub fn entry(self, plan: &Plan, name: &str, shown: &str) -> Result<ArchivedFile, ToolError> {
        // A name that no archive may hold is in none.
        let parts = parts_of(name).unwrap_or_default();
        let refused = |code, message: String| Err(ToolError::new(code, message).argument("entry").path(shown));
        let parts = match plan.node(&parts).map(|node| &node.kind) {
            Some(NodeKind::File) => parts,
            Some(NodeKind::CopyOf(source)) => source.clone(),
            Some(NodeKind::Folder) => {
                return refused(ToolCode::IsADirectory, format!("`{}` is a directory of the archive", display(name)));
            }
            Some(NodeKind::Link(target)) => {
                let message = format!("`{}` is a link of the archive, to `{}`", display(name), display(target));
                return refused(ToolCode::IoError, message);
            }
            None => {
                let error = refused(ToolCode::NotFound, format!("the archive holds no `{}`", display(name)));
                return error.map_err(|error| error.hint("`FS.ListArchive` gives the paths in it"));
            }
        };
        let is_it = |(entry, of): &(Entry, _)| entry.what == ArchivedKind::File && *of == parts;
        let index = plan.listed.iter().position(is_it).expect("a file of the plan is listed");
        let entry = plan.listed[index].0.clone();
        Ok(ArchivedFile { archive: self, index, entry, reader: None })
    }
}

/// A file of an archive that was checked.
pub struct ArchivedFile {
    archive: OpenArchive,
    /// Number of entries before it.
    index: usize,
    /// The entry that was found there.
    pub entry: Entry,
    reader: Option<Reader>,
}

impl ArchivedFile {
    /// Returns the same file, to be read from its start.
    pub fn duplicate(&self) -> io::Result<ArchivedFile> {
        let OpenArchive { file, budget, single } = &self.archive;
        let archive = OpenArchive { file: file.try_clone()?, budget: budget.clone(), single: single.clone() };
        Ok(ArchivedFile { archive, index: self.index, entry: self.entry.clone(), reader: None })
    }

    /// Goes to the start of its content.
    pub fn begin(&mut self) -> Result<(), ToolError> {
        let mut reader = self.archive.reader()?;
        let mut found = None;
        for _ in 0..=self.index {
            self.archive.budget.watch.poll()?;
            found = reader.advance()?;
        }
        self.reader = Some(reader);
        if found.as_ref() == Some(&self.entry) { Ok(()) } else { Err(invalid("it changed while it was read")) }
    }

    /// Reads content. Returns 0 at its end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        if self.reader.is_none() {
            self.begin()?;
        }
        self.reader.as_mut().map_or(Ok(0), |reader| reader.read(buffer))
    }
}
