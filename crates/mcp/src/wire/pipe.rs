//! Standard output as a pipe: a short frame is written at once if the pipe has room for it, without the writing thread.

use std::io;
#[cfg(target_os = "linux")]
use std::io::stdout;

/// Whether standard output is a pipe. Only for a pipe is it known how much can be written without blocking.
#[cfg(target_os = "linux")]
pub fn is_pipe() -> bool {
    use rustix::fs::{FileType, fstat};
    fstat(stdout()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_fifo())
}

/// Writes a frame to a pipe that has room. Returns false if the write might block. A write of up to `PIPE_BUF` bytes is
/// atomic, and a pipe polls as writable while it has room for that many (pipe(7)).
#[cfg(target_os = "linux")]
pub fn at_once(frame: &[u8]) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const PIPE_BUF: usize = 4096;
    let output = stdout();
    let mut polled = [PollFd::new(&output, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if frame.len() > PIPE_BUF || poll(&mut polled, Some(&now))? == 0 || polled[0].revents() != PollFlags::OUT {
        return Ok(false);
    }
    Ok(rustix::io::write(&output, frame)? == frame.len())
}

/// On other systems the thread writes everything.
#[cfg(not(target_os = "linux"))]
pub fn is_pipe() -> bool {
    false
}

/// Never called.
#[cfg(not(target_os = "linux"))]
pub fn at_once(_: &[u8]) -> io::Result<bool> {
    Ok(false)
}
