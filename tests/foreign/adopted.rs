//! Journals of real runs: a killed run is rolled back once, a replayed or copied journal is foreign, and `ns adopt`
//! takes it over.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{sandbox, tree};
use crate::support::{ns, run, state_home};

/// Starts an atomic run, waits until it has changed `path`, and kills it.
fn killed(place: &Path, script: &str, path: &str, state: &Path) {
    let text = format!("{script}\nWHILE true DO\nSET x = 1\nEND");
    let mut command = ns(place);
    command.env("XDG_STATE_HOME", state).args(["--max-steps", "1000000000000", "run", "--atomic", "-e", &text]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let (wanted, mut turns) = (place.join(path), 0);
    while fs::read_to_string(&wanted).ok().as_deref() != Some("new") {
        turns += 1;
        assert!(turns < 10_000 && child.try_wait().expect("it is there").is_none(), "the run never came so far");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

fn open_journals(place: &Path) -> Vec<PathBuf> {
    fs::read_dir(place.join(".ns/runs/open")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

const CHANGE: &str = "MUST FS.MoveFile(\"payload.sh\", \"moved.sh\")\nMUST FS.WriteFile(\"victim.txt\", \"new\")";

#[test]
fn a_run_is_brought_to_an_end_once() {
    let place = sandbox();
    killed(place.path(), CHANGE, "victim.txt", &state_home());
    let journal = open_journals(place.path()).pop().expect("a journal");
    let copy = fs::read(&journal).expect("a journal");
    let ran = run(ns(place.path()).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is there"), "precious");
    let audit = fs::read_to_string(place.path().join(".ns/audit.jsonl")).expect("a log");
    assert!(audit.contains("\"tool\":\"recover\""), "{audit}");
    // An attacker restores the files and the journal, complete or truncated.
    for length in [copy.len(), copy.len() / 2, copy.len() / 4] {
        fs::rename(place.path().join("payload.sh"), place.path().join("moved.sh")).expect("it is moved");
        fs::write(&journal, &copy[..length]).expect("a journal");
        let before = tree(place.path());
        let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
        assert!(ran.stderr.contains("is foreign, or of a run that is over"), "{length}: {}", ran.stderr);
        assert_eq!(tree(place.path()), before, "{length}");
        fs::rename(place.path().join("moved.sh"), place.path().join("payload.sh")).expect("it is moved");
    }
    let ran = run(ns(place.path()).args(["adopt", "--yes"]));
    assert!(ran.code == 1 && ran.stderr.contains("its run is over"), "{}", ran.stderr);
    assert_eq!(run(ns(place.path()).args(["gc", "--foreign"])).code, 0);
    assert!(open_journals(place.path()).is_empty());
    assert_eq!(run(ns(place.path()).args(["run", "-e", "EMIT 1"])).stderr, "");
}

/// A directory moved on the same disk is the same root; a copy is a different one.
#[test]
fn a_copy_is_foreign_until_it_is_taken_over() {
    let above = tempfile::tempdir().expect("a folder for the test");
    let place = sandbox();
    let (first, moved, copied) = (above.path().join("first"), above.path().join("moved"), above.path().join("copied"));
    let copy =
        |from: &Path, to: &Path| assert!(Command::new("cp").arg("-a").args([from, to]).status().expect("cp").success());
    copy(place.path(), &first);
    killed(&first, CHANGE, "victim.txt", &state_home());
    fs::rename(&first, &moved).expect("it is moved");
    copy(&moved, &copied);
    let ran = run(ns(&copied).arg("log"));
    assert!(ran.stderr.contains("are not yours, or not of this directory"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(copied.join("victim.txt")).expect("it is there"), "new");
    let shown = run(ns(&copied).arg("adopt"));
    assert!(
        shown.code == 0 && shown.stdout.contains("did not end") && shown.stderr.contains("nothing was done"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
    let taken = run(ns(&copied).args(["adopt", "--yes"]));
    assert!(taken.code == 0 && taken.stderr.contains("1 run and 1 kept file were taken over"), "{}", taken.stderr);
    let ran = run(ns(&copied).arg("log"));
    assert!(!ran.stderr.contains("are not yours"), "{}", ran.stderr);
    let ran = run(ns(&moved).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(moved.join("victim.txt")).expect("it is there"), "precious");
}

/// Who is asked to take a run over sees where each entry came from.
#[test]
fn a_move_is_shown_with_both_of_its_paths() {
    let (place, other) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let script = "MUST FS.MoveFile(\"payload.sh\", \"moved.sh\")";
    assert_eq!(run(ns(place.path()).args(["run", "-e", script])).code, 0);
    let shown = run(ns(place.path()).env("XDG_STATE_HOME", other.path()).args(["adopt", "--output", "json"]));
    assert!(shown.stdout.contains(r#"["payload.sh","moved.sh"]"#), "{}{}", shown.stdout, shown.stderr);
}

#[test]
fn what_the_policy_refuses_now_is_not_brought_to_an_end() {
    let place = sandbox();
    killed(place.path(), CHANGE, "victim.txt", &state_home());
    for rule in ["blocked_patterns = [\"*.txt\"]", "blocked_extensions = [\"sh\"]", "read_only = true"] {
        fs::write(place.path().join("neuroscript.toml"), format!("[policy]\n{rule}\n")).expect("a policy");
        let before = tree(place.path());
        let ran = run(ns(place.path()).arg("log"));
        assert!(ran.stderr.contains("was interrupted"), "{rule}: {}", ran.stderr);
        let after = tree(place.path());
        let audit = Path::new(".ns/audit.jsonl");
        let without = |tree: &BTreeMap<PathBuf, Vec<u8>>| {
            tree.iter()
                .filter(|(path, _)| *path != audit)
                .map(|(path, content)| (path.clone(), content.clone()))
                .collect::<BTreeMap<_, _>>()
        };
        assert_eq!(without(&after), without(&before), "{rule}");
    }
    fs::remove_file(place.path().join("neuroscript.toml")).expect("it goes");
    let ran = run(ns(place.path()).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is there"), "precious");
}

/// After a copy was adopted, conflicts name the paths that differ, and not the root itself.
#[test]
fn an_adopted_copy_names_what_differs() {
    let (place, copied) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let changed = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"1\")"]));
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    let copy = copied.path().join("copy");
    assert!(Command::new("cp").arg("-a").args([place.path(), &copy]).status().expect("cp").success());
    let listed = run(ns(&copy).arg("log"));
    assert!(listed.stdout.contains("foreign") && !listed.stdout.contains("interrupted"), "{}", listed.stdout);
    let run_name = listed.stdout.lines().nth(1).expect("a run").split_whitespace().next().expect("a name").to_owned();
    let refused = run(ns(&copy).args(["undo", &run_name]));
    assert!(refused.code != 0 && refused.stderr.contains("`ns adopt` shows"), "{}", refused.stderr);
    assert_eq!(run(ns(&copy).args(["adopt", "--yes"])).code, 0);
    let refused = run(ns(&copy).arg("undo"));
    assert!(refused.stderr.contains("1 path has changed") && !refused.stderr.contains("``"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`new.txt`: something else is there now"), "{}", refused.stderr);
}
