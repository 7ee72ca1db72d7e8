//! The process of a case, in a reproducible environment: no user settings, no terminal, time zone UTC.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::sandbox::Sandbox;

/// Maximum number of bytes read from each stream.
const MOST_BYTES: u64 = 64 << 20;
/// Default time limit of a script.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// Time to wait for a process beyond its own limit.
const GRACE: Duration = Duration::from_secs(10);
/// Interval between checks of the deadline and the interrupt.
const PERIOD: Duration = Duration::from_millis(50);

/// The result of a process.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
}

/// The parameters for starting a process.
pub struct Start<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub words: Vec<OsString>,
    /// Its working directory.
    pub folder: PathBuf,
    /// Its standard input; empty if `None`.
    pub input: Option<File>,
    /// The time limit that it enforces itself.
    pub timeout: Duration,
}

/// Runs a process to its end. Kills it if it exceeds its time or output limit, or `stop` is set.
pub fn run(start: Start<'_>, sandbox: &Sandbox, stop: &AtomicBool) -> Result<Ran, String> {
    let deadline = Instant::now() + start.timeout.saturating_add(GRACE);
    let mut child = spawn(start, sandbox).map_err(|error| format!("`ns` cannot be started: {error}"))?;
    let streams = read_streams(&mut child, deadline, stop);
    if streams.is_err() {
        // Fails if the process has already ended.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("`ns` cannot be waited for: {error}"))?;
    let [output, errors] = streams?;
    match status.code() {
        Some(code) => Ok(Ran { code, output, errors }),
        None => Err(format!("`ns` was ended from outside ({status}); it said: {errors}")),
    }
}

fn spawn(start: Start<'_>, sandbox: &Sandbox) -> std::io::Result<Child> {
    let input = match start.input {
        Some(file) => Stdio::from(file),
        None => Stdio::null(),
    };
    let home = sandbox.home();
    let mut command = Command::new(start.program);
    command.args(start.words).current_dir(start.folder);
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    for folder in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(folder, &home);
    }
    command.env("TMPDIR", sandbox.scratch());
    command.env("NO_COLOR", "1").env("TZ", "UTC").env_remove("COLUMNS").spawn()
}

/// Reads both streams to their ends.
fn read_streams(child: &mut Child, deadline: Instant, stop: &AtomicBool) -> Result<[String; 2], String> {
    let (sender, receiver) = mpsc::channel();
    let streams: [Box<dyn Read + Send>; 2] = [
        Box::new(child.stdout.take().expect("the output is piped")),
        Box::new(child.stderr.take().expect("the errors are piped")),
    ];
    for (number, stream) in streams.into_iter().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stream.take(MOST_BYTES + 1).read_to_end(&mut bytes);
            // If the case was abandoned, nobody waits for the result.
            let _ = sender.send((number, read.map(|_| bytes)));
        });
    }
    let mut texts = [String::new(), String::new()];
    for _ in 0..texts.len() {
        let (number, bytes) = loop {
            match receiver.recv_timeout(PERIOD) {
                Ok(read) => break read,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err("it was interrupted".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(_) => return Err("it did not end in time".to_owned()),
            }
        };
        let bytes = bytes.map_err(|error| format!("its output cannot be read: {error}"))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("it prints more than {} MiB", MOST_BYTES >> 20));
        }
        texts[number] = String::from_utf8_lossy(&bytes).into_owned();
    }
    Ok(texts)
}
