//! Errors and partial results of calls that change something, as reported by `ns call`, scripts and the audit log.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod failures;

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::pty::{PtySession, spawn_command};
use crate::support::{Ran, folder_in_memory, ns, run, with_input};

/// Creates a sandbox with a policy and some small files, each of which contains its name.
fn sandbox(policy: &str, files: &[&str]) -> TempDir {
    let place = folder_in_memory();
    fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
    for name in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, name).expect("a file");
    }
    place
}

fn call(place: &TempDir, tool: &str, arguments: &Json, words: &[&str]) -> Ran {
    run(ns(place.path()).args(["call", tool, &arguments.to_string()]).args(words))
}

fn parsed(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("not one JSON value: {text}"))
}

/// Returns the error of a failing call and its exit code. The call must print nothing else.
fn failure(ran: &Ran) -> (Json, i32) {
    assert_eq!(ran.stdout, "", "a failure prints nothing");
    (parsed(&ran.stderr)["error"].clone(), ran.code)
}

/// Returns the partial result of a failing call.
fn answer_of(ran: &Ran) -> Json {
    parsed(&ran.stderr)["answer"].clone()
}

/// Returns the last line of the audit log.
fn last_line(place: &Path) -> Json {
    let log = fs::read_to_string(place.join(".ns/audit.jsonl")).expect("there is a log");
    parsed(log.lines().last().expect("the log has a line"))
}

#[test]
fn where_some_items_fail_a_call_fails_and_says_which() {
    let place = sandbox("", &["a", "b"]);
    let ran = call(&place, "delete_file", &json!({ "paths": ["a", "missing", "b"] }), &[]);
    let failure = parsed(&ran.stderr);
    assert_eq!((ran.code, &failure["error"]["code"], &failure["answer"]), (1, &json!("not_found"), &Json::Null));
    let answer = parsed(&ran.stdout);
    assert_eq!(answer["error"], "1 of 3 items failed; the first: `missing` does not exist");
    assert_eq!((&answer["success"], &answer["succeeded"], &answer["failed"]), (&json!(false), &json!(2), &json!(1)));
    let line = last_line(place.path());
    assert_eq!((&line["outcome"], &line["code"]), (&json!("partly"), &json!("not_found")));
    assert_eq!(line["items"], json!({ "done": 2, "failed": 1, "all": 3 }));
}

/// `ns call` and `ns call --jsonl` end alike, whatever part of several items fails, and report the same failure and
/// the same rows.
#[test]
fn a_missing_path_gets_the_one_that_is_like_it() {
    let place = sandbox("[policy]\nblocked_directories = [\"hidden\"]\n", &[]);
    for name in ["src/main.rs", "src/bin/tool.rs", "README.md", "hidden/file"] {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, "").expect("a file");
    }
    for (given, hint) in [
        ("src/mian.rs", Some("there is `src/main.rs`")),
        ("scr/main.rs", Some("there is `src/main.rs`")),
        ("src/bn/tool.rs", Some("there is `src/bin/tool.rs`")),
        ("readme.md", Some("there is `README.md`")),
        ("src/bn/other.rs", None),
        ("nothing/like.it", None),
        ("hiden/file", None),
        ("src/main.rs/x", None),
    ] {
        let ran = call(&place, "FS.ReadFile", &json!({"path": given}), &[]);
        let error: Json = serde_json::from_str(&ran.stderr).expect("an error is JSON");
        assert_eq!(error["error"]["hint"].as_str(), hint, "{given}: {}", ran.stderr);
    }
}

#[test]
fn one_call_and_many_calls_end_alike() {
    for paths in [vec!["a"], vec!["a", "no"], vec!["no", "a"], vec!["a", "../no"], vec!["no"], vec!["../no", "no"]] {
        let arguments = json!({ "paths": paths, "destination_path": "to" });
        let one = call(&sandbox("", &["a"]), "copy_file", &arguments, &[]);
        let line = json!({ "id": 1, "tool": "copy_file", "arguments": arguments }).to_string();
        let many = with_input(ns(sandbox("", &["a"]).path()).args(["call", "--jsonl"]), &line);
        assert_eq!(one.code, many.code, "{paths:?}");
        let lines = parsed(&many.stdout);
        let failure = if one.stderr.is_empty() { Json::Null } else { parsed(&one.stderr) };
        for key in ["code", "message", "path"] {
            assert_eq!(failure["error"][key], lines["error"][key], "{paths:?}");
        }
        let rows = if one.stdout.is_empty() { failure["answer"].clone() } else { parsed(&one.stdout) };
        let other = if lines["error"].is_null() { &lines["result"] } else { &lines["answer"] };
        assert_eq!(rows["items"], other["items"], "{paths:?}");
        assert_eq!(one.code == 0, failure.is_null(), "{paths:?}");
    }
}

