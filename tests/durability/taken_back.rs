//! All-or-nothing copies while another process changes them: its changes stay, ours are rolled back.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::files;
use crate::support::{Ran, ns, run};

/// Number of copies in one call.
const COPIES: usize = 200;
/// Number of attempts after which the race is inconclusive.
const TURNS: usize = 20;

/// Copies all files, and calls `disturb` once the first copy exists.
fn copied(place: &Path, more: &str, disturb: impl Fn() + Sync) -> Ran {
    let names: Vec<String> = (0..COPIES).map(|number| format!("\"f{number}\"")).collect();
    let script = format!(
        "SET r = FS.CopyFile(paths: [{}], destination_path: \"new/to\", all_or_nothing: true{more})\nEMIT r.error, \" \", LAST_ERROR.code",
        names.join(", ")
    );
    let is_over = AtomicBool::new(false);
    let is_there = || fs::read(place.join("new/to/f0")).is_ok_and(|content| content == b"ours");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_there() && !is_over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            if is_there() {
                disturb();
            }
        });
        let ran = run(ns(place).args(["run", "-e", &script]));
        is_over.store(true, Ordering::Relaxed);
        ran
    })
}

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for number in 0..COPIES {
        fs::write(place.path().join(format!("f{number}")), "ours").expect("a file");
    }
    place
}

fn replace(place: &Path, name: &str) {
    fs::write(place.join("theirs"), "THEIRS").expect("a file");
    fs::rename(place.join("theirs"), place.join(name)).expect("it takes the name");
}

#[test]
fn copies_that_somebody_replaced_stay() {
    let last = format!("new/to/f{}", COPIES - 1);
    for _ in 0..TURNS {
        let place = sandbox();
        let at = |name: &str| place.path().join(name);
        let ran = copied(place.path(), "", || {
            let _ = fs::File::create_new(at(&last));
            replace(place.path(), "new/to/f0");
        });
        if !ran.stdout.contains("already exists") {
            continue;
        }
        assert!(ran.stdout.contains("could not be taken back: `new/to/f0` is not what was expected"), "{}", ran.stdout);
        assert!(ran.stdout.ends_with(" conflict\n"), "{}", ran.stdout);
        let left: Vec<_> = files(&at("new"), "").into_iter().collect();
        let expected = [("to/f0".into(), b"THEIRS".to_vec()), (format!("to/f{}", COPIES - 1).into(), Vec::new())];
        assert_eq!(left, expected);
        return;
    }
    panic!("inconclusive: nobody came between in {TURNS} turns");
}

#[test]
fn what_was_replaced_comes_back_unless_somebody_changed_it_again() {
    let last = format!("new/to/f{}", COPIES - 1);
    for _ in 0..TURNS {
        let place = sandbox();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("new/to")).expect("a folder");
        for number in 0..COPIES {
            fs::write(at(&format!("new/to/f{number}")), "old").expect("a file");
        }
        let ran = copied(place.path(), ", overwrite: true", || {
            // A directory cannot be replaced.
            if fs::read(at(&last)).is_ok_and(|content| content == b"old") && fs::remove_file(at(&last)).is_ok() {
                let _ = fs::create_dir(at(&last));
            }
            replace(place.path(), "new/to/f0");
        });
        if !ran.stdout.contains("is a directory") {
            continue;
        }
        assert!(ran.stdout.contains("could not be taken back: `new/to/f0` is not what was expected"), "{}", ran.stdout);
        let left = files(&at("new/to"), "");
        assert_eq!(left.len(), COPIES - 1);
        for (name, content) in left {
            let expected = if name == Path::new("f0") { "THEIRS" } else { "old" };
            assert_eq!(String::from_utf8_lossy(&content), expected, "{}", name.display());
        }
        return;
    }
    panic!("inconclusive: nobody came between in {TURNS} turns");
}

/// Directories created for copies are removed with them, whichever copy created them.
#[test]
fn directories_that_were_made_for_copies_go_with_them() {
    let place = sandbox();
    let at = |name: &str| place.path().join(name);
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o666.into(), 0).expect("a pipe");
    fs::create_dir_all(at("d/in")).expect("a folder");
    fs::write(at("d/in/f"), "1").expect("a file");
    fs::create_dir(at("e")).expect("a folder");
    fs::rename(at("pipe"), at("e/pipe")).expect("it is moved");
    let script = "SET r = FS.CopyFile(paths: [\"f0\", \"d\", \"e\"], destination_path: \"new/deep/to\", recursive: true, \
                  all_or_nothing: true)\nEMIT LAST_ERROR.code\nSET r = FS.CopyFile(\"e\", \"new/deep/e\", recursive: true)\n\
                  EMIT LAST_ERROR.code";
    let ran = run(ns(place.path()).args(["run", "-e", script]));
    assert_eq!(ran.stdout, "io_error\nio_error\n", "{}", ran.stderr);
    assert!(!at("new").exists(), "{:?}", super::folders(place.path()));
}
