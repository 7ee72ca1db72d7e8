//! The history of typed lines: a file in the user state, one entry per line.
//!
//! Entries are appended one by one, so that parallel sessions lose nothing of each other. A file that has grown too
//! long is replaced by a shorter one, under a lock that every append waits for. If the file cannot be read or written,
//! the session warns once and continues without it.

#![allow(clippy::disallowed_methods, reason = "the history is the user's own file")]

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::state_folder;
use crate::terminal::report::say;
use crate::text::safe;

/// Maximum number of stored entries.
const MOST_ENTRIES: usize = 10_000;
/// Maximum number of bytes read from the end of the file.
const MOST_BYTES: u64 = 8 << 20;

/// Maximum number of attempts to take the lock, and the delay between them.
const LOCK_TURNS: u32 = 50;
const LOCK_TURN: Duration = Duration::from_millis(10);

/// The history file, as long as it can be written.
pub struct LineHistory {
    file: Option<(PathBuf, File)>,
    /// Entries of earlier sessions, the oldest first.
    pub entries: Vec<String>,
}

impl LineHistory {
    /// Opens the user's file, creating it if necessary.
    pub fn open() -> LineHistory {
        let Some(folder) = state_folder().map(|state| state.join("neuroscript")) else {
            say("warning: the history is not saved: there is no state folder\n");
            return LineHistory { file: None, entries: Vec::new() };
        };
        let path = folder.join("history");
        match open_newest(&folder, &path).and_then(|(file, is_locked)| read(&path, file, is_locked)) {
            Ok((entries, unreadable, file)) => {
                if unreadable > 0 {
                    let lines = if unreadable == 1 { "1 line" } else { &format!("{unreadable} lines") };
                    say(&format!("warning: {lines} in `{}` cannot be read as text\n", display(&path)));
                }
                LineHistory { file: Some((path, file)), entries }
            }
            Err(error) => {
                not_kept(&path, &error);
                LineHistory { file: None, entries: Vec::new() }
            }
        }
    }

    /// Appends an entry.
    pub fn add(&mut self, entry: &str) {
        let line = format!("{}\n", escaped(entry));
        if let Some((path, file)) = &mut self.file
            && let Err(error) = append(path, file, line.as_bytes())
        {
            not_kept(path, &error);
            self.file = None;
        }
    }
}

fn not_kept(path: &Path, error: &io::Error) {
    say(&format!("warning: the history is not saved: `{}`: {error}\n", display(path)));
}

fn display(path: &Path) -> String {
    safe::name(&path.display().to_string()).into_owned()
}

/// Opens a file for reading and appending, accessible only to the user.
fn open(folder: &Path, path: &Path) -> io::Result<File> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[allow(clippy::disallowed_types, reason = "it is the user's own file")]
    let mut options = fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe in its place would block.
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(file)
}

/// Opens the file that currently has the name. Returns whether its lock could be taken soon enough.
fn open_newest(folder: &Path, path: &Path) -> io::Result<(File, bool)> {
    loop {
        let file = open(folder, path)?;
        let is_locked = lock(&file);
        if !is_replaced(path, &file) {
            return Ok((file, is_locked));
        }
    }
}

/// Appends a line, to the new file if another session has replaced the old one.
fn append(path: &Path, file: &mut File, line: &[u8]) -> io::Result<()> {
    let mut is_locked = lock(file);
    if is_replaced(path, file) {
        (*file, is_locked) = open_newest(path.parent().unwrap_or(path), path)?;
    }
    let written = file.write_all(line);
    if is_locked {
        file.unlock()?;
    }
    written
}

/// Waits for the lock, but not forever: another session may have been stopped while holding it.
fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TURNS {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_TURN),
            Err(TryLockError::Error(_)) => return false,
        }
    }
    false
}

/// Whether the path now refers to another file, or to none.
#[cfg(unix)]
fn is_replaced(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) => identity(there) != identity(ours),
        (there, _) => there.is_err_and(|error| error.kind() == io::ErrorKind::NotFound),
    }
}

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_replaced(_: &Path, _: &File) -> bool {
    false
}

/// Reads the file. Returns its entries, the number of unreadable lines, and the file, unlocked. Replaces a file that
/// has grown too long by its newest entries.
fn read(path: &Path, mut file: File, is_locked: bool) -> io::Result<(Vec<String>, usize, File)> {
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    if bytes.last().is_some_and(|last| *last != b'\n') {
        // The last line is incomplete; end it so that the next entry starts a new one.
        file.write_all(b"\n")?;
    }
    let lines = bytes.split(|byte| *byte == b'\n').skip(usize::from(skipped > 0)).filter(|line| !line.is_empty());
    let (mut entries, mut unreadable) = (Vec::new(), 0);
    for line in lines {
        match str::from_utf8(line) {
            Ok(line) => entries.push(unescaped(line)),
            Err(_) => unreadable += 1,
        }
    }
    // If another session holds the lock, leave the replacement to that session.
    if is_locked && (entries.len() > MOST_ENTRIES || skipped > 0) {
        entries.drain(..entries.len().saturating_sub(MOST_ENTRIES / 2));
        file = replaced(path, &entries)?;
    } else if is_locked {
        file.unlock()?;
    }
    Ok((entries, unreadable, file))
}

/// Replaces the file, whose lock is held, by one with only these entries. The new file is complete before it gets the
/// name, so that nothing is lost in a crash.
fn replaced(path: &Path, entries: &[String]) -> io::Result<File> {
    let folder = path.parent().unwrap_or(path);
    let draft = folder.join(format!("history.{}", std::process::id()));
    // Left by a killed process with the same process id.
    let _ = fs::remove_file(&draft);
    let mut file = open(folder, &draft)?;
    let text: String = entries.iter().map(|entry| format!("{}\n", escaped(entry))).collect();
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
    fs::rename(&draft, path)?;
    Ok(file)
}

/// Escapes an entry so that it fits on one line.
fn escaped(entry: &str) -> String {
    entry.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(line: &str) -> String {
    let mut entry = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => entry.push('\n'),
                Some('r') => entry.push('\r'),
                Some(other) => entry.push(other),
                None => entry.push('\\'),
            },
            c => entry.push(c),
        }
    }
    entry
}
