//! `.ns` and its files with other objects in their place.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{database, file, keep, memory, sandbox};
use crate::support::{Ran, describe, ns, run};

/// A part of the error message, and the function that creates the object at a path.
type Put<'a> = (&'a str, &'a dyn Fn(&Path));

/// Asserts that reading and writing fail with these words and change nothing in the tree.
fn refused(place: &Path, outside: &Path, words: &str) {
    let before = (describe(place), describe(outside));
    for arguments in [&["list"][..], &["get", "a"], &["set", "a", "1"], &["export"], &["export", "--salvage"]] {
        for global in [&[][..], &["--read-only"]] {
            if !global.is_empty() && arguments[0] == "set" {
                continue;
            }
            let ran = run(ns(place).args(global).arg("memory").args(arguments));
            assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{global:?} {arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(words), "{global:?} {arguments:?}: {}", ran.stderr);
        }
    }
    assert_eq!((describe(place), describe(outside)), before);
}

#[test]
fn something_else_called_ns_is_neither_followed_nor_changed() {
    let outside = sandbox();
    keep(outside.path(), "a", "\"outside\"");
    let theirs = outside.path().join(".ns");
    let put: [Put<'_>; 5] = [
        ("it is a link", &|path| symlink(&theirs, path).expect("a link")),
        ("it is a link", &|path| symlink("real", path).expect("a link to a folder inside")),
        ("it is a link", &|path| symlink("nowhere", path).expect("a dangling link")),
        ("it is a file", &|path| std::fs::write(path, "text").expect("a file")),
        ("it is a pipe, socket or device", &|path| {
            drop(std::os::unix::net::UnixListener::bind(path).expect("a socket"));
        }),
    ];
    for (words, put) in put {
        let place = sandbox();
        std::fs::create_dir(place.path().join("real")).expect("a folder");
        put(&place.path().join(".ns"));
        refused(place.path(), outside.path(), &format!("`.ns` is not NeuroScript's own: {words}"));
    }
}

#[test]
fn something_else_in_place_of_a_file_is_neither_followed_nor_changed() {
    for name in ["memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal"] {
        let outside = sandbox();
        keep(outside.path(), "a", "\"outside\"");
        let target = outside.path().join(".ns/memory.db");
        let put: [Put<'_>; 4] = [
            ("it is a link", &|path| symlink(&target, path).expect("a link")),
            ("it is a link", &|path| symlink(outside.path().join("new"), path).expect("a dangling link")),
            ("it is a file with more than one name", &|path| std::fs::hard_link(&target, path).expect("a second name")),
            ("it is a directory", &|path| std::fs::create_dir(path).expect("a folder")),
        ];
        for (words, put) in put {
            let place = sandbox();
            keep(place.path(), "a", "1");
            let path = place.path().join(".ns").join(name);
            let _ = std::fs::remove_file(&path);
            put(&path);
            // A copy is read without the files that only SQLite needs.
            let (words, only_shared) = (
                format!("`.ns/{name}` is not NeuroScript's own: {words}"),
                name.ends_with("shm") || name.ends_with("journal"),
            );
            if only_shared {
                let before = (describe(place.path()), describe(outside.path()));
                for arguments in [&["get", "a"][..], &["set", "a", "2"]] {
                    let ran = memory(place.path(), arguments);
                    assert!(ran.code == 1 && ran.stderr.contains(&words), "{name} {arguments:?}: {}", ran.stderr);
                }
                assert_eq!((describe(place.path()), describe(outside.path())), before);
            } else {
                refused(place.path(), outside.path(), &words)
            }
        }
    }
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let place = sandbox();
    std::fs::create_dir(place.path().join(".ns")).expect("a folder");
    std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o777)).expect("open to all");
    std::fs::set_permissions(place.path().join(".ns"), std::fs::Permissions::from_mode(0o777)).expect("open to all");
    let binary = place.path().join("ns-binary");
    let mut as_nobody = std::process::Command::new("setpriv");
    as_nobody.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(&binary);
    std::fs::copy(env!("CARGO_BIN_EXE_ns"), &binary).expect("a binary that others may run");
    as_nobody.arg("--sandbox").arg(place.path()).args(["memory", "set", "a", "1"]).env("HOME", "/nonexistent");
    if run(std::process::Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "true"])).code != 0 {
        println!("SKIPPED: only root can act as another user");
        return;
    }
    let ran = run(&mut as_nobody);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("`.ns` is not NeuroScript's own: it is a directory of another user"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(place.path().join(".ns")).expect("the folder").count(), 0);
    // A file of another user in one's own directory.
    keep(place.path(), "a", "1");
    assert_eq!(run(std::process::Command::new("chown").arg("65534").arg(file(place.path()))).code, 0);
    let ran = memory(place.path(), &["get", "a"]);
    assert!(
        ran.stderr.contains("`.ns/memory.db` is not NeuroScript's own: it is a file of another user"),
        "{}",
        ran.stderr
    );
}

