//! `ns watch SCRIPT --on PATTERN`, in processes that must detect changes themselves.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{PATIENCE, Watch, folder, names, ns_in, save, write};
use crate::support::run;

/// A script that prints what it gets, and writes a file beside each.
const SCRIPT: &str = "FOR EACH path IN ARGS DO\n  SET text = FS.ReadFile(path).content\n  EMIT path, \"=\", STR.Trim(text)\n  \
                      IF STR.StartsWith(text, \"bad\") THEN\n    FAIL \"it is bad\"\n  END\n  \
                      MUST FS.AppendFile(\"in/log.seen\", path + \"\\n\")\nENDBLOCK\n";

/// Lines of a script that take long enough for somebody to write a file meanwhile.
const SLOW: &str = "SET x = 0\nWHILE x < 300000 DO\n  SET x = x + 1\nEND\n";

/// Starts `ns watch` on everything in `in`.
fn start_script(place: &Path, further: &[&str]) -> Watch {
    let watch = Watch::start(place, &[&["watch", "work.ns", "--on", "in/**"], further].concat());
    assert_eq!(watch.round(), "");
    watch
}

fn printed(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.contains('=')).collect()
}

#[test]
fn a_script_gets_the_files_that_changed_and_starts_no_run_by_its_own_changes() {
    let place = folder(&[("work.ns", SCRIPT), ("in/old", "old"), ("in/kept", "kept"), ("beside", "x")]);
    let watch = start_script(place.path(), &[]);
    watch.is_quiet();
    write(place.path(), "in/deep/new file", "one");
    assert_eq!(printed(&watch.round()), ["in/deep/new file=one"]);
    // The file that the run appended to matches too.
    watch.is_quiet();
    save(place.path(), "in/old", "two");
    assert_eq!(printed(&watch.round()), ["in/old=two"]);
    fs::remove_file(place.path().join("in/kept")).expect("a file is removed");
    write(place.path(), "beside", "y");
    symlink("/etc/hostname", place.path().join("in/link")).expect("a link");
    watch.is_quiet();
    // Somebody else changes what a run changed before.
    write(place.path(), "in/log.seen", "other");
    assert_eq!(printed(&watch.round()), ["in/log.seen=other"]);
    watch.interrupt();
    let log = run(ns_in(place.path(), &["log"]).env("COLUMNS", "200"));
    assert_eq!(log.stdout.matches("work.ns").count(), 3, "{}", log.stdout);
    let undone = run(ns_in(place.path(), &["undo"]).env("COLUMNS", "200"));
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(fs::read_to_string(place.path().join("in/log.seen")).expect("the file"), "other");
}

#[test]
fn a_run_that_fails_is_taken_back_and_the_watch_goes_on() {
    let edits = "FOR EACH path IN ARGS DO\n  MUST FS.AppendFile(path, \"more\")\n  MUST FS.WriteFile(\"in/made\", \"x\", overwrite: \
                 true)\nENDBLOCK\nFAIL \"it is bad\"\n";
    let place = folder(&[("work.ns", edits), ("in/a", "a")]);
    let watch = start_script(place.path(), &[]);
    write(place.path(), "in/a", "aa");
    let said = watch.round();
    assert!(said.contains("it is bad") && said.contains("exit code 1; the watch goes on"), "{said}");
    assert_eq!(names(&place.path().join("in")), ["a"]);
    assert_eq!(fs::read_to_string(place.path().join("in/a")).expect("the file"), "aa");
    // Changes that were taken back start no run.
    watch.is_quiet();
    write(place.path(), "work.ns", SCRIPT);
    write(place.path(), "in/a", "good");
    assert_eq!(printed(&watch.round()), ["in/a=good"]);
    watch.interrupt();
}

#[test]
fn files_at_the_start_and_the_first_run_alone() {
    let place = folder(&[("work.ns", SCRIPT), ("-dash.txt", "1"), ("b.txt", "2"), ("c.md", "3"), ("old/d.txt", "4")]);
    let words = ["watch", "work.ns", "--on", "*.txt", "--on", "!old", "--initial", "--once", "--quiet"];
    let ran = run(&mut ns_in(place.path(), &words));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "./-dash.txt=1\nb.txt=2\n"), "{}", ran.stderr);
    write(place.path(), "b.txt", "bad");
    let ran = run(&mut ns_in(place.path(), &words));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let words = ["watch", "none.ns", "--on", "*.txt", "--initial", "--once"];
    assert_eq!(run(&mut ns_in(place.path(), &words)).code, 2);
    for pattern in ["[", "a//../b", ""] {
        let ran = run(&mut ns_in(place.path(), &["watch", "work.ns", "--on", pattern, "--initial", "--once"]));
        assert!(ran.code == 2 || ran.code == 4, "{pattern}: {} {}", ran.code, ran.stderr);
    }
}

