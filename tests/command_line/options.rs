//! Options of `ns run`: each takes effect in every position and spelling, and an option that nobody has is refused.

use std::fs;
use std::path::Path;

use super::{WRITES, ns, place, write};
use crate::support::{Ran, ns_without_sandbox, run};

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

/// Every option of `ns run` except `--eval`, `--help`, `--jobs` and `--quiet`, which have tests of their own.
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

fn go(place: &Path, words: &[String]) -> Ran {
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
        // The effect of `--quiet` is only visible at a terminal: tests/repl/ended.rs. That of `--jobs` is visible in
        // the threads of the process: tests/parallel.
        assert!(
            is_known || ["eval", "help", "jobs", "quiet"].contains(&option.as_str()),
            "`--{}` has no case",
            option.as_str()
        );
        found += 1;
    }
    assert!(found >= CASES.len(), "{found} options were found in\n{help}");
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
