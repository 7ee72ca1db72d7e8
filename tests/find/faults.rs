//! Conditions that make a search fail, because the result would omit entries without being asked to.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::support::{ns, run, with_input};

/// Calls `find` as an ordinary user. Returns the paths of the records, or the error.
fn call(root: &Path, args: Json) -> Result<Vec<String>, Json> {
    let is_root = fs::metadata("/proc/self").expect("a process has a folder").uid() == 0;
    let mut command = ns(root);
    if is_root {
        command.uid(65_534).gid(65_534);
    }
    let line = format!("{}\n", json!({ "tool": "find", "arguments": args }));
    let ran = with_input(command.args(["call", "--jsonl"]), &line);
    let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no answer: {}", ran.stderr));
    match answer["result"].as_array() {
        Some(records) => Ok(records.iter().map(|record| record["path"].as_str().expect("a path").to_owned()).collect()),
        None => Err(answer["error"].clone()),
    }
}

fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    for path in ["open/a.txt", "shut/in/b.txt", "names/c.txt"] {
        let file = place.path().join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "x").expect("a file");
    }
    place
}

fn set_mode(place: &tempfile::TempDir, path: &str, mode: u32) {
    fs::set_permissions(place.path().join(path), fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Returns the remedy of an error: the pattern list that its hint suggests.
fn remedy(error: &Json) -> Json {
    let hint = error["hint"].as_str().expect("the error has a hint");
    let list = hint.split_once("pattern: ").expect("the hint names a pattern").1;
    let list = list.split_inclusive(']').next().expect("a list");
    // A class in the pattern also contains a `]`, preceded by a backslash.
    let end = hint.find("]`").expect("the list ends") + 1;
    let start = hint.find("pattern: [").unwrap_or_else(|| panic!("{hint} {list}")) + "pattern: ".len();
    serde_json::from_str(&hint[start..end]).unwrap_or_else(|_| panic!("{hint}"))
}

#[test]
fn a_directory_that_cannot_be_read_fails_the_search() {
    for (mode, closed) in [(0o000, "shut"), (0o444, "names"), (0o311, "shut")] {
        let place = tree();
        set_mode(&place, closed, mode);
        for args in [json!({}), json!({ "type": "all" }), json!({ "pattern": "*.txt" }), json!({ "gitignore": true })] {
            let error = call(place.path(), args.clone()).expect_err("a search that cannot be whole");
            assert_eq!(
                (&error["code"], &error["path"]),
                (&json!("permission_denied"), &json!(closed)),
                "{args} {error}"
            );
            let paths = call(place.path(), json!({ "pattern": remedy(&error) })).expect("the remedy helps");
            assert!(paths.contains(&"open/a.txt".to_owned()), "{paths:?}");
        }
        for args in [json!({ "pattern": "open/**" }), json!({ "path": "open" }), json!({ "pattern": "open/*.txt" })] {
            assert_eq!(call(place.path(), args.clone()).expect("it is not looked into"), ["open/a.txt"], "{args}");
        }
        let paths = call(place.path(), json!({ "depth": 1, "type": "directory" })).expect("it is not looked into");
        assert_eq!(paths, ["names", "open", "shut"]);
        set_mode(&place, closed, 0o755);
    }
}

#[test]
fn a_directory_behind_a_link_counts_as_well() {
    let place = tree();
    fs::create_dir(place.path().join("way")).expect("a folder");
    symlink("../shut", place.path().join("way/on")).expect("a link");
    set_mode(&place, "shut", 0o000);
    let whole = |follow: bool| call(place.path(), json!({ "path": "way", "follow": follow, "type": "all" }));
    assert_eq!(whole(false).expect("no link is followed"), ["way/on"]);
    let error = whole(true).expect_err("what is behind the link cannot be read");
    assert_eq!((&error["code"], &error["path"]), (&json!("permission_denied"), &json!("way/on")), "{error}");
    set_mode(&place, "shut", 0o755);
}

#[test]
fn a_path_that_is_no_text_fails_the_search() {
    for bad in [&b"caf\xe9.txt"[..], b"d\xff/in.txt", b"[\xff].txt", b"d\xff/e/in.txt"] {
        let place = tree();
        let path = place.path().join(OsStr::from_bytes(bad));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "x").expect("a file");
        let error = call(place.path(), json!({})).expect_err("a search that cannot be whole");
        let shown = String::from_utf8_lossy(bad);
        assert_eq!((&error["code"], &error["path"]), (&json!("encoding"), &json!(shown)), "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(&shell_name(bad)), "{message}");
        let paths = call(place.path(), json!({ "pattern": remedy(&error) })).expect("the remedy helps");
        assert_eq!(paths, ["names/c.txt", "open/a.txt", "shut/in/b.txt"]);
        assert_eq!(call(place.path(), json!({ "pattern": "*.md" })).expect("it is not wanted"), [""; 0]);
        assert_eq!(call(place.path(), json!({ "pattern": "open/*" })).expect("it is not wanted"), ["open/a.txt"]);
        assert!(call(place.path(), json!({ "limit": 1 })).is_err(), "a limit cuts what was found, and hides no fault");
    }
}

/// Returns a path as bash prints it between `$'` and `'`.
fn shell_name(path: &[u8]) -> String {
    let show = |byte: &u8| if byte.is_ascii() { char::from(*byte).to_string() } else { format!("\\x{byte:02X}") };
    path.iter().map(show).collect()
}

#[test]
fn a_shell_renames_what_the_error_names() {
    let bads: [&[u8]; 5] = [b"caf\xe9.txt", b"a\\b'c\xff\x01d", b"\xc3\xa9 \xffa", b"\xffab", "x\u{202e}\n".as_bytes()];
    for (at, bad) in bads.iter().enumerate() {
        let place = tree();
        let bad = if at == 4 { [bad, &b"\xfe"[..]].concat() } else { bad.to_vec() };
        fs::write(place.path().join(OsStr::from_bytes(&bad)), "x").expect("a file");
        let error = call(place.path(), json!({})).expect_err("a search that cannot be whole");
        let message = error["message"].as_str().expect("a message");
        let path = message.split('`').nth(1).expect("the message names the path");
        let renamed = Command::new("bash").args(["-c", &format!("mv -- $'{path}' z")]).current_dir(&place).status();
        assert!(renamed.expect("bash runs").success(), "{path}");
        let paths = call(place.path(), json!({})).expect("every path is a text");
        assert_eq!(paths, ["names/c.txt", "open/a.txt", "shut/in/b.txt", "z"]);
    }
}

#[test]
fn a_match_in_a_file_whose_path_is_no_text_fails_the_search_for_it() {
    for bad in [&b"caf\xe9.txt"[..], b"d\xff/in.txt"] {
        let place = tree();
        let path = place.path().join(OsStr::from_bytes(bad));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "needle").expect("a file");
        fs::write(place.path().join("open/a.txt"), "needle").expect("a file");
        let search = |text: &str, pattern: &Json| {
            let arguments = json!({ "text": text, "pattern": pattern });
            let line = format!("{}\n", json!({ "tool": "search_files", "arguments": arguments }));
            let ran = with_input(ns(place.path()).args(["call", "--jsonl"]), &line);
            serde_json::from_str::<Json>(&ran.stdout).unwrap_or_else(|_| panic!("no answer: {}", ran.stderr))
        };
        let error = &search("needle", &Json::Null)["error"];
        let message = error["message"].as_str().expect("a message");
        assert!(error["code"] == "encoding" && message.contains(&shell_name(bad)), "{error}");
        assert_eq!(search("needle", &remedy(error))["result"]["totalMatches"], 1);
        assert_eq!(search("straw", &Json::Null)["result"]["totalMatches"], 0);
    }
}

#[test]
fn one_remedy_leaves_out_all_paths_that_are_no_text() {
    let place = tree();
    for bad in [&b"caf\xe9.txt"[..], b"open/\xfe", b"d\xff/in.txt", b"open/[\xff].txt", b"d\xff/e/\xe4.txt"] {
        let path = place.path().join(OsStr::from_bytes(bad));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "x").expect("a file");
    }
    let error = call(place.path(), json!({})).expect_err("a search that cannot be whole");
    let paths = call(place.path(), json!({ "pattern": remedy(&error) })).expect("the remedy helps");
    assert_eq!(paths, ["names/c.txt", "open/a.txt", "shut/in/b.txt"]);
}

