//! `ns test`, `ns new`, `ns completions` and `ns man` from a shell.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use crate::support;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::pty::spawn_command;
use crate::support::{Ran, ns_without_sandbox, run};

/// Creates a directory of scripts and golden files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in files {
        write(place.path(), path, text);
    }
    place
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn text(folder: &Path, path: &str) -> Option<String> {
    fs::read_to_string(folder.join(path)).ok()
}

fn ns_in(folder: &Path, words: &[&str]) -> Command {
    let mut command = ns_without_sandbox();
    command.current_dir(folder).args(words);
    command
}

fn test(folder: &Path, words: &[&str]) -> Ran {
    run(ns_in(folder, &["test"]).args(words))
}

/// Returns the exit code and the report of a test run.
fn report(folder: &Path, words: &[&str]) -> (i32, Json) {
    let ran = run(ns_in(folder, &["test", "--format", "json"]).args(words));
    let report: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let cases = report["cases"].as_array().expect("cases").iter();
    let by_name = cases.map(|case| (case["name"].as_str().expect("a name").to_owned(), case.clone())).collect();
    (ran.code, Json::Object(by_name))
}

const GREET: &str = "EMIT \"hello \", IF_NONE(ARGS)\nDEFINE PROCEDURE IF_NONE(words)\n  IF LEN(words) > 0 THEN\n    RETURN words[0]\n  END\n  RETURN \"you\"\nEND\n";

#[test]
fn a_case_passes_or_its_difference_is_shown() {
    let place = folder(&[("a.ns", GREET), ("a.out", "hello you\n"), ("b.ns", "EMIT 1\nEMIT 2\n"), ("b.out", "1\n3\n")]);
    let ran = test(place.path(), &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[..3], ["ok      a", "FAILED  b", "  standard output differs from b.out:"]);
    assert_eq!(lines[4..7], ["     1", "    -3", "    +2"]);
    assert!(lines[7].starts_with("1 passed, 1 failed in "), "{}", ran.stdout);
    write(place.path(), "b.out", "1\n2\n");
    assert_eq!(test(place.path(), &[]).code, 0);
}

#[test]
fn a_line_feed_that_is_missing_is_a_difference() {
    let place = folder(&[("a.ns", "EMIT 1\n"), ("a.out", "1")]);
    let ran = test(place.path(), &[]);
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains("\\ No newline at end of file"), "{}", ran.stdout);
}

#[test]
fn errors_and_the_exit_code_are_compared() {
    let place = folder(&[("a.ns", "EMIT 1\nMUST CALL FS.ReadFile(\"none\"), \"no\"\n"), ("a.out", "1\n")]);
    let (code, cases) = report(place.path(), &[]);
    assert_eq!((code, &cases["a"]["status"]), (5, &Json::from("failed")));
    assert_eq!(cases["a"]["differences"][0]["file"], "a.err", "nothing is expected where there is no such file");
    assert_eq!(test(place.path(), &["--update"]).code, 0);
    let errors = text(place.path(), "a.err").expect("a golden file");
    assert!(errors.starts_with("error[not_found]: no") && errors.ends_with("exit 1\n"), "{errors}");
    assert!(errors.contains("--> a.ns:2:11"), "a script has no folder: {errors}");
    assert_eq!(test(place.path(), &[]).code, 0);
    // If there is no output any more, the file is removed.
    write(place.path(), "a.ns", "EMIT 1\n");
    assert_eq!(test(place.path(), &["--update"]).code, 0);
    assert_eq!(text(place.path(), "a.err"), None);
}

