//! Owners of state: another key, no key, a bad key, another user of the machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{sandbox, tree};
use crate::support::{Ran, ns, run};

/// A different key represents another user of the same machine.
#[test]
fn runs_of_another_key_are_neither_listed_nor_taken_back() {
    let (place, other) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let mine = |words: &[&str]| run(ns(place.path()).args(words));
    let theirs = |words: &[&str]| run(ns(place.path()).env("XDG_STATE_HOME", other.path()).args(words));
    assert_eq!(mine(&["run", "-e", "MUST FS.DeleteFile(\"victim.txt\")"]).code, 0);
    let ran = theirs(&["undo"]);
    assert!(ran.code == 1 && !place.path().join("victim.txt").exists(), "{}", ran.stderr);
    let listed = theirs(&["log"]);
    assert!(
        listed.stdout.contains("foreign  (foreign: see `ns adopt`)") && !listed.stdout.contains("ns run"),
        "{}",
        listed.stdout
    );
    let name = fs::read_dir(place.path().join(".ns/trash/victim.txt"))
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("an entry")
        .file_name();
    let arguments = format!("{{\"backup_path\": \".ns/trash/victim.txt/{}\"}}", name.display());
    let ran = theirs(&["call", "restore_backup", &arguments]);
    assert!(ran.code == 1 && ran.stderr.contains("is foreign"), "{}: {}{}", ran.code, ran.stdout, ran.stderr);
    assert_eq!(theirs(&["gc", "--all", "--keep-runs", "0"]).code, 0);
    assert_eq!(mine(&["undo"]).code, 0);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is back"), "precious");
}

#[test]
fn where_no_key_can_be_kept_that_is_said() {
    let no_home = |place: &Path, words: &[&str]| run(ns(place).env_remove("XDG_STATE_HOME").args(words));
    let place = sandbox();
    let ran = no_home(place.path(), &["run", "-e", "MUST FS.WriteFile(\"a.txt\", \"1\")"]);
    assert!(
        ran.code == 0 && ran.stderr.contains("cannot be taken back by another command: there is no home folder"),
        "{}",
        ran.stderr
    );
    let ran = no_home(place.path(), &["undo"]);
    assert!(ran.code == 1 && ran.stderr.contains("nobody can tell whether it is yours"), "{}", ran.stderr);
    assert!(no_home(place.path(), &["doctor"]).stdout.contains("no run is recovered or taken back by another command"));
    let ran = no_home(place.path(), &["run", "--atomic", "-e", "MUST FS.WriteFile(\"a.txt\", \"2\")\nFAIL \"no\""]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        fs::read_to_string(place.path().join("a.txt")).expect("it is there"),
        "1",
        "the process itself knows what it did"
    );
}

/// State that cannot be identified as foreign is neither adopted nor removed.
#[test]
fn without_a_key_nothing_counts_as_foreign() {
    let place = sandbox();
    let script = "MUST FS.WriteFile(\"a.txt\", \"1\")\nMUST FS.WriteFile(\"a.txt\", \"2\")";
    assert_eq!(run(ns(place.path()).args(["run", "-e", script])).code, 0);
    let before = tree(&place.path().join(".ns/runs"));
    for words in [&["gc", "--foreign"][..], &["adopt", "--yes"]] {
        let ran = run(ns(place.path()).env_remove("XDG_STATE_HOME").args(words));
        assert!(ran.code == 1 && ran.stderr.contains("nobody can tell what is foreign"), "{words:?}: {}", ran.stderr);
        assert_eq!(tree(&place.path().join(".ns/runs")), before, "{words:?}");
    }
    let ran = run(ns(place.path()).arg("undo"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A journal of this user stays, whatever happened to it after its first line.
#[test]
fn a_sealed_journal_is_never_foreign() {
    let place = sandbox();
    assert_eq!(run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"a.txt\", \"1\")"])).code, 0);
    let runs = place.path().join(".ns/runs");
    let mut names = fs::read_dir(&runs).expect("journals").map(|entry| entry.expect("an entry").path());
    let journal = names.find(|path| path.is_file() && !path.ends_with("owner")).expect("a journal");
    let mut content = fs::read(&journal).expect("the journal");
    content.extend(b"no record\n".repeat(7 << 20));
    fs::write(&journal, content).expect("room for the journal");
    let ran = run(ns(place.path()).args(["gc", "--foreign"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(journal.exists(), "{}", ran.stderr);
}

#[test]
fn a_key_that_is_none_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().expect("a folder for the test");
    let with_key = |prepare: &dyn Fn(&Path)| -> Ran {
        let place = sandbox();
        fs::remove_dir_all(state.path().join("neuroscript")).ok();
        fs::create_dir_all(state.path().join("neuroscript")).expect("a folder");
        prepare(&state.path().join("neuroscript/key"));
        run(ns(place.path()).env("XDG_STATE_HOME", state.path()).args([
            "run",
            "-e",
            "MUST FS.WriteFile(\"a.txt\", \"1\")",
        ]))
    };
    let text = "a".repeat(64);
    let write = |path: &Path, text: &str, mode: u32| {
        fs::write(path, text).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    assert_eq!(with_key(&|path| write(path, &text, 0o600)).stderr, "");
    for (words, prepare) in [
        ("others may read it", &(|path: &Path| write(path, &text, 0o644)) as &dyn Fn(&Path)),
        ("it is not a key", &|path| write(path, "short", 0o600)),
        ("it is not a key", &|path| write(path, &"+".repeat(64), 0o600)),
        ("it is a link", &|path| std::os::unix::fs::symlink("/etc/hostname", path).expect("a link")),
        ("it is a directory", &|path| fs::create_dir(path).expect("a folder")),
        ("more than one name", &|path| {
            write(path, &text, 0o600);
            fs::hard_link(path, path.with_file_name("other")).expect("a name");
        }),
    ] {
        let ran = with_key(prepare);
        assert!(ran.code == 0 && ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
}

/// The state of another user of the machine stops no command that looks: it is reported, and can be taken over.
#[test]
fn the_state_of_another_user_is_reported() {
    let place = sandbox();
    let changed = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"1\")"]));
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    let give = |user: &str| run(Command::new("chown").args(["-R", user]).arg(place.path().join(".ns"))).code == 0;
    let mine = fs::metadata(place.path()).map(|found| std::os::unix::fs::MetadataExt::uid(&found)).expect("a folder");
    if !give("65534") {
        println!("SKIPPED: only root can give files to another user");
        return;
    }
    for (words, code) in [
        (&["log"][..], 0),
        (&["show"], 0),
        (&["undo"], 1),
        (&["undo", "--skip"], 1),
        (&["redo"], 1),
        (&["run", "-e", "EMIT FS.ReadFile(\"new.txt\").content"], 0),
        (&["adopt", "--yes"], 1),
    ] {
        let ran = run(ns(place.path()).args(words));
        assert_eq!(ran.code, code, "{words:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("warning: `.ns` belongs to another user"), "{words:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("move it away"), "{words:?}: {}", ran.stderr);
    }
    let refused = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"2\")"]));
    assert!(refused.code == 1 && refused.stderr.contains("chown -R"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("enable_audit_logging"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(place.path().join("new.txt")).expect("a file"), "1");
    assert!(give(&mine.to_string()));
    assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
    assert!(!place.path().join("new.txt").exists());
}
