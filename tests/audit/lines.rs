//! The content of log lines, and the calls that leave none.

use serde_json::{Value, json};

use super::{audit, eval, file, holds, lines, sandbox};
use crate::support::{audited, describe, ns, run, with_input};

#[test]
fn every_change_and_every_refusal_has_a_line() {
    let place = sandbox();
    std::fs::write(place.path().join("here"), "x").expect("a file");
    let ran = eval(
        place.path(),
        "CALL FS.WriteFile(\"a\", \"1\")\nCALL FS.CreateDirectory(\"d\")\nCALL FS.CopyFile(\"a\", \"b\")\n\
         CALL FS.MoveFile(\"b\", \"d/b\")\nCALL FS.DeleteFile(\"d\")\nCALL FS.DeleteFile(\"a\")\n\
         CALL FS.ReadFile(\"../out\")\nCALL FS.WalkDir(\".ns\")\nCALL FS.WriteFile(\"../x\", \"y\")\n\
         CALL FS.MoveFile(\"nope\", \"c\")\nCALL MEMORY.Set(\"k\", 1, \"project\")\n\
         CALL FS.ListDir(\".\", target: \"project_memory\", memory_key: \"l\")\nCALL MEMORY.Delete(\"k\", \"project\")",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        audited(place.path()),
        "FS.WriteFile done a\nFS.CreateDirectory done d\nFS.CopyFile done a b\nFS.MoveFile done b d/b\n\
         FS.DeleteFile failed conflict d\nFS.DeleteFile done a\nFS.ReadFile refused sandbox_violation\n\
         FS.WalkDir refused sandbox_violation\nFS.WriteFile refused sandbox_violation\n\
         FS.MoveFile failed not_found nope c\nMEMORY.Set done\nFS.ListDir done .\nMEMORY.Delete done\n"
    );
    holds(place.path());
}

#[test]
fn what_is_taken_back_has_a_line_with_its_paths() {
    let place = sandbox();
    assert_eq!(eval(place.path(), "CALL FS.WriteFile(\"a\", \"1\")\nCALL FS.WriteFile(\"d/b\", \"1\")").code, 0);
    for command in ["undo", "redo"] {
        assert_eq!(run(ns(place.path()).arg(command)).code, 0);
    }
    let atomic = ["run", "--atomic", "-e", "MUST FS.WriteFile(\"c\", \"1\")\nFAIL \"no\""];
    assert_eq!(run(ns(place.path()).args(atomic)).code, 1);
    let nothing = ["run", "--atomic", "-e", "FAIL \"no\""];
    assert_eq!(run(ns(place.path()).args(nothing)).code, 1);
    assert_eq!(
        audited(place.path()),
        "FS.WriteFile done a\nFS.WriteFile done d/b\nundo done a d d/b\nundo done a d d/b\nFS.WriteFile done c\n\
         rollback done c\n"
    );
    holds(place.path());
}

#[test]
fn an_applied_plan_has_a_line_with_its_paths() {
    let place = sandbox();
    let code = "CALL FS.WriteFile(\"d/a\", \"1\")\nCALL FS.CopyFile(\"d/a\", \"b\")";
    let plan = run(ns(place.path()).args(["run", "--plan=json", "-e", code]));
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    assert_eq!(with_input(ns(place.path()).args(["apply", "-"]), &plan.stdout).code, 0);
    assert_eq!(audited(place.path()), "apply done b d d/a\n");
    holds(place.path());
}

