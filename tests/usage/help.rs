//! `--help` of a script, for every source of scripts, and the same facts as JSON from `ns check --info`.

use serde_json::{Value as Json, json};

use super::{HELP, TIDY, ns, place};
use crate::support::{ns_without_sandbox, with_input};

#[test]
fn help_after_the_file_shows_the_usage_and_runs_nothing() {
    let place = place(&[("tidy.ns", TIDY)]);
    for words in [
        &["tidy.ns", "--help"][..],
        &["tidy.ns", "-h"],
        &["run", "tidy.ns", "--help"],
        &["--read-only", "tidy.ns", "Photos", "--help", "--nonsense"],
        &["tidy.ns", "--", "--help"],
        &["run", "tidy.ns", "Photos", "--", "-h"],
        &["tidy.ns", "--plan", "--help"],
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, HELP, ""), "{words:?}");
        assert!(!place.path().join("ran.txt").exists());
        assert!(!place.path().join(".ns").exists(), "the sandbox was not even opened");
    }
    let of_ns = ns(place.path(), &["--help", "tidy.ns"]).stdout;
    assert!(of_ns.starts_with("A scripting language"), "{of_ns}");
    assert!(ns(place.path(), &["run", "--help", "tidy.ns"]).stdout.starts_with("Run a script"));
    // After a second `--` it is a word.
    let word = ns(place.path(), &["tidy.ns", "--", "--", "--help"]);
    assert_eq!((word.code, word.stdout.as_str()), (0, ""), "{}", word.stderr);
}

#[test]
fn a_named_procedure_has_its_own_usage() {
    let place = place(&[("tidy.ns", TIDY)]);
    let help = ns(place.path(), &["tidy.ns", "--proc", "Undo", "--help"]).stdout;
    assert!(help.contains("Usage: ns tidy.ns --proc Undo [OPTIONS]") && help.contains("--steps N"), "{help}");
    let ran = ns(place.path(), &["tidy.ns", "--proc", "Undo", "--most", "3"]);
    assert!(ran.code == 2 && ran.stderr.contains("`--most`") && ran.stderr.contains("--steps N"), "{}", ran.stderr);
}

/// The usage is the same in `--help`, beside a mistake and where an argument is missing.
#[test]
fn every_usage_of_a_script_is_the_same() {
    let main = "func Main(folder, most: 1) means\n  EMIT folder\nend\n";
    let place = place(&[
        ("args.ns", "EMIT ARGS[0]\n"),
        ("told.ns", ":: usage: ns told.ns WORD\nEMIT args[0]\n"),
        ("main.ns", main),
        ("none.ns", "EMIT 1\n"),
    ]);
    for (file, wrong) in [("args.ns", &[][..]), ("told.ns", &[]), ("main.ns", &[]), ("none.ns", &["x"])] {
        let help = ns(place.path(), &[file, "--help"]).stdout;
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).expect("a usage");
        let ran = ns(place.path(), &[&[file], wrong].concat());
        let line = ran.stderr.lines().find(|line| line.to_lowercase().contains("usage: ")).expect("a usage");
        let other = line.split_once("sage: ").map(|(_, rest)| rest.split(';').next().unwrap_or(rest));
        assert!(ran.code != 0 && other == Some(usage), "{file}: {help}{}", ran.stderr);
    }
}

#[test]
fn scripts_of_every_source_have_a_usage() {
    let markdown = "# Notes\n\n```neuroscript\nDEFINE PROCEDURE Main(name)\n  EMIT name\nEND\n```\n";
    let words = ":: usage: ns words.ns WORD...\n:: arg word...: any word\nEMIT ARGS\n";
    let place = place(&[("notes.md", markdown), ("words.ns", words)]);
    assert!(ns(place.path(), &["notes.md", "--help"]).stdout.contains("Usage: ns notes.md NAME\n"));
    let help = ns(place.path(), &["words.ns", "--help"]).stdout;
    assert!(help.starts_with("Usage: ns words.ns WORD...\n") && help.contains("  WORD...     any word\n"), "{help}");
    let main = "DEFINE PROCEDURE Main(name)\n  EMIT name\nEND\n";
    assert!(ns(place.path(), &["-e", main, "--help"]).stdout.contains("Usage: ns -e CODE NAME\n"));
    let ran = with_input(ns_without_sandbox().current_dir(place.path()).args(["-", "--help"]), main);
    assert!(ran.stdout.contains("Usage: ns - NAME\n"), "{}", ran.stdout);
    // The comment of the procedure serves as the description.
    let commented = "DEFINE PROCEDURE Main(name)\n  COMMENT:\n    Greets.\n  ENDCOMMENT\n  EMIT name\nEND\n";
    assert!(ns(place.path(), &["-e", commented, "--help"]).stdout.starts_with("Greets.\n\nUsage:"));
}

#[test]
fn help_of_a_script_with_faults_shows_the_faults() {
    let place = place(&[
        ("bad.ns", "DEFINE PROCEDURE Main(a b)\nEND\n"),
        ("two.ns", "func A() means\nend\nfunc B() means\nend\n"),
    ]);
    let ran = ns(place.path(), &["bad.ns", "--help"]);
    assert!(ran.code == 1 && ran.stderr.contains("bad.ns:1"), "{}", ran.stderr);
    let ran = ns(place.path(), &["two.ns", "--help"]);
    assert!(ran.code == 1 && ran.stderr.contains("NS0107"), "{}", ran.stderr);
}

#[test]
fn what_a_script_says_cannot_reach_the_terminal_as_it_is() {
    let text = ":: description: red \u{1b}[31m\n:: arg a: \u{202e}\nDEFINE PROCEDURE Main(a)\nEND\n";
    let place = place(&[("s.ns", text)]);
    for words in [&["s.ns", "--help"][..], &["s.ns"]] {
        let ran = ns(place.path(), words);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains("red") && !told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
    }
}

#[test]
fn the_check_has_it_as_json() {
    let place = place(&[("tidy.ns", TIDY), ("words.ns", "EMIT ARGS\n")]);
    let info = |file: &str| -> Json {
        let ran = ns(place.path(), &["check", "--info", "--format", "json", file]);
        let checked: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        checked[0]["info"]["command_line"].clone()
    };
    let line = info("tidy.ns");
    assert_eq!(line["description"], "Moves old files of a folder into an archive.");
    assert_eq!(line["procedure"], "Main");
    let roles: Vec<(&str, &str, &str)> = line["parameters"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|parameter| {
            let text = |key: &str| parameter[key].as_str().expect("a text");
            (text("option"), text("role"), text("kind"))
        })
        .collect();
    assert_eq!(
        roles,
        [
            ("--folder", "argument", "text"),
            ("--archive", "argument", "text"),
            ("--newer-than", "option", "text"),
            ("--go", "option", "flag"),
            ("--keep", "option", "flag"),
            ("--skip", "option", "list of text"),
            ("--vars", "option", "map of text"),
            ("--most", "option", "int"),
        ]
    );
    let folder = json!({ "name": "folder", "option": "--folder", "role": "argument", "kind": "text", "required": true, "default": null, "documentation": "the folder to tidy" });
    assert_eq!(line["parameters"][0], folder);
    assert_eq!(line["parameters"][5]["default"], json!(["a"]));
    assert_eq!(info("words.ns"), json!({ "description": null, "procedure": null, "parameters": [] }));
}
