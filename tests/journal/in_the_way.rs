//! Runs that cannot be undone, or only in part: the tree has changed since, or the policy refuses.

use std::fs;

use serde_json::Value as Json;

use super::{CHANGES, eval, log, sandbox, undo};
use crate::support::{ns, run, state_of};

#[test]
fn where_the_tree_has_moved_on_nothing_is_done_unless_by_force() {
    let place = sandbox();
    let at = |name: &str| place.path().join(name);
    eval(place.path(), CHANGES);
    // The time stamps of the file system advance only every few milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(50));
    fs::write(at("a.txt"), "theirs").expect("a file");
    fs::write(at("b.txt"), "theirs too").expect("a file");
    fs::write(at("copy/e/in/c.txt"), "theirs as well").expect("a file");
    fs::write(at("new/deep/theirs"), "also").expect("a file");
    let before = state_of(place.path());
    let refused = undo(place.path(), &[]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    for told in [
        "4 paths have changed",
        "`a.txt`: it was changed since",
        "`b.txt`: there is something new",
        "`copy`: `c.txt` in it was changed since",
        "`new/deep`: `theirs` was put into it since",
        "--force",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {}", refused.stderr);
    }
    assert_eq!(state_of(place.path()), before, "nothing was done");
    let forced = undo(place.path(), &["--force"]);
    assert_eq!(forced.code, 1, "something was left: {}", forced.stderr);
    let read = |name: &str| fs::read_to_string(at(name)).unwrap_or_default();
    assert_eq!((read("a.txt").as_str(), read("b.txt").as_str()), ("a", "b"), "what was there is back");
    for kept in [
        "the previous content of `a.txt` is kept as `.ns/backups/a.txt/",
        "the previous content of `b.txt` is kept as `.ns/",
    ] {
        assert!(forced.stderr.contains(kept), "{kept}: {}", forced.stderr);
    }
    assert_eq!((read("new/deep/theirs").as_str(), read("copy/e/in/c.txt").as_str()), ("also", "theirs as well"));
    assert_eq!(read("d/in/c.txt"), "c", "the rest is taken back");
    assert!(!at("new/e").exists() && !at("new/deep/x.txt").exists());
}

#[test]
fn what_is_no_longer_kept_is_said() {
    let place = sandbox();
    eval(place.path(), "CALL FS.DeleteFile(\"a.txt\")\nCALL FS.DeleteFile(\"b.txt\")");
    fs::remove_dir_all(place.path().join(".ns/trash/a.txt")).expect("somebody removes it");
    let refused = undo(place.path(), &[]);
    assert!(refused.stderr.contains("`a.txt`: what was there is no longer kept"), "{}", refused.stderr);
    assert!(!place.path().join("b.txt").exists());
    undo(place.path(), &["--force"]);
    assert!(place.path().join("b.txt").exists());
}

/// Someone manually deleted what the two newest runs had created.
#[test]
fn no_run_stands_in_the_way_of_those_before_it() {
    let place = sandbox();
    for name in ["one", "two", "three"] {
        eval(place.path(), &format!("MUST FS.WriteFile(\"{name}\", \"x\")"));
    }
    let runs: Vec<String> = log(place.path()).iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect();
    fs::remove_file(place.path().join("three")).expect("a file");
    fs::remove_file(place.path().join("two")).expect("a file");
    let refused = undo(place.path(), &[]);
    let (force, skip) = (format!("`ns undo {} --force`", runs[0]), "`ns undo --skip`");
    for part in ["`three`: it is no longer there", &force, skip] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let skipped = undo(place.path(), &["--skip"]);
    assert_eq!(skipped.code, 0, "{}", skipped.stderr);
    for run in &runs[..2] {
        assert!(skipped.stderr.contains(&format!("passed over {run} (ns run -e ")), "{}", skipped.stderr);
        assert_eq!(skipped.stderr.matches(run.as_str()).count(), 1, "{}", skipped.stderr);
    }
    assert!(
        skipped
            .stderr
            .contains(&format!("undid {} (ns run -e 'MUST FS.WriteFile(\"one\", \"x\")'): 1 change", runs[2])),
        "{}",
        skipped.stderr
    );
    assert!(!place.path().join("one").exists());
    let stuck = undo(place.path(), &["--skip"]);
    assert_eq!(stuck.code, 1, "{}", stuck.stderr);
    assert!(stuck.stderr.contains("none of 2 runs can be taken back"), "{}", stuck.stderr);
    // The files that the runs created are gone already, so no path stays as it is: each forced undo counts.
    for run in &runs[..2] {
        let forced = undo(place.path(), &["--force"]);
        assert_eq!(forced.code, 0, "{}", forced.stderr);
        let told = format!("nothing of {run} (ns run -e 'MUST FS.WriteFile(");
        assert!(forced.stderr.starts_with(&told), "{}", forced.stderr);
        assert!(forced.stderr.ends_with(" was left to take back; it counts as undone\n"), "{}", forced.stderr);
    }
    let nothing = undo(place.path(), &[]);
    assert!(nothing.stderr.contains("there is nothing to undo"), "{}", nothing.stderr);
    let states: Vec<Json> = log(place.path()).iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["undone"; 3]);
}

