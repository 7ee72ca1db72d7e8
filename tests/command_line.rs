//! The rule for the words of a command line that runs a script: every option of `ns`, in every position and spelling,
//! takes effect or is refused; the words of the script reach it unchanged.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Ran, ns_without_sandbox, run, with_input};

/// An option of `ns run`, and a check that it takes effect.
struct Case {
    /// Its long names.
    names: &'static [&'static str],
    /// Its short name.
    short: Option<&'static str>,
    value: Option<&'static str>,
    /// Whether its value must follow `=`.
    needs_equals: bool,
    script: &'static str,
    /// Whether a run shows that the option took effect.
    holds: fn(&Ran, &Path) -> bool,
}

const FLAG: Case =
    Case { names: &[], short: None, value: None, needs_equals: false, script: "EMIT 1\n", holds: |_, _| false };
const WRITES: &str = "CALL FS.WriteFile(\"made.txt\", \"x\")\nEMIT LAST.error\n";

/// Every option of `ns run` except `--eval`, `--help` and `--quiet`, which have tests of their own.
const CASES: &[Case] = &[
    Case {
        names: &["sandbox"],
        value: Some("other"),
        script: "EMIT FS.Exists(\"only-in-other.txt\")\n",
        holds: |ran, _| ran.stdout == "true\n",
        ..FLAG
    },
    Case {
        names: &["policy"],
        value: Some("closed.toml"),
        script: WRITES,
        holds: |ran, place| ran.stdout.contains("the run is read-only") && !place.join("made.txt").exists(),
        ..FLAG
    },
    Case {
        names: &["lib"],
        value: Some("modules"),
        script: "USE \"m.ns\" AS m\nEMIT m.Name()\n",
        holds: |ran, _| ran.stdout == "library\n",
        ..FLAG
    },
    Case {
        names: &["read-only"],
        script: WRITES,
        holds: |ran, place| ran.stdout.contains("the run is read-only") && !place.join("made.txt").exists(),
        ..FLAG
    },
    Case {
        names: &["strict"],
        script: "SET none = FS.WalkDir(\"missing\")\nEMIT none\n",
        holds: |ran, _| ran.code == 1 && ran.stdout.is_empty(),
        ..FLAG
    },
    Case {
        names: &["max-steps"],
        value: Some("1000"),
        script: "FOR EACH n IN RANGE(5000) DO\n  SET x = n\nEND\nEMIT x\n",
        holds: |ran, _| ran.code == 124,
        ..FLAG
    },
    Case {
        names: &["max-files"],
        value: Some("3"),
        script: "MUST CALL FS.FindFiles(\"many\")\nEMIT LEN(LAST.items)\n",
        holds: |ran, _| ran.stdout == "3\n",
        ..FLAG
    },
    Case {
        names: &["timeout"],
        value: Some("20ms"),
        script: "FOR EACH n IN RANGE(5000000) DO\n  SET x = n\nEND\nEMIT x\n",
        holds: |ran, _| ran.code == 124,
        ..FLAG
    },
    Case {
        names: &["now"],
        value: Some("2001-02-03T04:05:06Z"),
        script: "EMIT TIME.Now()\n",
        holds: |ran, _| ran.stdout.starts_with("2001-02-03T04:05:06"),
        ..FLAG
    },
    Case {
        names: &["seed"],
        value: Some("7"),
        script: "EMIT RANDOM.Int(1, 1000000000)\n",
        holds: |ran, _| ran.stdout == "157796098\n",
        ..FLAG
    },
    Case {
        names: &["output"],
        value: Some("json"),
        script: "EMIT \"a\", 1\n",
        holds: |ran, _| ran.stdout == "[\"a\",1]\n",
        ..FLAG
    },
    Case {
        names: &["atomic"],
        script: "MUST CALL FS.WriteFile(\"made.txt\", \"x\")\nFAIL \"no\"\n",
        holds: |ran, place| ran.stderr.contains("taken back") && !place.join("made.txt").exists(),
        ..FLAG
    },
    Case {
        names: &["plan", "dry-run"],
        script: WRITES,
        holds: |ran, place| ran.stdout.contains("plan: the run would change") && !place.join("made.txt").exists(),
        ..FLAG
    },
    Case {
        names: &["plan", "dry-run"],
        value: Some("json"),
        needs_equals: true,
        script: WRITES,
        holds: |ran, place| ran.stdout.contains("\"changes\"") && !place.join("made.txt").exists(),
        ..FLAG
    },
    Case {
        names: &["verbose"],
        short: Some("v"),
        holds: |ran, _| ran.stderr.contains("kernel") || ran.stderr.contains("Landlock"),
        ..FLAG
    },
    Case {
        names: &["proc"],
        value: Some("Other"),
        script: ":: arg [words...]: more\nDEFINE PROCEDURE Main(words: [])\n  EMIT \"main\"\nEND\n\nDEFINE PROCEDURE Other(words: [])\n  EMIT \"other\"\nEND\n",
        holds: |ran, _| ran.stdout == "other\n",
        ..FLAG
    },
];

