//! Several threads give what one gives: results, failures, audit log and charges, on trees with everything that can
//! stand in the way.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod threads;
mod trees;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::support::{Ran, audited, ns, with_input};
use trees::{USER, is_root, plant};

/// Numbers of threads whose answers are compared.
const JOBS: [&str; 3] = ["1", "2", "8"];

/// Returns the number of generated trees.
fn tree_count() -> u64 {
    if std::env::var_os("NS_LONG").is_some() { 6 } else { 2 }
}

/// Calls tools with a number of threads, as an ordinary user.
fn call(root: &Path, jobs: &str, options: &[&str], calls: &[(&str, Json)]) -> Ran {
    let line = |(tool, args): &(&str, Json)| format!("{}\n", json!({ "tool": tool, "arguments": args }));
    let lines: String = calls.iter().map(line).collect();
    let mut command = ns(root);
    if is_root() {
        command.uid(USER).gid(USER);
    }
    with_input(command.args(["--jobs", jobs]).args(options).args(["call", "--jsonl"]), &lines)
}

fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("a mode");
}

/// Calls tools with each number of threads, and returns the answers, which must be the same.
fn same(root: &Path, options: &[&str], calls: &[(&str, Json)]) -> Vec<Json> {
    let answers = JOBS.map(|jobs| {
        let _ = fs::remove_dir_all(root.join(".ns"));
        let ran = call(root, jobs, options, calls);
        let lines: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), calls.len(), "{options:?}: {}", ran.stderr);
        (lines, ran.stderr, ran.code, audited(root))
    });
    for other in &answers[1..] {
        for (call, (one, several)) in calls.iter().zip(answers[0].0.iter().zip(&other.0)) {
            assert_eq!(one, several, "{options:?} {call:?}");
        }
        assert_eq!((&answers[0].1, answers[0].2, &answers[0].3), (&other.1, other.2, &other.3), "{options:?}");
    }
    answers[0].0.iter().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
}

/// Returns calls of every tool that works with several threads.
fn calls(root: &Path) -> Vec<(&'static str, Json)> {
    let mut paths: Vec<String> = Vec::new();
    trees::list(root, "", &mut paths);
    let some: Vec<&String> = paths.iter().step_by(3).collect();
    vec![
        ("hash_files", json!({ "paths": paths, "on_error": "record" })),
        ("hash_files", json!({ "paths": paths })),
        ("hash_files", json!({ "paths": ["no", "../x", "", "0"], "on_error": "record" })),
        ("hash_files", json!({ "paths": some, "on_error": "record" })),
        ("hash_files", json!({ "glob": "**/*", "on_error": "record" })),
        ("hash_files", json!({ "glob": "**/*.txt" })),
        ("find_duplicates", json!({})),
        ("find_duplicates", json!({ "pattern": "!*.shut" })),
        ("find_duplicates", json!({ "pattern": "!*.shut", "min_size": 0, "hard_links": true })),
        ("find_duplicates", json!({ "pattern": "*.txt", "hidden": false })),
        ("find_duplicates", json!({ "pattern": "*.none" })),
        ("search_files", json!({ "text": "x" })),
        ("search_files", json!({ "text": "x", "pattern": "!*.shut" })),
        ("search_files", json!({ "text": "line", "pattern": "!*.shut", "hidden": true, "max_matches": 7 })),
        (
            "search_files",
            json!({ "text": "lin.", "regex": true, "pattern": "!*.shut", "context_lines": 2, "max_matches": 40 }),
        ),
        ("search_files", json!({ "text": "é", "pattern": "!*.shut", "context_lines": 1 })),
        ("search_files", json!({ "text": "none of it", "pattern": "!*.shut" })),
    ]
}

#[test]
fn answers_are_those_of_one_thread() {
    for seed in 0..tree_count() {
        let place = plant(seed);
        let calls = calls(place.path());
        let answers = same(place.path(), &[], &calls);
        let records = |at: usize| answers[at]["result"].as_array().map_or(0, Vec::len);
        assert!(records(0) > 50 && records(8) > 3, "the tree holds files and duplicates: {answers:?}");
        let errors = answers.iter().filter(|answer| !answer["error"].is_null()).count();
        assert!((2..8).contains(&errors), "some calls fail, and most do not: {answers:?}");
    }
}

