//! Hard links: undo puts the same file back, so that its names share an inode again.

use std::fs;

use super::{Place, inode, tick};

/// Scripts that change one name of a file with several, and the content of the further names afterwards.
const SCRIPTS: [&str; 16] = [
    "MUST FS.WriteFile(\"b\", \"new\")",
    "MUST FS.WriteFile(\"b\", \"new\", create_backup: false)",
    "MUST FS.AppendFile(\"b\", \" more\")",
    "MUST FS.EditFile(\"b\", \"old\", \"new\")",
    "MUST FS.CopyFile(\"alone\", \"b\", overwrite: true)",
    "MUST FS.Compress(\"alone\", \"b\", format: \"zip\", overwrite: true)",
    "MUST FS.DeleteFile(\"b\")",
    "MUST FS.MoveFile(\"b\", \"c\")",
    "MUST FS.MoveFile(\"b\", \"c\")\nMUST FS.WriteFile(\"c\", \"new\")",
    "MUST FS.WriteFile(\"b\", \"new\")\nMUST FS.MoveFile(\"b\", \"c\")\nMUST FS.MoveFile(\"d/c\", \"b\")",
    "MUST FS.WriteFile(\"b\", \"1\")\nMUST FS.WriteFile(\"a\", \"2\")\nMUST FS.WriteFile(\"d/c\", \"3\")",
    "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.WriteFile(\"b\", \"new\")\nMUST FS.WriteFile(\"d/c\", \"new\")",
    "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.WriteFile(\"moved/c\", \"new\")\nMUST FS.DeleteFile(\"a\")",
    "SET r = FS.WriteFile(\"b\", \"new\")\nMUST FS.RestoreBackup(r.backupPath)",
    "SET r = FS.DeleteFile(\"b\")\nMUST FS.RestoreBackup(r.backupPath)\nMUST FS.WriteFile(\"b\", \"new\")",
    "MUST FS.WriteFile(\"outer\", \"new\")\nMUST FS.MoveFile(\"outer\", \"e/outer\")\nMUST FS.WriteFile(\"e/outer\", \"x\")",
];

#[test]
fn names_of_one_file_are_that_again() {
    for script in SCRIPTS {
        let place = Place::new();
        let before = place.snapshot();
        place.eval(script);
        let after = place.snapshot();
        for _ in 0..2 {
            place.ns(0, &["undo"]);
            place.expect(&before, &format!("undo of {script}"));
            place.ns(0, &["redo"]);
            place.expect(&after, &format!("redo of {script}"));
        }
        place.ns(0, &["undo"]);
        place.expect(&before, &format!("last undo of {script}"));
        assert_eq!(fs::read_to_string(place.path("outside")).expect("it is there"), "outside");
    }
}

#[test]
fn an_atomic_run_that_fails_leaves_the_names() {
    for script in SCRIPTS {
        let place = Place::new();
        let before = place.snapshot();
        let ran = place.ns(1, &["run", "--atomic", "-e", &format!("{script}\nFAIL \"no\"")]);
        assert!(ran.stderr.ends_with("\nwhat the run had changed was taken back\n"), "{script}: {}", ran.stderr);
        place.expect(&before, script);
    }
}

#[test]
fn an_applied_plan_is_undone_to_the_names() {
    for script in SCRIPTS {
        let place = Place::new();
        let before = place.snapshot();
        let plan = place.path("plan.json");
        fs::write(&plan, place.ns(0, &["run", "--plan=json", "-e", script]).stdout).expect("a plan");
        place.ns(0, &["apply", plan.to_str().expect("a text")]);
        if place.snapshot().differences(&before).is_empty() {
            continue;
        }
        place.ns(0, &["undo"]);
        place.expect(&before, script);
    }
}

/// The further names keep inode and content, and the reported backup is a separate copy.
#[test]
fn a_backup_shares_nothing_with_the_further_names() {
    let place = Place::new();
    let old = inode(&place.root().join("a"));
    let backup = place.eval("SET r = FS.WriteFile(\"b\", \"new\")\nMUST r.error == nil\nEMIT r.backupPath").stdout;
    assert_eq!((place.read("a").as_str(), inode(&place.root().join("a"))), ("old", old));
    let backup = place.root().join(backup.trim_end());
    assert_ne!(inode(&backup), old);
    fs::write(place.root().join("a"), "theirs").expect("a write in place");
    assert_eq!(fs::read_to_string(backup).expect("a backup"), "old");
}

