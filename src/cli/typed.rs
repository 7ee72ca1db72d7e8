//! What was typed in sessions: a file in the user's state folder, one entry a line.
//!
//! Entries are added one by one, so that sessions side by side lose nothing of each other. A file that has grown
//! too long is replaced by a shorter one, under a lock that whoever adds something waits for. A file that
//! cannot be read or written is told of once, and the session goes on without it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::state_folder;
use crate::text::safe;

use super::terminal::say;

/// Entries that are kept.
const MOST_ENTRIES: usize = 10_000;
/// Bytes of the file that are ever read: the newest.
const MOST_BYTES: u64 = 8 << 20;

/// How often a lock is asked for, and how long it is waited from one time to the next.
const LOCK_TURNS: u32 = 50;
const LOCK_TURN: Duration = Duration::from_millis(10);

/// The file, as long as it can be written.
pub struct Typed {
    file: Option<(PathBuf, File)>,
    /// What was typed before, the oldest first.
    pub entries: Vec<String>,
}

impl Typed {
    /// Opens the user's file, which is made where there is none.
    pub fn open() -> Typed {
        let Some(folder) = state_folder().map(|state| state.join("neuroscript")) else {
            say("warning: what is typed is not kept: there is no state folder\n");
            return Typed { file: None, entries: Vec::new() };
        };
        let path = folder.join("history");
        match open_newest(&folder, &path).and_then(|(file, is_locked)| read(&path, file, is_locked)) {
            Ok((entries, unreadable, file)) => {
                if unreadable > 0 {
                    let lines = if unreadable == 1 { "1 line" } else { &format!("{unreadable} lines") };
                    say(&format!("warning: {lines} in `{}` cannot be read as text\n", shown(&path)));
                }
                Typed { file: Some((path, file)), entries }
            }
            Err(error) => {
                not_kept(&path, &error);
                Typed { file: None, entries: Vec::new() }
            }
        }
    }

    /// Adds an entry.
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

/// Writes a script to a file that is not there yet.
pub fn save_script(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn not_kept(path: &Path, error: &io::Error) {
    say(&format!("warning: what is typed is not kept: `{}`: {error}\n", shown(path)));
}

fn shown(path: &Path) -> String {
    safe::name(&path.display().to_string()).into_owned()
}

/// Opens the file for reading and adding, for nobody but the user.
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
        // A pipe in its place would be waited for.
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

/// Opens the file that has the name now, and takes its lock if it is to be had soon.
fn open_newest(folder: &Path, path: &Path) -> io::Result<(File, bool)> {
    loop {
        let file = open(folder, path)?;
        let is_locked = lock(&file);
        if !is_replaced(path, &file) {
            return Ok((file, is_locked));
        }
    }
}

/// Adds a line, to the file that has the name by now where another session has replaced it.
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

/// Waits for the lock, but not for ever: another session may have been stopped while it had it.
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

/// Whether the name means another file by now, or none.
#[cfg(unix)]
fn is_replaced(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) => identity(there) != identity(ours),
        (there, _) => there.is_err_and(|error| error.kind() == io::ErrorKind::NotFound),
    }
}

/// Elsewhere a file that is open is not replaced.
#[cfg(not(unix))]
fn is_replaced(_: &Path, _: &File) -> bool {
    false
}

/// The entries of the file, how many lines are none, and the file, without its lock. One that has grown too
/// long is replaced by its newest entries.
fn read(path: &Path, mut file: File, is_locked: bool) -> io::Result<(Vec<String>, usize, File)> {
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    if bytes.last().is_some_and(|last| *last != b'\n') {
        // The end of a line that was cut short; what comes next is a line of its own.
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
    // Where another session holds the lock, it is left to that one.
    if is_locked && (entries.len() > MOST_ENTRIES || skipped > 0) {
        entries.drain(..entries.len().saturating_sub(MOST_ENTRIES / 2));
        file = replaced(path, &entries)?;
    } else if is_locked {
        file.unlock()?;
    }
    Ok((entries, unreadable, file))
}

/// A file of these entries alone in the place of the one whose lock is held. It is whole before it gets the
/// name, so that nothing is lost whatever happens.
fn replaced(path: &Path, entries: &[String]) -> io::Result<File> {
    let folder = path.parent().unwrap_or(path);
    let draft = folder.join(format!("history.{}", std::process::id()));
    // What a process left that was killed and had the same number.
    let _ = fs::remove_file(&draft);
    let mut file = open(folder, &draft)?;
    let text: String = entries.iter().map(|entry| format!("{}\n", escaped(entry))).collect();
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
    fs::rename(&draft, path)?;
    Ok(file)
}

/// An entry as one line.
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