#[test]
fn limits_in_the_middle_end_a_call_alike() {
    let place = plant(7);
    let calls = calls(place.path());
    let mut endings = Vec::new();
    for steps in ["1", "20", "60", "100", "150", "200", "300", "500", "1000", "3000"] {
        let answers = same(place.path(), &["--max-steps", steps], &calls);
        endings.push(answers.iter().filter(|answer| answer["error"]["code"] == "limit_exceeded").count());
    }
    assert!(endings.is_sorted_by(|a, b| a >= b) && endings.first() > endings.last(), "{endings:?}");
    let held = tempfile::tempdir().expect("a folder for the policy");
    open_to_all(held.path());
    let policy = held.path().join("policy.toml");
    let mut endings = Vec::new();
    for memory in [1 << 16, 100_000, 150_000, 200_000, 300_000, 500_000, 1 << 20, 1 << 24] {
        fs::write(&policy, format!("[limits]\nmemory_bytes = {memory}\n")).expect("a policy");
        let answers = same(place.path(), &["--policy", policy.to_str().expect("a path is text")], &calls);
        endings.push(answers.iter().filter(|answer| answer["error"]["code"] == "limit_exceeded").count());
    }
    assert!(endings.first() > endings.last(), "{endings:?}");
}

#[test]
fn a_deadline_ends_a_call_alike() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for name in ["a", "b", "c"] {
        let endless = fs::File::create(place.path().join(name)).expect("a file");
        endless.set_len(1 << 42).expect("a file of nothing but holes");
    }
    open_to_all(place.path());
    let calls = [("hash_files", json!({ "glob": "*" }))];
    let answers = same(place.path(), &["--timeout", "0.3"], &calls);
    assert_eq!(answers[0]["error"]["code"], "limit_exceeded", "{answers:?}");
}

/// Files that a helper leaves to the thread of the call: long lines, many matches, damaged data, and contents whose end
/// says what the beginning was.
#[test]
fn files_that_helpers_give_up_are_searched_alike() {
    let place = tempfile::tempdir().expect("a folder for the test");
    open_to_all(place.path());
    let write = |name: &str, content: &[u8]| fs::write(place.path().join(name), content).expect("a file");
    let text = "some x line\n".repeat(20_000);
    write("a long line", format!("{}x\nx\n", "y".repeat(1_500_000)).as_bytes());
    write("many matches", text.as_bytes());
    write("late binary", [b"x\n".repeat(10), vec![b'y'; 300_000], b"\0".to_vec()].concat().as_slice());
    write("wide", &"\u{feff}x line\nnone\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    write("narrow", b"caf\xe9 x\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).expect("memory takes it");
    let packed = packed.finish().expect("memory takes it");
    write("packed.gz", &packed);
    write("z cut.gz", &packed[..packed.len() / 2]);
    (0..60).for_each(|number| write(&format!("b{number}"), b"x\nline\nx\n"));
    let search = |more: Json| {
        let mut args = json!({ "text": "x" });
        args.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        ("search_files", args)
    };
    let mut calls = vec![
        search(json!({})),
        search(json!({ "decompress": true })),
        search(json!({ "decompress": true, "pattern": "!*cut*", "context_lines": 3 })),
        search(json!({ "text": "(s|o|m|[^x])*ne$", "regex": true, "pattern": "!*.gz" })),
        search(json!({ "text": "(\\w+\\s){40}x", "regex": true })),
        search(json!({ "text": "é", "encoding": "latin-1" })),
    ];
    calls.extend([1, 2, 30, 60, 119, 120, 121, 20_100].map(|most| search(json!({ "max_matches": most }))));
    let answers = same(place.path(), &[], &calls);
    assert_eq!(answers[1]["error"]["code"], "invalid_archive", "{}", answers[1]);
    let matches = |at: usize| answers[at]["result"]["totalMatches"].as_u64();
    assert_eq!(matches(6), Some(1));
    assert!(matches(0) > Some(20_000) && matches(0) == matches(2).map(|more| more - 20_000), "{answers:?}");
    for steps in ["100", "200", "400", "700", "1500", "3000"] {
        same(place.path(), &["--max-steps", steps], &calls);
    }
}

/// A file that disappears or changes meanwhile fails the call; it is never left out.
#[test]
fn what_changes_meanwhile_is_a_conflict() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let write = |name: usize, content: &str| fs::write(place.path().join(name.to_string()), content).expect("a file");
    (0..200).for_each(|name| write(name, "same"));
    open_to_all(place.path());
    let stops = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stops.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::remove_file(place.path().join("100"));
                write(101, "longer");
                write(100, "same");
                write(101, "same");
            }
        });
        for jobs in ["1", "8"].repeat(5) {
            let ran = call(place.path(), jobs, &[], &[("find_duplicates", json!({}))]);
            let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
            let groups = answer["result"].as_array();
            let files = groups.map(|groups| groups.iter().map(|it| it["paths"].as_array().map_or(0, Vec::len)).sum());
            let is_conflict = answer["error"]["code"] == "conflict"
                && ["100", "101"].iter().any(|path| answer["error"]["path"] == *path);
            assert!(is_conflict || files.is_some_and(|files: usize| files >= 198), "{jobs}: {answer}");
        }
        stops.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
