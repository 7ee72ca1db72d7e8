//! `ns check` apart from its findings, which the suite covers: repairs, directories, output formats, exit codes.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, ns, run, with_input};

const UNREAD: &str = "SET unread = 1\nSET got = STR.Upper(\"a\")\nEMIT \"done\"  # ns: allow NS0112\n";
const REPAIRED: &str = "CALL STR.Upper(\"a\")\nEMIT \"done\"\n";

/// Creates a directory with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder for the file");
        fs::write(file, text).expect("a file for the test");
    }
    folder
}

fn check(folder: &Path, args: &[&str]) -> Ran {
    run(ns(folder).current_dir(folder).arg("check").args(args))
}

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).expect("the file is there")
}

fn json(ran: &Ran) -> Json {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

#[test]
fn repairs_are_written_and_the_rest_is_told() {
    let text = format!("{UNREAD}CALL FS.Mkdir(\"d\")\n");
    let folder = folder(&[("a.ns", &text)]);
    let file = folder.path().join("a.ns");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("a.ns", folder.path().join("link.ns")).expect("a link");
    let ran = check(folder.path(), &["--fix", "link.ns"]);
    assert_eq!(read(&folder, "a.ns"), format!("{REPAIRED}CALL FS.Mkdir(\"d\")\n"));
    assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o640);
    assert!(folder.path().join("link.ns").is_symlink(), "the link stays one");
    assert!(ran.stderr.contains("3 findings repaired in 1 file\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("NS0115") && ran.stderr.ends_with("0 errors, 1 warning\n"), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let names = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(names, 2, "nothing is left beside the files");
    assert_eq!(
        check(folder.path(), &["--fix", "a.ns"]).stderr.matches("repaired").count(),
        0,
        "there is no more to do"
    );
}

#[test]
fn a_text_with_an_error_and_a_file_that_is_read_only_stay() {
    let broken = format!("{UNREAD}EMIT nothing\n");
    let folder = folder(&[("broken.ns", &broken), ("kept.ns", UNREAD)]);
    let kept = folder.path().join("kept.ns");
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).expect("a mode");
    let ran = check(folder.path(), &["--fix", "broken.ns"]);
    assert_eq!((ran.code, read(&folder, "broken.ns")), (3, broken));
    let ran = check(folder.path(), &["--fix", "kept.ns"]);
    assert_eq!((ran.code, read(&folder, "kept.ns").as_str()), (1, UNREAD), "{}", ran.stderr);
    assert!(ran.stderr.contains("it is read-only") && !ran.stderr.contains("repaired in"), "{}", ran.stderr);
}

#[test]
fn standard_input_is_printed_with_its_repairs() {
    let folder = folder(&[]);
    let fix = |text: &str, args: &[&str]| with_input(ns(folder.path()).args(["check", "--fix", "-"]).args(args), text);
    assert_eq!(fix(UNREAD, &[]).stdout, REPAIRED);
    assert_eq!(fix(REPAIRED, &[]).stdout, REPAIRED);
    let ran = fix(UNREAD, &["--format", "json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "two things cannot be printed to one place");
}

#[test]
fn scripts_in_markdown_are_repaired_in_their_place() {
    let page =
        "Ü\n\n```ns\nSET a = 1\nEMIT 1\n```\n\n> ```neuroscript\n> EMIT 2\n> SET b = 1\n> ```\n\n    SET c = 1\n";
    let folder = folder(&[("a.md", page)]);
    let ran = check(folder.path(), &["--fix", "a.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        read(&folder, "a.md"),
        "Ü\n\n```ns\nEMIT 1\n```\n\n> ```neuroscript\n> EMIT 2\n> ```\n\n    SET c = 1\n"
    );
}

#[test]
fn line_ends_and_what_stands_around_a_repair_stay() {
    let cases = [
        ("SET a = 1\r\nEMIT 1\r\n", "EMIT 1\r\n"),
        ("EMIT 1\nSET a = 1", "EMIT 1\n"),
        ("\u{feff}SET a = 1\nEMIT 1\n", "\u{feff}SET a = 1\nEMIT 1\n"),
        ("SET a = 1  # why\nEMIT 1\n", "SET a = 1  # why\nEMIT 1\n"),
        ("set a = call str.upper(\"x\")\n", "call str.upper(\"x\")\n"),
        ("SET a = STR.Upper(\n  \"x\",\n)\n", "CALL STR.Upper(\n  \"x\",\n)\n"),
        ("SET a = LEN(\"x\")\nEMIT LAST\n", "SET a = LEN(\"x\")\nEMIT LAST\n"),
        (
            "on error as err do  # all\n  clear_error\nendon\nemit 1\n",
            "on error do  # all\n  clear_error\nendon\nemit 1\n",
        ),
        ("EMIT 1  # ns: allow NS0112, NS0115\n", "EMIT 1\n"),
        ("SET a = 1  # ns: allow NS0112, NS0115 since\n", "SET a = 1  # ns: allow NS0112 since\n"),
        ("EMIT 1\n  # ns: allow NS0112\n", "EMIT 1\n"),
    ];
    let folder = folder(&[]);
    for (before, after) in cases {
        let ran = with_input(ns(folder.path()).args(["check", "--fix", "-"]), before);
        assert_eq!(ran.stdout, after, "{before:?}: {}", ran.stderr);
    }
}

#[test]
fn a_file_of_procedures_alone_does_not_come_of_a_repair() {
    // It would run `Main`.
    let text = "SET a = 1\nSET b = 2\nDEFINE PROCEDURE Main()\n  EMIT \"ran\"\nEND\n";
    let folder = folder(&[("a.ns", text)]);
    check(folder.path(), &["--fix", "a.ns"]);
    assert_eq!(run(ns(folder.path()).arg("run").arg(folder.path().join("a.ns"))).stdout, "");
}

#[test]
fn modules_are_told_of_once_and_repaired_when_they_are_named() {
    let module = "DEFINE PROCEDURE Two()\n  SET unread = 1\n  RETURN 2\nEND\n";
    let user = "USE \"lib/two.ns\" AS two\nEMIT two.Two()\n";
    let folder = folder(&[("a.ns", user), ("b.ns", user), ("lib/two.ns", module)]);
    let ran = check(folder.path(), &["a.ns", "b.ns"]);
    assert_eq!(ran.stderr.matches("NS0112").count(), 1, "{}", ran.stderr);
    check(folder.path(), &["--fix", "a.ns"]);
    assert_eq!(read(&folder, "lib/two.ns"), module, "it was not named");
    let ran = check(folder.path(), &["--fix", "."]);
    assert!(!read(&folder, "lib/two.ns").contains("unread"), "{}", ran.stderr);
}

#[test]
fn folders_stand_for_their_scripts() {
    let folder = folder(&[
        ("a.ns", "EMIT missing\n"),
        ("sub/b.ns.txt", "EMIT missing\n"),
        ("sub/c.md", "```ns\nEMIT missing\n```\n"),
        (".hidden/d.ns", "EMIT missing\n"),
        ("e.txt", "EMIT missing\n"),
    ]);
    let ran = check(folder.path(), &["--format", "json", "."]);
    let found = json(&ran);
    let files: Vec<&str> =
        found.as_array().expect("an array").iter().filter_map(|it| it["place"]["file"].as_str()).collect();
    assert_eq!(files, ["./a.ns", "./sub/b.ns.txt"]);
    assert_eq!(ran.code, 3);
    assert_eq!(check(folder.path(), &["missing.ns", "sub"]).code, 2, "what cannot be read outranks what was found");
}

#[test]
fn warnings_are_denied_where_that_is_asked_for() {
    let folder = folder(&[("a.ns", "SET a = 1\n"), ("b.ns", "EMIT 1\n")]);
    assert_eq!(check(folder.path(), &["a.ns"]).code, 0);
    assert_eq!(check(folder.path(), &["--deny", "warnings", "a.ns"]).code, 3);
    assert_eq!(check(folder.path(), &["--deny", "warnings", "b.ns"]).code, 0);
    assert_eq!(check(folder.path(), &["--deny", "all", "b.ns"]).code, 2);
}

#[test]
fn json_has_the_repair() {
    let folder = folder(&[("a.ns", "EMIT 1\nSET é = STR.Upper(\"a\")\nCALL FS.Mkdir(\"d\")\n")]);
    let found = json(&check(folder.path(), &["--format", "json", "a.ns"]));
    let fix = &found[0]["fix"];
    assert_eq!(
        (&fix["place"]["line"], &fix["place"]["column"], &fix["place"]["end_column"]),
        (&2.into(), &1.into(), &9.into())
    );
    assert_eq!(fix["text"], "CALL ");
    assert_eq!(found[1]["fix"], Json::Null);
}

#[test]
fn sarif_has_rules_places_and_repairs() {
    let text = "SET unread = 1\nSET x = \"😀\" + missing\n";
    let folder = folder(&[("a b#.ns", UNREAD), ("c.ns", text)]);
    let ran = check(folder.path(), &["--format", "sarif", "a b#.ns", "c.ns"]);
    let log = json(&ran);
    assert_eq!((&log["version"], ran.code), (&"2.1.0".into(), 3));
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().is_some_and(|help| help.len() > 20));
    }
    let first = &results[0];
    assert_eq!((&first["ruleId"], &first["level"]), (&"NS0112".into(), &"warning".into()));
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b%23.ns");
    let replacement = &first["fixes"][0]["artifactChanges"][0]["replacements"][0];
    let region = &replacement["deletedRegion"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&1.into(), &1.into()));
    assert_eq!((&region["endLine"], &region["endColumn"]), (&2.into(), &1.into()));
    assert_eq!(replacement["insertedContent"]["text"], "");
    let last = &results[results.len() - 1];
    assert_eq!((&last["ruleId"], &last["level"]), (&"NS0101".into(), &"error".into()));
    // The emoji is one character and two UTF-16 units.
    assert_eq!(last["locations"][0]["physicalLocation"]["region"]["startColumn"], 16);
    let unread = json(&check(folder.path(), &["--format", "sarif", "missing.ns"]));
    assert_eq!(unread["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_run_does_not_warn() {
    let folder = folder(&[]);
    let ran = with_input(ns(folder.path()).arg("run").arg("-"), "CALL FS.DeleteFile(\"x\")\nSET unread = 1\n");
    assert!(!ran.stderr.contains("NS01"), "{}", ran.stderr);
}

/// Errors in two procedures hide neither each other nor the warnings elsewhere; nothing is repaired beside them.
#[test]
fn errors_do_not_hide_warnings_elsewhere() {
    let text = "DEFINE PROCEDURE A(x)\n  SET y 5\n  EMIT x\nEND\nDEFINE PROCEDURE B(x)\n  SET unused = 3\n  \
                CALL FS.DeleteFile(\"a\")\n  IF x = 3 THEN\n    EMIT x\n  END\nEND\nIF ARGS == \"a\" OR \"b\" THEN\n  \
                CALL A(1)\nEND\nCALL B(3, 2)\n";
    let place = folder(&[("a.ns", text)]);
    let ran = check(place.path(), &["--fix", "a.ns"]);
    let heads: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.contains("]: "))
        .map(|line| &line[..line.find(':').unwrap_or(0)])
        .collect();
    assert_eq!(
        heads,
        ["error[NS0001]", "warning[NS0112]", "warning[NS0115]", "error[NS0020]", "warning[NS0116]", "error[NS0202]"],
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("repair"), "{}", ran.stderr);
    assert_eq!(read(&place, "a.ns"), text);
}

#[test]
fn a_variable_that_is_named_in_the_braces_of_a_text_is_not_removed() {
    let folder = folder(&[]);
    for text in ["\"size is {size}\"", "\"size is ${size}\"", "\"{ size }\"", "```{{size + 1}}```", "\"{size:>8}\""] {
        let before = format!("SET size = 12\nEMIT {text}\n");
        let ran = with_input(ns(folder.path()).args(["check", "--fix", "-"]), &before);
        assert_eq!(ran.stdout, before, "{}", ran.stderr);
    }
}
