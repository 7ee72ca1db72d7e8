//! Undo, redo, roll-back and the application of a plan: steps that do not depend on each other are journaled together.
//! Their records are on the disk before the first of them destroys anything. Wherever that is killed, and whatever of the
//! marks a power failure takes, the next command takes back what was begun.

use std::fs;
use std::path::Path;

use super::barrier::{is_sync_of_journal, sandbox, traced};
use super::{files, unfinished};
use crate::support::{has_strace, ns, run};

/// Replaces every file, creates as many and deletes as many.
const CHANGES: &str = "MUST FS.ReplaceInFiles(\".\", \"old\", \"new\", pattern: \"f*.txt\")\n\
    FOR EACH f IN FS.Find(\".\", \"f*.txt\") DO\nMUST FS.WriteFile(\"made/\" + f.name, \"made\")\nEND\n\
    FOR EACH f IN FS.Find(\".\", \"g*.txt\") DO\nMUST FS.DeleteFile(f.path)\nEND\n";

/// The same, and a failure at the end.
fn failing() -> String {
    format!("{CHANGES}MUST 1 == 2\n")
}

/// Returns a sandbox with twice so many files, one half of which [`CHANGES`] edits, and the other deletes.
fn both_halves(number: usize) -> tempfile::TempDir {
    let place = sandbox(number);
    fs::create_dir(place.path().join("made")).expect("a directory");
    for number in 0..number {
        fs::write(place.path().join(format!("g{number:04}.txt")), "old").expect("a file");
    }
    place
}

/// Returns the number of syncs of every kind in a trace.
fn syncs(trace: &str) -> usize {
    trace.lines().filter(|line| line.contains("sync(") || line.contains("syncfs(") || line.contains("sync <")).count()
}

/// Returns how many syncs a command makes for so many files more.
fn syncs_for(more: usize, prepare: &[&[&str]], words: &[&str], code: i32) -> usize {
    let count = |number: usize| {
        let place = both_halves(number);
        for words in prepare {
            let ran = run(ns(place.path()).args(*words));
            assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
        }
        let (ran, trace) = traced(place.path(), &["-e", "trace=fsync,fdatasync,syncfs"], words);
        assert_eq!(ran.code, code, "{words:?}: {}", ran.stderr);
        syncs(&trace)
    };
    count(10 + more).saturating_sub(count(10))
}

#[test]
fn many_steps_are_taken_back_with_few_syncs() {
    if !has_strace() {
        return;
    }
    let changes = ["run", "-e", CHANGES];
    for prepare in [&[&changes[..]][..], &[&changes[..], &["undo"], &["redo"]]] {
        let undo = syncs_for(120, prepare, &["undo"], 0);
        assert!(undo <= 12, "{undo} syncs to undo 360 steps");
        let redo = syncs_for(120, &[prepare, &[&["undo"]]].concat(), &["redo"], 0);
        assert!(redo <= 12, "{redo} syncs to redo 360 steps");
    }
    // The steps themselves wait for their records in such a run; what is counted is what the roll-back adds.
    let done = syncs_for(120, &[], &["run", "--atomic", "-e", CHANGES], 0);
    let failed = syncs_for(120, &[], &["run", "--atomic", "-e", &failing()], 1);
    assert!(failed <= done + 12, "{failed} syncs for a run that is rolled back, {done} without that");
}

#[test]
fn a_plan_is_applied_with_few_syncs() {
    if !has_strace() {
        return;
    }
    let count = |number: usize| {
        let place = sandbox(number);
        let script = "MUST FS.ReplaceInFiles(\".\", \"old\", \"new\")\n";
        let plan = run(ns(place.path()).args(["run", "--plan=json", "-e", script]));
        assert_eq!(plan.code, 0, "{}", plan.stderr);
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), plan.stdout).expect("a plan");
        let words = ["apply", file.path().to_str().expect("a text")];
        let (ran, trace) = traced(place.path(), &["-e", "trace=fsync,fdatasync,syncfs"], &words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(files(place.path(), ".ns").into_values().all(|text| text == b"new"));
        syncs(&trace)
    };
    let more = count(130).saturating_sub(count(10));
    assert!(more <= 12, "{more} syncs for 120 files more");
}

