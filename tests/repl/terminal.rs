//! A terminal with a session in it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

pub use crate::support::pty::{PtySession, spawn_command};
use rustix::termios::{Winsize, tcsetwinsize};

/// Timeout of a session in milliseconds.
const PATIENCE_MS: u64 = 60_000;

/// Returns a command that starts a session in a sandbox, as the user of the tests.
pub fn command(sandbox: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ns"));
    command.arg("--sandbox").arg(sandbox);
    command
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .env("HOME", "/nonexistent")
        .env("XDG_STATE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("repl-state"));
    command
}

/// Starts a session and waits for its first prompt. Returns the output before that as well.
pub fn begin(command: Command) -> (PtySession, String) {
    let mut session = spawn_command(command, PATIENCE_MS).expect("a terminal for the session");
    let shown = session.exp_string("ns> ").expect("the first prompt");
    (session, plain(&shown))
}

/// Starts a session in a sandbox, at its first prompt.
pub fn session(sandbox: &Path) -> PtySession {
    begin(command(sandbox)).0
}

/// Sends raw bytes to the session.
pub fn send(session: &PtySession, bytes: impl AsRef<[u8]>) {
    let mut keyboard = keyboard(session);
    keyboard.write_all(bytes.as_ref()).and_then(|()| keyboard.flush()).expect("the session takes what is typed");
}

/// Changes the width of the terminal.
pub fn resize(session: &PtySession, columns: u16) {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(keyboard(session), size).expect("the terminal has a size");
}

fn keyboard(session: &PtySession) -> File {
    session.process().get_file_handle().expect("the terminal is open")
}

/// Waits for a text and returns the preceding output, without escapes of line editing.
pub fn until(session: &mut PtySession, text: &str) -> String {
    let shown = session.exp_string(text).unwrap_or_else(|error| panic!("`{text}` comes: {error}"));
    plain(&shown)
}

/// Types a line and returns the output before the next prompt, without escapes of line editing.
pub fn type_line(session: &mut PtySession, line: &str, prompt: &str) -> String {
    send(session, format!("{line}\n"));
    until(session, prompt)
}

/// Waits until a session ends with this exit code.
pub fn ends_with(session: &mut PtySession, code: i32) {
    session.exp_eof().expect("the session ends");
    // The type cannot be named from here.
    let status = format!("{:?}", session.process().wait().expect("the session is waited for"));
    assert!(status.starts_with("Exited") && status.ends_with(&format!(", {code})")), "{status}");
}

/// Removes the escapes of line editing.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => drop(chars.by_ref().find(|c| *c != '[' && c.is_ascii_alphabetic())),
            '\r' => {}
            _ => plain.push(c),
        }
    }
    plain
}
