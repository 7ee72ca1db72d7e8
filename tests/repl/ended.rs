//! The report at a terminal when a script, a call or a document that changed something has ended.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::terminal::{PtySession, command, ends_with, plain, send, session, spawn_command, type_line};

/// A script that creates the given number of files, and then ends as instructed.
const SCRIPT: &str = "\
DEFINE PROCEDURE Main(files, ending: \"\")
  FOR EACH number IN RANGE(INT(files)) DO
    MUST FS.WriteFile(\"made/\" + number, \"x\")
  END
  EMIT \"made\"
  IF ending == \"fail\" THEN
    FAIL \"on purpose\"
  END
  WHILE ending == \"wait\" DO
    SET number = 1
  END
END
";

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("tidy.ns"), SCRIPT).expect("a script");
    let document = "{{invoke_tool: write_file\n  file_path: \"a\"\n  content: \"x\"\n}}\n";
    fs::write(place.path().join("page.md"), document).expect("a document");
    place
}

/// Starts `ns` at a terminal, in the directory.
pub fn begin(place: &Path, words: &[&str]) -> PtySession {
    let mut ns = Command::new(env!("CARGO_BIN_EXE_ns"));
    for (name, value) in command(place).get_envs() {
        ns.env(name, value.expect("the environment is added to"));
    }
    ns.args(words).current_dir(place);
    spawn_command(ns, 60_000).expect("a terminal")
}

/// Returns all output of `ns` at a terminal.
fn shown(place: &Path, words: &[&str], code: i32) -> String {
    let mut session = begin(place, words);
    let shown = session.exp_eof().expect("it ends");
    ends_with(&mut session, code);
    plain(&shown)
}

#[test]
fn what_was_changed_is_said_last() {
    let place = place();
    let folder = place.path().to_str().expect("the temporary folder has a plain name");
    let many = "3 changes; ns undo takes them back\n";
    // Creating the directory is a change.
    let cases: [(&[&str], &str); 8] = [
        (&["tidy.ns", "2"], many),
        (&["tidy.ns", "1"], "1 change; ns undo takes it back\n"),
        (&["run", "tidy.ns", "3"], many),
        (&["-e", "CALL FS.WriteFile(\"a\", \"x\")"], "1 change; ns undo takes it back\n"),
        (&["call", "write_file", "{\"file_path\":\"a\",\"content\":\"x\"}"], "1 change; ns undo takes it back\n"),
        (&["render", "page.md"], "1 change; ns undo takes it back\n"),
        (&["--sandbox", folder, "tidy.ns", "1"], &format!("1 change; ns undo --sandbox {folder} takes it back\n")),
        (&["--output", "json", "tidy.ns", "1"], "1 change; ns undo takes it back\n"),
    ];
    for (words, expected) in cases {
        let shown = shown(place.path(), words, 0);
        assert!(shown.ends_with(expected), "{words:?}: {shown}");
        assert_eq!(shown.matches("takes").count(), 1, "{words:?}: {shown}");
    }
}

#[test]
fn nothing_is_said_where_nothing_stays_or_nobody_wants_it() {
    let place = place();
    let cases: [(&[&str], i32); 8] = [
        (&["tidy.ns", "0"], 0),
        (&["-e", "EMIT 1"], 0),
        (&["--quiet", "tidy.ns", "2"], 0),
        (&["-q", "tidy.ns", "2"], 0),
        (&["tidy.ns", "2", "--quiet"], 0),
        (&["run", "tidy.ns", "-q", "2"], 0),
        (&["call", "-q", "write_file", "{\"file_path\":\"a\",\"content\":\"x\"}"], 0),
        (&["--atomic", "tidy.ns", "2", "--ending", "fail"], 1),
    ];
    for (words, code) in cases {
        let shown = shown(place.path(), words, code);
        assert!(!shown.contains("ns undo"), "{words:?}: {shown}");
    }
}

#[test]
fn it_is_said_after_a_failure_and_after_ctrl_c() {
    let place = place();
    let failed = shown(place.path(), &["tidy.ns", "2", "--ending", "fail"], 1);
    assert!(failed.contains("on purpose") && failed.ends_with("3 changes; ns undo takes them back\n"), "{failed}");
    let mut session = begin(place.path(), &["tidy.ns", "2", "--ending", "wait"]);
    session.exp_string("made").expect("it waits");
    send(&session, [3]);
    let shown = plain(&session.exp_eof().expect("it ends"));
    assert!(shown.ends_with("2 changes; ns undo takes them back\n"), "{shown}");
}

