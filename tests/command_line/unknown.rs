//! Command lines that name something that does not exist: they end with exit code 2, run nothing, and their help says
//! what to do.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;

use crate::support::{ns_without_sandbox, run};

const SCRIPT: &str = "DEFINE PROCEDURE Alpha()\n  EMIT 1\nEND\nCALL FS.WriteFile(\"ran.txt\", \"\")\n";

/// The words of a command, and a part of what it says.
const NAMES: [(&[&str], &str); 41] = [
    (&["run", "a.ns", "--proc", "Alhpa"], "did you mean `Alpha`?"),
    (&["run", "a.ns", "--proc", "Nothing"], "name one that the script defines: `Alpha`"),
    (&["run", "--proc", "alpha", "a.ns"], "`Alpha`"),
    (&["run", "a.ns", "--proc", "Alhpa", "--plan"], "did you mean `Alpha`?"),
    (&["run", "a.ns", "--proc", "Alhpa", "--help"], "did you mean `Alpha`?"),
    (&["run", "a.ns", "--proc", "Alhpa", "--output", "json"], "`Alpha`"),
    (&["run", "--atomic", "a.ns", "--proc", "Alhpa"], "did you mean `Alpha`?"),
    (&["run", "plain.ns", "--proc", "Alpha"], "the script defines no procedure"),
    (&["run", "a.ns", "--policy", "none.toml"], "`none.toml`"),
    (&["run", "a.ns", "--lib", "none"], "`none`"),
    (&["run", "a.ns", "--sandbox", "none"], "`none`"),
    (&["run", "none.ns"], "`none.ns`"),
    (&["none.ns"], "`none.ns`"),
    (&["run", "a.ns", "--plan=yml"], "yml"),
    (&["run", "a.ns", "--output", "yaml"], "yaml"),
    (&["run", "a.ns", "--max-steps", "many"], "many"),
    (&["run", "a.ns", "--jobs", "0"], "from 1 to 64"),
    (&["run", "a.ns", "--jobs", "65"], "from 1 to 64"),
    (&["run", "a.ns", "--jobs", "many"], "from 1 to 64"),
    (&["check", "none.ns"], "`none.ns`"),
    (&["check", "--policy", "none.toml", "a.ns"], "`none.toml`"),
    (&["fmt", "none.ns"], "`none.ns`"),
    (&["test", "none.ns"], "`none.ns`"),
    (&["test", "none"], "`none`"),
    (&["undo", "abc123"], "`ns log` lists the runs"),
    (&["undo", "abc123", "--plan"], "`ns log` lists the runs"),
    (&["undo", "abc123", "--force"], "`ns log` lists the runs"),
    (&["redo", "abc123"], "`ns log` lists the runs"),
    (&["show", "abc123"], "`ns log` lists the runs"),
    (&["apply", "none.json"], "`none.json`"),
    (&["tools", "FS.Fnid"], "`FS.Find`"),
    (&["doc", "FS.Fnid"], "FS.Find"),
    (&["explain", "NS0199"], "NS0199"),
    (&["call", "FS.Fnid", "{}"], "FS.Find"),
    (&["call", "FS.Find", "@none.json"], "No such file"),
    (&["memory", "import", "none.jsonl"], "`none.jsonl`"),
    (&["memory", "set", "k", "@none.json"], "`none.json`"),
    (&["render", "none.md"], "`none.md`"),
    (&["render", "a.md", "--vars", "none.json"], "`none.json`"),
    (&["mcp", "--tools", "FS.Fnid"], "`FS.Fnid`"),
    (&["mcp", "--script", "none.ns"], "`none.ns`"),
];

#[test]
fn names_of_nothing_are_mistakes_in_the_command_line() {
    for (words, said) in NAMES {
        let place = tempfile::tempdir().expect("a folder for the test");
        fs::write(place.path().join("a.ns"), SCRIPT).expect("a script");
        fs::write(place.path().join("plain.ns"), "EMIT 1\n").expect("a script");
        fs::write(place.path().join("a.md"), "text\n").expect("a document");
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words));
        assert_eq!(ran.code, 2, "{words:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
        assert!(!place.path().join("ran.txt").exists() && !ran.stdout.contains('1'), "{words:?} ran something");
    }
}

/// A key of the memory is a question, and a script without `Main` is wrong by itself.
#[test]
fn other_things_that_are_not_there_are_failures() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("two.ns"), "DEFINE PROCEDURE A()\nEND\nDEFINE PROCEDURE B()\nEND\n").expect("a script");
    for words in
        [&["memory", "get", "none"][..], &["memory", "delete", "none"], &["run", "two.ns"], &["undo"], &["redo"]]
    {
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words));
        assert_eq!(ran.code, 1, "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
}
