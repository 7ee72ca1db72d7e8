//! The commands from a shell: output, errors, exit codes.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, ns, package, run, with_input};

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Runs a script given on the command line.
fn eval(code: &str, words: &[&str]) -> Ran {
    let place = sandbox();
    run(ns(place.path()).args(["run", "-e", code]).args(words))
}

fn call(place: &Path, words: &[&str]) -> Ran {
    run(ns(place).arg("call").args(words))
}

/// Returns the one line of a failed call.
fn failure(ran: &Ran) -> Json {
    assert_eq!(ran.stdout, "", "a failure prints nothing on standard output");
    assert_eq!(ran.stderr.lines().count(), 1, "a failure is one line: {}", ran.stderr);
    let json: Json = serde_json::from_str(&ran.stderr).unwrap_or_else(|_| panic!("not JSON: {}", ran.stderr));
    let keys: Vec<&str> = json["error"].as_object().expect("`error` is an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["code", "message", "tool", "argument", "path", "hint"]);
    json["error"].clone()
}

#[test]
fn a_script_comes_from_a_file_from_standard_input_or_from_the_command_line() {
    let place = sandbox();
    let file = place.path().join("hello.ns");
    fs::write(&file, "EMIT \"hello \", LEN(ARGS)\n").expect("a script");
    assert_eq!(run(ns(place.path()).arg("run").arg(&file)).stdout, "hello 0\n");
    assert_eq!(run(ns(place.path()).arg(&file)).stdout, "hello 0\n");
    assert_eq!(run(ns(place.path()).arg(&file).args(["a", "--", "--read-only"])).stdout, "hello 2\n");
    assert_eq!(run(ns(place.path()).arg("run").arg(&file).args(["a", "b"])).stdout, "hello 2\n");
    assert_eq!(eval("EMIT 1 + 1", &[]).stdout, "2\n");
    assert_eq!(with_input(ns(place.path()).args(["run", "-"]), "EMIT 3\n").stdout, "3\n");
    assert_eq!(with_input(&mut ns(place.path()), "EMIT 4\n").stdout, "4\n");
}

#[test]
fn a_root_named_through_a_link_is_known_by_both_names() {
    let place = sandbox();
    fs::create_dir(place.path().join("real")).expect("a folder");
    fs::write(place.path().join("real/a.txt"), "here").expect("a file");
    std::os::unix::fs::symlink("real", place.path().join("link")).expect("a link");
    let link = place.path().join("link");
    for named in ["link", "real"] {
        let path = place.path().join(named).join("a.txt");
        let ran = call(&link, &["read_file", &serde_json::json!({ "file_path": path }).to_string()]);
        assert!(ran.stdout.contains("\"content\":\"here\""), "{named}: {}", ran.stderr);
    }
    let outside = serde_json::json!({ "file_path": place.path().join("linked/a.txt") }).to_string();
    assert_eq!(failure(&call(&link, &["read_file", &outside]))["code"], "sandbox_violation");
}

#[test]
fn a_script_with_a_shebang_is_a_program() {
    let place = sandbox();
    let bin = Path::new(env!("CARGO_BIN_EXE_ns")).parent().expect("the binary lies in a folder");
    let file = place.path().join("tool.ns");
    fs::write(&file, "#!/usr/bin/env ns\nEMIT ARGS\n").expect("a script");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the script becomes executable");
    let mut command = Command::new(&file);
    command.args(["one", "two"]).env("PATH", format!("{}:/usr/bin:/bin", bin.display())).current_dir(place.path());
    assert_eq!(run(&mut command).stdout, "[\"one\", \"two\"]\n");
}

#[test]
fn a_file_of_procedures_runs_main_or_the_named_one() {
    let place = sandbox();
    let file = place.path().join("lib.ns");
    fs::write(
        &file,
        "func Main(needs a optional b) means\nEMIT a, b\nendfunc\nfunc Other means\nEMIT \"other\"\nendfunc\n",
    )
    .expect("a script");
    let go = |words: &[&str]| run(ns(place.path()).arg("run").arg(&file).args(words));
    assert_eq!(go(&["--", "x"]).stdout, "xnil\n");
    assert_eq!(go(&["--proc", "Other"]).stdout, "other\n");
    let unknown = go(&["--proc", "Othr"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("NS0107") && unknown.stderr.contains("did you mean `Other`?"),
        "{}",
        unknown.stderr
    );
    let missing = go(&[]);
    assert!(missing.code == 2 && missing.stderr.contains("the argument `A` is missing"), "{}", missing.stderr);
    assert_eq!(go(&["x", "--b", "y"]).stdout, "xy\n");
    let surplus = go(&["1", "2"]);
    assert!(surplus.code == 2 && surplus.stderr.contains("`2` is too much"), "{}", surplus.stderr);
}

#[test]
fn temporary_directories_go_with_the_run_and_nothing_else_does() {
    let make = "SET t = FS.TempDirectory()\nCALL FS.WriteFile(t.path + \"/a/b\", \"1\")\n";
    let kept = "CALL FS.MoveFile(t.path, \"kept\")\n";
    let exchanged = "CALL FS.MoveFile(t.path, \"moved\")\nCALL FS.WriteFile(t.path + \"/mine\", \"1\")\n";
    for (rest, words, left) in [
        ("", &[][..], 0),
        ("FAIL \"x\"\n", &[], 0),
        ("WHILE true DO\nENDWHILE\n", &["--max-steps", "1000"], 0),
        (kept, &[], 1),
        (exchanged, &[], 2),
    ] {
        let place = sandbox();
        let ran = run(ns(place.path()).args(words).args(["run", "-e", &format!("{make}{rest}")]));
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        let names = fs::read_dir(place.path()).expect("the sandbox").flatten().map(|entry| entry.file_name());
        assert_eq!(names.filter(|name| name != ".ns").count(), left, "{rest}: {}", ran.stderr);
    }
    let place = sandbox();
    call(place.path(), &["temp_directory", "{}"]);
    with_input(ns(place.path()).arg("repl"), "SET t = FS.TempDirectory()\nEMIT t.path\n");
    assert_eq!(
        fs::read_dir(place.path())
            .expect("the sandbox")
            .filter(|entry| !entry.as_ref().is_ok_and(|entry| entry.file_name() == ".ns"))
            .count(),
        0
    );
}

#[test]
fn exit_codes() {
    assert_eq!(eval("EMIT 1", &[]).code, 0);
    assert_eq!(eval("FAIL \"no\"", &[]).code, 1);
    assert_eq!(eval("EMIT (", &[]).code, 1);
    assert_eq!(eval("EMIT 1", &["--no-such-option"]).code, 2);
    assert_eq!(eval("MUST CALL FS.ReadFile(\"../x\")", &[]).code, 4);
    assert_eq!(eval("MUST CALL FS.Mkdir(\"x\")", &["--read-only"]).code, 4);
    assert_eq!(eval("WHILE true DO\nEND", &["--max-steps", "1000"]).code, 124);
    assert_eq!(eval("WHILE true DO\nEND", &["--timeout", "50ms"]).code, 124);
    let place = sandbox();
    assert_eq!(run(ns(place.path()).args(["run", "no-such-file.ns"])).code, 2);
    assert_eq!(run(ns(place.path()).args(["no-such-file.ns"])).code, 2);
    assert_eq!(run(ns(&place.path().join("missing")).args(["run", "-e", "EMIT 1"])).code, 2);
}

#[test]
fn strict_makes_every_failure_an_error() {
    let code = "SET r = FS.MoveFile(\"a\", \"b\")\nEMIT r.error";
    assert_eq!(eval(code, &[]).stdout, "source path does not exist: `a`\n");
    let strict = eval(code, &["--strict"]);
    assert_eq!((strict.code, strict.stdout.as_str()), (1, ""));
    assert!(strict.stderr.contains("error[not_found]: source path does not exist"), "{}", strict.stderr);
    assert_eq!(eval("EMIT FS.WalkDir(\"missing\")", &["--strict"]).code, 1);
}

#[test]
fn a_failure_that_a_script_sees_as_nil_is_logged_once() {
    let place = sandbox();
    fs::write(place.path().join("file"), "").expect("a file");
    let ran = run(ns(place.path()).args([
        "run",
        "-e",
        "EMIT FS.WalkDir(\"file\")\nEMIT FS.WalkDir(\"missing\")\nEMIT LAST_ERROR.code",
    ]));
    assert_eq!(ran.stdout, "nil\nnil\nnot_found\n");
    assert_eq!(ran.stderr, "warning: <-e>:1: FS.WalkDir: `file`: path is not a directory\n");
}

#[test]
fn output_formats() {
    let list = "EMIT [{\"a\": 1, \"b\": \"x\"}, {\"a\": 22}]\nEMIT \"n\", 1";
    let with = |format: &str| eval(list, &["--output", format]).stdout;
    assert_eq!(with("auto"), "[{\"a\": 1, \"b\": \"x\"}, {\"a\": 22}]\nn1\n");
    assert_eq!(with("raw"), with("auto"));
    assert_eq!(with("json"), "[{\"a\":1,\"b\":\"x\"},{\"a\":22}]\n[\"n\",1]\n");
    assert_eq!(with("jsonl"), "{\"a\":1,\"b\":\"x\"}\n{\"a\":22}\n\"n\"\n1\n");
    let table = with("table");
    let lines: Vec<&str> = table.lines().map(str::trim_end).collect();
    assert_eq!(lines, ["  a  b", "  1  x", " 22", "n1"]);
}

#[test]
fn check_reports_every_finding_and_the_json_has_their_places() {
    let place = sandbox();
    let file = place.path().join("bad.ns");
    fs::write(&file, "EMIT x\nEMIT (1\nSET n = 5\nEMIT n--1\n").expect("a script");
    let text = run(ns(place.path()).arg("check").arg(&file));
    assert_eq!((text.code, text.stdout.as_str()), (3, ""));
    assert!(text.stderr.ends_with("2 errors, 1 warning\n"), "{}", text.stderr);
    let json = run(ns(place.path()).args(["check", "--format", "json"]).arg(&file));
    let findings: Json = serde_json::from_str(&json.stdout).expect("findings are JSON");
    let codes: Vec<&str> =
        findings.as_array().expect("a list").iter().filter_map(|finding| finding["code"].as_str()).collect();
    assert_eq!(codes, ["NS0101", "NS0002", "NS0021"]);
    assert_eq!(findings[0]["place"]["line"], 1);
    assert_eq!(
        (&findings[0]["place"]["column"], &findings[0]["place"]["end_column"]),
        (&Json::from(6), &Json::from(7))
    );
    fs::write(&file, "EMIT 1\n").expect("a script");
    assert_eq!(run(ns(place.path()).arg("check").arg(&file)).code, 0);
}

#[test]
fn check_shows_what_a_script_says_about_itself() {
    let place = sandbox();
    let file = place.path().join("info.ns");
    let text = "FILE_VERSION \"1.2.3\"\n:: author: somebody\nfunc F(needs a optional b) means\nCOMMENT: adds ENDCOMMENT\nRETURN a\nendfunc\n";
    fs::write(&file, text).expect("a script");
    let ran = run(ns(place.path()).args(["check", "--info", "--format", "json"]).arg(&file));
    let shown: Json = serde_json::from_str(&ran.stdout).expect("information is JSON");
    let info = &shown[0]["info"];
    assert_eq!(info["version"], "1.2.3");
    assert_eq!(info["metadata"][0], serde_json::json!(["author", "somebody"]));
    assert_eq!(info["procedures"][0]["documentation"], "adds");
    assert_eq!(info["procedures"][0]["required"], 1);
}

#[test]
fn call_prints_texts_as_they_are_and_all_else_as_json() {
    let place = sandbox();
    assert_eq!(call(place.path(), &["STR.Upper", "{\"text\": \"a\"}"]).stdout, "A");
    assert_eq!(call(place.path(), &["LIST.Sort", "{\"list\": [2, 1]}"]).stdout, "[1,2]\n");
    assert_eq!(call(place.path(), &["walk_dir", "{\"path\": \"missing\"}"]).stdout, "null\n");
    assert_eq!(with_input(ns(place.path()).args(["call", "str_length", "-"]), "{\"text\": \"abc\"}").stdout, "3\n");
    let file = place.path().join("args.json");
    fs::write(&file, "{\"text\": \"b\"}").expect("arguments");
    assert_eq!(call(place.path(), &["tool.str.upper", &format!("@{}", file.display())]).stdout, "B");
}

#[test]
fn call_reports_failures_in_one_shape() {
    let place = sandbox();
    let unknown = call(place.path(), &["walk_dirr"]);
    assert_eq!((failure(&unknown)["code"].as_str(), unknown.code), (Some("unknown_tool"), 2));
    let bad = call(place.path(), &["walk_dir", "{\"pth\": \".\"}"]);
    assert_eq!((failure(&bad)["code"].as_str(), bad.code), (Some("bad_args"), 2));
    assert_eq!(failure(&bad)["hint"], "did you mean `path`?");
    for json in ["", "[", "[1]", "3", "{\"path\": 3}", "{\"path\": null}", "{}"] {
        let ran = call(place.path(), &["walk_dir", json]);
        assert_eq!((failure(&ran)["code"].as_str(), ran.code), (Some("bad_args"), 2), "{json}");
    }
    let outside = call(place.path(), &["read_file", "{\"file_path\": \"../x\"}"]);
    assert_eq!((failure(&outside)["code"].as_str(), outside.code), (Some("sandbox_violation"), 4));
    assert_eq!(failure(&outside)["argument"], "path");
    let missing = call(place.path(), &["read_file", "{\"file_path\": \"x\"}"]);
    assert_eq!((failure(&missing)["code"].as_str(), missing.code), (Some("not_found"), 1));
    let read_only =
        run(ns(place.path()).args(["--read-only", "call", "create_directory", "{\"directory_path\": \"x\"}"]));
    assert_eq!((failure(&read_only)["code"].as_str(), read_only.code), (Some("policy_denied"), 4));
}

#[test]
fn call_bounds_an_answer() {
    let place = sandbox();
    for number in 0..20 {
        fs::write(place.path().join(format!("file{number}")), "").expect("a file");
    }
    let listing = call(place.path(), &["list_directory", "{\"path\": \".\"}", "--max-output-bytes", "500"]);
    assert!(listing.stdout.len() <= 501 && listing.stdout.contains("max_output_bytes"), "{}", listing.stdout);
    let walk = call(place.path(), &["walk_dir", "{\"path\": \".\"}", "--max-output-bytes", "500"]);
    assert_eq!((failure(&walk)["code"].as_str(), walk.code), (Some("limit_exceeded"), 1));
}

#[test]
fn a_wrong_policy_is_an_error_with_its_place() {
    let place = sandbox();
    fs::write(place.path().join("neuroscript.toml"), "[limits]\nmax_step = 5\n").expect("a policy");
    let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("neuroscript.toml:2:1") && ran.stderr.contains("did you mean `max_steps`?"),
        "{}",
        ran.stderr
    );
    let error = failure(&call(place.path(), &["walk_dir", "{\"path\": \".\"}"]));
    assert_eq!(error["code"], "bad_args");
    assert!(error["message"].as_str().is_some_and(|message| message.starts_with("neuroscript.toml:2:1: ")), "{error}");
    for text in [
        "[limits]\nmax_steps = \"many\"\n",
        "[limits]\ntimeout_s = 0\n",
        "[limits\n",
        "policy = 3\n",
        "[x]\n",
        "[limits]\nmax_steps = -1\n",
    ] {
        fs::write(place.path().join("neuroscript.toml"), text).expect("a policy");
        let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{text}");
        assert!(
            ran.stderr.contains("error[NS0401]") && ran.stderr.contains("neuroscript.toml:"),
            "{text}: {}",
            ran.stderr
        );
    }
    let deep = format!("a = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    fs::write(place.path().join("neuroscript.toml"), deep).expect("a policy");
    let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("neuroscript.toml:1:"), "{}", ran.stderr);
}

#[test]
fn a_script_that_is_not_utf_8_is_refused_at_its_first_wrong_byte() {
    let place = sandbox();
    let file = place.path().join("latin.ns");
    fs::write(&file, b"EMIT 1\nEMIT \"caf\xe9\"\n").expect("a script");
    let ran = run(ns(place.path()).arg("run").arg(&file));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("error[NS0010]") && ran.stderr.contains("latin.ns:2"), "{}", ran.stderr);
}