#[test]
fn what_changes_nothing_and_is_not_refused_has_none() {
    let place = sandbox();
    let ran = eval(
        place.path(),
        "CALL FS.WalkDir(\".\")\nCALL FS.ReadFile(\"nope\")\nCALL FS.ListDir(\"x\")\nCALL MEMORY.Set(\"k\", 1)\n\
         EMIT STR.Upper(\"x\"), MEMORY.Get(\"k\", \"project\")",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bad = run(ns(place.path()).args(["call", "write_file", "{\"file_path\": \"a\\u0000\", \"content\": \"x\"}"]));
    assert_eq!(bad.code, 2, "{}", bad.stderr);
    assert_eq!(describe(place.path()), "", "no `.ns` is made");
}

#[test]
fn a_line_says_who_when_what_and_how_it_ended() {
    let place = sandbox();
    let json = "{\"file_path\": \"d/../a\", \"content\": \"secret\", \"overwrite\": false}";
    std::fs::create_dir(place.path().join("d")).expect("a folder");
    assert_eq!(run(ns(place.path()).args(["call", "write_file", json])).code, 0);
    assert_eq!(run(ns(place.path()).args(["call", "write_file", json])).code, 1);
    let lines = lines(place.path());
    let names: Vec<&String> = lines[0].as_object().expect("a line is an object").keys().collect();
    let wanted = [
        "seq",
        "time",
        "run",
        "command",
        "process",
        "tool",
        "arguments",
        "paths",
        "outcome",
        "code",
        "previous",
        "hash",
        "seal",
    ];
    assert_eq!(names, wanted);
    assert_eq!(lines[0]["seq"], 1);
    assert_eq!((&lines[0]["command"], &lines[0]["tool"]), (&json!("ns call"), &json!("FS.WriteFile")));
    let content = json!({ "bytes": 6, "sha256": "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b" });
    assert_eq!(lines[0]["arguments"]["content"], content);
    assert_eq!((&lines[0]["arguments"]["path"], &lines[0]["paths"]), (&json!("d/../a"), &json!(["a"])));
    assert_eq!(
        (&lines[0]["outcome"], &lines[0]["code"], &lines[0]["previous"]),
        (&json!("done"), &Value::Null, &Value::Null)
    );
    assert_eq!((&lines[1]["outcome"], &lines[1]["code"]), (&json!("failed"), &json!("already_exists")));
    assert_eq!(lines[1]["previous"], lines[0]["hash"]);
    assert_ne!(lines[1]["run"], lines[0]["run"]);
    let time = lines[0]["time"].as_str().expect("a time");
    assert!(time.len() == 27 && time.ends_with('Z') && time.as_bytes()[19] == b'.', "{time}");
}

/// No line contains file content or memory values, including those of calls that fail or are refused.
#[test]
fn content_is_in_no_line() {
    let place = sandbox();
    let ran = eval(
        place.path(),
        "CALL FS.WriteFile(\"a\", \"GEHEIM\")\nCALL FS.WriteFile(\"../a\", \"GEHEIM\")\n\
         CALL FS.WriteFile(\"a\", \"GEHEIM\", overwrite: false)\n\
         CALL MEMORY.Set(\"k\", {\"x\": [\"GEHEIM\"]}, \"project\")\nCALL MEMORY.Set(\"l\", \"GEHEIM\", \"project\")",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let set = run(ns(place.path()).args(["memory", "set", "m", "\"GEHEIM\""]));
    let lines = place.path().join("lines.jsonl");
    std::fs::write(&lines, "{\"key\": \"n\", \"value\": \"GEHEIM\"}\n").expect("lines");
    let import = run(ns(place.path()).args(["memory", "import"]).arg(&lines));
    assert_eq!((set.code, import.code), (0, 0), "{}{}", set.stderr, import.stderr);
    let log = std::fs::read_to_string(file(place.path())).expect("the log");
    assert_eq!(log.lines().count(), 7);
    assert!(!log.contains("GEHEIM"), "{log}");
}

#[test]
fn names_with_odd_characters_are_escaped() {
    let place = sandbox();
    let raw = std::ffi::OsStr::new("x\u{1b}[31m\n\u{202e}\"\\");
    std::fs::write(place.path().join(raw), "x").expect("a file");
    std::os::unix::fs::symlink(raw, place.path().join("l")).expect("a link");
    assert_eq!(eval(place.path(), "CALL FS.WriteFile(\"l/x\", \"1\")").code, 0);
    let text = std::fs::read_to_string(file(place.path())).expect("the log");
    assert_eq!(text.lines().count(), 1);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{text:?}");
    holds(place.path());
    let shown = audit(place.path(), &["show", "--output", "table"]).stdout;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn no_line_where_the_policy_wants_none() {
    let place = sandbox();
    crate::support::set_user_policy("[policy]\nenable_audit_logging = false\n");
    let ran = eval(place.path(), "CALL FS.WriteFile(\"a\", \"x\")\nCALL FS.ReadFile(\"../x\")");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(place.path().join("a").exists() && !place.path().join(".ns/audit.jsonl").exists());
}

/// The log contains plain-text parameters of file tools, so each must be reviewed: parameters with file content have
/// `Kind::Content`.
#[test]
fn texts_that_the_log_shows_are_no_content() {
    const SHOWN: [&str; 16] = [
        "alphabet",
        "encoding",
        "entry",
        "if_match",
        "key",
        "memory_key",
        "mode",
        "name",
        "path",
        "pattern",
        "glob",
        "prefix",
        "time",
        "format",
        "owner",
        "group",
    ];
    for tool in neuroscript::engine::built_in_tools().iter() {
        let texts = tool.params.iter().filter(|param| format!("{:?}", param.kind) == "Text");
        for param in texts.filter(|_| tool.spec.effect.word() != "pure") {
            let name = tool.spec.name;
            assert!(SHOWN.contains(&param.name), "{name}: may the log show `{}`? else it is content", param.name);
        }
    }
}
