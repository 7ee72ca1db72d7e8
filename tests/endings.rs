//! Exit codes: a run that ends because of a refusal by policy or sandbox exits with 4, whatever statement ended the
//! script; a run that a signal ends has the status that shells expect.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::support::{ns, run};

/// A call that is refused or fails for another reason, with options of `ns` and a field that only a successful result
/// has.
struct Refusal {
    call: &'static str,
    field: &'static str,
    options: &'static [&'static str],
}

const fn refusal(call: &'static str, field: &'static str, options: &'static [&'static str]) -> Refusal {
    Refusal { call, field, options }
}

const REFUSALS: [Refusal; 9] = [
    refusal("FS.ReadFile(\"/etc/passwd\")", "content", &[]),
    refusal("FS.ReadFile(\"../up.txt\")", "content", &[]),
    refusal("FS.ReadFile(\"secret/a.txt\")", "content", &[]),
    refusal("FS.ReadFile(\"tool.exe\")", "content", &[]),
    refusal("FS.ReadFile(\".ns/key\")", "content", &[]),
    refusal("FS.HashFile(\"neuroscript.toml\")", "checksum", &[]),
    refusal("FS.WriteFile(\"b.txt\", \"x\")", "bytesWritten", &["--read-only"]),
    refusal("FS.CopyFile(\"a.txt\", \"../b.txt\")", "sizeBytes", &[]),
    refusal("FS.DeleteFile(\"a.txt\")", "operation", &[]),
];

const FAILURES: [Refusal; 2] = [
    refusal("FS.ReadFile(\"none.txt\")", "content", &[]),
    refusal("FS.CopyFile(\"none.txt\", \"b.txt\")", "sizeBytes", &[]),
];

/// Scripts that end because of the call `@`, whose successful result would have the field `%`.
const WAYS: [&str; 25] = [
    "EMIT @.%",
    "SET r = @\nEMIT r.%",
    "SET r = @\nEMIT r[\"%\"]",
    "SET r = @\nIF r.% == 1 THEN\n  EMIT 1\nEND",
    "SET r = @\nFOR EACH x IN r.% DO\n  EMIT x\nEND",
    "EMIT STR.Upper(STR(@.%))",
    "EMIT [1, {\"k\": @.%}]",
    "MUST CALL @",
    "MUST CALL @, \"it failed\"",
    "SET r = @\nMUST r.error == nil",
    "SET r = @\nMUST r.error == nil, r.error",
    "SET r = @\nSET now = TIME.Now()\nMUST r.error == nil, \"cannot: \" + r.error",
    "SET r = @\nIF r.error != nil THEN\n  FAIL r.error\nEND",
    "SET r = @\nSET now = TIME.Now()\nFAIL r.error",
    "SET r = @\nSET now = TIME.Now()\nFAIL r.error + \" (\" + now + \")\"",
    "SET r = @\nSET why = \"cannot: \" + r.error\nSET copy = why\nSET why = why + TIME.Now()\nFAIL why",
    "SET why = \"cannot: \"\nSET r = @\nSET why = why + r.error\nSET now = TIME.Now()\nFAIL why",
    "SET r = @\nSET now = TIME.Now()\nFAIL EVAL(\"cannot: {{r.error}}\")",
    "SET r = @\nSET now = TIME.Now()\nFAIL r",
    "DEFINE PROCEDURE P(why)\n  SET now = TIME.Now()\n  FAIL why\nEND\nSET r = @\nCALL P(r.error)",
    "SET r = @\nFAIL LAST_ERROR.message",
    "DEFINE PROCEDURE P()\n  RETURN @.%\nEND\nEMIT P()",
    "DEFINE PROCEDURE P(x)\n  SET r = @\n  RETURN r.%\nEND\nEMIT LIST.Map([1], P)",
    "ON ERROR AS e DO\n  EMIT e.code\nEND\nMUST CALL @",
    "ON ERROR AS e DO\n  EMIT TIME.Now()\n  FAIL e.message\nEND\nMUST CALL @",
];

const POLICY: &str = "[policy]\nblocked_directories = [\"secret\"]\nblocked_extensions = [\"exe\"]\n\n[tools]\ndeny = [\"FS.Delete*\"]\n";

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::create_dir_all(place.path().join("secret")).expect("a folder");
    fs::create_dir_all(place.path().join("lib")).expect("a folder");
    for (path, text) in [("a.txt", "a"), ("secret/a.txt", "s"), ("tool.exe", "e"), ("neuroscript.toml", POLICY)] {
        fs::write(place.path().join(path), text).expect("a file");
    }
    place
}

fn script(way: &str, refusal: &Refusal) -> String {
    way.replace('@', refusal.call).replace('%', refusal.field)
}

fn code(place: &Path, refusal: &Refusal, script: &str) -> (i32, String) {
    let ran = run(ns(place).args(refusal.options).args(["run", "-e", script]));
    (ran.code, ran.stderr)
}