#[test]
fn a_sandbox_that_cannot_be_opened_is_refused() {
    let place = sandbox();
    fs::write(place.path().join("file"), "").expect("a file");
    for root in ["missing", "file"] {
        let ran = run(ns(&place.path().join(root)).args(["run", "-e", "EMIT 1"]));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains("NS0501") && ran.stderr.contains(root), "{}", ran.stderr);
    }
}

#[test]
fn a_policy_file_that_is_no_plain_file_is_refused() {
    let place = sandbox();
    let path = place.path().join("neuroscript.toml");
    std::os::unix::fs::symlink("/etc/hostname", &path).expect("a link");
    assert_eq!(run(ns(place.path()).args(["run", "-e", "EMIT 1"])).code, 2);
    fs::remove_file(&path).expect("the link goes");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(run(ns(place.path()).args(["run", "-e", "EMIT 1"])).code, 2);
}

#[test]
fn names_are_escaped_in_messages() {
    let place = sandbox();
    let ran = eval("MUST CALL FS.ReadFile(\"a\\u001b[31mb\\u202ec\")", &[]);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'), "{:?}", ran.stderr);
    fs::write(place.path().join("bad\u{1b}[31m.ns"), "EMIT x\n").expect("a script");
    let ran = run(ns(place.path()).arg("check").arg(place.path().join("bad\u{1b}[31m.ns")));
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = sandbox();
    let code = "WHILE true DO\nEMIT \"line\"\nEND";
    let mut child = ns(place.path())
        .args(["run", "-e", code])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ns starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ns ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn an_interrupt_ends_the_run_with_130() {
    let place = sandbox();
    let code = "MUST FS.WriteFile(\"begun\", \"\")\nWHILE true DO\nEND";
    let mut command = ns(place.path());
    command.args(["run", "-e", code, "--max-steps", "1000000000000"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("ns starts");
    while !place.path().join("begun").exists() {
        assert_eq!(child.try_wait().expect("it is looked at"), None, "the run ended before it was interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    run(Command::new("kill").args(["-INT", &child.id().to_string()]));
    let output = child.wait_with_output().expect("ns ends");
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("NS0614") && errors.contains(":2:"), "{errors}");
}

#[test]
fn the_home_folder_and_the_root_are_sandboxes_only_when_named() {
    let place = sandbox();
    let home = place.path().canonicalize().expect("the folder has a path");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ns"));
    command.args(["run", "-e", "EMIT 1"]).env("HOME", &home).current_dir(&home);
    let ran = run(&mut command);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the home folder becomes the sandbox only when it is named"), "{}", ran.stderr);
    command.args(["--sandbox", "."]);
    assert_eq!(run(&mut command).stdout, "1\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ns"));
    assert_eq!(run(command.args(["run", "-e", "EMIT 1"]).current_dir("/")).code, 2);
}

#[test]
fn explain_knows_every_code() {
    let place = sandbox();
    let ran = run(ns(place.path()).args(["explain", "ns0101"]));
    assert!(ran.stdout.starts_with("NS0101: a name that nothing sets\n\n"), "{}", ran.stdout);
    assert!(run(ns(place.path()).args(["explain", "not_found"])).stdout.starts_with("not_found: "));
    let unknown = run(ns(place.path()).args(["explain", "NS0199"]));
    assert_eq!(unknown.code, 2);
    for code in neuroscript::text::Code::ALL {
        assert!(code.explanation().len() > 25, "{code}");
    }
}

#[test]
fn doctor_says_what_holds() {
    let place = sandbox();
    let ran = run(ns(place.path()).arg("doctor"));
    assert_eq!(ran.code, 0);
    for word in [
        "sandbox",
        "resolver",
        "policy",
        "max_steps",
        "kernel sandbox",
        "[\"@default\"]",
        "bytes_written",
        "(built in)",
    ] {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
}

#[test]
fn tools_can_be_listed_and_shown() {
    let place = sandbox();
    let list = run(ns(place.path()).arg("tools"));
    assert!(list.stdout.contains("FS.WalkDir") && list.stdout.contains("walk_dir"), "{}", list.stdout);
    let one = run(ns(place.path()).args(["tools", "tool.fs.walkdir"]));
    assert!(one.stdout.starts_with("FS.WalkDir(path)\n"), "{}", one.stdout);
    let schema = run(ns(place.path()).args(["tools", "--format", "json-schema"]));
    let schemas: Json = serde_json::from_str(&schema.stdout).expect("schemas are JSON");
    assert_eq!(schemas["walk_dir"]["required"], serde_json::json!(["path"]));
    let unknown = run(ns(place.path()).args(["tools", "FS.WalkDr"]));
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("did you mean `FS.WalkDir`?"), "{}", unknown.stderr);
}

/// Our own scripts have no findings.
#[test]
fn the_package_s_scripts_pass_the_check() {
    let place = sandbox();
    let scripts =
        fs::read_dir(package("scripts")).expect("there are scripts").map(|entry| entry.expect("a script").path());
    // The folder beside them holds instructions for agents.
    let scripts = scripts.filter(|path| path.is_file());
    let ran = run(ns(place.path()).arg("check").args(scripts));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_provider_of_a_model_cannot_be_set() {
    let place = sandbox();
    fs::write(place.path().join("neuroscript.toml"), "[llm]\nprovider = \"any\"\n").expect("a policy");
    let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("this version has no provider for `LLM`"), "{}", ran.stderr);
}

/// A failure is shown where nothing can look at it: after a CALL, and in a variable that nothing reads.
#[test]
fn a_failure_that_nothing_can_look_at_is_shown() {
    const RESULT: &str = "SET r = FS.DeleteFile(\"none\")\n";
    let told = |script: &str| {
        let place = sandbox();
        fs::write(place.path().join("a.ns"), script).expect("a script");
        let ran = run(ns(place.path()).arg("run").arg(place.path().join("a.ns")));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stderr.lines().filter(|line| line.contains("FS.DeleteFile: `none` does not exist")).count()
    };
    let in_procedure = format!("DEFINE PROCEDURE P()\n  {RESULT}  RETURN 1\nEND\nEMIT P()\n");
    let in_loop = format!("FOR EACH x IN [1, 2] DO\n  {RESULT}END\n");
    for (script, shown) in [
        (RESULT.to_owned(), 1),
        ("CALL FS.DeleteFile(\"none\")\n".to_owned(), 1),
        (in_procedure, 1),
        (in_loop, 2),
        (format!("{RESULT}EMIT r.error\n"), 0),
        (format!("{RESULT}EMIT ```{{{{r.error}}}}```\n"), 0),
        (format!("{RESULT}EMIT EVAL(\"{{{{r}}}}\")\n"), 0),
        (format!("{RESULT}EMIT LAST_ERROR.code\n"), 0),
        (format!("{RESULT}EMIT P()\nDEFINE PROCEDURE P()\n  RETURN r.error\nEND\n"), 0),
    ] {
        assert_eq!(told(&script), shown, "{script}");
    }
}
