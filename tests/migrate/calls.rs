//! The table of calls: each is migrated to the text beside it, which prints what upstream's documentation says.

use std::fs;

use super::migrated;
use crate::support::{folder_in_memory, ns, run, set_user_policy};

const CASES: &str = include_str!("calls.txt");

#[test]
fn every_call_does_what_it_did() {
    set_user_policy("[tools.env]\nnames = [\"NS_ALLOWED\"]\n");
    let cases: Vec<&str> = CASES.split("\n\n").skip(1).collect();
    assert!(cases.len() > 50, "the table was not split: {}", cases.len());
    for case in cases {
        let mut lines = case.trim_end().lines();
        let (before, after) = (lines.next().expect("a call"), lines.next().expect("what it becomes"));
        let printed: String = lines.map(|line| format!("{}\n", line.strip_prefix("> ").expect("output"))).collect();
        let migration = migrated(&format!("{before}\n"));
        assert_eq!(migration.text.lines().next(), Some(after), "{before}");
        let folder = folder_in_memory();
        fs::write(folder.path().join("a.txt"), "hi\n").expect("a file");
        fs::create_dir(folder.path().join("d")).expect("a folder");
        fs::write(folder.path().join("d/b.txt"), "x").expect("a file");
        let ran = run(ns(folder.path()).args(["run", "-q", "-e", &migration.text]));
        assert_eq!((ran.code, ran.stdout), (0, printed), "{before}\n{}", ran.stderr);
    }
}

/// Whatever a failure does upstream, it ends the script here too.
#[test]
fn a_failure_stays_a_failure() {
    let failing = [
        "emit tool.fs.Read(\"missing.txt\")",
        "set content = tool.fs.Read(\"missing.txt\")\nemit content",
        "call tool.fs.Read(\"missing.txt\")\nemit last",
        "call tool.fs.Move(\"missing.txt\", \"b\")",
        "emit tool.fs.Move(\"missing.txt\", \"b\")",
        "emit tool.fs.List(\"missing\")",
        "for each entry in tool.fs.List(\"missing\", true)\nemit entry\nendfor",
        "emit tool.fs.Walk(\"missing\")",
        "emit tool.fs.Stat(\"missing\")",
        "emit tool.fs.Hash(\"missing\")",
        "emit tool.str.Substring(\"abc\", -1, 2)",
        "emit tool.str.FromBase64(\"%\")",
        "must some []",
        "must no [1]",
    ];
    for script in failing {
        let migration = migrated(&format!("{script}\n"));
        let folder = folder_in_memory();
        let ran = run(ns(folder.path()).args(["run", "-q", "-e", &migration.text]));
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}\n{}", migration.text, ran.stderr);
    }
}