#[test]
fn a_set_up_is_copied_and_the_tree_compared() {
    let script = "CALL FS.WriteFile(\"new.txt\", \"x\\ny\")\nCALL FS.MoveFile(\"a.txt\", \"sub/b.txt\")\n\
                  EMIT FS.FileInfo(\"kept.txt\").modified\n";
    let place = folder(&[
        ("w.ns", script),
        ("w/a.txt", "a\n"),
        ("w/kept.txt", "kept\n"),
        ("w/sub/run.sh", "#!\n"),
        ("w.times", "2024-05-01T12:00:00Z kept.txt\n"),
    ]);
    symlink("kept.txt", place.path().join("w/link")).expect("a link");
    fs::set_permissions(place.path().join("w/sub/run.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    assert_eq!(test(place.path(), &["w.ns", "--update"]).code, 0);
    assert_eq!(text(place.path(), "w.out").expect("output"), "2024-05-01T12:00:00Z\n");
    let tree = "kept.txt\nlink -> kept.txt\nnew.txt: 3 bytes\n  | x\n  | y\n  (no line feed at its end)\nsub/\nsub/b.txt: 2 bytes\n  | a\nsub/run.sh\n";
    assert_eq!(text(place.path(), "w.tree").expect("a tree"), tree);
    assert_eq!(text(place.path(), "w/a.txt").expect("the set-up is as it was"), "a\n");
    write(place.path(), "w.audit", "");
    let (code, cases) = report(place.path(), &[]);
    assert_eq!((code, &cases["w"]["differences"][0]["file"]), (5, &Json::from("w.audit")));
    assert_eq!(test(place.path(), &["--update"]).code, 0);
    let audit = "FS.WriteFile done new.txt\nFS.MoveFile done a.txt sub/b.txt\n";
    assert_eq!(text(place.path(), "w.audit").expect("a log"), audit);
    write(place.path(), "w.tree", &tree.replace("x\n", "z\n"));
    let ran = test(place.path(), &[]);
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains("-  | z") && ran.stdout.contains("+  | x"), "{}", ran.stdout);
}

#[test]
fn a_script_has_several_cases() {
    let place = folder(&[
        ("g.ns", GREET),
        ("g.out", "hello you\n"),
        ("g.me.args", "me\n"),
        ("g.me.out", "hello me\n"),
        ("g.x.ns", "EMIT LEN(FS.WalkDir(\".\"))\n"),
        ("g.x.out", "1\n"),
        ("g.x/file", ""),
        ("g.x.two.out", "2\n"),
        ("g.x.two/file", ""),
        ("g.x.two/more", ""),
        ("sub/inner.ns", "EMIT IO.Input(\"\")\n"),
        ("sub/inner.in", "typed\n"),
        ("sub/inner.out", "typed\n"),
        ("sub/module.ns", "DEFINE PROCEDURE X()\n  RETURN 1\nEND\n"),
    ]);
    let (code, cases) = report(place.path(), &[]);
    let names: Vec<&str> = cases.as_object().expect("cases").keys().map(String::as_str).collect();
    assert_eq!((code, names), (0, vec!["g", "g.me", "g.x", "g.x.two", "sub/inner"]));
    let ran = test(place.path(), &["--filter", "x."]);
    assert!(ran.stdout.starts_with("ok      g.x.two\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("without golden files: sub/module.ns\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 passed, 0 failed"), "{}", ran.stdout);
    let none = test(place.path(), &["--filter", "zzz"]);
    assert!(none.code == 2 && none.stderr.contains("no case has `zzz` in its name"), "{}", none.stderr);
    // An update of a directory creates no golden file for a module.
    assert_eq!(test(place.path(), &["--update"]).code, 0);
    assert_eq!(text(place.path(), "sub/module.out"), None);
}

#[test]
fn golden_files_can_lie_elsewhere() {
    let place = folder(&[("scripts/sub/a.ns", GREET), ("golden/sub/a.one.args", "me\n")]);
    let words = ["scripts", "--golden", "golden"];
    let (code, cases) = report(place.path(), &words);
    assert_eq!(code, 5);
    assert_eq!(cases["sub/a.one"]["fault"], "`a.one.out` does not exist; `--update` writes it");
    assert_eq!(run(ns_in(place.path(), &["test"]).args(words).arg("--update")).code, 0);
    assert_eq!(text(place.path(), "golden/sub/a.one.out").expect("a golden file"), "hello me\n");
    assert_eq!(report(place.path(), &words).0, 0);
}

#[test]
fn a_golden_file_that_is_a_folder_is_stated_and_nothing_lost() {
    for part in ["out", "err", "tree", "args", "in"] {
        let place = folder(&[("a.ns", "EMIT 1\n"), ("a.out", "0\n"), ("b.ns", "EMIT 2\n"), ("b.out", "2\n")]);
        let folder = format!("a.{part}");
        // Nothing to lose in the case of `out`, which is the directory itself.
        if part == "out" {
            fs::remove_file(place.path().join("a.out")).expect("a file to remove");
        }
        write(place.path(), &format!("{folder}/kept"), "kept");
        for update in [&[][..], &["--update"]] {
            let (code, cases) = report(place.path(), update);
            assert_eq!(code, 5, "{cases}");
            assert_eq!(cases["a"]["fault"], format!("`{folder}` is a folder; it should be a text file"));
            assert_eq!(cases["b"]["status"], "passed", "the others go on");
        }
        assert_eq!(text(place.path(), &format!("{folder}/kept")).expect("it is there"), "kept");
        assert!(part == "out" || text(place.path(), "a.out").expect("it is there") == "0\n", "no other is updated");
    }
}

#[test]
fn the_head_of_a_script_says_how_it_runs() {
    let head = "#!/usr/bin/env ns\n# A test.\n# ns: test --now 2024-05-01T12:00:00Z --read-only\n# ns: test -- 'two words' \"\" x\n\n";
    let script = "EMIT ARGS, TIME.Now()\nSET r = FS.WriteFile(\"a\", \"\")\nEMIT r.error != nil\n";
    let place = folder(&[("a.ns", &format!("{head}{script}")), ("a.out", "")]);
    assert_eq!(test(place.path(), &["--update", "--now", "2000-01-01T00:00:00Z"]).code, 0);
    let output = text(place.path(), "a.out").expect("output");
    assert_eq!(output, "[\"two words\", \"\", \"x\"]2024-05-01T12:00:00Z\ntrue\n");
    let faults = [
        ("--nowhere", "unexpected argument '--nowhere'"),
        ("'open", "a ' is not closed"),
        ("--sandbox .", "a case has a sandbox of its own"),
        ("--policy none.toml", "a.ns:1: `--policy none.toml` of the head names nothing of the kind"),
        ("--redact tine", "did you mean `time`?"),
    ];
    for (options, fault) in faults {
        write(place.path(), "a.ns", &format!("# ns: test {options}\nEMIT 1\n"));
        for update in [&[][..], &["--update"]] {
            let (code, cases) = report(place.path(), update);
            let told = cases["a"]["fault"].as_str().unwrap_or_else(|| panic!("{cases}"));
            assert!(code == 5 && told.contains(fault), "{told}");
        }
    }
    assert_eq!(text(place.path(), "a.out").expect("output"), output, "what cannot be run is no golden output");
}

#[test]
fn options_of_the_command_line_hold_for_all_cases() {
    let script = "SET r = FS.WriteFile(\"a\", \"\")\nEMIT r.error != nil\n";
    let place =
        folder(&[("a.ns", script), ("a.out", "true\n"), ("lib/b.ns", "DEFINE PROCEDURE X()\n  RETURN 1\nEND\n")]);
    write(place.path(), "s/u.ns", "# ns: test --lib ../lib\nUSE \"b.ns\" AS b\nEMIT b.X()\n");
    write(place.path(), "s/u.out", "1\n");
    write(place.path(), "s/v.ns", "USE \"b.ns\" AS b\nEMIT b.X()\n");
    write(place.path(), "s/v.out", "1\n");
    let (_, cases) = report(place.path(), &["--read-only", "--lib", "lib"]);
    for name in ["a", "s/u", "s/v"] {
        assert_eq!(cases[name]["status"], "passed", "{cases}");
    }
    let (code, cases) = report(place.path(), &[]);
    assert_eq!((code, &cases["s/u"]["status"]), (5, &Json::from("passed")));
    assert_eq!(test(place.path(), &["--sandbox", "."]).code, 2);
}

#[test]
fn what_is_another_each_time_is_redacted() {
    let script = "EMIT TIME.Now(), \" \", UUID.New()\nEMIT HASH.Sha256(TIME.Now())\nEMIT \"build-\", LEN(ARGS)\nEMIT \"2024-05-01\"\n";
    let place = folder(&[("a.ns", script), ("a.out", "[time] [uuid]\n[hash]\n[build]\n2024-05-01\n")]);
    let redact = ["--redact", "time", "--redact", "uuid", "--redact", "hash", "--redact", "build=build-\\d{1,3}"];
    let ran = test(place.path(), &redact);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(test(place.path(), &[]).code, 5);
    let head = "# ns: test --redact time --redact uuid --redact hash --redact build=build-\\d{1,3}\n";
    write(place.path(), "a.ns", &format!("{head}{script}"));
    assert_eq!(test(place.path(), &["--update"]).stdout.lines().next(), Some("ok      a"));
    for (pattern, said) in [("tme", "did you mean `time`?"), ("x=(", "unclosed group"), ("zzzz", "NAME=REGEX")] {
        let ran = test(place.path(), &["--redact", pattern]);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn a_script_without_end_is_ended_and_its_limit_is_what_it_says() {
    let place = folder(&[("a.ns", "# ns: test --timeout 0.1\nWHILE true DO\nEND\n"), ("a.out", "")]);
    assert_eq!(test(place.path(), &["--update"]).code, 0);
    let errors = text(place.path(), "a.err").expect("errors");
    assert!(errors.ends_with("exit 124\n"), "{errors}");
}

#[test]
fn nothing_of_the_user_is_seen() {
    let place = folder(&[("a.ns", "EMIT ENV.Get(\"HOME\") == nil\n"), ("a.out", "")]);
    let home = folder(&[(".config/neuroscript/neuroscript.toml", "[tools]\ndeny = [\"*\"]\n")]);
    let ran = run(ns_in(place.path(), &["test", "--update"]).env("HOME", home.path()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let errors = text(place.path(), "a.err").unwrap_or_default();
    assert!(!errors.contains("`deny`"), "{errors}");
}

#[test]
fn a_pipe_in_a_set_up_is_refused() {
    let place = folder(&[("a.ns", "EMIT 1\n"), ("a.out", "1\n"), ("a/x", "")]);
    let pipe = place.path().join("a/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let (code, cases) = report(place.path(), &[]);
    assert_eq!(
        (code, &cases["a"]["fault"]),
        (5, &Json::from("`pipe` of its set-up cannot be copied: it is no file, folder or link"))
    );
}

#[test]
fn many_at_once_are_told_in_their_order() {
    let place = folder(&[]);
    for number in 0..40 {
        write(place.path(), &format!("s{number:02}.ns"), &format!("EMIT {number}\n"));
        write(place.path(), &format!("s{number:02}.out"), &format!("{number}\n"));
    }
    let told = |jobs| {
        let ran = test(place.path(), &["--jobs", jobs]);
        assert_eq!(ran.code, 0);
        ran.stdout.lines().filter(|line| line.starts_with("ok")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told("1").len(), 40);
    assert_eq!(told("1"), told("8"));
}

#[test]
fn junit_reads_what_failed() {
    let place = folder(&[
        ("a<&>.ns", "EMIT \"\u{1b}<b>\"\n"),
        ("a<&>.out", "x\n"),
        ("b.ns", ""),
        ("b.out", ""),
        ("c.ns", ""),
        ("c.err", ""),
    ]);
    let ran = test(place.path(), &["--format", "junit"]);
    assert_eq!(ran.code, 5);
    let script = "import sys, xml.etree.ElementTree as x\nfor c in x.fromstring(sys.stdin.read()).iter('testcase'): print(c.get('name'), [(k.tag, k.get('message')) for k in c])";
    let mut python = Command::new("python3");
    let parsed = support::with_input(python.args(["-c", script]), &ran.stdout);
    let wanted =
        "a<&> [('failure', 'a<&>.out differs')]\nb []\nc [('error', '`c.out` does not exist; `--update` writes it')]\n";
    assert_eq!(parsed.stdout, wanted, "{}{}", parsed.stderr, ran.stdout);
}

#[test]
fn paths_that_are_none_are_usage() {
    let place = folder(&[("a.txt", "")]);
    for (path, said) in [("none", "`none` does not exist"), ("a.txt", "`a.txt` is no script")] {
        let ran = test(place.path(), &[path]);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{}", ran.stderr);
    }
    let ran = test(place.path(), &[]);
    assert!(ran.code == 0 && ran.stderr.contains("there are no cases"), "{}", ran.stderr);
}

#[test]
fn a_watch_runs_again_when_a_file_changes_and_ctrl_c_ends_it() {
    let place = folder(&[("a.ns", "EMIT 1\n"), ("a.out", "2\n")]);
    // The output is written into the watched directory, and must not trigger a run.
    let said = fs::File::create(place.path().join("said.log")).expect("a file");
    let mut child =
        ns_in(place.path(), &["test", "--watch"]).stdout(said).stderr(Stdio::piped()).spawn().expect("ns starts");
    let mut errors = BufReader::new(child.stderr.take().expect("errors"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    assert_eq!(line, "waiting for changes; Ctrl-C ends it\n");
    // Atomically, from an ignored name: a file that is truncated and rewritten might be read in between.
    write(place.path(), ".ns-test-new", "1\n");
    fs::rename(place.path().join(".ns-test-new"), place.path().join("a.out")).expect("a file is exchanged");
    errors.read_line(&mut line).expect("a line");
    // Time to poll again, and find nothing.
    std::thread::sleep(std::time::Duration::from_millis(800));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let output = fs::read_to_string(place.path().join("said.log")).expect("text");
    let said: Vec<&str> = output.lines().filter(|line| line.ends_with(" a")).collect();
    assert_eq!(said, ["FAILED  a", "ok      a"], "{output}");
}

#[test]
fn an_interrupt_ends_what_runs_and_leaves_no_sandbox() {
    let place = folder(&[("a.ns", "CALL FS.WriteFile(\"begun\", \"\")\nWHILE true DO\nEND\n"), ("a.out", "")]);
    let temporary = folder(&[]);
    let mut command = ns_in(place.path(), &["test", "--format", "json"]);
    let child = command
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ns starts");
    let is_begun = || {
        // The directory of the run, and in it that of the case.
        let inside = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        inside(temporary.path())
            .flat_map(|run| inside(&run).collect::<Vec<_>>())
            .any(|case| case.join("sandbox/begun").exists())
    };
    while !is_begun() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("it was interrupted"), "{output:?}");
    assert_eq!(fs::read_dir(temporary.path()).expect("a folder").count(), 0);
}

#[test]
fn differences_have_colours_on_a_terminal() {
    let place = folder(&[("a.ns", "EMIT 1\n"), ("a.out", "2\n")]);
    let mut command = ns_in(place.path(), &["test"]);
    command.env_remove("NO_COLOR").env("TERM", "xterm");
    let mut session = spawn_command(command, 20_000).expect("a terminal");
    let said = session.exp_eof().expect("it ends");
    assert!(said.contains("\u{1b}[31m-2\u{1b}[0m") && said.contains("\u{1b}[32m+1\u{1b}[0m"), "{said}");
}

#[test]
fn a_new_script_passes_its_test() {
    let place = folder(&[]);
    let ran = run(&mut ns_in(place.path(), &["new", "tools/count"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("made tools/count.ns\nmade tools/count.out\n"), "{}", ran.stdout);
    assert_eq!(report(place.path(), &[]).0, 0);
    assert_eq!(run(&mut ns_in(place.path(), &["check", "tools/count.ns"])).stderr, "");
    assert!(run(&mut ns_in(place.path(), &["tools/count.ns"])).stdout.starts_with("4 files, "));
    assert!(
        run(&mut ns_in(place.path(), &["tools/count.ns", "tools/count", "--min-size", "5"]))
            .stdout
            .starts_with("0 files")
    );
    let mode = fs::metadata(place.path().join("tools/count.ns")).expect("the script").permissions().mode();
    let others = fs::metadata(place.path().join("tools/count.out")).expect("its output").permissions().mode();
    assert_eq!((mode & 0o777, others & 0o111), (others & 0o777 | (others & 0o444) >> 2, 0));
    for (name, said) in
        [("tools/count.ns", "exists already"), ("-x", "no option `-x`"), ("a b", "no name"), (".x", "no name")]
    {
        let ran = run(&mut ns_in(place.path(), &["new", name]));
        assert!(ran.code == 2 && ran.stderr.contains(said), "{name}: {}", ran.stderr);
    }
}

#[test]
fn shells_get_completions_and_man_its_pages() {
    let place = folder(&[]);
    for (shell, known) in [
        ("bash", "_ns()"),
        ("zsh", "#compdef ns"),
        ("fish", "complete -c ns"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let ran = run(&mut ns_in(place.path(), &["completions", shell]));
        assert!(
            ran.code == 0 && ran.stdout.contains(known) && ran.stdout.contains("golden"),
            "{shell}: {}",
            ran.stderr
        );
    }
    let script = run(&mut ns_in(place.path(), &["completions", "bash"])).stdout;
    let checked = support::with_input(Command::new("bash").arg("-n"), &script);
    assert_eq!((checked.code, &*checked.stderr), (0, ""));
    let page = run(&mut ns_in(place.path(), &["man"])).stdout;
    assert!(page.contains(".TH ns 1") && page.contains("ns\\-test(1)"), "{page}");
    let page = run(&mut ns_in(place.path(), &["man", "audit", "show"])).stdout;
    assert!(page.contains("ns\\-audit\\-show") && page.contains("\\-\\-since"), "{page}");
    let ran = run(&mut ns_in(place.path(), &["man", "tset"]));
    assert!(ran.code == 2 && ran.stderr.contains("did you mean `ns test`?"), "{}", ran.stderr);
}