/// The record of each step that exchanges, restores or removes an entry is on the disk before that step.
#[test]
fn what_is_taken_back_together_waits_for_its_records() {
    if !has_strace() {
        return;
    }
    const FILES: usize = 30;
    let place = both_halves(FILES);
    assert_eq!(run(ns(place.path()).args(["run", "-e", CHANGES])).code, 0);
    for command in ["undo", "redo"] {
        let calls = "trace=write,renameat2,fdatasync";
        let (ran, trace) = traced(place.path(), &["-e", calls], &[command]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let (mut written, mut durable, mut made) = (0, 0, 0);
        for line in trace.lines() {
            if is_sync_of_journal(line) {
                durable = written;
            } else if line.contains("/.ns/runs/") && line.contains("write(") {
                written += line.matches("{\\\"step\\\":{\\\"number\\\"").count();
            } else if line.contains("renameat2(") && line.contains(".txt\"") {
                made += 1;
                assert!(made <= durable, "{command}: step {made} of {durable} whose records are on the disk");
            }
        }
        assert_eq!((made, written), (3 * FILES, 3 * FILES), "{command}: {trace}");
    }
}

/// Cuts the marks off the journal of a killed run, which are not synced. A power failure may leave that.
fn lose_marks(place: &Path) {
    let open = fs::read_dir(place.join(".ns/runs/open")).expect("journals");
    let Some(journal) = open.map(|entry| entry.expect("an entry").path()).next() else { return };
    let lines = fs::read_to_string(&journal).expect("a journal");
    let Some(last) = lines.rfind("{\"step\":") else { return };
    let end = last + lines[last..].find('\n').expect("a whole line") + 1;
    fs::OpenOptions::new().write(true).open(&journal).and_then(|file| file.set_len(end as u64)).expect("it is cut");
}

/// A command that is killed, in a sandbox where others came before.
struct Killed<'a> {
    prepare: &'a [&'a [&'a str]],
    words: &'a [&'a str],
    /// Whether the command leaves the tree as it is before it, if it is not killed.
    is_rolled_back: bool,
}

/// Kills a command at the n-th of these system calls. Returns whether it was killed while some steps were made.
fn kill(case: &Killed<'_>, call: &str, when: usize, loses_marks: bool) -> bool {
    const FILES: usize = 40;
    let Killed { prepare, words, is_rolled_back } = case;
    let place = both_halves(FILES);
    for words in *prepare {
        assert_eq!(run(ns(place.path()).args(*words)).code, 0, "{words:?}");
    }
    let plan = tempfile::NamedTempFile::new().expect("a file");
    let mut words = words.to_vec();
    if words[0] == "apply" {
        fs::write(plan.path(), run(ns(place.path()).args(["run", "--plan=json", "-e", CHANGES])).stdout)
            .expect("a plan");
        words.push(plan.path().to_str().expect("a text"));
    }
    let before = files(place.path(), ".ns");
    let inject = format!("inject={call}:signal=KILL:when={when}");
    let (ran, trace) = traced(place.path(), &["-e", &format!("trace={call}"), "-e", &inject], &words);
    let is_killed = trace.contains("+++ killed by SIGKILL +++");
    let case = format!("{words:?} killed at {call} {when}, marks lost: {loses_marks}");
    if !is_killed {
        assert_eq!(ran.code, i32::from(*is_rolled_back), "{case}: {}", ran.stderr);
        return false;
    }
    let is_midway = files(place.path(), ".ns") != before;
    if loses_marks {
        lose_marks(place.path());
    }
    let recovered = run(ns(place.path()).arg("log"));
    assert_eq!(recovered.code, 0, "{case}: {}", recovered.stderr);
    let found = files(place.path(), ".ns");
    let differ: Vec<_> = before.iter().filter(|(path, text)| found.get(*path) != Some(*text)).collect();
    // A run that had ended is done.
    let is_over = !recovered.stderr.contains("was interrupted") && !differ.is_empty();
    assert!(is_over || differ.is_empty() && found.len() == before.len(), "{case}: {differ:?} {}", recovered.stderr);
    assert_eq!(unfinished(place.path()), Vec::<std::path::PathBuf>::new(), "{case}");
    if !is_rolled_back && !is_over {
        let again = run(ns(place.path()).args(&words));
        assert_eq!(again.code, 0, "{case}: {}", again.stderr);
        assert!(files(place.path(), ".ns") != before, "{case}");
    }
    is_midway
}

#[test]
fn what_is_taken_back_together_is_killed_anywhere() {
    if !has_strace() {
        return;
    }
    let changes = ["run", "-e", CHANGES];
    let atomic = failing();
    let cases = [
        Killed { prepare: &[&changes], words: &["undo"], is_rolled_back: false },
        Killed { prepare: &[&changes, &["undo"]], words: &["redo"], is_rolled_back: false },
        Killed { prepare: &[], words: &["run", "--atomic", "-e", &atomic], is_rolled_back: true },
        Killed { prepare: &[], words: &["apply"], is_rolled_back: false },
    ];
    let most = if std::env::var_os("NS_LONG").is_some() { 6 } else { 2 };
    let (mut midway, mut tried) = (0, 0);
    for case in &cases {
        for (call, step) in [("renameat2", 37), ("renameat", 17), ("write", 61), ("fdatasync", 2)] {
            for number in 1..=most {
                midway += usize::from(kill(case, call, number * step, number % 2 == 0));
                tried += 1;
            }
        }
    }
    assert!(midway * 12 >= tried * 5, "{midway} of {tried} commands were killed between the first and the last step");
}
