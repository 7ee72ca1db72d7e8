//! After a change by another program, undo reports the conflict; a forced undo restores everything that it can, and
//! backs up what stood in the way.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Place, Snapshot, tick};
use crate::support::{ns, run};

type Change = fn(&Path);

/// A script, a change by another program after it, the exit code of a forced undo, texts of its messages, and the
/// contents of some paths afterwards.
struct Case {
    script: &'static str,
    change: Change,
    code: i32,
    named: &'static [&'static str],
    found: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 18] = [
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"c\")\nMUST FS.WriteFile(\"alone\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_file(root.join("c")).expect("it is removed"),
        code: 1,
        named: &["`alone` was left as it is: it was moved to `c`, where it is no longer", "`c` was left as it is"],
        found: &[("alone", "new"), ("c", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"c\")\nMUST FS.MoveFile(\"d/in/f\", \"alone\")\nMUST FS.WriteFile(\"alone\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_file(root.join("c")).expect("it is removed"),
        code: 1,
        named: &["`alone` was left as it is: it was moved to `c`, where it is no longer", "`d/in/f` was left as it is"],
        found: &[("alone", "new"), ("c", ""), ("d/in/f", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.WriteFile(\"d\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_dir_all(root.join("moved")).expect("it is removed"),
        code: 1,
        named: &["`d` was left as it is: it was moved to `moved`, where it is no longer"],
        found: &[("d", "new"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"c\")\nSET t = FS.TempDirectory().path\nMUST FS.WriteFile(t + \"/n\", \"new\")\nMUST FS.MoveFile(t + \"/n\", \"alone\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_file(root.join("c")).expect("it is removed"),
        code: 1,
        named: &["`alone` was left as it is: it was moved to `c`, where it is no longer"],
        found: &[("alone", "new"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"c\")\nMUST FS.WriteFile(\"c\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::write(root.join("alone"), "theirs").expect("a file"),
        code: 0,
        named: &["the previous content of `alone` is kept as `.ns/trash/alone/"],
        found: &[("alone", "alone"), ("c", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.WriteFile(\"moved/in/f\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::write(root.join("moved/in/f"), "theirs").expect("a file"),
        code: 0,
        named: &["the previous content of `moved/in/f` is kept as `.ns/backups/moved/in/f/"],
        found: &[("d/in/f", "f"), ("moved/in/f", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.WriteFile(\"d/in/f\", \"new\")",
        change: |root| fs::write(root.join("d/theirs"), "theirs").expect("a file"),
        code: 0,
        named: &["the previous content of `d` is kept as `.ns/trash/d/"],
        found: &[("d/in/f", "f"), ("d/theirs", "")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d/in/f\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| {
            fs::rename(root.join("d"), root.join("away")).expect("it is moved");
            fs::create_dir_all(root.join("d/in")).expect("other directories");
        },
        code: 0,
        named: &[],
        found: &[("d/in/f", "f"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d/in/f\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| {
            fs::remove_dir_all(root.join("d")).expect("it is removed");
            fs::write(root.join("d"), "theirs").expect("a file");
        },
        code: 1,
        named: &["`d/in/f` was left as it is", "what was there before the run is kept as `.ns/trash/d/in/f/"],
        found: &[("d", "theirs"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.WriteFile(\"alone\", \"new\")",
        change: |root| fs::remove_file(root.join("alone")).expect("it goes"),
        code: 0,
        named: &[],
        found: &[("alone", "alone")],
    },
    Case {
        script: "MUST FS.WriteFile(\"made\", \"new\")\nMUST FS.WriteFile(\"alone\", \"new\")",
        change: |root| fs::write(root.join("made"), "theirs").expect("a file"),
        code: 1,
        named: &["`made` was left as it is: it was changed since"],
        found: &[("made", "theirs"), ("alone", "alone")],
    },
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"e/alone\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_file(root.join("e/alone")).expect("it goes"),
        code: 1,
        named: &["`alone` was left as it is: it was moved to `e/alone`, where it is no longer"],
        found: &[("alone", ""), ("e/x", "")],
    },
    // An entry that is gone is named by its path before the run, however often it was moved.
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"e/alone\")\nMUST FS.MoveFile(\"e/alone\", \"e/moved\")\n\
            MUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::remove_file(root.join("e/moved")).expect("it goes"),
        code: 1,
        named: &["`alone` was left as it is: it was moved to `e/moved`, where it is no longer"],
        found: &[("alone", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.MoveFile(\"moved/in/f\", \"e/moved\")",
        change: |root| fs::remove_file(root.join("e/moved")).expect("it goes"),
        code: 1,
        named: &["`d/in/f` was left as it is: it was moved to `e/moved`, where it is no longer"],
        found: &[("d/in/f", ""), ("d/c", "old")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.SetPermissions(\"moved/in/f\", \"600\")",
        change: |root| fs::remove_file(root.join("moved/in/f")).expect("it goes"),
        code: 1,
        named: &["`d/in/f` was left as it is: it was moved to `moved/in/f`, where it is no longer"],
        found: &[("d/in/f", ""), ("d/c", "old")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\n\
            MUST FS.RestoreBackup(FS.DeleteFile(\"moved\", recursive: true)[\"backupPath\"])\n\
            MUST FS.MoveFile(\"moved/in/f\", \"e/moved\")",
        change: |root| fs::remove_file(root.join("e/moved")).expect("it goes"),
        code: 1,
        named: &["`d/in/f` was left as it is: it was moved to `e/moved`, where it is no longer"],
        found: &[("d/in/f", ""), ("d/c", "old")],
    },
    // A directory at any depth gives way to what was there before.
    Case {
        script: "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.WriteFile(\"d/in/on/x\", \"x\")\n\
            MUST FS.WriteFile(\"d/in/f\", \"new\")",
        change: |root| {
            fs::remove_file(root.join("d/in/on/x")).expect("it goes");
            fs::write(root.join("d/in/on/x"), "theirs").expect("a file");
        },
        code: 0,
        named: &["the previous content of `d` is kept as `.ns/trash/d/"],
        found: &[("d/in/f", "f"), ("d/in/on/x", ""), ("d/c", "old")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.WriteFile(\"d/in/on/and/on/x\", \"x\")\n\
            MUST FS.WriteFile(\"d/in/f\", \"new\")",
        change: |root| fs::write(root.join("d/in/on/and/theirs"), "theirs").expect("a file"),
        code: 0,
        named: &["the previous content of `d` is kept as `.ns/trash/d/"],
        found: &[("d/in/f", "f"), ("d/in/on/and/theirs", ""), ("d/c", "old")],
    },
];

#[test]
fn all_comes_back_that_can() {
    for Case { script, change, code, named, found } in CASES {
        let place = Place::new();
        place.eval(script);
        tick();
        change(&place.root());
        let before = place.snapshot();
        let refused = place.ns(1, &["undo"]);
        assert!(refused.stderr.contains("changed since the run"), "{script}: {}", refused.stderr);
        place.expect(&before, "nothing was done");
        let forced = place.ns(code, &["undo", "--force"]);
        for name in named {
            assert!(forced.stderr.contains(name), "{script}: {name}: {}", forced.stderr);
        }
        for (name, content) in found {
            assert_eq!(place.read(name), *content, "{script}: {name}");
        }
        let listed: serde_json::Value =
            serde_json::from_str(&place.ns(0, &["--output", "json", "log"]).stdout).expect("JSON");
        assert_eq!(listed[0]["state"], if code == 0 { "undone" } else { "partly undone" }, "{script}");
        // The redo restores the changes by the other program.
        place.ns(0, &["redo"]);
        assert_eq!(contents(&place), contents_of(&before), "{script}");
    }
}

/// A file is moved to another name, which may have been that of a file, something new gets its old name, and another
/// program changes, replaces or removes what was moved: a forced undo leaves each path as it was before the run or as it
/// was found, and reports those that are not as before.
#[test]
fn what_took_the_name_of_a_file_that_is_lost_stays() {
    let moves = [
        "MUST FS.MoveFile(\"alone\", \"e/to\")",
        "MUST FS.DeleteFile(\"d/in/f\")\nMUST FS.MoveFile(\"alone\", \"d/in/f\")",
        "MUST FS.MoveFile(\"d/in/f\", \"e/f\")\nMUST FS.MoveFile(\"alone\", \"d/in/f\")",
        "MUST FS.MoveFile(\"alone\", \"e/on\")\nMUST FS.DeleteFile(\"d/in/f\")\nMUST FS.MoveFile(\"e/on\", \"d/in/f\")",
    ];
    let fillings = [
        "",
        "MUST FS.WriteFile(\"alone\", \"new\")",
        "MUST FS.WriteFile(\"e/new\", \"new\")\nMUST FS.MoveFile(\"e/new\", \"alone\")",
        "SET t = FS.TempDirectory().path\nMUST FS.WriteFile(t + \"/n\", \"new\")\nMUST FS.MoveFile(t + \"/n\", \"alone\")",
        "MUST FS.CopyFile(\"b\", \"alone\")",
        "MUST FS.WriteFile(\"alone/in\", \"new\")",
    ];
    let changes: [fn(&Path); 3] = [
        |path| fs::write(path, "theirs").expect("it is written in place"),
        |path| {
            fs::remove_file(path).expect("it is removed");
            fs::write(path, "theirs").expect("a file");
        },
        |path| fs::remove_file(path).expect("it is removed"),
    ];
    for (number, moved) in moves.into_iter().enumerate() {
        for filling in fillings {
            for change in changes {
                let place = Place::new();
                let before = place.snapshot();
                let script = format!("{moved}\n{filling}\nMUST FS.WriteFile(\"e/x\", \"x\")");
                place.eval(&script);
                tick();
                change(&place.root().join(if number == 0 { "e/to" } else { "d/in/f" }));
                let found = place.snapshot();
                let forced = run(ns(&place.root()).args(["undo", "--force"]));
                let after = place.snapshot();
                let of =
                    |snapshot: &Snapshot, path: &PathBuf| snapshot.entries.get(path).map(|entry| entry.content.clone());
                let paths = [&before, &found, &after].into_iter().flat_map(|snapshot| snapshot.entries.keys());
                for path in paths.collect::<BTreeSet<_>>() {
                    let (was, then, now) = (of(&before, path), of(&found, path), of(&after, path));
                    let shown = path.display();
                    assert!(
                        now == was || now == then,
                        "{script}: {shown}: {was:?}, {then:?}, {now:?}: {}",
                        forced.stderr
                    );
                    let is_reported = || {
                        path.ancestors().any(|above| forced.stderr.contains(&format!("`{}` was left", above.display())))
                    };
                    assert!(now == was || is_reported(), "{script}: {shown}: {now:?}: {}", forced.stderr);
                }
                assert_eq!(of(&after, &"e/x".into()), None, "{script}: the rest is undone: {}", forced.stderr);
                place.ns(0, &["redo"]);
                assert_eq!(contents(&place), contents_of(&found), "{script}");
            }
        }
    }
}

/// That a directory must stay is found out when what is in it was taken back already: the undo begins again without it, for
/// each such directory.
#[test]
fn what_is_in_directories_that_must_stay_stays() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let directories: Vec<String> = (0..35).map(|number| format!("dir{number}")).collect();
    let mut script = "MUST FS.WriteFile(\"e/y\", \"y\")\n".to_owned();
    for name in &directories {
        fs::create_dir(place.root().join(name)).expect("a directory");
        fs::write(place.root().join(name).join("f"), "old").expect("a file");
        script += &format!(
            "MUST FS.DeleteFile(\"{name}/f\")\n\
             MUST FS.RestoreBackup(FS.DeleteFile(\"{name}\", recursive: true)[\"backupPath\"])\n\
             MUST FS.WriteFile(\"{name}/f\", \"new\")\n"
        );
    }
    place.eval(&script);
    tick();
    for name in &directories {
        fs::set_permissions(place.root().join(name), fs::Permissions::from_mode(0o705)).expect("a mode");
    }
    let found = place.snapshot();
    let forced = place.ns(1, &["undo", "--force"]);
    for name in &directories {
        let path = format!("{name}/f");
        for path in [name, &path] {
            assert!(forced.stderr.contains(&format!("`{path}` was left as it is")), "{}", forced.stderr);
        }
        assert_eq!(place.read(&path), "new");
    }
    assert_eq!(place.read("e/y"), "");
    place.ns(0, &["redo"]);
    assert_eq!(contents(&place), contents_of(&found));
}

fn contents(place: &Place) -> Vec<(PathBuf, Vec<u8>)> {
    contents_of(&place.snapshot())
}

fn contents_of(snapshot: &Snapshot) -> Vec<(PathBuf, Vec<u8>)> {
    snapshot.entries.iter().map(|(path, entry)| (path.clone(), entry.content.clone())).collect()
}

/// An entry that the policy protects stays, even if it occupies a path to restore.
#[test]
fn a_directory_in_the_way_that_the_policy_keeps_stays() {
    let place = Place::new();
    place.eval("MUST FS.WriteFile(\"alone\", \"new\")");
    fs::remove_file(place.root().join("alone")).expect("it goes");
    fs::create_dir(place.root().join("alone")).expect("a directory");
    fs::write(place.root().join("alone/x.key"), "secret").expect("a file");
    fs::write(place.root().join("neuroscript.toml"), "[policy]\nblocked_extensions = [\"key\"]\n").expect("a policy");
    let forced = place.ns(1, &["undo", "--force"]);
    assert!(forced.stderr.contains("could be taken back: `alone`: the policy "), "{}", forced.stderr);
    assert!(forced.stderr.contains("kept as `.ns/backups/alone/"), "{}", forced.stderr);
    assert_eq!(place.read("alone/x.key"), "secret");
}

/// A file that a later run only moved still exists: a forced undo leaves it there, names the place, and counts it as
/// not undone.
#[test]
fn what_a_later_run_moved_is_not_taken_back() {
    let place = Place::new();
    let run = place.run("MUST FS.WriteFile(\"d/new\", \"new\")");
    let later = super::short(&place.run("MUST FS.MoveFile(\"d/new\", \"e/new\")\nMUST FS.MoveFile(\"e\", \"g\")"));
    let before = place.snapshot();
    for words in [&["undo", &run][..], &["undo", &run, "--force"]] {
        let refused = place.ns(1, words);
        let told = format!("`d/new`: it was moved to `g/new`, by the run {later}");
        assert!(refused.stderr.contains(&told), "{words:?}: {}", refused.stderr);
        let hint = format!("nothing was done; `ns undo {later}` takes back the later run in its way");
        assert!(refused.stderr.contains(&hint), "{words:?}: {}", refused.stderr);
        place.expect(&before, "nothing was done");
    }
    let log = place.ns(0, &["log"]).stdout;
    assert!(!log.contains("undone"), "{log}");
    // The hint works.
    place.ns(0, &["undo", &later]);
    place.ns(0, &["undo", &run]);
    assert_eq!(place.read("d/new"), "");
    assert!(!place.root().join("g").exists());
}

/// The other changes of the run are undone, and the exit code says that something stays.
#[test]
fn what_a_later_run_moved_stays_beside_what_comes_back() {
    let place = Place::new();
    let run = place.run("MUST FS.WriteFile(\"made/new\", \"new\")\nMUST FS.WriteFile(\"alone\", \"over\")");
    let later = super::short(&place.run("MUST FS.MoveFile(\"made\", \"moved\")"));
    let before = place.snapshot();
    let forced = place.ns(1, &["undo", &run, "--force"]);
    for (from, to) in [("made", "moved"), ("made/new", "moved/new")] {
        let told = format!("`{from}` was left as it is: it was moved to `{to}`, by the run {later}");
        assert!(forced.stderr.contains(&told), "{}", forced.stderr);
    }
    assert!(forced.stderr.contains("1 of 3 changes"), "{}", forced.stderr);
    assert_eq!((&*place.read("alone"), &*place.read("moved/new")), ("alone", "new"));
    place.ns(0, &["redo"]);
    assert_eq!(contents(&place), contents_of(&before));
}

/// The refusal names the later runs in the order in which to undo them.
#[test]
fn the_later_runs_in_the_way_are_named() {
    let place = Place::new();
    let run = place.run("MUST FS.WriteFile(\"alone\", \"1\")\nMUST FS.WriteFile(\"e/x\", \"1\")");
    let first = super::short(&place.run("MUST FS.WriteFile(\"alone\", \"2\")"));
    let second = super::short(&place.run("MUST FS.WriteFile(\"e/x\", \"2\")"));
    let refused = place.ns(1, &["undo", &run]);
    let hint = format!(
        "nothing was done; `ns undo {second}`, then `ns undo {first}` take back the later runs in its way; `ns undo {} --force` ",
        super::short(&run)
    );
    assert!(refused.stderr.contains(&hint), "{}", refused.stderr);
    for run in [&second, &first, &run] {
        place.ns(0, &["undo", run]);
    }
    assert_eq!((&*place.read("alone"), &*place.read("e/x")), ("alone", ""));
    // After an undo, a later undo of another run is named likewise by the refused redo.
    let third = super::short(&place.run("MUST FS.WriteFile(\"alone\", \"3\")"));
    let refused = place.ns(1, &["redo", &run]);
    assert!(refused.stderr.contains(&format!("nothing was done; `ns undo {third}` takes back")), "{}", refused.stderr);
}

/// A directory that the run made stays because of a changed file in it, at any depth: with the permission bits that the
/// run gave it, not with those from before they were set.
#[test]
fn a_made_directory_that_stays_is_as_the_run_left_it() {
    use std::os::unix::fs::PermissionsExt;
    let changes: [(&str, Change); 2] = [
        ("", |root| fs::write(root.join("made/deep/new"), "theirs").expect("a file")),
        ("MUST FS.MoveFile(\"d/in/f\", \"made/deep/f\")\n", |root| {
            fs::write(root.join("made/deep/f"), "theirs").expect("a file");
        }),
    ];
    for (further, change) in changes {
        let place = Place::new();
        let script = "MUST FS.CreateDirectory(\"made/deep\")\nMUST FS.WriteFile(\"made/deep/new\", \"new\")\n";
        let modes = "MUST FS.SetPermissions(\"made\", \"700\")\nMUST FS.SetPermissions(\"made/deep\", \"711\")\n";
        place.run(&format!("{script}{modes}{further}MUST FS.WriteFile(\"alone\", \"over\")"));
        tick();
        change(&place.root());
        let before = place.snapshot();
        let forced = place.ns(1, &["undo", "--force"]);
        for path in ["made", "made/deep"] {
            assert!(forced.stderr.contains(&format!("`{path}` was left as it is")), "{}", forced.stderr);
        }
        let mode = |path: &str| fs::metadata(place.root().join(path)).expect("it stays").permissions().mode() & 0o777;
        assert_eq!((mode("made"), mode("made/deep")), (0o700, 0o711), "{further}");
        assert_eq!(place.read("alone"), "alone");
        place.ns(0, &["redo"]);
        assert_eq!(contents(&place), contents_of(&before), "{further}");
    }
}
