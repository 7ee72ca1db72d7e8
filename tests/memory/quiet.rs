//! Nothing is created before it is needed, and nothing at all under `--read-only`.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::{database, eval, keep, memory, sandbox, settle};
use crate::support::{describe, ns, run};

/// Describes everything below a directory with modification times, so that any change is noticed.
fn picture(folder: &Path) -> String {
    fn stamps(folder: &Path, text: &mut String) {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            let metadata = path.symlink_metadata().expect("an entry");
            text.push_str(&format!(
                "{} {}.{} {}\n",
                path.display(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ino()
            ));
            if metadata.is_dir() {
                stamps(&path, text);
            }
        }
    }
    let mut text = describe(folder);
    stamps(folder, &mut text);
    text
}

#[test]
fn reading_what_is_not_there_makes_nothing() {
    let place = sandbox();
    let ran = eval(place.path(), "EMIT MEMORY.Get(\"a\", \"project\"), MEMORY.List(\"project\")");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("nil[]\n", ""));
    for words in [&["list"][..], &["get", "a"], &["export"], &["export", "--salvage"]] {
        memory(place.path(), words);
    }
    assert_eq!(describe(place.path()), "");
}

#[test]
fn the_folder_is_for_the_user_alone_and_ignored_by_git() {
    let place = sandbox();
    keep(place.path(), "a", "1");
    let mode = |path: &str| place.path().join(path).metadata().expect("it was made").permissions().mode() & 0o777;
    assert_eq!(mode(".ns"), 0o700);
    for name in ["memory.db", "memory.db-wal", "memory.db-shm", ".gitignore"] {
        assert_eq!(mode(&format!(".ns/{name}")), 0o600, "{name}");
    }
    assert_eq!(std::fs::read_to_string(place.path().join(".ns/.gitignore")).expect("the file"), "*\n");
}

#[test]
fn a_folder_that_is_there_already_is_used_and_completed() {
    let place = sandbox();
    std::fs::create_dir(place.path().join(".ns")).expect("a folder");
    keep(place.path(), "a", "1");
    assert_eq!(std::fs::read_to_string(place.path().join(".ns/.gitignore")).expect("the file"), "*\n");
    std::fs::write(place.path().join(".ns/.gitignore"), "mine\n").expect("the file");
    keep(place.path(), "a", "2");
    assert_eq!(std::fs::read_to_string(place.path().join(".ns/.gitignore")).expect("the file"), "mine\n");
}

/// Under `--read-only`, reads are correct and change nothing, whatever files SQLite left.
#[test]
fn read_only_makes_and_changes_nothing() {
    let place = sandbox();
    let look = || {
        let before = picture(place.path());
        let code = "EMIT MEMORY.List(\"project\"), MEMORY.Get(\"k7\", \"project\")\nCALL MEMORY.Set(\"s\", 1)\n\
            CALL MEMORY.Set(\"k\", 1, \"project\")";
        let ran = run(ns(place.path()).args(["--read-only", "run", "-e", code]));
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        let listed = run(ns(place.path()).args(["--read-only", "memory", "export"]));
        assert_eq!(picture(place.path()), before);
        (ran.stdout, listed.stdout.lines().count())
    };
    assert_eq!(look(), ("[]nil\n".to_owned(), 0), "without a folder");
    std::fs::create_dir(place.path().join(".ns")).expect("a folder");
    assert_eq!(look(), ("[]nil\n".to_owned(), 0), "with an empty one");
    let code = "FOR EACH i IN RANGE(9) DO\nCALL MEMORY.Set(\"k\" + i, i, \"project\")\nEND";
    assert_eq!(eval(place.path(), code).code, 0);
    let wanted = ("[\"k0\", \"k1\", \"k2\", \"k3\", \"k4\", \"k5\", \"k6\", \"k7\", \"k8\"]7\n".to_owned(), 9);
    assert_eq!(look(), wanted, "with a log and an index");
    std::fs::remove_file(place.path().join(".ns/memory.db-shm")).expect("the index goes");
    assert_eq!(look(), wanted, "with a log alone");
    settle(place.path());
    assert!(!place.path().join(".ns/memory.db-wal").exists());
    assert_eq!(look(), wanted, "with the database alone");
}

/// A copy contains what SQLite itself reads, also from a log with several transactions for one page, one that was
/// restarted, and one that ends in the middle of a transaction.
#[test]
fn a_copy_holds_what_was_committed() {
    let place = sandbox();
    let fill = |from: usize, to: usize| {
        let code = format!(
            "FOR EACH i IN RANGE({from}, {to}) DO\nCALL MEMORY.Set(\"k\" + i % 40, \"{}\" + i, \"project\")\nEND",
            "x".repeat(500)
        );
        assert_eq!(eval(place.path(), &code).code, 0);
    };
    let lines = |words: &[&str]| run(ns(place.path()).args(words).args(["memory", "export"])).stdout;
    for round in 0..4 {
        fill(round * 70, round * 70 + 70);
        assert_eq!(lines(&["--read-only"]), lines(&[]));
        if round == 1 {
            database(place.path()).query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).expect("a checkpoint");
        }
        if round == 1 {
            // The log is restarted: the data after the new transactions in it is old.
            fill(200, 203);
            assert_eq!(lines(&["--read-only"]), lines(&[]));
        }
        if round == 2 {
            database(place.path()).query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).expect("a checkpoint");
        }
    }
    let log = place.path().join(".ns/memory.db-wal");
    let bytes = std::fs::read(&log).expect("a log");
    std::fs::remove_file(place.path().join(".ns/memory.db-shm")).expect("the index goes");
    let flipped = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    let mut logs = vec![flipped(bytes.len() / 2), flipped(bytes.len() - 100), flipped(40), flipped(9), flipped(17)];
    logs.extend(
        [bytes.len() - 1, bytes.len() - 5_000, bytes.len() / 2, 40, 32, 31, 0].map(|end| bytes[..end].to_vec()),
    );
    for bytes in logs {
        std::fs::write(&log, &bytes).expect("a log that is cut or damaged");
        let copied = lines(&["--read-only"]);
        let elsewhere = sandbox();
        std::fs::create_dir(elsewhere.path().join(".ns")).expect("a folder");
        for name in ["memory.db", "memory.db-wal"] {
            std::fs::copy(place.path().join(".ns").join(name), elsewhere.path().join(".ns").join(name))
                .expect("a copy");
        }
        let shared = run(ns(elsewhere.path()).args(["memory", "export"])).stdout;
        assert!(!shared.is_empty());
        assert_eq!(copied, shared, "a log of {} bytes", bytes.len());
    }
}
