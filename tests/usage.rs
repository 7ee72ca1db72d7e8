//! The usage of a script: in its `--help`, in its error messages, and in `ns check --info`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;

use neuroscript::engine::OWN_OPTIONS;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{Ran, ns_without_sandbox, run, with_input};

const TIDY: &str = r#"#!/usr/bin/env ns
:: description: Moves old files of a folder into an archive.
:: arg folder: the folder to tidy
:: arg newer-than: leave files alone that were changed since
:: arg go: move them
:: arg keep: leave the newest alone
:: arg [archive]: where they go

DEFINE PROCEDURE Main(folder, archive: "old", newer_than: nil, go: false, keep: true, skip: ["a"], vars: {}, most: 5)
  CALL FS.WriteFile("ran.txt", "x")
END

DEFINE PROCEDURE Undo(steps: 1)
  CALL FS.WriteFile("ran.txt", "x")
END
"#;

const HELP: &str = "\
Moves old files of a folder into an archive.

Usage: ns tidy.ns FOLDER [ARCHIVE] [OPTIONS]

Arguments:
  FOLDER             the folder to tidy
  [ARCHIVE]          where they go [default: \"old\"]

Options:
  --newer-than TEXT  leave files alone that were changed since
  --go               move them
  --no-keep          turn off: leave the newest alone
  --skip TEXT        may be repeated [default: [\"a\"]]
  --vars KEY=VALUE   may be repeated
  --most N           [default: 5]
  -h, --help         show this

Options of `ns`, such as --plan and --sandbox DIR, may stand before the file or after it; `ns run --help` lists them.
";

fn place(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in files {
        fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

fn ns(place: &Path, words: &[&str]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}

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

#[test]
fn a_mistake_is_told_with_the_usage_and_nothing_runs() {
    let place = place(&[("tidy.ns", TIDY)]);
    for (words, named) in [
        (&["tidy.ns"][..], "the argument `FOLDER` is missing"),
        (&["run", "tidy.ns"], "give the folder to tidy"),
        (&["tidy.ns", "a", "b", "c"], "`c` is too much: the script takes at most 2 arguments"),
        (&["tidy.ns", "a", "--most", "many"], "`--most` needs a whole number, not `many`"),
        (&["tidy.ns", "a", "--most"], "`--most` needs a value"),
        (&["tidy.ns", "a", "--nwer-than", "7d"], "did you mean `--newer-than`?"),
        (&["tidy.ns", "--version"], "`ns --version` shows the version of `ns`"),
        (&["tidy.ns", "a", "--", "--plan"], "the script does not have an option `--plan`"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.ends_with(HELP), "{words:?}\n{}", ran.stderr);
        assert!(!place.path().join("ran.txt").exists(), "{words:?}");
    }
    let planned = ns(place.path(), &["tidy.ns", "--plan=json"]);
    assert_eq!((planned.code, planned.stdout.as_str()), (2, ""), "{}", planned.stderr);
}

const TAKE: &str = "\
:: arg count (int): how many to take
:: arg [shares...] (float): of what
:: arg most (int): at most
:: arg sizes (int): of these sizes
DEFINE PROCEDURE Main(count, shares: [], most: nil, sizes: {})
  EMIT [count + 1, shares, most, sizes]
END
";

#[test]
fn a_line_declares_the_kind_that_no_default_shows() {
    let place = place(&[("take.ns", TAKE)]);
    let help = ns(place.path(), &["take.ns", "--help"]).stdout;
    let shown = "Usage: ns take.ns COUNT [SHARES]... [OPTIONS]\n\nArguments:\n  COUNT               how many to take [a whole number]\n  \
        [SHARES]...         of what [a number]\n\nOptions:\n  --most N            at most\n  --sizes KEY=NUMBER  of these sizes; may be repeated\n";
    assert!(help.contains(shown), "{help}");
    for (words, printed) in [
        (&["take.ns", "5"][..], "[6, [], nil, {}]"),
        (&["take.ns", "-5", "1", ".5"], "[-4, [1.0, 0.5], nil, {}]"),
        (&["take.ns", "--count=5", "--most", "9", "--sizes", "a=1"], "[6, [], 9, {\"a\": 1}]"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.trim()), (0, printed), "{words:?}\n{}", ran.stderr);
    }
    for (words, named) in [
        (&["take.ns", "five"][..], "`COUNT` needs a whole number, not `five`"),
        (&["take.ns", "5.5"], "help: give a whole number in its place"),
        (&["take.ns", "5", "x"], "`SHARES` needs a number, not `x`"),
        (&["take.ns", "5", "--most", "x"], "`--most` needs a whole number, not `x`"),
        (&["take.ns", "5", "--sizes", "a=x"], "`--sizes` needs `KEY=NUMBER`, not `a=x`"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.ends_with(&help), "{words:?}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("is missing"), "{words:?}\n{}", ran.stderr);
    }
    let info: Json =
        serde_json::from_str(&ns(place.path(), &["check", "--info", "--format", "json", "take.ns"]).stdout)
            .expect("JSON");
    let text = info.to_string();
    assert!(text.contains(r#""kind":"int""#) && text.contains(r#""kind":"list of float""#), "{text}");
}

#[test]
fn a_kind_that_contradicts_is_reported() {
    for (head, line, named) in [
        ("Main(count)", "count (number)", "`number` is not a kind of argument"),
        ("Main(count)", "count (bool)", "write `count: false` in the head of the procedure for `--count`"),
        ("Main(count: \"x\")", "count (int)", "the default of `count` does not fit `(int)`"),
        ("Main(count: 1)", "count (float)", "the default of `count` does not fit `(float)`"),
        ("Main(count: false)", "count (int)", "the default of `count` does not fit `(int)`"),
        ("Main(count: [\"a\"])", "count (int)", "the default of `count` does not fit `(int)`"),
    ] {
        let place = place(&[("x.ns", &format!(":: arg {line}: what\nDEFINE PROCEDURE {head}\n  EMIT count\nEND\n"))]);
        let ran = ns(place.path(), &["check", "x.ns"]);
        assert!(ran.code != 0 && ran.stderr.contains("NS0208") && ran.stderr.contains(named), "{head}\n{}", ran.stderr);
    }
    let typed = place(&[("x.ns", "DEFINE PROCEDURE Main(count: int)\n  EMIT count\nEND\n")]);
    let ran = ns(typed.path(), &["check", "x.ns"]);
    assert!(ran.stderr.contains("remove it; `:: arg count (int): …` above"), "{}", ran.stderr);
    let place = place(&[("x.ns", ":: arg count (int): what\nEMIT ARGS\n")]);
    let ran = ns(place.path(), &["check", "x.ns"]);
    assert!(ran.stderr.contains("`(int)` has no effect: the words in `ARGS` are strings"), "{}", ran.stderr);
}

/// For an option that resembles none of the script, the help lists the parameters of the script.
#[test]
fn an_unknown_option_is_told_with_what_the_script_takes() {
    let one = "DEFINE PROCEDURE Main(folder, most: 5)\n  EMIT folder, most\nEND\n";
    let none = "DEFINE PROCEDURE Main()\n  EMIT 1\nEND\n";
    let place = place(&[("tidy.ns", TIDY), ("one.ns", one), ("none.ns", none), ("args.ns", "EMIT ARGS\n")]);
    for option in ["--n", "-n", "--zzz", "--zzz=5"] {
        for (words, takes) in [
            (&["tidy.ns", "a"][..], "the script takes FOLDER [ARCHIVE] and the options `--newer-than TEXT`"),
            (&["one.ns", "a"], "the script takes FOLDER and the option `--most N`"),
            (&["none.ns"], "the script takes no arguments and no options"),
            (&["args.ns"], "the script declares no options: write `-- "),
        ] {
            let ran = ns(place.path(), &[words, &[option, "x"]].concat());
            assert!(ran.code == 2 && ran.stderr.contains(takes), "{words:?} {option}: {}", ran.stderr);
        }
    }
}

#[test]
fn an_option_that_ns_has_too_is_refused_where_either_could_be_meant() {
    let text = "DEFINE PROCEDURE Main(output: \"x\", seed: 1)\n  EMIT output, seed\nEND\n";
    let place = place(&[("s.ns", text)]);
    for words in [&["s.ns", "--output", "json"][..], &["run", "s.ns", "--output=json"], &["s.ns", "--seed", "5"]] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 2 && ran.stdout.is_empty(), "{words:?} {}", ran.stdout);
        assert!(ran.stderr.contains("is an option of `ns` and of the script"), "{}", ran.stderr);
    }
    assert_eq!(ns(place.path(), &["--output", "json", "s.ns"]).stdout, "[\"x\",1]\n");
    assert_eq!(ns(place.path(), &["s.ns", "--", "--output", "json", "--seed=5"]).stdout, "json5\n");
    let checked = ns(place.path(), &["check", "s.ns"]);
    assert_eq!(checked.stderr.matches("warning[NS0120]").count(), 2, "{}", checked.stderr);
}

/// For each option that `ns run` has too, the spelling shown in the script's usage reaches the script, and the plain
/// one is never ignored silently.
#[test]
fn the_usage_shows_a_spelling_that_reaches_the_script() {
    for option in OWN_OPTIONS {
        let name = option.replace('-', "_");
        for (default, given, value) in [("false", "", "true"), ("\"\"", " seen", "seen"), ("[]", " seen", "[\"seen\"]")]
        {
            let text = format!("DEFINE PROCEDURE Main({name}: {default})\n  EMIT \"got \", {name}\nEND\n");
            let place = place(&[("s.ns", &text)]);
            let help = ns(place.path(), &["s.ns", "--help"]).stdout;
            let row = help.lines().find(|line| line.contains(&format!("--{option}"))).expect("it is listed").trim();
            let shown: Vec<&str> = row.split("  ").next().unwrap_or(row).split([' ', '=']).collect();
            assert_eq!(shown[..2], ["--", &*format!("--{option}")], "{row}");
            let value_behind = if row.contains('=') { "=" } else { " " };
            let given = if given.is_empty() && value_behind == "=" { " true" } else { given };
            let written = format!("s.ns -- --{option}{}", given.replace(' ', value_behind));
            let ran = ns(place.path(), &written.split(' ').collect::<Vec<_>>());
            assert_eq!((ran.code, &*ran.stdout), (0, &*format!("got {value}\n")), "{written}: {}", ran.stderr);
            // Before the separator it is refused, or only `ns` has it and shows that.
            let plain = format!("s.ns --{option}{given}");
            let ran = ns(place.path(), &plain.split(' ').collect::<Vec<_>>());
            let is_seen = ran.code != 0 || option == "help" && ran.stdout == help;
            assert!(is_seen && !ran.stdout.contains("got"), "{plain}: {}{}", ran.stdout, ran.stderr);
            let checked = ns(place.path(), &["check", "s.ns"]);
            assert_eq!(checked.stderr.matches("warning[NS0120]").count(), 1, "{option}: {}", checked.stderr);
        }
        // The negated form of a flag is an option of the script alone.
        let text = format!("DEFINE PROCEDURE Main({name}: true)\n  EMIT \"got \", {name}\nEND\n");
        let place = place(&[("s.ns", &text)]);
        let help = ns(place.path(), &["s.ns", "--help"]).stdout;
        assert!(help.contains(&format!("  --no-{option}  ")), "{help}");
        assert_eq!(ns(place.path(), &["s.ns", &format!("--no-{option}")]).stdout, "got false\n");
    }
}

/// A suggestion is always the nearest option, by the script or by `ns`, and there is none where nothing is near.
#[test]
fn the_nearest_option_is_suggested() {
    let names = ["go", "folder", "limit", "newer-than", "x"];
    let place = place(&[("s.ns", "func Main(go: false, folder: \"\", limit: 1, newer_than: nil, x: 1) means\nend\n")]);
    let all = || names.iter().chain(&OWN_OPTIONS);
    let mut suggested = 0;
    for name in all() {
        for word in misspelt(name).into_iter().filter(|word| !all().any(|known| known == word)) {
            let ran = ns(place.path(), &["s.ns", &format!("--{word}=1")]);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "--{word}: {}", ran.stderr);
            let Some(near) = ran.stderr.split("did you mean `--").nth(1).and_then(|rest| rest.split('`').next()) else {
                let is_short = name.len() < 3 || word.len() < 3;
                assert!(is_short, "--{word}, for --{name}: {}", ran.stderr);
                continue;
            };
            let distance = |name: &str| strsim::damerau_levenshtein(&word, name);
            let least = all().map(|name| distance(name)).min();
            let is_begin = near.starts_with(word.as_str());
            assert!(is_begin || Some(distance(near)) == least, "--{word}: --{near}, not --{name}");
            suggested += 1;
        }
    }
    assert!(suggested > 60, "{suggested}");
    for word in ["zebra", "gooo", "og", "g", "z", "destination"] {
        let ran = ns(place.path(), &["s.ns", &format!("--{word}")]);
        assert!(ran.code == 2 && !ran.stderr.contains("did you mean"), "--{word}: {}", ran.stderr);
    }
    assert!(ns(place.path(), &["s.ns", "--goo"]).stderr.contains("did you mean `--go`?"));
}

/// Returns a name with a letter too many, one too few, one exchanged, and two in the wrong order.
fn misspelt(name: &str) -> Vec<String> {
    let middle = name.len() / 2;
    let (first, second) = name.split_at(middle);
    let letters: Vec<char> = name.chars().collect();
    let mut swapped = letters.clone();
    swapped.swap(middle, middle.saturating_sub(1));
    let swapped: String = swapped.into_iter().collect();
    let mut words = vec![format!("{first}o{second}"), format!("{name}{}", letters[letters.len() - 1]), swapped];
    words.push(format!("{first}{}", &second[1..]));
    words.push(format!("{first}w{}", &second[1..]));
    words.retain(|word| !word.is_empty() && word != name);
    words
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

/// A script has no short options: a one-letter parameter is a long option, whatever `ns` has.
#[test]
fn a_parameter_of_one_letter_is_a_long_option() {
    for letter in ["e", "h", "q", "v", "V", "n"] {
        let text = format!("DEFINE PROCEDURE Main({letter}: false)\n  EMIT \"got \", {letter}\nEND\n");
        let place = place(&[("s.ns", &text)]);
        assert!(ns(place.path(), &["s.ns", "--help"]).stdout.contains(&format!("  --{letter}\n")), "{letter}");
        assert_eq!(ns(place.path(), &["s.ns", &format!("--{letter}")]).stdout, "got true\n");
        assert_eq!(ns(place.path(), &["check", "s.ns"]).stderr, "", "{letter}");
        let short = ns(place.path(), &["s.ns", &format!("-{letter}")]);
        assert!(!short.stdout.contains("got true"), "{letter}: {}", short.stdout);
    }
}

/// A short option is that of `ns`, even if the script has an option with the long name.
#[test]
fn a_short_option_is_never_that_of_the_script() {
    let text = "DEFINE PROCEDURE Main(quiet: false, verbose: false)\n  EMIT quiet, verbose\nEND\n";
    let place = place(&[("s.ns", text)]);
    for words in [&["s.ns", "-q"][..], &["s.ns", "-v"], &["-qv", "s.ns"], &["s.ns", "-vq"]] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "falsefalse\n"), "{words:?} {}", ran.stderr);
    }
    assert_eq!(ns(place.path(), &["s.ns", "-q", "--", "--verbose"]).stdout, "falsetrue\n");
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

const UNCALLED: &str = "SET days = 30\nDEFINE PROCEDURE Main(folder)\n  EMIT folder, days\nEND\n";

#[test]
fn a_run_that_leaves_main_out_says_so_wherever_the_messages_go() {
    let place = place(&[("days.ns", UNCALLED)]);
    for words in [&["days.ns"][..], &["days.ns", "--plan"], &["days.ns", "--help"], &["run", "days.ns", "x"]] {
        let Ran { code, stderr, .. } = ns(place.path(), words);
        let wanted = if words.contains(&"x") { 2 } else { 0 };
        assert!(stderr.starts_with("warning[NS0123]: `Main` is never called"), "{words:?}: {stderr}");
        assert!(code == wanted && stderr.matches("NS0123").count() == 1, "{words:?}: {stderr}");
    }
    let Ran { stderr, .. } = with_input(ns_without_sandbox().current_dir(place.path()), UNCALLED);
    assert!(stderr.contains("NS0123"), "{stderr}");
    for words in [&["--quiet", "days.ns"][..], &["days.ns", "--proc", "Main", "x"]] {
        let Ran { stderr, .. } = ns(place.path(), words);
        assert!(!stderr.contains("NS0123"), "{words:?}: {stderr}");
    }
    fs::write(place.path().join("page.md"), format!("```neuroscript\n{UNCALLED}```\n")).expect("a page");
    for words in [["run", "page.md"], ["check", "page.md"]] {
        assert!(!ns(place.path(), &words).stderr.contains("NS0123"), "{words:?}");
    }
    let Ran { code, stderr, .. } = ns(place.path(), &["days.ns", "x", "--days", "7"]);
    assert!(code == 2 && stderr.starts_with("warning[NS0123]"), "{stderr}");
}

/// Heads of `Main`, each with words that fit it.
const HEADS: [(&str, &[&str]); 6] = [
    ("a, b: 1", &["x", "--b", "2"]),
    ("", &[]),
    ("a, b, limit: 5", &["x", "y", "--limit", "7"]),
    ("folder, newer_than: nil, go: false, keep: true", &["x", "--newer-than", "7d", "--go"]),
    ("ratio: 0.5, skip: [], vars: {}", &["--ratio", "2", "--skip", "a", "--vars", "k=v"]),
    ("numbers: [1]", &["--numbers", "3"]),
];

/// Words that spoil every command line, and what the report says of each.
const WRONG: [(&str, &str); 12] = [
    ("--zz", "neither `ns` nor the script has an option `--zz`"),
    ("--n", "neither `ns` nor the script has an option `--n`"),
    ("-q9", "neither `ns` nor the script has an option `-q9`"),
    ("--zz=4", "neither `ns` nor the script has an option `--zz`"),
    ("--no-zz", "neither `ns` nor the script has an option `--no-zz`"),
    ("--tree_", "neither `ns` nor the script has an option `--tree_`"),
    ("-", "`-` is too much"),
    ("extra", "`extra` is too much"),
    ("/zz", "`/zz` is too much"),
    ("zz=1", "`zz=1` is too much"),
    ("\u{2014}zz", "`\u{2014}zz` is too much"),
    ("-4", "`-4` is too much"),
];

/// One wrong word is one finding, which names that word; an option that the help suggests is one.
#[test]
fn each_wrong_word_is_reported_once_and_the_help_fits() {
    for (head, good) in HEADS {
        let script = format!("DEFINE PROCEDURE Main({head})\n  EMIT 1\nEND\n");
        let place = place(&[("s.ns", &script)]);
        let told = |words: &[&str]| ns(place.path(), &[&["s.ns"][..], words].concat());
        assert_eq!(told(good).code, 0, "{head}");
        for (wrong, said) in WRONG {
            let words = [good, &[wrong][..]].concat();
            let Ran { code, stdout, stderr } = told(&words);
            assert!(code == 2 && stdout.is_empty() && stderr.contains(said), "{head} {words:?}: {stderr}");
            assert_eq!(stderr.matches("error[").count(), 1, "{head} {words:?}: {stderr}");
            for suggested in stderr.split("did you mean `").skip(1).map(|rest| &rest[..rest.find('`').unwrap_or(0)]) {
                let Ran { stderr, .. } = told(&[good, &[suggested][..]].concat());
                assert!(!stderr.contains("has an option"), "{head} {wrong}: {suggested}: {stderr}");
            }
        }
    }
}

/// Every option of a head, spoiled in its spelling, its value and its number.
#[test]
fn a_mistake_with_an_option_names_it_and_what_it_takes() {
    let head = "folder, limit: 5, ratio: 0.5, go: false, name: nil, skip: [], vars: {}";
    let place = place(&[("s.ns", &format!("DEFINE PROCEDURE Main({head})\n  EMIT 1\nEND\n"))]);
    for (words, message, help) in [
        ("x --limit", "`--limit` needs a value", "write `--limit N`"),
        ("x --name --go", "`--name` needs a value", "if it is the value, write `--name=--go`"),
        ("--folder", "`--folder` needs a value", "write `--folder TEXT`"),
        ("x --limit=", "`--limit` needs a whole number, not an empty text", "write `--limit N`"),
        ("x --limit 1.5", "`--limit` needs a whole number, not `1.5`", "write `--limit N`"),
        ("x --limit 99999999999999999999", "a whole number of 64 bits", "write `--limit N`"),
        ("x --ratio half", "`--ratio` needs a number, not `half`", "write `--ratio NUMBER`"),
        ("x --vars k", "`--vars` needs `KEY=VALUE`, not `k`", "write `--vars KEY=VALUE`"),
        ("x --limit 1 --limit 2", "`--limit` gives `limit` a second value", "give it once"),
        ("x --go --no-go", "`--no-go` gives `go` a second value", "give it once"),
        ("x --go=yes", "`--go` is true or false, not `yes`", "write `--go` alone"),
        ("x --go false", "`false` is not read as the value of `--go`", "write `--go=false`"),
        ("x --no-limit", "there is no `--no-limit`", "write `--limit N`, or leave it out"),
        ("x --no-go=true", "`--no-go` takes no value", "leave it out"),
        ("x --folder y", "`x` is too much", "leave it out, or `--folder`, which gives an argument by its name"),
        ("x limit=7", "`limit=7` is too much", "an option is written `--limit=7`"),
        ("x /go", "`/go` is too much", "an option is written `--go`"),
        ("x \u{2014}limit", "`\u{2014}limit` is too much", "an option is written `--limit`"),
        ("x -limit 7", "has an option `-limit`", "did you mean `--limit`?"),
        ("x --lim 7", "has an option `--lim`", "did you mean `--limit`?"),
        ("x --LIMIT 7", "has an option `--LIMIT`", "did you mean `--limit`?"),
        ("x -l 7", "has an option `-l`", "the script takes FOLDER and the options `--limit N`"),
        ("x --zz", "has an option `--zz`", "the script takes FOLDER and the options `--limit N`"),
        ("", "the argument `FOLDER` is missing", "give it by its place"),
    ] {
        let words: Vec<&str> = ["s.ns"].into_iter().chain(words.split_whitespace()).collect();
        let Ran { code, stderr, .. } = ns(place.path(), &words);
        assert!(code == 2 && stderr.contains(message) && stderr.contains(help), "{words:?}: {stderr}");
        assert!(stderr.matches("error[").count() == 1 && stderr.contains("Usage: ns s.ns"), "{words:?}: {stderr}");
    }
}