#[test]
fn a_run_that_a_refusal_ends_ends_with_4() {
    let (place, mut wrong) = (sandbox(), String::new());
    for refusal in &REFUSALS {
        for way in WAYS {
            let script = script(way, refusal);
            let (code, told) = code(place.path(), refusal, &script);
            if code != 4 {
                wrong.push_str(&format!("{script}\nends with {code}: {told}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_run_that_fails_otherwise_ends_with_1() {
    let (place, mut wrong) = (sandbox(), String::new());
    for failure in &FAILURES {
        for way in WAYS {
            let script = script(way, failure);
            let (code, told) = code(place.path(), failure, &script);
            if code != 1 {
                wrong.push_str(&format!("{script}\nends with {code}: {told}\n"));
            }
        }
    }
    // A refusal that the script has handled is not the cause of its end.
    for after in [
        "EMIT 1 / 0",
        "EMIT [1][5]",
        "EMIT \"nil\"[\"x\"]",
        "CALL FS.Exists(\"a.txt\")\nFAIL \"other\"",
        "EMIT {\"a\": 1}.b",
    ] {
        let script = format!("SET r = FS.ReadFile(\"/etc/passwd\")\n{after}");
        let (code, told) = code(place.path(), &FAILURES[0], &script);
        if code != 1 {
            wrong.push_str(&format!("{script}\nends with {code}: {told}\n"));
        }
    }
    let handled = "SET r = FS.ReadFile(\"/etc/passwd\")\nEMIT r.error != nil";
    assert_eq!(code(place.path(), &FAILURES[0], handled).0, 0);
    assert!(wrong.is_empty(), "{wrong}");
}

/// A text counts as the message of a refusal by its origin, not by its characters.
#[test]
fn a_failure_with_the_words_of_a_refusal_ends_with_1() {
    let place = sandbox();
    for refusal in REFUSALS.iter().filter(|refusal| refusal.field != "operation") {
        let reported =
            run(ns(place.path()).args(refusal.options).args(["run", "-e", &script("EMIT @.error", refusal)]));
        let message = serde_json::to_string(reported.stdout.trim_end()).expect("a text has a JSON form");
        assert!(message.len() > 20, "{}", reported.stderr);
        for way in ["FAIL %", "MUST false, \"cannot: \" + %", "EMIT {\"error\": %}.other"] {
            let script = format!("SET r = {}\nSET now = TIME.Now()\n{}", refusal.call, way.replace('%', &message));
            let (code, stderr) = code(place.path(), refusal, &script);
            assert_eq!(code, 1, "{script}\n{stderr}");
            assert!(stderr.contains(reported.stdout.trim_end()), "{script}\n{stderr}");
        }
    }
}

/// Exit code 4 also applies to tools that return nil on failure, modules, plans, `--strict` and `ns call`.
#[test]
fn the_other_doors_end_with_4_too() {
    let place = sandbox();
    fs::write(
        place.path().join("lib/m.ns"),
        "DEFINE PROCEDURE P()\n  RETURN FS.ReadFile(\"/etc/passwd\").content\nEND\n",
    )
    .expect("a module");
    let module = "USE \"lib/m.ns\" AS m\nEMIT m.P()";
    for args in [
        &["run", "-e", module][..],
        &["run", "-e", "USE \"../m.ns\" AS m\nEMIT m.P()"],
        &["run", "-e", "EMIT FS.WalkDir(\"/etc\")[0]"],
        &["run", "-e", "EMIT STR.Upper(FS.WalkDir(\"/etc\"))"],
        &["run", "-e", "EMIT FS.Find(\"/etc\")"],
        &["run", "--strict", "-e", "CALL FS.ReadFile(\"/etc/passwd\")"],
        &["run", "--plan", "-e", "EMIT FS.ReadFile(\"/etc/passwd\").content"],
        &["run", "--plan=json", "-e", "EMIT FS.ReadFile(\"/etc/passwd\").content"],
        &["run", "--atomic", "-e", "EMIT FS.ReadFile(\"/etc/passwd\").content"],
        &["run", "--output", "json", "-e", "EMIT FS.ReadFile(\"/etc/passwd\").content"],
        &["call", "read_file", "{\"path\": \"/etc/passwd\"}"],
        &["call", "delete_file", "{\"path\": \"a.txt\"}"],
    ] {
        let ran = run(ns(place.path()).args(args));
        assert_eq!(ran.code, 4, "{args:?}: {}", ran.stderr);
    }
}

/// A shell reports 128 plus the signal number.
#[test]
fn a_signal_ends_a_run_as_shells_expect() {
    use std::os::unix::process::ExitStatusExt;
    let ignored = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim();
    let ignored = u64::from_str_radix(ignored, 16).expect("a mask of signals");
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if ignored >> (number - 1) & 1 == 1 {
            println!("SKIPPED: whoever runs this test ignores SIG{signal} (`nohup`), and so does every child");
            continue;
        }
        let place = tempfile::tempdir().expect("a folder for the test");
        let script = "EMIT \"ready\"\nWHILE true DO\n  SET x = 1\nEND";
        let mut child = ns(place.path())
            .args(["--max-steps", "9000000000", "run", "-e", script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("`ns` starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let kill = std::process::Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
        assert!(kill.expect("`kill` starts").success());
        let status = child.wait().expect("it ends");
        let shown = status.code().or(status.signal().map(|signal| 128 + signal));
        assert_eq!(shown, Some(128 + number), "{signal}: {status:?}");
    }
}
