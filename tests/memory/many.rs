//! Many processes write to one project at once, and some are killed.
//!
//! A writer is a child process of this test binary: it runs a script that stores keys and acknowledges each before it
//! begins the next.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use neuroscript::engine::{EmitError, Engine, Invocation, Meter, Options, Output, Script, Value};

use super::{database, memory, sandbox};

const CHILD: &str = "NS_MEMORY_WRITER";
const PORTABLE: &str = "NS_MEMORY_WITHOUT_OPENAT2";
const WRITE: &str = "FOR EACH i IN RANGE(INT(ARGS[1]), INT(ARGS[2])) DO\n\
    CALL MEMORY.Set(\"w\" + ARGS[0] + \".\" + STR(i), [i, \"value of \" + STR(i)], \"project\")\n\
    EMIT \"kept \", i\nEND";

fn is_long() -> bool {
    std::env::var_os("NS_LONG").is_some()
}

struct Lines;

impl Output for Lines {
    fn emit(&mut self, values: &[Value], _: &mut Meter) -> Result<(), EmitError> {
        let line: String =
            values.iter().map(|value| serde_json::to_string(value).expect("JSON").replace('"', "")).collect();
        let mut out = std::io::stdout().lock();
        out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).map_err(EmitError::Io)
    }

    fn warn(&mut self, text: &str) {
        eprintln!("{text}");
    }
}

/// Makes `openat2` answer as a kernel that lacks it.
#[cfg(target_os = "linux")]
fn without_openat2() {
    use std::collections::BTreeMap;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    const OPENAT2: i64 = 437;
    const NO_SUCH_CALL: u32 = 38;
    let arch = TargetArch::try_from(std::env::consts::ARCH).expect("an architecture that filters know");
    let rules = BTreeMap::from([(OPENAT2, Vec::new())]);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(NO_SUCH_CALL), arch);
    let program: BpfProgram = filter.expect("a filter").try_into().expect("a program");
    seccompiler::apply_filter(&program).expect("the filter holds");
}

/// Not a test of its own: the writer that other tests start.
#[test]
fn writer() {
    let Ok(words) = std::env::var(CHILD) else { return };
    #[cfg(target_os = "linux")]
    if std::env::var_os(PORTABLE).is_some() {
        without_openat2();
    }
    let mut words = words.split('|').map(str::to_owned);
    let sandbox = words.next().expect("a sandbox").into();
    let engine = Engine::open(&Options { sandbox: Some(sandbox), ..Options::default() }).expect("an engine");
    println!("resolver {:?}", engine.gate().root().resolver());
    let args: Vec<String> = words.collect();
    let outcome = engine.run(&Script::new("writer.ns", WRITE), &Invocation::verbatim(&args), Box::new(Lines));
    for finding in &outcome.findings {
        println!("failed: {}", finding.message);
    }
    println!("done");
    std::process::exit(i32::from(!outcome.findings.is_empty()));
}

fn start(place: &Path, writer: usize, from: usize, to: usize) -> Child {
    let words = format!("{}|{writer}|{from}|{to}", place.display());
    Command::new(std::env::current_exe().expect("this binary"))
        .args(["memory::many::writer", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("a writer starts")
}

/// An event of a writer: its number, and a line or its end.
type Event = (usize, Option<String>);

fn listen(child: &mut Child, writer: usize, events: mpsc::Sender<Event>) {
    let lines = BufReader::new(child.stdout.take().expect("output is piped")).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let _ = events.send((writer, Some(line)));
        }
        let _ = events.send((writer, None));
    });
}

/// Runs writers with their keys. `kill_after` returns after how many lines in total the next writer is killed. Returns
/// the number of killed writers.
fn write_all(place: &Path, writers: usize, keys: usize, mut kill_after: impl FnMut() -> Option<usize>) -> usize {
    let (sender, events) = mpsc::channel();
    let begin = |writer: usize, from: usize| {
        let mut child = start(place, writer, from, keys);
        listen(&mut child, writer, sender.clone());
        child
    };
    let mut children: Vec<Child> = (0..writers).map(|writer| begin(writer, 0)).collect();
    let mut next = vec![0; writers];
    let mut running = writers;
    let mut killed = 0;
    let mut countdown = kill_after();
    while running > 0 {
        let (writer, line) = events.recv_timeout(Duration::from_secs(300)).expect("writers go on");
        match line {
            Some(line) => {
                assert!(!line.contains("failed: "), "writer {writer}: {line}");
                // The first line follows output of the test harness.
                let Some(number) = line.split("kept ").nth(1) else { continue };
                let number: usize = number.parse().expect("a number");
                // Right after a kill, lines of the previous writer may still arrive.
                next[writer] = next[writer].max(number + 1);
                countdown = match countdown {
                    Some(0) => {
                        children[writer].kill().expect("the writer is killed");
                        killed += 1;
                        kill_after()
                    }
                    other => other.map(|lines| lines - 1),
                };
            }
            None => {
                let status = children[writer].wait().expect("the writer ends");
                if next[writer] < keys {
                    assert!(!status.success(), "writer {writer} ended early");
                    children[writer] = begin(writer, next[writer]);
                } else {
                    running -= 1
                }
            }
        }
    }
    killed
}