#[test]
fn an_interrupt_takes_back_the_run_under_way() {
    let endless = "EMIT LEN(ARGS)\nMUST FS.WriteFile(\"begun\", \"x\")\nWHILE true DO\n  SET x = 1\nEND\n";
    let place = folder(&[("work.ns", endless), ("in/a", "a")]);
    let words = ["watch", "work.ns", "--on", "in/**", "--max-steps", "1000000000000", "--timeout", "600"];
    let watch = Watch::start(place.path(), &words);
    assert_eq!(watch.round(), "");
    write(place.path(), "in/b", "b");
    let begin = std::time::Instant::now();
    while !place.path().join("begun").exists() {
        assert!(begin.elapsed() < PATIENCE, "no run begins");
        std::thread::sleep(Duration::from_millis(20));
    }
    let Watch { mut child, lines } = watch;
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    // Both processes have ended when the stream has.
    while lines.recv_timeout(PATIENCE).is_ok() {}
    assert_eq!(names(place.path()), [".ns", "in", "work.ns"]);
}

#[test]
fn a_name_that_is_not_utf_8_is_reported_once_and_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let place = folder(&[("work.ns", SCRIPT), ("in/good", "1")]);
    let bad = place.path().join("in").join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    fs::write(&bad, "x").expect("a file");
    fs::create_dir(place.path().join("in").join(std::ffi::OsStr::from_bytes(b"\xfedir"))).expect("a folder");
    let watch = Watch::start(place.path(), &["watch", "work.ns", "--on", "in/**", "--initial"]);
    let said = watch.round();
    assert!(said.contains("is not UTF-8") && said.contains("all others are"), "{said}");
    assert!(!said.contains("pattern: ["), "{said}");
    assert_eq!(printed(&watch.round()), ["in/good=1"]);
    write(place.path(), "in/deep/later", "2");
    let said = watch.round();
    assert_eq!(printed(&said), ["in/deep/later=2"]);
    assert!(!said.contains("UTF-8"), "{said}");
    fs::write(&bad, "more").expect("a file");
    watch.is_quiet();
    watch.interrupt();
}

#[test]
fn all_files_of_the_start_are_handed_over_in_as_many_runs_as_it_takes() {
    let place =
        folder(&[("work.ns", "EMIT LEN(ARGS)\nIF LIST.Contains(ARGS, \"in/0000\") THEN\n  FAIL \"bad\"\nEND\n")]);
    for number in 0..1_100 {
        write(place.path(), &format!("in/{number:04}"), "x");
    }
    let words = ["watch", "work.ns", "--on", "in/**", "--initial", "--once", "--quiet"];
    let ran = run(&mut ns_in(place.path(), &words));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "1000\n100\n"), "{}", ran.stderr);
    // Files that the first run removes are not handed over to the second.
    write(place.path(), "work.ns", "EMIT LEN(ARGS)\nMUST FS.DeleteFile(\"in\", recursive: true)\n");
    let ran = run(&mut ns_in(place.path(), &words));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1000\n"), "{}", ran.stderr);
}

#[test]
fn another_content_of_the_same_size_and_time_is_a_change() {
    let place = folder(&[("work.ns", SCRIPT), ("in/a", "one")]);
    let path = place.path().join("in/a");
    let time = fs::metadata(&path).expect("a file").modified().expect("a time");
    let watch = start_script(place.path(), &[]);
    fs::write(&path, "two").expect("a file");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
    assert_eq!(printed(&watch.round()), ["in/a=two"]);
    watch.interrupt();
}

#[test]
fn files_of_others_in_directories_of_a_run_are_handed_over() {
    let script = "FOR EACH path IN ARGS DO\n  EMIT path, \"=\", STR.Trim(FS.ReadFile(path).content)\nENDBLOCK\n\
                  IF NOT FS.Exists(\"in/moved\") THEN\n  MUST FS.CopyFile(\"tree\", \"in/copied\", recursive: true)\n  \
                  MUST FS.MoveFile(\"tree\", \"in/moved\")\nEND\n";
    let place = folder(&[("work.ns", script), ("tree/deep/own", "1"), ("in/old", "old")]);
    let watch = start_script(place.path(), &[]);
    write(place.path(), "in/a", "x");
    assert_eq!(printed(&watch.round()), ["in/a=x"]);
    // Neither the copies nor the files that were moved.
    watch.is_quiet();
    write(place.path(), "in/copied/deep/foreign", "2");
    write(place.path(), "in/moved/deep/foreign", "3");
    assert_eq!(printed(&watch.round()), ["in/copied/deep/foreign=2", "in/moved/deep/foreign=3"]);
    write(place.path(), "in/moved/foreign", "4");
    write(place.path(), "work.ns", &format!("MUST FS.WriteFile(\"in/new/own\", \"5\")\nEMIT LEN(ARGS)\n{SLOW}"));
    while !place.path().join("in/new/own").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    write(place.path(), "in/new/foreign", "6");
    write(place.path(), "work.ns", SCRIPT);
    assert_eq!(watch.round().lines().nth(1), Some("1"));
    assert_eq!(printed(&watch.round()), ["in/new/foreign=6"]);
    watch.interrupt();
}
