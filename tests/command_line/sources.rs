//! Sources of the script: code on the command line, standard input, a Markdown page, a shebang line, a pipe. A misspelt
//! command or file is named with the nearest.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{WRITES, ns, place, write};
use crate::support::{ns_without_sandbox, run, with_input};

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
    // Without a near name, the scripts that are there are listed.
    for (file, listed) in [("zzzzzz.ns", "`s.ns`, `tidy.ns`"), ("deep/zzzzzz.ns", "`deep/inventory.ns`")] {
        let ran = ns(place.path(), &["run", file]);
        let help = format!("name a file, or - for standard input; scripts there: {listed}\n");
        assert!(ran.code == 2 && ran.stderr.ends_with(&help), "{file}: {}", ran.stderr);
    }
    // A command of another program is answered with what does the same here.
    for (words, help) in COMMANDS_ELSEWHERE {
        for word in words.split(' ') {
            for typed in [&[word][..], &["--read-only", word], &["help", word], &["man", word]] {
                let ran = ns(place.path(), typed);
                assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{typed:?} {}", ran.stderr);
                assert!(
                    ran.stderr.contains("there is no command") && ran.stderr.contains(help),
                    "{typed:?} {}",
                    ran.stderr
                );
            }
        }
    }
    for (words, help) in [
        (&["help", "tidy.ns"][..], "`ns tidy.ns --help`"),
        (&["help", "FS.Find"], "`ns doc FS.Find`"),
        (&["-c", "EMIT 1"], "`-e CODE`"),
    ] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 2 && ran.stderr.contains(help), "{words:?} {}", ran.stderr);
    }
    let ran = ns(place.path(), &["--plan", "check", "s.ns"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("`--plan` is an option of `ns run`, not of `ns check`"),
        "{}",
        ran.stderr
    );
}

/// Commands of git, cargo, npm, deno, just, nushell and shells, and a part of the help for them.
const COMMANDS_ELSEWHERE: [(&str, &str); 31] = [
    ("ls dir list", "FS.ListDir"),
    ("cat open less head", "FS.ReadFile"),
    ("cp copy", "FS.CopyFile"),
    ("mv move rename", "FS.MoveFile"),
    ("rm del delete remove", "FS.DeleteFile"),
    ("mkdir", "FS.CreateDirectory"),
    ("find search grep", "FS.Find"),
    ("exec eval execute start task script source run-script", "`ns run`"),
    ("preview simulate dry-run diff", "`ns run --plan`"),
    ("test-all tests snapshot", "`ns test`"),
    ("init create scaffold generate", "`ns new`"),
    ("lint validate clippy vet build compile typecheck check-all fix", "`ns check`"),
    ("format prettier", "`ns fmt`"),
    ("invoke", "`ns call`"),
    ("schema functions", "`ns tools`"),
    ("docs documentation manual describe", "`ns doc`"),
    ("errors", "`ns explain`"),
    ("info env config settings status sandbox pwd", "`ns doctor`"),
    ("kv store cache", "`ns memory`"),
    ("history runs reflog", "`ns log`"),
    ("changes blame", "`ns show`"),
    ("rollback revert restore reset checkout", "`ns undo`"),
    ("repeat rerun", "`ns redo`"),
    ("clean prune purge garbage", "`ns gc`"),
    ("server serve daemon", "`ns mcp`"),
    ("shell console session interactive", "`ns repl`"),
    ("completion", "`ns completions`"),
    ("commit stash branch push clone", "`ns log`"),
    ("install add update publish upgrade", "ns"),
    ("language-server ide intellisense", "`ns lsp`"),
    ("bench bundle version echo", "ns"),
];