fn assert_whole(place: &Path, writers: usize, keys: usize) {
    let connection = database(place);
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(check, "ok");
    let export = memory(place, &["export"]);
    let lines: BTreeMap<String, serde_json::Value> = export
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("lines are JSON"))
        .map(|line| (line["key"].as_str().expect("a key").to_owned(), line["value"].clone()))
        .collect();
    for writer in 0..writers {
        for key in 0..keys {
            let wanted = serde_json::json!([key, format!("value of {key}")]);
            assert_eq!(lines.get(&format!("w{writer}.{key}")), Some(&wanted), "writer {writer}, key {key}");
        }
    }
    assert_eq!(lines.len(), writers * keys);
}

#[test]
fn many_processes_lose_nothing() {
    let place = sandbox();
    let (writers, keys) = if is_long() { (64, 200) } else { (8, 40) };
    let began = std::time::Instant::now();
    assert_eq!(write_all(place.path(), writers, keys, || None), 0);
    println!("{writers} processes kept {} keys in {:.1} s", writers * keys, began.elapsed().as_secs_f64());
    assert_whole(place.path(), writers, keys);
}

/// Writers killed at any moment lose no acknowledged value and leave the file intact.
#[test]
fn killed_writers_lose_nothing_that_was_kept() {
    let place = sandbox();
    let (writers, keys) = if is_long() { (20, 500) } else { (8, 125) };
    let mut state = 12_345_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((state >> 33) as usize % 40)
    };
    let killed = write_all(place.path(), writers, keys, &mut random);
    println!("{killed} writers were killed while {} keys were kept", writers * keys);
    assert!(killed >= writers, "only {killed} were killed");
    assert_whole(place.path(), writers, keys);
}

/// All of them start at once in a sandbox without `.ns`.
#[test]
fn the_first_of_many_makes_the_file() {
    for round in 0..3 {
        let place = sandbox();
        assert_eq!(write_all(place.path(), 12, 1, || None), 0);
        assert_whole(place.path(), 12, 1);
        let entries = std::fs::read_dir(place.path().join(".ns")).expect("the folder");
        let mut left: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        left.sort();
        assert_eq!(left, [".gitignore", "audit.jsonl", "memory.db"], "round {round}");
    }
}

/// A lock that is never released is waited for until the time limit of the run.
#[test]
fn the_time_of_a_run_ends_its_wait() {
    let place = sandbox();
    super::keep(place.path(), "a", "1");
    let connection = database(place.path());
    connection.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let began = std::time::Instant::now();
    let ran = crate::support::run(crate::support::ns(place.path()).args([
        "--timeout",
        "300ms",
        "run",
        "-e",
        "CALL MEMORY.Set(\"a\", 2, \"project\")",
    ]));
    assert_eq!(ran.code, 124, "{}", ran.stderr);
    // No speed is asserted: without the time limit of the run, the wait would last a full minute.
    assert!(began.elapsed() < Duration::from_secs(50), "the wait went on");
    assert!(ran.stderr.contains("NS0604") || ran.stderr.contains("timeout_s"), "{}", ran.stderr);
    assert_eq!(memory(place.path(), &["get", "a"]).stdout, "1\n", "readers do not wait");
    connection.execute_batch("ROLLBACK").expect("the lock is given back");
    super::keep(place.path(), "a", "2");
}

/// Without `openat2` in the kernel, the same files are created, shared and protected.
#[cfg(target_os = "linux")]
#[test]
fn memory_works_without_openat2() {
    let place = sandbox();
    let write = |from: usize, to: usize| {
        let words = format!("{}|0|{from}|{to}", place.path().display());
        crate::support::run(
            Command::new(std::env::current_exe().expect("this binary"))
                .args(["memory::many::writer", "--exact", "--nocapture", "--test-threads=1"])
                .env(CHILD, words)
                .env(PORTABLE, "1"),
        )
    };
    let ran = write(0, 3);
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("resolver Portable"), "{}", ran.stdout);
    assert_whole(place.path(), 1, 3);
    std::fs::rename(place.path().join(".ns"), place.path().join("real")).expect("the folder moves");
    std::os::unix::fs::symlink("real", place.path().join(".ns")).expect("a link");
    let ran = write(3, 4);
    assert!(ran.stdout.contains("`.ns` is not NeuroScript's own: it is a link"), "{}", ran.stdout);
}