/// Another thread continuously exchanges `.ns` with a link to another memory: nothing is ever written there or read
/// from there.
#[test]
fn an_exchanged_folder_is_never_written_through() {
    let place = sandbox();
    let outside = sandbox();
    keep(outside.path(), "theirs", "\"outside\"");
    keep(place.path(), "ours", "\"inside\"");
    let (real, other) = (place.path().join(".ns"), place.path().join("swap"));
    symlink(outside.path().join(".ns"), &other).expect("a link");
    let stop = AtomicBool::new(false);
    let rounds = if std::env::var_os("NS_LONG").is_some() { 2_000 } else { 150 };
    let mut kept = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                exchange(&real, &other);
                std::thread::sleep(std::time::Duration::from_micros(30));
            }
        });
        // A failed assertion ends the other thread too.
        let _stop = StopAtEnd(&stop);
        for round in 0..rounds {
            let set: Ran = memory(place.path(), &["set", &format!("k{round}"), "1"]);
            if set.code == 0 {
                kept.push(format!("k{round}"));
            }
            let got = memory(place.path(), &["list"]);
            assert!(!got.stdout.contains("theirs"), "round {round}: {}", got.stdout);
            for ran in [set, got] {
                assert!([0, 1].contains(&ran.code), "round {round}: {}", ran.stderr);
                assert!(!ran.stderr.contains("fault of NeuroScript itself"), "round {round}: {}", ran.stderr);
            }
        }
    });
    let keys: i64 =
        database(outside.path()).query_row("SELECT count(*) FROM memory", [], |row| row.get(0)).expect("rows");
    assert_eq!(keys, 1, "nothing was written outside");
    if !real.symlink_metadata().expect("one of the two").is_dir() {
        exchange(&real, &other);
    }
    for key in &kept {
        assert_eq!(memory(place.path(), &["get", key]).stdout, "1\n", "{key} was kept");
    }
    println!("{} of {rounds} writes succeeded while the folder was exchanged", kept.len());
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn exchange(one: &Path, other: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("the two are exchanged");
}

/// A server has several sandboxes in one process: other threads that open files called `memory.db` do not look like a
/// redirected directory.
#[test]
fn files_of_other_threads_with_the_same_name_do_not_disturb() {
    let (place, elsewhere) = (sandbox(), sandbox());
    let theirs = elsewhere.path().join("memory.db");
    std::fs::write(&theirs, "").expect("a file");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let open = std::fs::File::open(&theirs).expect("a file");
                std::thread::sleep(std::time::Duration::from_millis(1));
                drop(open);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let _stop = StopAtEnd(&stop);
        let options = neuroscript::engine::Options { sandbox: Some(place.path().to_owned()), ..Default::default() };
        for round in 0..50 {
            let engine = neuroscript::engine::Engine::open(&options).expect("an engine");
            engine.keep_in_memory("a", round.into()).expect("the value is kept");
        }
    });
    assert_eq!(memory(place.path(), &["get", "a"]).stdout, "49\n");
}

/// A directory that is removed while in use is noticed: the next change creates a new one.
#[test]
fn a_folder_that_goes_away_is_made_anew() {
    let place = sandbox();
    let code =
        "CALL MEMORY.Set(\"a\", 1, \"project\")\nCALL MEMORY.Set(\"b\", 1, \"project\")\nEMIT MEMORY.List(\"project\")";
    let options = neuroscript::engine::Options { sandbox: Some(place.path().to_owned()), ..Default::default() };
    let engine = neuroscript::engine::Engine::open(&options).expect("an engine");
    engine.keep_in_memory("a", 1.into()).expect("a is kept");
    std::fs::remove_dir_all(place.path().join(".ns")).expect("the folder goes");
    assert!(engine.memory_value("a").expect("a missing file reads as empty").is_none());
    engine.keep_in_memory("b", 2.into()).expect("b is kept");
    drop(engine);
    assert_eq!(memory(place.path(), &["list"]).stdout.matches("\"key\"").count(), 1);
    assert_eq!(super::eval(place.path(), code).stdout, "[\"a\", \"b\"]\n");
}