/// The positions of an option.
const POSITIONS: &[&str] = &["before the command", "before the file", "after the file", "after words", "after --"];

impl Case {
    /// Returns the option in each of its spellings.
    fn spellings(&self) -> Vec<Vec<String>> {
        let mut spellings = Vec::new();
        for name in self.names {
            match self.value {
                None => spellings.push(vec![format!("--{name}")]),
                Some(value) => {
                    spellings.push(vec![format!("--{name}={value}")]);
                    if !self.needs_equals {
                        spellings.push(vec![format!("--{name}"), value.to_owned()]);
                    }
                }
            }
        }
        spellings.extend(self.short.map(|short| vec![format!("-{short}")]));
        spellings
    }
}

/// Creates a directory with the files of the cases.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in [
        ("other/only-in-other.txt", ""),
        ("many/1.txt", ""),
        ("many/2.txt", ""),
        ("many/3.txt", ""),
        ("many/4.txt", ""),
        ("many/5.txt", ""),
        ("closed.toml", "[policy]\nread_only = true\n"),
        ("modules/m.ns", "func Name() means\n  RETURN \"library\"\nendfunc\n"),
    ] {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    place
}

fn write(place: &Path, name: &str, text: &str) {
    fs::write(place.join(name), text).expect("a script");
}

fn go(place: &Path, words: &[String]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}

fn ns(place: &Path, words: &[&str]) -> Ran {
    run(ns_without_sandbox().current_dir(place).args(words))
}

/// Returns a command line for a position and a form; `None` if they cannot be combined.
fn line(position: &str, with_command: bool, option: &[String]) -> Option<Vec<String>> {
    let command = with_command.then(|| "run".to_owned());
    let file = || "s.ns".to_owned();
    let words = || vec!["word".to_owned()];
    let parts: Vec<Vec<String>> = match position {
        "before the command" => vec![option.to_vec(), vec![command?], vec![file()]],
        "before the file" => vec![command.into_iter().collect(), option.to_vec(), vec![file()]],
        "after the file" => vec![command.into_iter().collect(), vec![file()], option.to_vec()],
        "after words" => vec![command.into_iter().collect(), vec![file()], words(), option.to_vec(), words()],
        _ => vec![command.into_iter().collect(), vec![file(), "--".to_owned()], option.to_vec()],
    };
    Some(parts.concat())
}