/// A forced undo that restores nothing has undone nothing, however often it is asked: no other run is taken back
/// instead.
#[test]
fn a_forced_undo_that_takes_nothing_back_is_none() {
    let place = sandbox();
    for name in ["one", "two"] {
        eval(place.path(), &format!("MUST FS.WriteFile(\"{name}\", \"x\")\nMUST FS.WriteFile(\"{name}2\", \"x\")"));
    }
    let run = log(place.path())[0]["id"].as_str().expect("an id").to_owned();
    for name in ["two", "two2"] {
        fs::write(place.path().join(name), "theirs").expect("a file");
    }
    let before = (state_of(place.path()), log(place.path()));
    for words in [&["--force"][..], &["--force"], &["--force", "--plan"], &[&run, "--force"], &[]] {
        let forced = undo(place.path(), words);
        assert_eq!(forced.code, 1, "{words:?}: {}", forced.stderr);
        let told = match words {
            [] => format!("2 paths have changed since the run `{run}`: `two`: it was changed since; `two2`: it "),
            _ => format!("nothing of the run `{run}` could be taken back: `two`: it was changed since; `two2`: it "),
        };
        let hint = "nothing was done; `ns undo --skip` leaves this run and takes back the newest before it that can be";
        for part in [&*told, hint] {
            assert!(forced.stderr.contains(part), "{words:?}: {part}: {}", forced.stderr);
        }
        assert_eq!((state_of(place.path()), log(place.path())), before, "{words:?}");
    }
    assert_eq!(undo(place.path(), &["--skip"]).code, 0, "the run is no obstacle");
    assert!(!place.path().join("one").exists() && place.path().join("two").exists());
    // The changes of the other paths can still be taken back.
    fs::remove_file(place.path().join("two")).expect("a file");
    let rest = undo(place.path(), &["--force"]);
    assert!(rest.code == 1 && rest.stderr.contains("nothing of the run"), "{}", rest.stderr);
    fs::remove_file(place.path().join("two2")).expect("a file");
    let rest = undo(place.path(), &["--force"]);
    assert!(rest.code == 0 && rest.stderr.contains("it counts as undone"), "{}", rest.stderr);
    let states: Vec<Json> = log(place.path()).iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["undone"; 2]);
}

/// Errors of the machine do not make undo skip a run.
#[test]
fn a_policy_that_refuses_is_no_run_to_pass_over_for_ever() {
    let place = sandbox();
    eval(place.path(), "MUST FS.WriteFile(\"one\", \"x\")");
    let refused = run(ns(place.path()).args(["--read-only", "undo", "--skip"]));
    assert!(refused.code != 0 && !refused.stderr.contains("passed over"), "{}", refused.stderr);
    assert!(place.path().join("one").exists());
}

#[test]
fn what_the_policy_refuses_is_not_taken_back_even_by_force() {
    let place = sandbox();
    eval(place.path(), "CALL FS.WriteFile(\"a.txt\", \"1\")\nCALL FS.WriteFile(\"new\", \"1\")");
    let policy = place.path().join("neuroscript.toml");
    fs::write(policy, "[policy]\nblocked_extensions = [\"txt\"]\n").expect("a policy");
    let refused = undo(place.path(), &[]);
    assert!(refused.stderr.contains("`a.txt`: the policy refuses"), "{}", refused.stderr);
    undo(place.path(), &["--force"]);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("a file"), "1");
    assert!(!place.path().join("new").exists());
}
