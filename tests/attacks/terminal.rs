//! A pseudoterminal for the output of `ns`, and the characters that must never reach one.

use std::fs::File;
use std::io::Read;

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;

/// Opens a terminal and returns both ends: the one to read from, and the one that a program writes to.
pub fn open() -> (File, File) {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
        .expect("a terminal can be opened");
    rustix::pty::grantpt(&master).expect("a terminal can be granted");
    rustix::pty::unlockpt(&master).expect("a terminal can be unlocked");
    let name = rustix::pty::ptsname(&master, Vec::new()).expect("a terminal has a name");
    let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .expect("the other end can be opened");
    (master.into(), slave.into())
}

/// Reads all output until the other end is closed.
pub fn read_all(mut master: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The end of a terminal is reported as an error.
    let _ = master.read_to_end(&mut bytes);
    bytes
}

/// Returns the first character that could move the cursor, change the terminal's state or hide text.
pub fn unsafe_character(bytes: &[u8]) -> Option<char> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    text.chars().find(|&c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_invisible(c))
}

/// Whether a character is a format character (category Cf) that the vectors use, or one of the two separators. This
/// list is independent of the one in `ns`, so that `ns` is not its own judge.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}