#[test]
fn every_option_holds_in_every_position_and_spelling() {
    let place = place();
    for case in CASES {
        for spelling in case.spellings() {
            for (position, with_command) in
                POSITIONS.iter().flat_map(|position| [(*position, true), (*position, false)])
            {
                let Some(words) = line(position, with_command, &spelling) else { continue };
                // Words are refused unless the script reads them.
                let reads = if case.script.contains("PROCEDURE") { "" } else { "SET _words = ARGS\n" };
                write(place.path(), "s.ns", &format!("{}{reads}", case.script));
                let ran = go(place.path(), &words);
                let holds = (case.holds)(&ran, place.path());
                let told = format!("ns {}: exit {}\n{}{}", words.join(" "), ran.code, ran.stdout, ran.stderr);
                assert_eq!(holds, position != "after --", "{told}");
                if position == "after --" {
                    write(place.path(), "s.ns", "EMIT STR.Join(ARGS, \" \")\n");
                    let ran = go(place.path(), &words);
                    assert_eq!((ran.code, ran.stdout), (0, format!("{}\n", spelling.join(" "))), "{told}");
                }
                let _ = fs::remove_file(place.path().join("made.txt"));
            }
        }
    }
}

#[test]
fn no_option_is_without_a_case() {
    let place = place();
    let help = ns(place.path(), &["run", "--help"]).stdout;
    let options = regex::Regex::new(r"(?m)^ +(?:-\w, )?--([a-z-]+)|\[aliases?: --([a-z-]+)\]").expect("a pattern");
    let mut found = 0;
    for option in options.captures_iter(&help).filter_map(|found| found.get(1).or_else(|| found.get(2))) {
        let is_known = CASES.iter().any(|case| case.names.contains(&option.as_str()));
        // The effect of `--quiet` is only visible at a terminal: tests/repl/ended.rs.
        assert!(
            is_known || ["eval", "help", "quiet"].contains(&option.as_str()),
            "`--{}` has no case",
            option.as_str()
        );
        found += 1;
    }
    assert!(found >= CASES.len(), "{found} options were found in\n{help}");
}

#[test]
fn code_comes_in_the_place_of_a_file() {
    let place = place();
    for words in [
        &["-e", "EMIT ARGS", "a", "b"][..],
        &["run", "-e", "EMIT ARGS", "a", "b"],
        &["--eval=EMIT ARGS", "a", "b"],
        &["-eEMIT ARGS", "a", "b"],
        &["run", "--read-only", "-e", "EMIT ARGS", "a", "--strict", "b"],
        &["-ve", "EMIT ARGS", "a", "--", "b"],
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "[\"a\", \"b\"]\n"), "{words:?} {}", ran.stderr);
    }
    write(place.path(), "s.ns", "EMIT \"ran\"\n");
    let ran = ns(place.path(), &["s.ns", "-e", "EMIT 1"]);
    assert!(ran.code == 2 && ran.stdout.is_empty(), "{}", ran.stderr);
    write(place.path(), "s.ns", WRITES);
    let ran = ns(place.path(), &["-e", WRITES, "--plan"]);
    assert!(ran.stdout.contains("plan: the run would change"), "{}", ran.stdout);
    assert!(!place.path().join("made.txt").exists());
}

/// A word that could be meant as the value of the option before it is neither that nor, silently, a word for the script.
#[test]
fn a_value_that_stands_apart_is_refused() {
    let place = place();
    write(place.path(), "s.ns", &format!("{WRITES}EMIT ARGS\n"));
    let pairs = ["text", "json", "html", "JSON"].iter().flat_map(|form| [("--plan", *form), ("--dry-run", *form)]);
    let switches = ["--atomic", "--read-only", "--strict", "--quiet", "-q", "--verbose", "-v"];
    let switches = switches.iter().flat_map(|option| [(*option, "true"), (*option, "false")]);
    for (option, value) in pairs.chain(switches) {
        for words in [
            vec!["s.ns", option, value],
            vec!["run", "s.ns", option, value],
            vec![option, value, "s.ns"],
            vec!["run", option, value, "s.ns"],
            vec!["-e", WRITES, option, value],
        ] {
            let ran = ns(place.path(), &words);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
            let message = format!("`{value}` is not read as the value of `{option}`");
            assert!(ran.stderr.contains(&message), "{words:?} {}", ran.stderr);
            assert!(!place.path().join("made.txt").exists(), "{words:?}");
        }
        for words in [vec!["s.ns", value, option], vec!["s.ns", option, "--", value], vec![option, "s.ns", value]] {
            let ran = ns(place.path(), &words);
            let given = format!("[\"{value}\"]\n");
            assert!(
                ran.code != 2 && ran.stdout.contains(&given) | ran.stderr.contains("read-only"),
                "{words:?} {}",
                ran.stderr
            );
            let _ = fs::remove_file(place.path().join("made.txt"));
        }
    }
}