#[test]
fn where_no_item_is_done_a_call_fails_and_keeps_its_rows() {
    let place = sandbox("", &["a"]);
    let ran = call(&place, "delete_file", &json!({ "paths": ["x", "../y"] }), &[]);
    let (error, code) = failure(&ran);
    assert_eq!(
        (code, &error["code"], &error["path"], &error["argument"]),
        (1, &json!("not_found"), &json!("x"), &json!("paths"))
    );
    assert_eq!(error.as_object().map(serde_json::Map::len), Some(6), "the shape of every failure");
    let rows = answer_of(&ran)["items"].as_array().cloned().expect("the rows are there");
    assert_eq!((rows.len(), &rows[1]["code"]), (2, &json!("sandbox_violation")));
    assert_eq!(last_line(place.path())["outcome"], "failed");
    let (error, code) = failure(&call(&place, "delete_file", &json!({ "paths": ["../y"] }), &[]));
    assert_eq!((code, &error["code"]), (4, &json!("sandbox_violation")));
    assert_eq!(last_line(place.path())["outcome"], "refused");
}

#[test]
fn a_limit_midway_ends_the_call_and_does_not_hide_what_was_done() {
    let place = sandbox("[limits]\nbytes_written = 5\n", &["aa", "bb", "cc", "dd"]);
    let arguments = json!({ "paths": ["aa", "missing", "bb", "cc", "dd"], "destination_path": "to" });
    let ran = call(&place, "copy_file", &arguments, &[]);
    let (error, code) = failure(&ran);
    assert_eq!((code, &error["code"], &error["path"]), (1, &json!("limit_exceeded"), &json!("cc")));
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.ends_with("; 2 of 5 items were done before (copy)"), "{message}");
    let answer = answer_of(&ran);
    assert_eq!((&answer["succeeded"], &answer["failed"], &answer["notReached"]), (&json!(2), &json!(2), &json!(1)));
    let done: Vec<&str> = answer["items"]
        .as_array()
        .expect("the rows are there")
        .iter()
        .filter(|row| row["success"] == true)
        .filter_map(|row| row["path"].as_str())
        .collect();
    assert_eq!(done, ["aa", "bb"]);
    let there = |name: &str| place.path().join("to").join(name).exists();
    assert_eq!([there("aa"), there("bb"), there("cc")], [true, true, false]);
    let line = last_line(place.path());
    assert_eq!((&line["outcome"], &line["items"]), (&json!("failed"), &json!({ "done": 2, "failed": 2, "all": 5 })));
}

#[test]
fn all_or_nothing_takes_back_what_was_done_before_a_limit() {
    let place = sandbox("[limits]\nbytes_written = 5\n", &["aa", "bb", "cc"]);
    let arguments = json!({ "paths": ["aa", "bb", "cc"], "destination_path": "to/there", "all_or_nothing": true });
    let (error, code) = failure(&call(&place, "copy_file", &arguments, &[]));
    assert_eq!((code, &error["code"]), (1, &json!("limit_exceeded")));
    assert!(
        error["message"].as_str().is_some_and(|message| message.starts_with("nothing was done (copy): ")),
        "{error}"
    );
    assert!(!place.path().join("to").exists(), "nothing stays");
    assert_eq!(last_line(place.path())["items"], json!({ "done": 0, "failed": 3, "all": 3 }));
}

