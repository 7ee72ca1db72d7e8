//! Atomic runs and all-or-nothing calls are killed at any moment: the next start rolls them back, so that the tree is
//! as before, including times and permission bits.
//!
//! The run is a child process of this test binary, as in `kill.rs`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use neuroscript::engine::{Engine, Invocation, Options, Script};

use super::kill::{Lines, random};
use super::{files, unfinished};
use crate::support::{copy_tree, state_of};

const CHILD: &str = "NS_DURABILITY_WHOLE";
/// Selects the work of the child process.
const WORK: &str = "NS_DURABILITY_WORK";
/// Number of files that one call copies or extracts.
const FILES: usize = 150;

/// A script that reports its begin and its end.
struct Work {
    script: &'static str,
    /// Whether the run is atomic.
    is_atomic: bool,
    /// Maximum time in microseconds until it is killed.
    within: u64,
}

const WORKS: [Work; 3] = [
    Work {
        script: "\
EMIT \"begin\"
FOR EACH i IN RANGE(5000) DO
  CALL FS.WriteFile(\"d/f\" + STR(i % 3), \"text \" + STR(i))
  CALL FS.MoveFile(\"d\", \"e\")
  CALL FS.WriteFile(\"new/deep/n\" + STR(i), \"new\")
  CALL FS.EditFile(\"e/f1\", \"old\", \"edited\")
  CALL FS.CopyFile(\"e\", \"copy\" + STR(i), recursive: true)
  CALL FS.SetPermissions(\"e/f2\", \"600\")
  CALL FS.MoveFile(\"e\", \"d\")
  SET t = FS.TempDirectory().path
  CALL FS.WriteFile(t + \"/x\", \"x\")
  CALL FS.MoveFile(t + \"/x\", \"d/x\" + STR(i))
  IF i % 2 == 0 THEN
    SET gone = FS.DeleteFile(\"d/in\", recursive: true)
  ELSE
    CALL FS.RestoreBackup(gone.backupPath)
  ENDBLOCK
  CALL FS.DeleteFile(\"copy\" + STR(i), recursive: true)
ENDBLOCK
EMIT \"ended\"
",
        is_atomic: true,
        within: 60_000,
    },
    Work {
        script: "\
SET names = []
FOR EACH i IN RANGE(150) DO
  SET names = names + [\"f\" + STR(i)]
ENDBLOCK
EMIT \"begin\"
SET r = FS.CopyFile(paths: names, destination_path: \"d\", overwrite: true, all_or_nothing: true)
MUST r.error == nil
EMIT \"ended\"
",
        is_atomic: false,
        within: 60_000,
    },
    Work {
        script: "EMIT \"begin\"\nSET r = FS.Extract(\"many.zip\", \"d\")\nMUST r.error == nil\nEMIT \"ended\"\n",
        is_atomic: false,
        within: 20_000,
    },
];

fn engine(sandbox: &Path, atomic: bool) -> Engine {
    Engine::open(&Options { sandbox: Some(sandbox.to_owned()), atomic, ..Options::default() }).expect("an engine")
}

fn run(engine: &Engine, script: &str) {
    let outcome = engine.run(&Script::new("whole.ns", script), &Invocation::default(), Box::new(Lines));
    outcome.findings.iter().for_each(|finding| println!("failed: {}", finding.message));
}

/// Not a test of its own: the child process that is killed.
#[test]
fn worker() {
    let Some(sandbox) = std::env::var_os(CHILD) else { return };
    let work = std::env::var(WORK).ok().and_then(|work| work.parse::<usize>().ok()).expect("a work");
    run(&engine(sandbox.as_ref(), WORKS[work].is_atomic), WORKS[work].script);
}

/// Creates the tree that every run finds: files, some of which it replaces, and an archive.
fn prepare(place: &Path) {
    for number in 0..FILES {
        std::fs::write(place.join(format!("f{number}")), format!("from {number}\n")).expect("a file");
    }
    run(
        &engine(place, false),
        "MUST FS.Mkdir(\"many/in\")\nFOR EACH i IN RANGE(150) DO\n\
         MUST FS.CopyFile(\"f\" + STR(i), \"many/in/m\" + STR(i))\nENDBLOCK\n\
         MUST FS.Compress(\"many\", \"many.zip\")\nMUST FS.DeleteFile(\"many\", recursive: true)\n\
         MUST FS.WriteFile(\"d/in/deep/c.txt\", \"c\")\nMUST FS.WriteFile(\"d/many/in/own.txt\", \"c\")\n\
         FOR EACH i IN RANGE(40) DO\nMUST FS.WriteFile(\"d/f\" + STR(i), \"old \" + STR(i))\nENDBLOCK\n",
    );
    std::fs::remove_dir_all(place.join(".ns")).expect("nothing of that run is of use");
    // A run killed while creating this directory would leave the root's modification time changed, without a journal.
    std::fs::create_dir(place.join(".ns")).expect("a folder for what is ours");
}

/// Runs a work and kills it within the given time. Returns whether it had ended by then.
fn run_for(place: &Path, work: usize, within: u64) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["durability::whole::worker", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, place)
        .env(WORK, work.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    let mut lines = BufReader::new(child.stdout.take().expect("output is piped")).lines().map_while(Result::ok);
    while !lines.next().expect("the worker begins").contains("begin") {}
    std::thread::sleep(Duration::from_micros(random(within)));
    child.kill().expect("the worker is killed");
    child.wait().expect("the worker ends");
    lines.any(|line| {
        assert!(!line.contains("failed: "), "{line}");
        line.contains("ended")
    })
}

/// Kills a work at many moments. Returns how often a rollback was necessary.
fn kill(work: usize) {
    let moments = if std::env::var_os("NS_LONG").is_some() { 500 } else { 25 };
    let template = tempfile::tempdir().expect("a folder for the test");
    prepare(template.path());
    let (mut taken_back, mut ended) = (0, 0);
    let mut within = WORKS[work].within;
    for turn in 0..moments * 8 {
        if turn >= moments && taken_back * 5 > moments {
            break;
        }
        let place = match tempfile::tempdir_in("/dev/shm") {
            Ok(place) => place,
            Err(_) => tempfile::tempdir().expect("a folder for the test"),
        };
        copy_tree(template.path(), place.path());
        let before = state_of(place.path());
        let has_ended = run_for(place.path(), work, within);
        let is_touched = state_of(place.path()) != before;
        let next = engine(place.path(), false);
        let notes = next.gate().take_notes();
        // One of our own files may be unfinished: `ns gc` removes those.
        let in_tree = unfinished(place.path()).into_iter().filter(|path| !path.starts_with(".ns"));
        assert_eq!(in_tree.collect::<Vec<_>>(), Vec::<PathBuf>::new());
        let after = state_of(place.path());
        if has_ended || is_done(place.path(), work) {
            ended += 1;
            within -= within / 8;
        } else {
            assert!(after == before, "{notes:?}: {:?}", differences(&after, &before));
            // Adapt to the speed of the machine.
            if notes.iter().any(|note| note.contains("what it had changed was taken back")) {
                taken_back += 1
            } else {
                within += within / 8
            }
            assert!(!is_touched || notes.iter().any(|note| note.contains("was interrupted")), "{notes:?}");
        }
    }
    println!("{moments} moments: {taken_back} times something was taken back, {ended} times all was done");
    assert!(taken_back * 5 > moments, "inconclusive: only {taken_back} of {moments} runs were killed midway");
}

/// Whether a work had finished before it could report that.
fn is_done(place: &Path, work: usize) -> bool {
    let tree: BTreeMap<PathBuf, Vec<u8>> = files(place, ".ns");
    let content = |path: String, number: usize| {
        tree.get(Path::new(&path)).is_some_and(|bytes| *bytes == format!("from {number}\n").into_bytes())
    };
    match work {
        1 => (0..FILES).all(|number| content(format!("d/f{number}"), number)),
        2 => (0..FILES).all(|number| {
            content(format!("d/many/in/m{number}"), number) || content(format!("d/in/m{number}"), number)
        }),
        _ => false,
    }
}

fn differences<'a>(found: &'a [String], expected: &'a [String]) -> Vec<&'a String> {
    let only = |one: &'a [String], other: &'a [String]| one.iter().filter(move |line| !other.contains(line));
    only(found, expected).chain(only(expected, found)).take(10).collect()
}

#[test]
fn an_atomic_run_that_is_killed_leaves_nothing() {
    kill(0);
}

#[test]
fn copies_that_are_all_or_nothing_are_taken_back_when_they_are_killed() {
    kill(1);
}

#[test]
fn what_is_extracted_into_a_folder_is_taken_back_when_that_is_killed() {
    kill(2);
}
