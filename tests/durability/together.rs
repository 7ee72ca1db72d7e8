//! Several runs change the same file at once.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{files, unfinished};
use crate::support::ns;

/// Number of runs after which a race is inconclusive.
const ATTEMPTS: usize = 30;

fn start(place: &Path, script: &str) -> Child {
    let mut child = ns(place)
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    child.stdin.take().expect("input is piped").write_all(script.as_bytes()).expect("the script is read");
    child
}

fn end(child: Child) -> String {
    let output = child.wait_with_output().expect("the run ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns a script that increments a number in a file; a conflicting write is retried.
fn counting(turns: usize, more: &str) -> String {
    format!(
        "SET left = {turns}\nSET lost = 0\nWHILE left > 0 DO\n  SET seen = FS.ReadFile(\"n\")\n  \
         SET r = FS.WriteFile(\"n\", STR(INT(seen.content) + 1), if_match: seen.checksum{more})\n  \
         IF r.error == nil THEN\n    SET left = left - 1\n  ELSE\n    MUST LAST_ERROR.code == \"conflict\"\n    \
         SET lost = lost + 1\n  ENDBLOCK\nENDBLOCK\nEMIT lost\n"
    )
}

#[test]
fn of_several_that_saw_the_same_file_one_wins() {
    for more in ["", ", create_backup: false"] {
        let place = tempfile::tempdir().expect("a folder for the test");
        std::fs::write(place.path().join("n"), "0").expect("a file");
        let children: Vec<Child> = (0..4).map(|_| start(place.path(), &counting(100, more))).collect();
        let lost: usize = children.into_iter().map(|child| end(child).trim().parse::<usize>().expect("a number")).sum();
        assert_eq!(std::fs::read_to_string(place.path().join("n")).expect("the file"), "400");
        assert_eq!(unfinished(place.path()), Vec::<std::path::PathBuf>::new());
        println!("{lost} writes saw an older file");
    }
}

/// A file that another process puts at the path meanwhile is never lost or partially overwritten.
#[test]
fn what_comes_between_is_not_lost() {
    // On a busy machine all writes may come before the other process, or none.
    assert!((0..ATTEMPTS).any(|_| is_disturbed_midway()), "inconclusive: {ATTEMPTS} runs were not disturbed midway");
}

/// Writes while a directory and a link take the place of the file. Returns whether some writes succeeded and some did
/// not.
fn is_disturbed_midway() -> bool {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |name: &str| place.path().join(name);
    std::fs::create_dir(at("folder")).expect("a folder");
    std::fs::write(at("folder/file"), "KEEP").expect("a file");
    std::fs::write(at("f"), "0").expect("a file");
    symlink("folder/file", at("link")).expect("a link");
    let script = "SET done = 0\nFOR EACH i IN RANGE(400) DO\nSET r = FS.WriteFile(\"f\", STR(i))\n\
                  IF r.error == nil THEN\nSET done = done + 1\nENDBLOCK\nENDBLOCK\nEMIT done\n";
    let (done, turns) = disturbed(place.path(), script, || {
        for other in ["folder", "link"] {
            exchange(&at("f"), &at(other));
            // Exchange back. The run may have moved the other one meanwhile.
            if !at("f").symlink_metadata().is_ok_and(|found| found.is_file()) {
                exchange(&at("f"), &at(other));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    });
    let all = files(place.path(), "");
    let kept = all.values().filter(|content| *content == b"KEEP").count();
    assert!(kept >= 1, "the folder's file is lost: {:?}", all.keys());
    assert!(unfinished(place.path()).is_empty(), "{:?}", unfinished(place.path()));
    let done: usize = done.trim().parse().expect("a number");
    println!("{done} of 400 writes succeeded, {turns} turns");
    (1..400).contains(&done)
}

/// The backup of a file with several names is a copy that is made beforehand. It gives way if another file has come into
/// its place by then.
#[test]
fn another_file_with_several_names_is_backed_up_too() {
    assert!(
        (0..ATTEMPTS).any(|_| exchanges_during_writes() > 50),
        "inconclusive: too few exchanges in {ATTEMPTS} runs"
    );
}

/// Writes while files with several names exchange their names. Returns how often they did.
fn exchanges_during_writes() -> u64 {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |name: &str| place.path().join(name);
    for name in ["f", "g"] {
        std::fs::write(at(name), name).expect("a file");
    }
    let script = "SET bad = 0\nFOR EACH i IN RANGE(600) DO\nSET r = FS.WriteFile(\"f\", STR(i))\nIF r.error != nil THEN\n\
                  SET bad = bad + 1\nENDBLOCK\nENDBLOCK\nEMIT bad\n";
    let (bad, turns) = disturbed(place.path(), script, || {
        for (name, more) in [("f", "f2"), ("g", "g2")] {
            let _ = std::fs::remove_file(at(more));
            let _ = std::fs::hard_link(at(name), at(more));
        }
        (0..20).for_each(|_| exchange(&at("f"), &at("g")));
    });
    assert_eq!(bad.trim(), "0", "writes that failed");
    let all = files(place.path(), "");
    let numbers = |content: &&Vec<u8>| std::str::from_utf8(content).is_ok_and(|text| text.parse::<u32>().is_ok());
    let written: BTreeSet<&Vec<u8>> = all.values().filter(numbers).collect();
    assert_eq!(written.len(), 600, "each text that was written is there, or in a backup");
    turns
}

/// Runs a script while `disturb` is repeated. Returns the output, and how often it was.
fn disturbed(place: &Path, script: &str, disturb: impl Fn() + Sync) -> (String, u64) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let disturbing = scope.spawn(|| {
            let mut turns = 0;
            while !stop.load(Ordering::Relaxed) {
                disturb();
                turns += 1;
            }
            turns
        });
        let output = end(start(place, script));
        stop.store(true, Ordering::Relaxed);
        (output, disturbing.join().expect("the disturbing ends"))
    })
}

fn exchange(one: &Path, other: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
}