#[test]
fn words_that_a_script_does_not_read_are_refused() {
    let place = place();
    write(place.path(), "s.ns", WRITES);
    write(place.path(), "quiet.ns", "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n");
    write(place.path(), "reads.ns", "DEFINE PROCEDURE Words()\n  RETURN args\nEND\n");
    write(place.path(), "uses.ns", "USE \"quiet.ns\" AS m\nEMIT m.F()\n");
    write(place.path(), "knows.ns", "USE \"reads.ns\" AS m\nEMIT m.Words()\n");
    for words in
        [&["s.ns", "x"][..], &["s.ns", "--", "x"], &["-e", WRITES, "x"], &["-e", WRITES, "s.ns"], &["uses.ns", "x"]]
    {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
        assert!(ran.stderr.contains("is too much: the script does not read `ARGS`"), "{words:?} {}", ran.stderr);
        assert!(!place.path().join("made.txt").exists(), "{words:?}");
    }
    for (words, out) in [
        (&["knows.ns", "x"][..], "[\"x\"]\n"),
        (&["-e", "EMIT ```{{ARGS}}```", "x"], "[\"x\"]\n"),
        (&["-e", "SET f = LIST.Map([1], W)\nEMIT f\nfunc W(x) means\n  return args[0]\nend", "x"], "[\"x\"]\n"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, out), "{words:?} {}", ran.stderr);
    }
}

#[test]
fn a_script_from_standard_input_takes_options_too() {
    let place = place();
    for words in [&["--plan"][..], &["--plan", "-"], &["-", "--plan"], &["run", "-", "--plan"], &["run", "--plan", "-"]]
    {
        let ran = with_input(ns_without_sandbox().current_dir(place.path()).args(words), WRITES);
        assert!(ran.stdout.contains("plan: the run would change"), "{words:?} {}{}", ran.stdout, ran.stderr);
        assert!(!place.path().join("made.txt").exists(), "{words:?}");
    }
}

#[test]
fn markdown_takes_options_and_words() {
    let place = place();
    write(
        place.path(),
        "notes.md",
        "# Notes\n\n```neuroscript\nEMIT ARGS\nCALL FS.WriteFile(\"made.txt\", \"x\")\n```\n",
    );
    let ran = ns(place.path(), &["notes.md", "a", "--plan", "b"]);
    assert!(ran.stdout.starts_with("[\"a\", \"b\"]\nplan: the run would change"), "{}{}", ran.stdout, ran.stderr);
    assert!(!place.path().join("made.txt").exists());
}

#[test]
fn an_option_that_nobody_has_is_refused_and_nothing_runs() {
    let place = place();
    write(place.path(), "s.ns", WRITES);
    write(place.path(), "a.ns", &format!("{WRITES}EMIT ARGS\n"));
    write(place.path(), "m.ns", "DEFINE PROCEDURE Main(folder: nil)\n  CALL FS.WriteFile(\"made.txt\", \"x\")\nEND\n");
    for (words, named, near) in [
        (&["s.ns", "--zebra"][..], "--zebra", "does not read `ARGS`"),
        (&["a.ns", "--zebra"], "--zebra", "write `-- --zebra`"),
        (&["s.ns", "--quick"], "--quick", "did you mean `--quiet`?"),
        (&["s.ns", "--paln"], "--paln", "did you mean `--plan`?"),
        (&["s.ns", "word", "--paln=json"], "--paln", "did you mean `--plan`?"),
        (&["s.ns", "--dryrun"], "--dryrun", "did you mean `--dry-run`?"),
        (&["s.ns", "-x"], "-x", ""),
        (&["s.ns", "-vx"], "-vx", ""),
        (&["run", "s.ns", "--readonly"], "--readonly", "did you mean `--read-only`?"),
        (&["run", "--readonly", "s.ns"], "--readonly", "did you mean `--read-only`?"),
        (&["--readonly", "s.ns"], "--readonly", "did you mean `--read-only`?"),
        (&["--readonly", "run", "s.ns"], "--readonly", "did you mean `--read-only`?"),
        (&["m.ns", "--foldr", "x"], "--foldr", "did you mean `--folder`?"),
        (&["m.ns", "--atomc"], "--atomc", "did you mean `--atomic`?"),
        (&["m.ns", "--", "--atomic"], "--atomic", ""),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`{named}`")) && ran.stderr.contains(near), "{words:?} {}", ran.stderr);
        assert!(!place.path().join("made.txt").exists(), "{words:?}");
    }
}

