//! A program at a terminal: what it shows is waited for, and what is typed is sent.
//!
//! The process and its terminal are those of `rexpect`. Its reader is not used, because it looks for new output every
//! 100 ms only; this one is woken by it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rexpect::process::PtyProcess;

/// A program at a terminal. Bytes of its output are shown as the characters with the same numbers.
pub struct PtySession {
    process: PtyProcess,
    keyboard: File,
    /// Pieces of output; disconnected at the end of the output.
    output: Receiver<Vec<u8>>,
    shown: String,
    timeout: Duration,
}

/// Starts a program at a terminal of its own. Waits for output fail after `timeout_ms`.
pub fn spawn_command(command: Command, timeout_ms: u64) -> Result<PtySession, rexpect::error::Error> {
    let mut process = PtyProcess::new(command)?;
    process.set_kill_timeout(Some(timeout_ms));
    let (keyboard, mut screen) = (process.get_file_handle()?, process.get_file_handle()?);
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut piece = vec![0; 1 << 16];
        // A terminal whose program has ended fails to be read.
        while let Ok(count @ 1..) = screen.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    Ok(PtySession { process, keyboard, output, shown: String::new(), timeout: Duration::from_millis(timeout_ms) })
}

impl PtySession {
    /// Returns the process.
    pub fn process(&self) -> &PtyProcess {
        &self.process
    }

    /// Types a text.
    pub fn send(&mut self, text: &str) -> std::io::Result<()> {
        self.keyboard.write_all(text.as_bytes())
    }

    /// Types a text and Enter.
    pub fn send_line(&mut self, line: &str) -> std::io::Result<()> {
        self.send(&format!("{line}\n"))
    }

    /// Types a letter while Ctrl is held.
    pub fn send_control(&mut self, letter: char) -> std::io::Result<()> {
        self.keyboard.write_all(&[letter.to_ascii_lowercase() as u8 + 1 - b'a'])
    }

    /// Waits for a text, and returns the output before it.
    pub fn exp_string(&mut self, text: &str) -> Result<String, String> {
        let mut searched = 0;
        self.wait_for(text, |shown| {
            // Megabytes come in pieces of 4 KiB, so what was searched is not searched again.
            let start = shown.floor_char_boundary(searched);
            searched = (shown.len() + 1).saturating_sub(text.len());
            shown[start..].find(text).map(|at| (start + at, start + at + text.len()))
        })
    }

    /// Waits for a match of a regular expression, and returns the output before it.
    pub fn exp_regex(&mut self, pattern: &str) -> Result<String, String> {
        let regex = regex::Regex::new(pattern).map_err(|error| error.to_string())?;
        self.wait_for(pattern, |shown| regex.find(shown).map(|found| (found.start(), found.end())))
    }

    /// Waits for the end of the output, and returns what it did not return before.
    pub fn exp_eof(&mut self) -> Result<String, String> {
        let deadline = Instant::now() + self.timeout;
        while self.receive(deadline)? {}
        Ok(std::mem::take(&mut self.shown))
    }

    fn wait_for(
        &mut self,
        wanted: &str,
        mut find: impl FnMut(&str) -> Option<(usize, usize)>,
    ) -> Result<String, String> {
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Some((start, end)) = find(&self.shown) {
                let before = self.shown[..start].to_owned();
                self.shown.drain(..end);
                return Ok(before);
            }
            if !self.receive(deadline)? {
                return Err(format!("the output ends without `{wanted}`: {:?}", self.shown));
            }
        }
    }

    /// Waits for more output. Returns false at its end.
    fn receive(&mut self, deadline: Instant) -> Result<bool, String> {
        use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => {
                self.shown.extend(piece.into_iter().map(char::from));
                Ok(true)
            }
            Err(Disconnected) => Ok(false),
            Err(Timeout) => Err(format!("nothing more comes within {:?} after {:?}", self.timeout, self.shown)),
        }
    }
}