#[test]
fn a_change_that_was_made_is_told_however_small_an_answer_may_be() {
    let long = "directory-with-a-long-name/".repeat(8);
    for bytes in ["1", "40", "80"] {
        let told = |tool: &str, arguments: Json| {
            let place = sandbox("", &["old", "dir/x"]);
            let ran = call(&place, tool, &arguments, &["--max-output-bytes", bytes]);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{tool} with {bytes} bytes");
            let answer = parsed(&ran.stdout);
            assert_eq!(answer["error"], Json::Null, "{tool}: {answer}");
            assert_eq!((&answer["success"], &answer["truncated"]), (&json!(true), &json!(true)), "{tool}: {answer}");
            let size = ran.stdout.len() as u64;
            assert!(size <= bytes.parse().unwrap_or(0) || size < 130, "{tool} with {bytes} bytes: {answer}");
        };
        told("write_file", json!({ "file_path": format!("{long}new"), "content": "x" }));
        told("append_file", json!({ "file_path": "old", "content": "x" }));
        told("edit_file", json!({ "file_path": "old", "old_text": "old", "new_text": "new" }));
        told("copy_file", json!({ "source_path": "old", "destination_path": format!("{long}new") }));
        told("delete_file", json!({ "path": "dir", "recursive": true }));
        told("create_directory", json!({ "directory_path": long }));
        told("compress", json!({ "source_path": "dir", "destination_path": format!("{long}new.zip") }));
    }
}