/// The result and a warning tell of the other names, and neither where there are none or where nothing was replaced.
#[test]
fn a_result_tells_of_the_other_names() {
    let two = ": `b` had 2 other names (hard links), which keep the old content";
    let one = ": `outer` had 1 other name (a hard link), which keeps the old content";
    for (call, others, warning) in [
        ("FS.WriteFile(\"b\", \"new\")", "2", two),
        ("FS.WriteFile(\"b\", \"new\", create_backup: false)", "2", two),
        ("FS.AppendFile(\"b\", \"new\")", "2", two),
        ("FS.EditFile(\"b\", \"old\", \"new\")", "2", two),
        ("FS.Compress(\"alone\", \"b\", format: \"zip\", overwrite: true)", "2", two),
        ("FS.WriteFile(\"outer\", \"new\")", "1", one),
        ("FS.AppendFile(\"b\", \"\")", "none", ""),
        ("FS.EditFile(\"b\", \"gone\", \"new\")", "none", ""),
        ("FS.WriteFile(\"b\", \"new\", overwrite: false)", "none", ""),
        ("FS.WriteFile(\"alone\", \"new\")", "none", ""),
        ("FS.EditFile(\"alone\", \"alone\", \"new\")", "none", ""),
        ("FS.WriteFile(\"fresh\", \"new\")", "none", ""),
    ] {
        for plan in [&[][..], &["--plan"]] {
            let place = Place::new();
            let script = format!("SET r = {call}\nEMIT MAP.Get(r, \"otherNames\", \"none\")");
            let ran = place.ns(0, &[&["run"][..], plan, &["-e", &script]].concat());
            assert!(ran.stdout.starts_with(&format!("{others}\n")), "{call} {plan:?}: {}", ran.stdout);
            let warned = ran.stderr.lines().find(|line| line.contains("other name")).unwrap_or_default();
            assert!(warned.ends_with(warning) && warned.is_empty() == warning.is_empty(), "{call}: {}", ran.stderr);
        }
    }
}

#[test]
fn nothing_is_copied_where_no_backup_is_asked_for() {
    let place = Place::new();
    place.eval("MUST FS.WriteFile(\"b\", \"new\", create_backup: false)");
    assert!(!place.root().join(".ns/backups").exists());
}

/// A change under another name is a conflict: undo reports it, and a forced undo leaves the path.
#[test]
fn a_change_under_another_name_is_told() {
    for (script, name) in [("MUST FS.WriteFile(\"b\", \"new\")", "new"), ("MUST FS.DeleteFile(\"b\")", "")] {
        let place = Place::new();
        place.eval(script);
        tick();
        fs::write(place.root().join("a"), "theirs").expect("a write in place");
        let before = place.snapshot();
        let refused = place.ns(1, &["undo"]);
        let told = "was changed since under another name (hard link)";
        assert!(refused.stderr.contains(told), "{script}: {}", refused.stderr);
        place.expect(&before, "nothing was done");
        place.ns(1, &["undo", "--force"]);
        assert_eq!((place.read("a").as_str(), place.read("b").as_str()), ("theirs", name));
    }
}

/// A tree that a run put back is unaffected by runs that removed further names of its files.
#[test]
fn a_tree_is_not_changed_by_further_names() {
    let place = Place::new();
    let backup = place.eval("SET r = FS.DeleteFile(\"d\", recursive: true)\nEMIT r.backupPath").stdout;
    let deleted = place.snapshot();
    let restored = place.run(&format!("MUST FS.RestoreBackup(\"{}\")", backup.trim_end()));
    tick();
    place.eval("MUST FS.DeleteFile(\"a\")");
    place.ns(0, &["undo"]);
    tick();
    place.eval("MUST FS.WriteFile(\"b\", \"new\")");
    place.ns(0, &["undo", &restored]);
    place.ns(0, &["redo"]);
    place.ns(0, &["undo"]);
    place.ns(0, &["undo"]);
    place.expect(&deleted, "both are undone");
}
