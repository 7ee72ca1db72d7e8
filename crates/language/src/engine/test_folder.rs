//! A directory of tests, whose files are untrusted: opened below its handle, never through a link, and with limits.
//! Reads scripts, golden files, inputs and setups, and writes golden files.
//!
//! Only regular files are opened, and a file is only written if it has no other hard link. So nothing outside the
//! directory is read or changed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::sandbox::{
    File, Folder, Kind, OpenFile, PathRule, Replace, Root, SandboxError, SandboxPath, temporary_name,
};

/// Maximum size of one file of a case, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// Maximum size of all files of a setup, in bytes, and maximum number of its files, directories and links.
const MOST_SETUP: u64 = 1 << 30;
const MOST_ENTRIES: usize = 100_000;
/// The permission bits of new files and directories, before the umask.
const FILE_MODE: u32 = 0o666;
const FOLDER_MODE: u32 = 0o777;

/// A directory of tests that the user named.
pub struct TestFolder {
    root: Root,
}

/// The entry at a path of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A regular file.
    File,
    /// A directory.
    Folder,
}

impl TestFolder {
    /// Opens a directory that the user named.
    pub fn open(path: &Path) -> Result<TestFolder, String> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let root = Root::open(path).map_err(|error| format!("`{}` cannot be opened: {error}", path.display()))?;
        Ok(TestFolder { root })
    }

    /// Returns its path without links.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Returns the kind of the entry at a path. Errors: a link anywhere on the path, or a pipe, socket or device.
    pub fn find(&self, below: &Path) -> Result<Found, String> {
        let place = self.place(below)?;
        let error = |what: &str| format!("`{}` is {what}; tests are regular files and folders", below.display());
        match place.metadata().map(|metadata| metadata.kind) {
            Ok(Kind::File) => Ok(Found::File),
            Ok(Kind::Folder) => Ok(Found::Folder),
            Ok(Kind::Link) => Err(error("a link")),
            Ok(Kind::Special) => Err(error("a pipe, socket or device")),
            Err(SandboxError::NotFound(_)) => Ok(Found::Nothing),
            Err(error) => Err(unreadable(below, &error)),
        }
    }

    /// Opens a file. Returns `None` if nothing exists at the path.
    pub fn open_file(&self, below: &Path) -> Result<Option<std::fs::File>, String> {
        match self.find(below)? {
            Found::Nothing => return Ok(None),
            Found::Folder => return Err(format!("`{}` is a folder; it should be a text file", below.display())),
            Found::File => {}
        }
        let OpenFile { file, metadata } = self.place(below)?.open_file().map_err(|error| unreadable(below, &error))?;
        if metadata.size > MOST_BYTES {
            Err(format!("`{}` has more than {} MiB", below.display(), MOST_BYTES >> 20))
        } else {
            file.into_disk().map(Some).map_err(|error| format!("`{}` cannot be opened: {error}", below.display()))
        }
    }

    /// Reads a file as text. Returns `None` if nothing exists at the path.
    pub fn read(&self, below: &Path) -> Result<Option<String>, String> {
        let Some(file) = self.open_file(below)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| format!("`{}` cannot be read: {error}", below.display()))?;
        String::from_utf8(bytes).map(Some).map_err(|_| format!("`{}` is not UTF-8", below.display()))
    }

    /// Replaces the text of a file atomically, or removes the file if `text` is `None`. Errors: the entry is not a
    /// regular file, or has another hard link.
    pub fn write(&self, below: &Path, text: Option<&str>) -> Result<(), String> {
        let wrap = |error: io::Error| format!("`{}` cannot be updated: {error}", below.display());
        self.find(below)?;
        let place = self.place(below)?;
        if place.metadata().is_ok_and(|metadata| metadata.kind != Kind::File || metadata.links > 1) {
            return Err(format!("`{}` cannot be updated: it is no file with one name alone", below.display()));
        }
        let folder = make_folders(&place).map_err(wrap)?;
        let name = place.name().map_err(|error| unreadable(below, &error))?;
        let Some(text) = text else { return folder.remove_file(name).map_err(wrap) };
        let draft = OsString::from(temporary_name("ns-test"));
        let written = folder.create_file(&draft, FILE_MODE).and_then(|mut file| file.write_all(text.as_bytes()));
        let renamed = written.and_then(|()| folder.rename(&draft, &folder, name, Replace::Yes));
        renamed.map_err(|error| {
            // Best effort: the first error is the one that matters.
            let _ = folder.remove_file(&draft);
            wrap(error)
        })
    }

    /// Copies a directory recursively to a directory of our own; links are copied as links. Returns the paths of the
    /// copies, each directory before its content.
    pub fn copy(&self, below: &Path, to: &Path) -> Result<Vec<PathBuf>, String> {
        let source = self.place(below)?.open_folder().map_err(|error| unreadable(below, &error))?;
        let opened = Folder::open_root(to).and_then(|target| Level::new(source, target, PathBuf::new()));
        let mut levels = vec![opened.map_err(|error| refused(Path::new(""), &error))?];
        let (mut copies, mut copier) = (vec![to.to_path_buf()], Copier::default());
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.names.pop() else {
                levels.pop();
                continue;
            };
            let below = level.below.join(&name);
            copies.push(to.join(&below));
            let inner = copier.copy(level, &name).map_err(|error| refused(&below, &error))?;
            levels.extend(inner);
        }
        Ok(copies)
    }

    /// Resolves a path that must not go through a link.
    fn place(&self, below: &Path) -> Result<SandboxPath, String> {
        let rule = PathRule { parents: false, ..PathRule::RELATIVE.not_following() };
        let text = below.to_str().ok_or_else(|| format!("`{}` is not UTF-8", below.display()))?;
        let rule = PathRule { empty: true, ..rule };
        let place = self.root.locate(text, rule).map_err(|unreached| unreadable(below, &unreached.error))?;
        let written: PathBuf = below.components().filter(|part| part.as_os_str() != ".").collect();
        if Path::new(place.resolved_raw()) == written {
            Ok(place)
        } else {
            Err(format!("a link is on the way to `{}`; tests are regular files and folders", below.display()))
        }
    }
}