#[test]
fn rows_that_do_not_fit_are_left_out_and_the_counts_stay() {
    let strange = |number: usize| format!("{number:02}{}", "\u{1}".repeat(200));
    let names: Vec<String> = (0..20).map(strange).chain(["a".to_owned()]).collect();
    let place = sandbox("", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let most = 20_000;
    let ran = call(&place, "delete_file", &json!({ "glob": "*" }), &["--max-output-bytes", &most.to_string()]);
    let answer = parsed(&ran.stdout);
    assert!(ran.stdout.len() <= most + 1 && ran.stdout.len() > most / 2, "{} bytes", ran.stdout.len());
    assert_eq!((&answer["succeeded"], &answer["failed"], &answer["truncated"]), (&json!(21), &json!(0), &json!(true)));
    assert!(answer["items"].as_array().is_some_and(|rows| !rows.is_empty() && rows.len() < 21));
    assert!(!place.path().join("a").exists(), "it was done");
}

#[test]
fn a_tool_that_keeps_its_result_in_a_memory_asks_the_policy_as_the_memory_tools_do() {
    let listing = |target: &str| json!({ "path": ".", "target": target, "memory_key": "k" });
    for (rule, part) in [
        ("deny = [\"MEMORY.*\"]", "it is in `deny` as `MEMORY.*`"),
        ("deny = [\"memory_set\"]", "`MEMORY.Set`"),
        ("ask = [\"MEMORY.Set\"]", "needs a person's leave"),
        ("deny = [\"*\"]\nallow = [\"FS.ListDir\"]", "it is in `deny` as `*`"),
    ] {
        for target in ["project_memory", "session_memory"] {
            let place = sandbox(&format!("[tools]\n{rule}\n"), &["a"]);
            let (error, code) = failure(&call(&place, "list_dir", &listing(target), &[]));
            assert_eq!(
                (code, &error["code"], &error["argument"]),
                (4, &json!("policy_denied"), &json!("target")),
                "{rule}"
            );
            assert!(error["message"].as_str().is_some_and(|message| message.contains(part)), "{rule}: {error}");
            assert!(!place.path().join(".ns/memory.db").exists(), "{rule}: nothing is kept");
            assert_eq!(last_line(place.path())["outcome"], "refused");
            assert_eq!(call(&place, "list_dir", &json!({ "path": "." }), &[]).code, 0, "{rule}");
        }
    }
    let place = sandbox("[tools]\ndeny = [\"MEMORY.*\"]\nallow = [\"MEMORY.Set\"]\n", &["a"]);
    assert_eq!(call(&place, "list_dir", &listing("project_memory"), &[]).stdout, "k");
    let place = sandbox("[tools]\ndeny = [\"MEMORY.*\"]\n", &[]);
    let ran = run(ns(place.path()).args(["memory", "set", "k", "1"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "rules about tools are not about a person's own command");
}

#[test]
fn a_table_shows_rows_and_long_texts_below_the_rest() {
    let place = sandbox("", &["a", "b"]);
    fs::write(place.path().join("text"), "one\ntwo\u{1b}[2J\n").expect("a file");
    let shown = |tool: &str, arguments: Json| {
        let ran = call(&place, tool, &arguments, &["--output", "table"]);
        ran.stdout.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    };
    let copied = shown("copy_file", json!({ "paths": ["a", "no"], "destination_path": "to" }));
    assert!(copied.contains("\n\nitems:\n path  success  sizeBytes  error"), "{copied}");
    assert!(!copied.contains("backupPath"), "a column of nothing is left out: {copied}");
    let read = shown("read_file", json!({ "file_path": "text" }));
    assert!(read.ends_with("\n\ncontent:\none\ntwo\\u{1b}[2J"), "{read}");
}

/// Whatever is wrong in JSON that a person gives, the message is in our words: none names a type of ours, and none
/// takes a list for an object.
#[test]
fn no_message_about_json_is_in_the_words_of_a_library() {
    let place = sandbox("", &[]);
    let plan = r#"{"plan":1,"command":"x","failed":false,"root":1,"changes":[],"seal":"x"}"#;
    let doors: [(&[&str], &str); 3] = [
        (&["call", "--jsonl"], r#"{"id":1,"tool":"list_directory","arguments":{}}"#),
        (&["memory", "import"], r#"{"key":"a","type":"int","value":1}"#),
        (&["apply", "-"], plan),
    ];
    let library =
        regex::Regex::new(r"struct |EOF|invalid (type|length|value)|field|sequence|[ui](8|16|32|64)\b|line 0|ident")
            .expect("a pattern");
    for (words, good) in doors {
        for text in broken(good) {
            let ran = with_input(ns(place.path()).args(words), &text);
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!library.is_match(&told), "{words:?} {text}: {told}");
            let is_list = text.starts_with('[');
            assert!(!is_list || ran.code == 2 || ran.code == 1, "{words:?} {text}: exit {} {told}", ran.code);
        }
    }
}

/// Returns a JSON object cut at every place, with every key left out, doubled and unknown, and with every value and
/// the whole exchanged for values of other kinds.
fn broken(good: &str) -> Vec<String> {
    let mut texts: Vec<String> = (1..good.len()).map(|end| good[..end].to_owned()).collect();
    let others =
        ["5", "1.5", "-1", "true", "null", "\"x\"", "[]", "[1]", "{}", "{\"a\":1}", "1e999", "tru", "{,}", "[1,]"];
    texts.extend(others.iter().map(|other| format!("{other}\n")));
    let Json::Object(whole) = parsed(good) else { unreachable!("it is an object") };
    let list: Vec<&Json> = whole.values().collect();
    texts.push(json!(list).to_string());
    for key in whole.keys() {
        let mut less = whole.clone();
        less.remove(key);
        texts.push(json!(less).to_string());
        texts.push(good.replacen('{', &format!("{{\"{key}\":{},", whole[key]), 1));
        texts.push(good.replacen(&format!("\"{key}\""), &format!("\"{key}s\""), 1));
        for other in others {
            texts.push(good.replacen(&format!("\"{key}\":{}", whole[key]), &format!("\"{key}\":{other}"), 1));
        }
    }
    texts
}

/// A value that a script returns is not lost without a word at a terminal.
#[test]
fn a_returned_value_that_nobody_sees_is_mentioned_at_a_terminal() {
    let place = sandbox("", &[]);
    let main = "func Main(n: 5) means\n  RETURN n\nend";
    for (script, words, is_told) in [
        ("RETURN 5", &[][..], true),
        (main, &[], true),
        (main, &["--quiet"], false),
        ("RETURN", &[], false),
        ("EMIT 1\nRETURN 5", &[], false),
    ] {
        let words = [&["run", "-e", script], words].concat();
        let shown = at_terminal(&place, &words).exp_eof().expect("the end");
        assert_eq!(shown.contains("the script returned 5 and printed nothing"), is_told, "{words:?}: {shown}");
    }
    let piped = run(ns(place.path()).args(["run", "-e", "RETURN 5"]));
    assert_eq!((piped.code, piped.stdout.as_str(), piped.stderr.as_str()), (0, "", ""));
}

/// Runs a call at a terminal. The session has a timeout in milliseconds.
fn at_terminal(place: &TempDir, words: &[&str]) -> PtySession {
    let mut command = ns(place.path());
    command.args(words).stdin(std::process::Stdio::inherit()).env("TERM", "xterm");
    spawn_command(command, 20_000).expect("a terminal")
}

/// Files and pipes get the exact bytes of a text; on a terminal the last line ends with exactly one line feed.
#[test]
fn a_text_is_printed_as_its_bytes() {
    let place = sandbox("", &[]);
    for text in ["", "a", "a\n", "a\n\n", "\n", "a\nb", "a\r\n", " "] {
        let args = json!({ "list": [text] }).to_string();
        let piped = run(ns(place.path()).args(["call", "LIST.First", &args]));
        assert_eq!((piped.code, piped.stdout.as_str(), piped.stderr.as_str()), (0, text, ""), "{text:?}");
        let json = run(ns(place.path()).args(["--output", "json", "call", "LIST.First", &args]));
        assert_eq!(json.stdout, format!("{}\n", json!(text)), "{text:?}");
        let file = place.path().join("out");
        let status = ns(place.path())
            .args(["call", "LIST.First", &args])
            .stdout(fs::File::create(&file).expect("a file"))
            .status();
        assert!(status.expect("`ns` runs").success());
        assert_eq!(fs::read_to_string(&file).expect("it was written"), text);
        // A terminal converts LF to CR LF.
        let shown = at_terminal(&place, &["call", "LIST.First", &args]).exp_eof().expect("the end");
        let ended = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        let wanted = ended.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(shown.replace("\\r", ""), wanted, "{text:?}");
    }
    // The output equals the input except for the value that was set.
    for text in ["a = 1 # one\n", "a = 1 # one", "a = 1\r\n"] {
        let args = json!({ "text": text, "path": "a", "value": 2 }).to_string();
        let set = run(ns(place.path()).args(["call", "TOML.Set", &args]));
        assert_eq!(set.stdout, text.replacen('1', "2", 1), "{}", set.stderr);
    }
    // Any other value is printed as a line.
    assert_eq!(run(ns(place.path()).args(["call", "LIST.First", "{\"list\": [[1]]}"])).stdout, "[1]\n");
}

#[test]
fn work_that_lasts_is_shown_at_a_terminal_and_can_be_interrupted() {
    let place = sandbox("", &["small"]);
    let endless = fs::File::create(place.path().join("endless")).expect("a file");
    endless.set_len(1 << 42).expect("a file of nothing but holes");
    let mut session = at_terminal(&place, &["call", "hash_file", "{\"path\": \"endless\"}"]);
    session.exp_regex("FS.HashFile: [0-9.]+ .iB of 4.00 TiB, [0-9.]+ .iB/s, [0-9]+ s").expect("what was read so far");
    session.send_control('c').expect("an interrupt");
    let rest = session.exp_eof().expect("the end");
    assert!(rest.contains("\"code\":\"cancelled\""), "{rest}");
    let status = session.process().wait().expect("the end");
    assert!(format!("{status:?}").contains("130"), "{status:?}");
    let mut session = at_terminal(&place, &["call", "hash_file", "{\"path\": \"small\"}"]);
    let shown = session.exp_eof().expect("the end");
    assert!(!shown.contains("FS.HashFile"), "what is done at once is not shown: {shown}");
}

/// A dry run leaves nothing behind, not even a line of the log, unless it is refused.
#[test]
fn a_dry_run_leaves_no_trace() {
    let place = folder_in_memory();
    fs::write(place.path().join("a"), "one\n").expect("a file");
    let edit = |old: &str| json!({ "path": "a", "old_text": old, "new_text": "1", "dry_run": true });
    assert_eq!(call(&place, "edit_file", &edit("one"), &[]).code, 0);
    assert_eq!(failure(&call(&place, "edit_file", &edit("two"), &[])).0["code"], "conflict");
    let names: Vec<_> =
        fs::read_dir(place.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(
        (names, fs::read_to_string(place.path().join("a")).expect("a file").as_str()),
        (vec!["a".into()], "one\n")
    );
    let refused = json!({ "path": "../a", "old_text": "one", "new_text": "1", "dry_run": true });
    assert_eq!(call(&place, "edit_file", &refused, &[]).code, 4);
    assert_eq!(last_line(place.path())["tool"], "FS.EditFile");
}
