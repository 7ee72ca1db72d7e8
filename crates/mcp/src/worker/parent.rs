//! The server's side of a worker.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::engine::{MemoryEntry, Reply, scratch_home};

use super::super::ask::{Asked, Asker};
use super::super::methods::MAX_REPORT;
use super::super::order::Order;
use super::super::stop::Stop;
use super::{Answer, GRACE, WorkerMessage};

/// Interval between checks for a reason to stop a worker.
const TURN: Duration = Duration::from_millis(50);
/// Time that a worker may take beyond the time limit of the run, for its start and its report.
const SLACK: Duration = Duration::from_secs(10);

/// The settings for starting workers.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The binary.
    pub program: PathBuf,
    /// Its arguments, to which the sandbox is added.
    pub words: Vec<OsString>,
    /// Time limit of a run; `None` if there is none.
    pub timeout: Option<Duration>,
}

/// The report of a worker.
#[derive(Debug)]
pub struct WorkerReport {
    /// The report, as JSON.
    pub report: String,
    /// Whether the script failed.
    pub failed: bool,
    /// Duration in milliseconds.
    pub time_ms: u64,
    /// Changes to session memory.
    pub remembered: Vec<MemoryEntry>,
}

/// A running worker process. Dropping it kills the process.
struct Worker {
    child: Child,
    orders: Option<ChildStdin>,
    said: Receiver<io::Result<WorkerMessage>>,
    /// The time at which the process is killed, set when it is asked to stop.
    end: Option<Instant>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        // Fails if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Workers {
    /// Runs a script until it ends or is stopped. `asker` answers its questions; `tell` is called with its progress.
    ///
    /// The thread that starts a worker must stay with it until it ends and never hand it to another thread: the kernel
    /// takes the end of that thread for the end of the server.
    ///
    /// # Errors
    /// Returns a clause about the worker that says why there is no report.
    pub fn run(
        &self,
        order: &Order,
        asker: &Asker,
        stop: &Stop,
        tell: impl Fn(u64, String),
    ) -> Result<WorkerReport, String> {
        if stop.is_raised() {
            return Err("it was stopped before it was started".to_owned());
        }
        let failed = |error: io::Error| format!("it cannot be started: {error}");
        let mut worker = self.start(order).map_err(failed)?;
        let mut remembered = Vec::new();
        let mut time = self.timeout.and_then(|time| Instant::now().checked_add(time + SLACK));
        loop {
            match worker.said.recv_timeout(TURN) {
                Ok(Ok(WorkerMessage::Done { failed, time_ms, report })) => {
                    return Ok(WorkerReport { report: report.get().to_owned(), failed, time_ms, remembered });
                }
                Ok(Ok(WorkerMessage::Remembered { changes })) => remembered = changes,
                Ok(Ok(WorkerMessage::Progress { done, message })) => tell(done, message),
                Ok(Ok(WorkerMessage::Ask { tool, message })) => {
                    let began = Instant::now();
                    let asked = Asked { sandbox: None, tool, message }.within(order.sandbox.name.as_deref());
                    let reply = asker.ask(&asked);
                    time = time.map(|time| time + began.elapsed());
                    if !stop.is_raised() {
                        worker.answer(reply);
                    }
                }
                Ok(Err(error)) => return Err(error.to_string()),
                Err(RecvTimeoutError::Disconnected) => return Err(worker.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.is_raised() || time.is_some_and(|time| Instant::now() >= time) {
                worker.stop();
            }
            if worker.end.is_some_and(|end| Instant::now() >= end) {
                return Err("it did not stop when it was asked to".to_owned());
            }
        }
    }

    fn start(&self, order: &Order) -> io::Result<Worker> {
        let mut command = Command::new(&self.program);
        let sandbox = order.sandbox.path.iter().flat_map(|path| [OsStr::new("--sandbox"), path.as_os_str()]);
        command.args(&self.words).args(sandbox).stdin(Stdio::piped()).stdout(Stdio::piped());
        // The lockdown allows the server, and so its workers, to create temporary files only here.
        command.envs(scratch_home().map(|home| ("TMPDIR", home)));
        let mut child = command.spawn()?;
        let (mut orders, output) = (child.stdin.take(), child.stdout.take());
        let (tell, said) = sync_channel(16);
        std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
            let mut output = BufReader::new(output.expect("the output is piped"));
            while let Some(line) = read_said(&mut output) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        })?;
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        // If the worker has ended at once, its exit status says why.
        let _ = orders.as_mut().expect("the input is piped").write_all(&line);
        Ok(Worker { child, orders, said, end: None })
    }
}

impl Worker {
    fn answer(&mut self, reply: Reply) {
        let answer = match reply {
            Reply::Once => Answer::Once,
            Reply::Run | Reply::Always => Answer::Session,
            Reply::Never => Answer::Never,
            Reply::Dismissed => Answer::Dismissed,
            Reply::Nobody => Answer::Nobody,
        };
        if let (Some(orders), Ok(mut line)) = (&mut self.orders, serde_json::to_vec(&answer)) {
            line.push(b'\n');
            // The end of a worker is noticed where its output is read.
            let _ = orders.write_all(&line);
        }
    }

    /// Closes the input of the worker, which tells it to stop. Calling this again has no effect.
    fn stop(&mut self) {
        self.orders = None;
        self.end.get_or_insert_with(|| Instant::now() + GRACE);
    }

    /// Returns the reason why the worker ended without a report.
    fn ended(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!("it ended with {status}"),
            Err(error) => error.to_string(),
        }
    }
}

/// Reads a line from a worker; `None` at the end of its output.
fn read_said(output: &mut impl BufRead) -> Option<io::Result<WorkerMessage>> {
    let mut line = Vec::new();
    let most = MAX_REPORT;
    match output.by_ref().take(most).read_until(b'\n', &mut line) {
        Ok(0) => None,
        Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 >= most => {
            Some(Err(io::Error::other(format!("its report has more than {most} bytes"))))
        }
        Ok(_) => Some(serde_json::from_slice(&line).map_err(io::Error::from)),
        Err(error) => Some(Err(error)),
    }
}
