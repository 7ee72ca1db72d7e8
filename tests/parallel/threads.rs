//! The threads of a process: as many as `--jobs` allows, and all under the lockdown.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{has_strace, ns, run, strace};

/// How long a process is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that hashes files without an end.
struct Hashing {
    child: Child,
    _place: TempDir,
}

impl Hashing {
    fn begin(jobs: &str) -> Hashing {
        let place = tempfile::tempdir().expect("a folder for the test");
        for number in 0..20 {
            let endless = fs::File::create(place.path().join(number.to_string())).expect("a file");
            endless.set_len(1 << 42).expect("a file of nothing but holes");
        }
        let mut command = ns(place.path());
        command.args(["--jobs", jobs, "run", "-e", "EMIT FS.HashFiles(glob: \"*\")"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Hashing { child: command.spawn().expect("ns starts"), _place: place }
    }

    /// Returns the names and status texts of its threads.
    fn threads(&self) -> Vec<(String, String)> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("the process goes on");
        let read = |task: &Path, name: &str| fs::read_to_string(task.join(name)).unwrap_or_default();
        let tasks = tasks.flatten().map(|task| task.path());
        tasks.map(|task| (read(&task, "comm").trim().to_owned(), read(&task, "status"))).collect()
    }

    /// Returns the number of bytes that it has read.
    fn read(&self) -> u64 {
        let io = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        let bytes = io.lines().find_map(|line| line.strip_prefix("rchar: "));
        bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or_default()
    }

    /// Waits until the process has read this many bytes and has this many helpers. Returns the threads.
    fn wait(&self, bytes: u64, helpers: usize) -> Vec<(String, String)> {
        let start = Instant::now();
        loop {
            let threads = self.threads();
            let found = threads.iter().filter(|(name, _)| name == "ns-helper").count();
            if self.read() >= bytes && found >= helpers {
                return threads;
            }
            assert!(start.elapsed() < PATIENCE, "{found} helpers, {} bytes", self.read());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Hashing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_call_has_as_many_threads_as_it_may_and_all_are_sealed() {
    for (jobs, helpers) in [("1", 0), ("2", 1), ("5", 4)] {
        let hashing = Hashing::begin(jobs);
        let threads = hashing.wait(8 << 20, helpers);
        let of_call: Vec<_> = threads.iter().filter(|(name, _)| name == "ns-helper").collect();
        assert_eq!(of_call.len(), helpers, "{jobs}: {threads:?}");
        for (name, status) in &threads {
            let has = |line: &str| status.lines().any(|found| found.split_whitespace().collect::<String>() == line);
            assert!(has("Seccomp:2") && has("NoNewPrivs:1"), "{jobs}: {name}: {status}");
        }
    }
}

#[test]
fn an_interrupt_ends_every_thread() {
    let mut hashing = Hashing::begin("4");
    hashing.wait(8 << 20, 3);
    let pid = Pid::from_raw(hashing.child.id().cast_signed()).expect("a process");
    kill_process(pid, Signal::INT).expect("a signal");
    let start = Instant::now();
    let ended = loop {
        match hashing.child.try_wait().expect("the process can be waited for") {
            Some(ended) => break ended,
            None => assert!(start.elapsed() < PATIENCE, "it goes on after the interrupt"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(ended.code(), Some(130));
}

/// Returns the number of threads that a command starts.
fn started(command: &Command) -> usize {
    let folder = tempfile::tempdir().expect("a folder for the trace");
    let trace = folder.path().join("trace");
    let ran = run(&mut strace(command, &trace, &["-e", "trace=clone,clone3"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let calls = fs::read_to_string(trace).expect("a trace");
    calls.lines().filter(|line| line.contains("CLONE_THREAD") && !line.contains("= -1")).count()
}

#[test]
fn one_job_starts_no_thread_for_any_tool() {
    if !has_strace() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder for the test");
    for folder in 0..20 {
        let folder = place.path().join(folder.to_string());
        fs::create_dir(&folder).expect("a folder");
        (0..300).for_each(|name| fs::write(folder.join(name.to_string()), "same").expect("a file"));
    }
    let with = |jobs: &str, script: &str| started(ns(place.path()).args(["--jobs", jobs, "run", "-e", script]));
    let none = with("1", "EMIT 1");
    for script in [
        "EMIT LEN(FS.Find())",
        "EMIT LEN(FS.FindDuplicates())",
        "EMIT LEN(FS.HashFiles(glob: \"1/*\"))",
        "EMIT FS.SearchFiles(\".\", \"same\").totalMatches",
    ] {
        assert_eq!(with("1", script), none, "{script}");
        assert!((none + 1..=none + 2).contains(&with("2", script)), "{script}");
    }
    // Threads that wait for the disk may be more.
    let script = "EMIT FS.ReplaceInFiles(\"1\", \"same\", \"same or other\").replacements";
    assert_eq!(with("1", script), none);
    assert!(with("2", script) > none + 2);
}