/// A directory of a setup that is being copied.
struct Level {
    source: Folder,
    target: Folder,
    /// Its path below the setup.
    below: PathBuf,
    /// Names of the entries that are not copied yet.
    names: Vec<OsString>,
}

impl Level {
    fn new(source: Folder, target: Folder, below: PathBuf) -> io::Result<Level> {
        let names = source.entries()?.into_iter().map(|entry| entry.name).collect();
        Ok(Level { source, target, below, names })
    }
}

/// Copies the entries of a setup, and counts them and their bytes.
#[derive(Default)]
struct Copier {
    entries: usize,
    bytes: u64,
}

impl Copier {
    /// Copies an entry of a directory. Returns the level to descend into if the entry is a directory.
    fn copy(&mut self, level: &Level, name: &OsStr) -> io::Result<Option<Level>> {
        self.entries += 1;
        if self.entries >= MOST_ENTRIES {
            return Err(io::Error::other(format!("it has more than {MOST_ENTRIES} entries")));
        }
        let Level { source, target, below, .. } = level;
        match source.metadata(name)?.kind {
            Kind::Folder => {
                target.create_folder(name, FOLDER_MODE)?;
                Level::new(source.open_folder(name)?, target.open_folder(name)?, below.join(name)).map(Some)
            }
            Kind::Link => target.create_link(&source.read_link(name)?, name).map(|()| None),
            Kind::File => self.copy_file(source, target, name).map(|()| None),
            Kind::Special => Err(io::Error::other("it is no file, folder or link")),
        }
    }

    fn copy_file(&mut self, folder: &Folder, target: &Folder, name: &OsStr) -> io::Result<()> {
        let source = folder.open_file(name)?;
        let metadata = folder.file_metadata(&source)?;
        self.bytes = self.bytes.saturating_add(metadata.size);
        if metadata.kind != Kind::File || self.bytes > MOST_SETUP {
            return Err(io::Error::other(format!("the files have more than {} MiB", MOST_SETUP >> 20)));
        }
        let mut copy = target.create_file(name, FILE_MODE)?;
        io::copy(&mut source.take(metadata.size), &mut copy)?;
        set_mode(&copy, metadata.mode)
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.on_disk()?.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))
}

/// Other systems have no permission bits.
#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Opens the parent directory of a path; missing directories are created.
fn make_folders(place: &SandboxPath) -> io::Result<Folder> {
    let (nearest, missing) = place.missing_folders();
    missing.iter().try_fold(nearest.duplicate()?, |folder, name| {
        folder.create_folder(name, FOLDER_MODE)?;
        folder.open_folder(name)
    })
}

fn unreadable(below: &Path, error: &SandboxError) -> String {
    format!("`{}` cannot be read: {error}", below.display())
}

fn refused(below: &Path, error: &io::Error) -> String {
    format!("`{}` of its set-up cannot be copied: {error}", below.display())
}