#[test]
fn a_line_of_a_session_says_what_it_changed() {
    let place = place();
    let mut session = session(place.path());
    let write = |names: &[&str]| {
        let calls: Vec<String> = names.iter().map(|name| format!("CALL FS.WriteFile('{name}', 'x')")).collect();
        calls.join("\n")
    };
    let one = "\n1 change; :undo takes it back\n";
    assert!(type_line(&mut session, &write(&["a"]), "ns> ").ends_with(one));
    // The value comes first.
    let shown = type_line(&mut session, "FS.WriteFile('b', 'x').path", "ns> ");
    assert!(shown.ends_with(&format!("\nb{one}")), "{shown}");
    let shown = type_line(&mut session, ":load tidy.ns", "ns> ");
    assert!(!shown.contains("takes"), "it defines a procedure alone: {shown}");
    let shown = type_line(&mut session, "FOR EACH n IN ['c', 'd'] DO\nCALL FS.WriteFile(n, 'x')\nEND", "ns> ");
    assert!(shown.ends_with("\n2 changes; :undo takes them back\n"), "{shown}");
    let shown = type_line(&mut session, "FS.WriteFile('e', 'x').path / 0", "ns> ");
    assert!(shown.contains("error[") && shown.ends_with(one), "{shown}");
    for line in ["EMIT 1", "FS.Exists('a')", ":undo", ":redo", ":log"] {
        let shown = type_line(&mut session, line, "ns> ");
        assert!(!shown.contains(":undo takes"), "{line}: {shown}");
    }
    type_line(&mut session, ":plan on", "plan> ");
    let shown = type_line(&mut session, &write(&["f"]), "plan> ");
    assert!(shown.ends_with("\n1 change planned; :undo takes it back\n"), "{shown}");
    let mut quiet = command(place.path());
    quiet.arg("--quiet");
    let mut session = super::terminal::begin(quiet).0;
    assert!(!type_line(&mut session, &write(&["g"]), "ns> ").contains("takes"));
    assert!(place.path().join("g").exists());
}

#[test]
fn what_means_something_else_is_said_before_it_runs() {
    let place = place();
    fs::write(place.path().join("power.ns"), "SET n = 2\nEMIT n ^ 3, \" \", \"{n}\"\n").expect("a script");
    let told = shown(place.path(), &["power.ns"], 0);
    let (warned, printed) = (told.find("write `n ** 3`"), told.find("1 {n}"));
    assert!(told.contains("power.ns:2") && told.contains("NS0122") && warned.is_some() && warned < printed, "{told}");
    let quiet = shown(place.path(), &["-q", "power.ns"], 0);
    assert_eq!(quiet, "1 {n}\n");
    let fine = shown(place.path(), &["-e", "SET n = 1\nEMIT 2 ** 3, \" \", 6 ^ n"], 0);
    assert_eq!(fine, "8 7\n");
}

#[test]
fn a_path_outside_names_the_sandbox_to_who_sits_there() {
    let place = place();
    fs::write(place.path().join("up.ns"), "EMIT FS.Find(\"../up\")\n").expect("a script");
    let document = "{{invoke_tool: find\n  path: \"../up\"\n}}\n";
    fs::write(place.path().join("up.md"), document).expect("a document");
    let root = place.path().canonicalize().expect("the folder is there");
    let told = format!("the sandbox is `{}`; `ns --sandbox DIR` chooses another", root.display());
    for (words, code) in [
        (&["-e", "EMIT FS.Find(\"../up\")"][..], 4),
        (&["up.ns"], 4),
        (&["--plan", "up.ns"], 4),
        (&["check", "up.ns"], 0),
        (&["render", "up.md"], 4),
        (&["call", "find", "{\"path\": \"../up\"}"], 4),
        (&["-e", "CALL FS.ReadFile(\"../up\")"], 0),
        (&["-e", "EMIT FS.ListDir(\"../up\")"], 0),
    ] {
        let shown = shown(place.path(), words, code);
        assert!(shown.contains(&told), "{words:?}: {shown}");
    }
}
