//! The number of system calls of a change, seen from outside. Each is a check or a lookup, and none is made twice: the
//! parents of a file are opened once, and metadata that was read with a handle is passed on.

use std::fs;

use super::barrier::traced;
use crate::support::{has_strace, ns, run};

/// The files are so deep.
const FOLDER: &str = "a/b/c";
/// Number of files more in the second run than in the first.
const MORE: usize = 100;
/// The system calls that are counted.
const CALLS: [&str; 3] = ["statx", "openat2", "mkdirat"];

/// A script that is run for each file, and the maximum number of calls of each kind for one file.
struct Counted {
    script: &'static str,
    most: [usize; 3],
}

const EACH: [Counted; 7] = [
    Counted { script: "MUST FS.WriteFile(f.path, \"new\")", most: [15, 3, 1] },
    Counted { script: "MUST FS.WriteFile(f.path + \".new\", \"new\")", most: [12, 2, 0] },
    Counted { script: "MUST FS.EditFile(f.path, \"old\", \"new\")", most: [17, 5, 1] },
    Counted { script: "MUST FS.AppendFile(f.path, \"new\")", most: [17, 5, 1] },
    Counted { script: "MUST FS.CopyFile(f.path, f.path + \".copy\")", most: [18, 4, 0] },
    Counted { script: "MUST FS.DeleteFile(f.path)", most: [11, 2, 1] },
    Counted { script: "MUST FS.MoveFile(f.path, f.path + \".moved\")", most: [6, 2, 0] },
];

const REPLACE: Counted = Counted { script: "MUST FS.ReplaceInFiles(\"a\", \"old\", \"new\")\n", most: [20, 7, 1] };

const UNDO: Counted = Counted { script: "", most: [28, 15, 1] };

/// Returns how often each call is made for one file more, and a part of a call left over.
fn calls_of(script: &str, words: &[&str]) -> [usize; 3] {
    let count = |number: usize| {
        let place = super::folder_on_disk();
        fs::create_dir_all(place.path().join(FOLDER)).expect("directories");
        for number in 0..number {
            fs::write(place.path().join(format!("{FOLDER}/f{number:04}.txt")), "old").expect("a file");
        }
        if words != ["run"] {
            assert_eq!(run(ns(place.path()).args(["run", "-e", script])).code, 0, "{script}");
        }
        let words = if words == ["run"] { &["run", "-e", script] } else { words };
        let (ran, trace) = traced(place.path(), &["-e", &format!("trace={}", CALLS.join(","))], words);
        assert_eq!(ran.code, 0, "{script}: {}", ran.stderr);
        CALLS.map(|name| trace.lines().filter(|line| line.contains(&format!(" {name}("))).count())
    };
    let (few, many) = (count(20), count(20 + MORE));
    std::array::from_fn(|at| many[at].saturating_sub(few[at]))
}

fn check(name: &str, calls: [usize; 3], most: [usize; 3]) {
    let each = calls.map(|calls| calls as f64 / MORE as f64);
    println!("{name}: {CALLS:?} {each:?}");
    // The list of files is read in pieces, and a group of steps is begun now and then.
    let is_few = calls.iter().zip(most).all(|(calls, most)| *calls <= most * MORE + MORE / 5);
    assert!(is_few, "{name}: {CALLS:?} {each:?} for a file, at most {most:?}");
}

#[test]
fn a_change_makes_few_system_calls() {
    if !has_strace() {
        return;
    }
    for Counted { script, most } in EACH {
        let whole = format!("FOR EACH f IN FS.Find(\"{FOLDER}\", \"*.txt\") DO\n{script}\nEND\n");
        check(script, calls_of(&whole, &["run"]), most);
    }
    check(REPLACE.script, calls_of(REPLACE.script, &["run"]), REPLACE.most);
    check("undo of edits", calls_of(REPLACE.script, &["undo"]), UNDO.most);
}
