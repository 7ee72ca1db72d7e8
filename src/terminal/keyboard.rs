//! Lines that a person types, read while the limits of a run stay in effect.

use std::io::{BufRead, stdin};

use crate::engine::{LimitHit, Watch};

/// Reads a typed line; `None` at the end of the input. Meanwhile the deadline and Ctrl-C of the run stay in effect.
///
/// Errors: a limit of the run is hit.
pub fn read_line(watch: &Watch) -> Result<Option<String>, LimitHit> {
    wait(watch)?;
    let mut line = String::new();
    // A terminal delivers one line at a time, so the buffer holds nothing beyond it.
    match stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => Ok(None),
        Ok(_) => Ok(Some(line)),
    }
}

/// Waits until standard input is readable.
#[cfg(unix)]
pub fn wait(watch: &Watch) -> Result<(), LimitHit> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const TURN: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    loop {
        watch.poll()?;
        let input = stdin();
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&TURN)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return Ok(()),
        }
    }
}

/// On other systems the read itself waits.
#[cfg(not(unix))]
pub fn wait(watch: &Watch) -> Result<(), LimitHit> {
    watch.poll()
}

/// Whether standard input has data to read.
#[cfg(unix)]
pub fn is_input_waiting() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = stdin();
    poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Unknown on other systems.
#[cfg(not(unix))]
pub fn is_input_waiting() -> bool {
    false
}

/// Discards unread typed input: the rest of a paste up to its end marker, otherwise everything that arrives right away.
#[cfg(unix)]
pub fn forget_typed(is_paste: bool) {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let input = stdin();
    let Ok(before) = tcgetattr(&input) else { return };
    let mut raw = before.clone();
    raw.make_raw();
    // Raw mode: unbuffered and without echo.
    if tcsetattr(&input, OptionalActions::Now, &raw).is_ok() {
        read_away(is_paste);
        // If the terminal has disappeared, the next read reports it.
        let _ = tcsetattr(&input, OptionalActions::Now, &before);
    }
}

/// Reads until no more input arrives, but for at most 10 seconds.
#[cfg(unix)]
fn read_away(is_paste: bool) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::time::{Duration, Instant};
    const END: &[u8] = b"\x1b[201~";
    let silence = Timespec { tv_sec: i64::from(is_paste), tv_nsec: 100_000_000 };
    let (input, begin) = (stdin(), Instant::now());
    let (mut bytes, mut last) = ([0; 4096], Vec::new());
    while begin.elapsed() < Duration::from_secs(10)
        && poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&silence)).is_ok_and(|ready| ready > 0)
    {
        let Ok(count @ 1..) = rustix::io::read(&input, &mut bytes) else { return };
        last.extend_from_slice(&bytes[..count]);
        if is_paste && last.windows(END.len()).any(|part| part == END) {
            return;
        }
        last.drain(..last.len().saturating_sub(END.len() - 1));
    }
}

/// On other systems the input stays unread.
#[cfg(not(unix))]
pub fn forget_typed(_is_paste: bool) {}
