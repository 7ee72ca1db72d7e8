//! States of stopped, undone and redone runs in `ns log`, and the output of an undo before and after it.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;

use super::{eval, log, sandbox, show, undo};
use crate::support::{Ran, ns, run, state_of};

fn redo(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).arg("redo").args(words))
}

fn states(place: &Path) -> Vec<String> {
    log(place).iter().map(|run| run["state"].as_str().expect("a state").to_owned()).collect()
}

fn id(run: &Json) -> String {
    run["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_run_is_one_row_whatever_undos_and_redos_made_of_it() {
    let place = sandbox();
    eval(place.path(), "MUST FS.WriteFile(\"one\", \"x\")");
    let name = id(&log(place.path())[0]);
    assert_eq!(states(place.path()), ["done"]);
    for _ in 0..3 {
        for (verb, state) in [("undo", "undone"), ("redo", "redone")] {
            let ran = run(ns(place.path()).arg(verb));
            let (did, next) = if verb == "undo" { ("undid", "redo") } else { ("redid", "undo") };
            let told = format!("{did} {name} (ns run -e 'MUST FS.WriteFile(\"one\", \"x\")'): 1 change; `ns {next}` ");
            assert!(ran.code == 0 && ran.stderr.starts_with(&told), "{}", ran.stderr);
            assert_eq!(states(place.path()), [state]);
            let shown: Json = serde_json::from_str(&show(place.path(), &[&name]).stdout).expect("a run");
            assert_eq!(shown["state"], state);
            assert_eq!(place.path().join("one").exists(), verb == "redo");
        }
    }
    let all = run(ns(place.path()).args(["--output", "json", "log", "--all"]));
    let all: Vec<Json> = serde_json::from_str(&all.stdout).expect("a list");
    let commands: Vec<&str> = all.iter().map(|run| run["command"].as_str().expect("a command")).collect();
    let (undone, redone) = (format!("ns undo {name}"), format!("ns redo {name}"));
    assert_eq!(commands[..6], [&*redone, &undone, &redone, &undone, &redone, &undone]);
    let by = log(place.path())[0]["by"].clone();
    assert_eq!(by, all[0]["run"], "the newest of them");
}

#[test]
fn the_name_of_a_run_is_enough_to_undo_and_redo_it() {
    let place = sandbox();
    for name in ["one", "two"] {
        eval(place.path(), &format!("MUST FS.WriteFile(\"{name}\", \"x\")"));
    }
    let first = id(&log(place.path())[1]);
    let there = || place.path().join("one").exists();
    for _ in 0..2 {
        assert_eq!(undo(place.path(), &[&first]).code, 0);
        assert!(!there());
        let again = undo(place.path(), &[&first]);
        assert!(
            again.code == 1 && again.stderr.contains(&format!("`ns redo {first}` does it again")),
            "{}",
            again.stderr
        );
        assert_eq!(redo(place.path(), &[&first]).code, 0);
        assert!(there());
        let again = redo(place.path(), &[&first]);
        assert!(
            again.code == 1 && again.stderr.contains(&format!("`ns undo {first}` takes it back")),
            "{}",
            again.stderr
        );
    }
    assert_eq!(states(place.path()), ["done", "redone"]);
    // The undo is a run with a name; undoing it redoes the original run.
    assert_eq!(undo(place.path(), &[&first]).code, 0);
    let by = log(place.path())[1]["by"].as_str().expect("a name").to_owned();
    let undone = undo(place.path(), &[&by]);
    assert!(undone.code == 0 && undone.stderr.starts_with(&format!("redid {first} ")), "{}", undone.stderr);
    assert!(there());
    assert_eq!(states(place.path()), ["done", "redone"]);
}

#[test]
fn the_plan_of_an_undo_changes_nothing() {
    let place = sandbox();
    eval(
        place.path(),
        "MUST FS.WriteFile(\"a.txt\", \"1\")\nMUST FS.DeleteFile(\"b.txt\")\nMUST FS.WriteFile(\"new\", \"x\")",
    );
    let state = |place: &Path| (state_of(place), fs::read_dir(place.join(".ns/runs")).expect("journals").count());
    let before = state(place.path());
    for (verb, option, lines) in [
        ("undo", "--plan", ["~ a.txt", "+ b.txt", "- new"]),
        ("undo", "--dry-run", ["~ a.txt", "+ b.txt", "- new"]),
        ("redo", "--plan", ["~ a.txt", "- b.txt", "+ new"]),
    ] {
        if verb == "redo" {
            assert_eq!(undo(place.path(), &[]).code, 0);
        }
        let before = state(place.path());
        let planned = run(ns(place.path()).args([verb, option]));
        assert_eq!(planned.code, 0, "{}", planned.stderr);
        let told = format!("plan: `ns {verb}` of ");
        assert!(
            planned.stderr.starts_with(&told) && planned.stderr.contains("MUST FS.WriteFile"),
            "{}",
            planned.stderr
        );
        // Two lines differ on both sides; the other two are added or removed.
        let counts = planned.stdout.lines().map(|line| line.matches(['+', '-']).count()).sum::<usize>();
        assert!(counts >= 5, "the lines are counted: {}", planned.stdout);
        for line in lines {
            assert!(planned.stdout.lines().any(|shown| shown.starts_with(line)), "{line}: {}", planned.stdout);
        }
        assert_eq!(state(place.path()), before, "{verb} {option}");
    }
    assert_eq!(redo(place.path(), &[]).code, 0);
    fs::write(place.path().join("b.txt"), "theirs").expect("a file");
    let before_refusal = state(place.path());
    let refused = undo(place.path(), &["--plan"]);
    assert!(refused.code == 1 && refused.stderr.contains("`b.txt`: there is something new"), "{}", refused.stderr);
    let rest = undo(place.path(), &["--plan", "--force"]);
    assert_eq!(rest.code, 0, "all would come back: {}", rest.stderr);
    let told = rest.stderr.contains("what stands at `b.txt` would be kept below `.ns`");
    assert!(told && rest.stdout.contains("~ b.txt") && rest.stdout.contains("- new"), "{}", rest.stdout);
    assert_eq!(state(place.path()), before_refusal);
    assert_ne!(before_refusal, before);
}

#[test]
fn a_subfolder_says_where_the_runs_are() {
    let place = sandbox();
    let deep = place.path().join("d/in");
    let at = |words: &[&str]| {
        let mut here = Command::new(env!("CARGO_BIN_EXE_ns"));
        here.envs(ns(&deep).get_envs().filter_map(|(name, value)| Some((name, value?))));
        run(here.args(words).current_dir(&deep))
    };
    let nothing = at(&["log"]);
    assert_eq!((nothing.code, &*nothing.stdout, &*nothing.stderr), (0, "", "no run has changed anything here\n"));
    eval(place.path(), "MUST FS.WriteFile(\"a.txt\", \"1\")");
    for (verb, code) in [("log", 0), ("show", 0), ("undo", 1), ("redo", 1)] {
        let ran = at(&[verb]);
        let named = if verb == "show" { "log" } else { verb };
        let told = format!("the sandbox above has runs: `ns {named} --sandbox ../..`");
        assert!(ran.code == code && ran.stderr.contains(&told), "{verb}: {}", ran.stderr);
    }
    let listed = at(&["log", "--sandbox", "../.."]);
    assert!(listed.stdout.contains("done"), "{}", listed.stderr);
    let given = run(ns(place.path()).args(["log", "--sandbox", deep.to_str().expect("a plain name")]));
    assert!(!given.stderr.contains(" has runs"), "the path is not to be told here: {}", given.stderr);
}

#[test]
fn the_words_of_a_script_are_listed() {
    let place = sandbox();
    fs::write(place.path().join("w.ns"), "MUST FS.WriteFile(\"a.txt\", \"\" + ARGS)\n").expect("a script");
    let long = "x".repeat(1_000);
    let cases: [(&[&str], &str); 5] = [
        (&[], "ns run w.ns"),
        (&["Photos", "--", "--go"], "ns run w.ns Photos --go"),
        (&["a b", "it's", ""], r"ns run w.ns 'a b' 'it'\''s' ''"),
        (&["two\nlines"], "ns run w.ns 'two\nlines'"),
        (&["short", &long, "last"], "ns run w.ns short …"),
    ];
    for (words, listed) in cases {
        assert_eq!(run(ns(place.path()).arg(place.path().join("w.ns")).args(words)).code, 0);
        assert_eq!(log(place.path())[0]["command"], listed);
        let shown = run(ns(place.path()).args(["log", "-n", "1"]));
        assert_eq!(shown.stdout.lines().count(), 2, "{}", shown.stdout);
    }
}

#[test]
fn a_run_that_somebody_stops_is_interrupted() {
    let place = sandbox();
    for (option, state) in [("--strict", "interrupted"), ("--atomic", "rolled back")] {
        let script = "MUST FS.WriteFile(\"begun\", \"1\")\nWHILE true DO\nSET x = 1\nEND";
        let mut command = ns(place.path());
        let words = ["--max-steps", "1000000000000", "run", option, "-e", script];
        let child = command.args(words).spawn().expect("a run");
        while !place.path().join("begun").exists() {
            std::thread::yield_now();
        }
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("an id")).expect("an id");
        kill_process(pid, Signal::INT).expect("it is there");
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
        assert_eq!(states(place.path())[0], state);
        assert_eq!(place.path().join("begun").exists(), state == "interrupted");
        if state == "interrupted" {
            assert_eq!(undo(place.path(), &[]).code, 0);
        }
    }
}