#[test]
fn a_limit_of_the_run_fails_the_search() {
    let place = tree();
    for number in 0..300 {
        fs::write(place.path().join(format!("open/{number}")), "").expect("a file");
    }
    for script in
        ["EMIT LEN(FS.Find(\".\"))", "EMIT LEN(FS.Find(\".\", \"*.md\"))", "EMIT LEN(FS.Find(\".\", limit: 1))"]
    {
        let ran = run(ns(place.path()).args(["run", "--max-steps", "200", "-e", script]));
        assert_eq!((ran.code, ran.stdout.as_str()), (124, ""), "{script}: {}", ran.stderr);
        let ran = run(ns(place.path()).args(["run", "--max-steps", "400", "-e", script]));
        assert_eq!(ran.code, 0, "{script}: {}", ran.stderr);
    }
}

#[test]
fn a_plan_is_searched_as_what_it_will_leave() {
    let place = tree();
    symlink("open", place.path().join("link")).expect("a link");
    fs::write(place.path().join(".gitignore"), "*.log\n").expect("a file");
    let change = "MUST CALL FS.WriteFile(\"open/new.log\", \"new\")\nMUST CALL FS.WriteFile(\"open/sub/d.txt\", \"new\")\n\
        MUST CALL FS.DeleteFile(\"shut\", recursive: true)\nMUST CALL FS.MoveFile(\"names\", \"open/moved\")\n";
    let look = "FOR EACH f IN FS.Find(\".\", type: \"all\", follow: true, gitignore: true) DO\nEMIT f.path, f.type, f.size, f.target\nEND\n";
    let script = format!("{change}{look}");
    let planned = run(ns(place.path()).args(["run", "--plan", "-e", &script]));
    let done = run(ns(place.path()).args(["run", "-e", &script]));
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    assert_eq!((done.code, &done.stdout), (0, &planned.stdout[..done.stdout.len()].to_owned()), "{}", done.stderr);
    assert!(done.stdout.contains("open/moved/c.txt") && !done.stdout.contains("new.log"), "{}", done.stdout);
}