#[test]
fn a_misspelt_command_or_file_is_named_with_the_nearest() {
    let place = place();
    fs::create_dir(place.path().join("deep")).expect("a folder");
    for name in ["s.ns", "tidy.ns", "deep/inventory.ns", "rune.md", "photos.jpg"] {
        write(place.path(), name, "EMIT 1\n");
    }
    for words in [&["run", "tidi.ns"][..], &["check", "tidi.ns"], &["fmt", "tidi.ns"], &["--plan", "run", "tidi.ns"]] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 2 && ran.stderr.contains("did you mean `tidy.ns`?"), "{words:?} {}", ran.stderr);
    }
    for (words, help) in [
        (&["rnu", "s.ns"][..], "did you mean `ns run`?"),
        (&["--read-only", "chekc", "s.ns"], "did you mean `ns check`?"),
        (&["s"], "did you mean `s.ns`?"),
        (&["tidi.ns"], "did you mean `tidy.ns`?"),
        (&["tidi"], "did you mean `tidy.ns`?"),
        (&["./tdiy.ns", "--go"], "did you mean `./tidy.ns`?"),
        (&["deep/inventry.ns"], "did you mean `deep/inventory.ns`?"),
        (&["tidy.txt"], "did you mean `tidy.ns`?"),
        (&["rune"], "did you mean `ns run` or `ns rune.md`?"),
        (&["photos.png"], "`ns --help` lists the commands"),
        (&["nothing-of-that-kind"], "`ns --help` lists the commands"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?} {}", ran.stderr);
        assert!(ran.stderr.contains("there is no command or file") && ran.stderr.contains(help), "{}", ran.stderr);
    }
    let ran = ns(place.path(), &["--plan", "check", "s.ns"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("`--plan` is an option of `ns run`, not of `ns check`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_word_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let place = place();
    write(place.path(), "s.ns", "EMIT ARGS\n");
    let word = std::ffi::OsStr::from_bytes(b"a\xffb");
    for words in [&["s.ns"][..], &["s.ns", "--"]] {
        let ran = run(ns_without_sandbox().current_dir(place.path()).args(words).arg(word));
        assert!(ran.code == 2 && ran.stderr.contains("not UTF-8") && ran.stdout.is_empty(), "{}", ran.stderr);
    }
}

#[test]
fn negative_numbers_and_a_dash_are_words() {
    let place = place();
    write(place.path(), "s.ns", "EMIT ARGS\n");
    let ran = ns(place.path(), &["s.ns", "-5", "-0.5", "-.5", "-"]);
    assert_eq!(ran.stdout, "[\"-5\", \"-0.5\", \"-.5\", \"-\"]\n", "{}", ran.stderr);
}

#[test]
fn a_shebang_line_may_hold_options() {
    let place = place();
    let bin = Path::new(env!("CARGO_BIN_EXE_ns")).parent().expect("the binary lies in a folder");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    for head in ["#!/usr/bin/env -S ns --read-only", "#!/usr/bin/env -S ns run --read-only"] {
        write(place.path(), "tool.ns", &format!("{head}\n{WRITES}EMIT ARGS\n"));
        let file = place.path().join("tool.ns");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the script becomes executable");
        let mut command = Command::new(&file);
        command
            .args(["a", "--output", "json"])
            .env("PATH", &path)
            .env("HOME", "/nonexistent")
            .current_dir(place.path());
        let ran = run(&mut command);
        assert!(
            ran.stdout.ends_with("[\"a\"]\n") && ran.stdout.contains("the run is read-only"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(!place.path().join("made.txt").exists(), "{head}");
    }
}

/// Returns the commands that a help text lists, with their descriptions. Continuation lines are indented further.
fn commands_in(help: &str) -> Vec<(String, String)> {
    let section = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in section.lines() {
        match (line.starts_with("   "), line.trim().split_once("  "), commands.last_mut()) {
            (false, Some((name, what)), _) => commands.push((name.to_owned(), what.trim().to_owned())),
            (_, _, Some((_, what))) => what.push_str(&format!(" {}", line.trim())),
            _ => {}
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

#[test]
fn every_help_opens_with_what_the_command_does() {
    let place = place();
    let mut ahead: Vec<(Vec<String>, Option<String>)> = vec![(Vec::new(), None)];
    let mut read = 0;
    while let Some((command, what)) = ahead.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = ns(place.path(), &words);
        let first = help.stdout.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        assert_eq!(help.code, 0, "{words:?}");
        assert!(first.split(' ').count() > 2 && first.starts_with(char::is_uppercase), "{words:?}: {first}");
        assert!(!first.contains("Arguments") && !first.starts_with("Usage"), "{words:?}: {first}");
        assert!(what.is_none_or(|what| what == first), "{words:?}: {first}");
        for (name, what) in commands_in(&help.stdout) {
            ahead.push((command.iter().cloned().chain([name]).collect(), Some(what)));
        }
        read += 1;
    }
    assert!(read > 30, "{read} pages of help");
}

/// `ns --version` works without a script; after a file, `--version` belongs to the script.
#[test]
fn a_script_may_have_a_version_and_options_of_run_have_a_help() {
    let place = place();
    fs::write(place.path().join("v.ns"), "DEFINE PROCEDURE Main(version: \"1\")\n  EMIT \"v\", version\nEND\n")
        .expect("a script");
    let ran = ns(place.path(), &["v.ns", "--version", "2"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "v2\n"), "{}", ran.stderr);
    fs::write(place.path().join("w.ns"), "EMIT \"ran\"\n").expect("a script");
    let ran = ns(place.path(), &["w.ns", "--version"]);
    assert!(ran.code == 2 && !ran.stdout.contains("ran"), "{}{}", ran.stdout, ran.stderr);
    for words in [&["--atomic", "--help"][..], &["--plan", "-h"], &["-v", "--strict", "--help"]] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 0 && ran.stdout.contains("--atomic"), "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A pipe without a writer is an error; one with a writer is read to its end.
#[test]
fn a_pipe_is_read_while_somebody_writes() {
    let place = place();
    let pipe = place.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .expect("a pipe");
    for words in [
        &["run", "pipe"][..],
        &["pipe"],
        &["check", "pipe"],
        &["fmt", "--check", "pipe"],
        &["render", "pipe"],
        &["apply", "pipe"],
        &["memory", "import", "pipe"],
        &["call", "exists", "@pipe"],
    ] {
        let ran = ns(place.path(), words);
        assert!(ran.code != 0 && ran.stderr.contains("a pipe that nobody writes to"), "{words:?}: {}", ran.stderr);
    }
    let mut shell = Command::new("bash");
    let script = "\"$NS\" <(sleep 0.3; echo 'EMIT 1'; sleep 0.3; echo 'EMIT 2')";
    let ran = run(shell.args(["-c", script]).env("NS", env!("CARGO_BIN_EXE_ns")).current_dir(place.path()));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1\n2\n"), "{}", ran.stderr);
}
