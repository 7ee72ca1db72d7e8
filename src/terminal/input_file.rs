//! Input files named by the user. A named pipe without a writer is an error, because reading it would block forever.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file named by the user.
///
/// # Errors
/// Returns the error of the system, or an error for an empty pipe without a writer.
#[cfg_attr(not(unix), expect(clippy::disallowed_methods, reason = "the user names the file to a command"))]
pub fn open_input(path: &Path) -> io::Result<Box<dyn Read>> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags};
        use std::os::unix::fs::FileTypeExt;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        if file.metadata()?.file_type().is_fifo() {
            return written(file);
        }
        wait_for_content(&file)?;
        Ok(Box::new(file))
    }
    #[cfg(not(unix))]
    Ok(Box::new(File::open(path)?))
}

/// Makes later reads block until data arrives.
#[cfg(unix)]
fn wait_for_content(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - rustix::fs::OFlags::NONBLOCK)?)
}

/// Returns a reader of a pipe that has a writer.
#[cfg(unix)]
fn written(mut pipe: File) -> io::Result<Box<dyn Read>> {
    let mut first = vec![0; 4 << 10];
    let length = match pipe.read(&mut first) {
        Ok(0) => return Err(io::Error::other("it is a pipe that nobody writes to")),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
        other => other?,
    };
    first.truncate(length);
    wait_for_content(&pipe)?;
    Ok(Box::new(io::Cursor::new(first).chain(pipe)))
}