/// For a script that reads no sizes, times and targets, the search skips them, with the same result.
#[test]
fn what_is_spared_is_not_seen() {
    let place = tree();
    symlink("open", place.path().join("link")).expect("a link");
    let reads_all = "IF false THEN\nFOR EACH e IN FS.Find(\".\") DO\nEMIT e\nEND\nEND\n";
    for options in
        ["", ", type: \"all\"", ", sort: \"size\"", ", min_size: 1", ", follow: true, type: \"all\"", ", limit: 2"]
    {
        let text =
            format!("FOR EACH e IN FS.Find(\".\", \"*\"{options}) DO\nEMIT e.path, e.name, e.type, e.extension\nEND\n");
        let spared = run(ns(place.path()).args(["run", "-e", &text]));
        let whole = run(ns(place.path()).args(["run", "-e", &format!("{text}{reads_all}")]));
        assert_eq!((spared.code, &spared.stdout), (0, &whole.stdout), "{text} {}", spared.stderr);
        assert!(!spared.stdout.is_empty(), "{text}");
    }
}

/// The remedy keeps the patterns that were given, so that following it leads on.
#[test]
fn the_remedy_of_a_search_with_patterns_leads_to_an_answer() {
    for (given, wanted) in [
        (json!("*.txt"), vec!["open/a.txt"]),
        (json!(["*.txt", "!a.*"]), vec![]),
        (json!(["!names"]), vec!["open/a.txt"]),
        (json!(null), vec!["open/a.txt"]),
    ] {
        let place = tree();
        for closed in ["shut/in", "shut", "names"] {
            set_mode(&place, closed, 0o000);
        }
        let mut args = json!({ "pattern": given });
        let found = (0..3).find_map(|_| match call(place.path(), args.clone()) {
            Ok(found) => Some(found),
            Err(error) => {
                args = json!({ "pattern": remedy(&error) });
                None
            }
        });
        for closed in ["shut", "shut/in", "names"] {
            set_mode(&place, closed, 0o755);
        }
        assert_eq!(found.unwrap_or_else(|| panic!("it never ends: {args}")), wanted, "{given}");
    }
}
