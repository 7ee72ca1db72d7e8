//! What was typed in sessions: a file in the user's state folder, one entry a line.
//!
//! Entries are added one by one, so that sessions side by side lose nothing of each other. A file that
//! cannot be read or written is told of once, and the session goes on without it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::engine::state_folder;
use crate::text::safe;

use super::terminal::say;

/// Entries that are kept.
const MOST_ENTRIES: usize = 10_000;
/// Bytes of the file that are ever read: the newest.
const MOST_BYTES: u64 = 8 << 20;

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
        match open(&folder, &path).and_then(|mut file| Ok((read(&mut file)?, file))) {
            Ok(((entries, unreadable), file)) => {
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
            && let Err(error) = file.write_all(line.as_bytes())
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

/// The entries of the file, and how many lines are none. A file that has grown too long is cut to its newest.
fn read(file: &mut File) -> io::Result<(Vec<String>, usize)> {
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    Read::by_ref(file).take(MOST_BYTES).read_to_end(&mut bytes)?;
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
    if entries.len() > MOST_ENTRIES || skipped > 0 {
        entries.drain(..entries.len().saturating_sub(MOST_ENTRIES / 2));
        cut(file, &entries)?;
    }
    Ok((entries, unreadable))
}

/// Gives the file these entries alone; where another session is about to, it is left to that one.
fn cut(file: &mut File, entries: &[String]) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let text: String = entries.iter().map(|entry| format!("{}\n", escaped(entry))).collect();
    let cut = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
    file.unlock()?;
    cut
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
