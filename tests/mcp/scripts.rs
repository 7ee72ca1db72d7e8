//! `run_script`: output, value and changes of a script, and scripts that exceed limits.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

fn sandbox() -> tempfile::TempDir {
    tempfile::tempdir().expect("a sandbox")
}

#[test]
fn a_script_says_gives_and_changes() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write"]);
    let script = "EMIT \"hello \", ARGS[0]\nMUST CALL FS.WriteFile(\"out/a.txt\", \"x\")\nRETURN {\"sum\": 1 + 2}";
    let result = client.call("run_script", json!({ "script": script, "args": ["you"] }));
    let told = &result["structuredContent"];
    assert_eq!((&told["output"], &told["value"]), (&json!("hello you\n"), &json!({ "sum": 3 })), "{result}");
    let changed: Vec<&Json> =
        told["changes"].as_array().expect("a list").iter().map(|change| &change["path"]).collect();
    assert_eq!(changed, [&json!("out/"), &json!("out/a.txt")]);
    assert!(told["steps"].as_u64().is_some_and(|steps| steps > 2), "{told}");
    assert!(result["_meta"]["time_ms"].is_u64(), "{result}");
    let listed = client.done("history", json!({}))["runs"][0].clone();
    let named = json!("ns mcp run_script: EMIT \"hello \", ARGS[0]");
    assert_eq!((&listed["command"], &listed["operations"]), (&named, &json!(2)), "{listed}");
    client.done("undo", json!({ "run": told["undo_id"] }));
    assert!(!place.path().join("out").exists());
}

#[test]
fn warnings_of_tools_are_no_output() {
    let place = sandbox();
    std::fs::write(place.path().join("a.txt"), b"caf\xe9\n").expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let search = "SET found = FS.SearchFiles(\".\", \"é\")\n";
    let told = client.done("run_script", json!({ "script": format!("{search}EMIT found.notUtf8") }));
    assert_eq!(told["output"], "1\n", "{told}");
    let warnings = told["warnings"].as_array().expect("a list");
    assert!(warnings.len() == 1 && warnings[0].as_str().is_some_and(|text| text.contains("not UTF-8")), "{told}");
    let many = format!("FOR EACH i IN RANGE(150) DO\n{search}END");
    let told = client.done("run_script", json!({ "script": many }));
    let warnings = told["warnings"].as_array().expect("a list");
    assert!(warnings.len() == 1 && warnings[0].as_str().is_some_and(|text| text.ends_with("(150 times)")), "{told}");
    let several: String = (0..150).map(|_| search).collect();
    let told = client.done("run_script", json!({ "script": several }));
    let warnings = told["warnings"].as_array().expect("a list");
    let last = warnings.last().and_then(Json::as_str).expect("a text");
    assert_eq!(last, format!("{} more warnings", 151 - warnings.len()), "{told}");
}

#[test]
fn a_plan_changes_nothing() {
    let place = sandbox();
    std::fs::write(place.path().join("a.txt"), "one\n").expect("a file");
    let mut client = Client::open(place.path(), &["--write"]);
    let script = "MUST CALL FS.WriteFile(\"a.txt\", \"two\\n\")\nMUST CALL FS.DeleteFile(\"a.txt\")\nMUST CALL FS.WriteFile(\"b.txt\", \"x\")";
    let told = client.done("run_script", json!({ "script": script, "plan": true }));
    let changes: Vec<(&Json, &Json)> =
        told["changes"].as_array().expect("a list").iter().map(|change| (&change["what"], &change["path"])).collect();
    assert_eq!(changes, [(&json!("deleted"), &json!("a.txt")), (&json!("created"), &json!("b.txt"))], "{told}");
    assert_eq!((&told["plan"], told.get("undo_id")), (&json!(true), None), "{told}");
    assert_eq!(std::fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "one\n");
    assert!(!place.path().join("b.txt").exists());
}

#[test]
fn a_script_that_fails_says_where_and_leaves_nothing() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write"]);
    let script = "EMIT \"begun\"\nMUST CALL FS.WriteFile(\"a.txt\", \"x\")\nMUST CALL FS.ReadFile(\"none\")\n";
    let result = client.call("run_script", json!({ "script": script }));
    let told = &result["structuredContent"];
    assert_eq!((&result["isError"], &told["output"]), (&json!(true), &json!("begun\n")), "{result}");
    assert_eq!((&told["error"]["code"], &told["error"]["line"]), (&json!("not_found"), &json!(3)), "{told}");
    assert!(told["error"]["report"].as_str().is_some_and(|text| text.contains("<script>:3")), "{told}");
    assert!(!place.path().join("a.txt").exists(), "it was atomic");
    let told = client.call("run_script", json!({ "script": script, "atomic": false }))["structuredContent"].clone();
    assert_eq!((&told["changed"], told.get("plan")), (&json!(1), None), "{told}");
    assert!(place.path().join("a.txt").exists());
}

#[test]
fn a_mistake_is_told_as_ns_check_does() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let error = client.failed("run_script", json!({ "script": "EMIT 1 +\nEMIT lenght([1])\n" }));
    assert!(error["code"].as_str().is_some_and(|code| code.starts_with("NS00")), "{error}");
    assert_eq!(error["line"], 1, "{error}");
    let report = error["report"].as_str().expect("a report");
    assert!(report.contains("<script>:1:") && report.contains("help"), "{report}");
}

#[test]
fn long_output_is_read_on() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let script = "FOR EACH number IN RANGE(1, 60001) DO\n  EMIT \"line \", number\nEND";
    let result = client.call("run_script", json!({ "script": script }));
    let mut output = result["structuredContent"]["output"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
    assert!(output.ends_with('\n') && result["_meta"]["truncated"] == true, "cut behind a line");
    let mut cursor = result["_meta"]["next_cursor"].clone();
    while cursor.is_string() {
        let next = client.call("read_result", json!({ "cursor": cursor }));
        output.push_str(next["content"][0]["text"].as_str().expect("a text"));
        cursor = next["_meta"]["next_cursor"].clone();
    }
    assert_eq!(output.lines().last(), Some("line 60000"));
    assert_eq!(output.lines().count(), 60_000);
}

#[test]
fn a_script_without_an_end_is_stopped() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let error = client.failed("run_script", json!({ "script": "WHILE true DO\n  SET a = 1\nEND" }));
    assert_eq!(error["code"], "NS0603", "{error}");
    let error = client.failed("run_script", json!({ "script": "SET t = \"x\"\nWHILE true DO\n  SET t = t + t\nEND" }));
    assert!(error["code"].as_str().is_some_and(|code| code.starts_with("NS06")), "{error}");
    let mut client = Client::open(place.path(), &["--timeout", "0.3", "--max-steps", "1000000000000"]);
    let error = client.failed("run_script", json!({ "script": "WHILE true DO\n  SET a = 1\nEND" }));
    assert_eq!(error["code"], "NS0604", "{error}");
}

#[test]
fn a_script_can_be_cancelled() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write", "--max-steps", "1000000000000"]);
    let script = "SET n = 0\nWHILE true DO\n  SET n = n + 1\n  MUST CALL FS.WriteFile(\"f\" + n, \"x\")\nEND";
    let id = client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": script } }));
    let wait = Instant::now() + Duration::from_secs(30);
    while !place.path().join("f3").exists() {
        assert!(Instant::now() < wait, "the script runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    // It was atomic, so it is rolled back.
    while place.path().join("f1").exists() {
        assert!(Instant::now() < wait, "the script is taken back");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(client.done("find", json!({}))["result"], json!([]));
}

#[test]
fn scripts_do_not_keep_other_calls_waiting() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--max-steps", "1000000000000"]);
    let script = "WHILE true DO\n  SET a = 1\nEND";
    let slow = client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": script } }));
    let quick = client.ask("tools/call", json!({ "name": "find", "arguments": {} }));
    assert_eq!(client.hear()["id"], quick);
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": slow } }));
}

#[test]
fn a_client_that_leaves_takes_its_scripts_with_it() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write", "--max-steps", "1000000000000"]);
    let script = "SET n = 0\nWHILE true DO\n  SET n = n + 1\n  MUST CALL FS.WriteFile(\"f\" + n, \"x\")\nEND";
    client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": script } }));
    let wait = Instant::now() + Duration::from_secs(30);
    while !place.path().join("f3").exists() {
        assert!(Instant::now() < wait, "the script runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    client.child.kill().expect("the server is killed");
    while place.path().join("f1").exists() {
        assert!(Instant::now() < wait, "the worker notices, and takes its changes back");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the live child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("the processes are listed").flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| status(*id).is_some_and(|(its_parent, is_over)| its_parent == parent && !is_over)).collect()
}

/// Returns the parent of a process, and whether it is a zombie.
fn status(process: u32) -> Option<(u32, bool)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    Some((fields.next()?.parse().ok()?, matches!(state, "Z" | "X")))
}

#[test]
fn a_server_that_is_killed_takes_its_workers_with_it() {
    let place = sandbox();
    std::fs::write(place.path().join("large"), "some words on a line\n".repeat(3_000_000)).expect("a large file");
    let without_end = "SET a = [1]\nFOR EACH i IN RANGE(60) DO\n  SET a = [a, a]\nEND\n";
    let scripts = [
        "WHILE true DO\n  SET a = 1\nEND".to_owned(),
        format!("{without_end}RETURN LEN(JSON.Text(a))"),
        format!("{without_end}WHILE true DO\n  SET b = LIST.Flatten(a, 60)\nEND"),
        "WHILE true DO\n  SET h = FS.HashFile(\"large\")\nEND".to_owned(),
        "SET t = STR.Repeat(\"some words \", 4000000)\nWHILE true DO\n  SET m = REGEX.All(t, \"(o|w|[^x])*zq\")\nEND"
            .to_owned(),
    ];
    for script in scripts {
        let options = ["--max-steps", "1000000000000", "--timeout", "3600"];
        let mut client = Client::open(place.path(), &options);
        client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": script } }));
        let wait = Instant::now() + Duration::from_secs(60);
        let worker = loop {
            assert!(Instant::now() < wait, "a worker begins");
            match children(client.child.id())[..] {
                [worker] => break worker,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        // Most of the scripts are in the middle of their work by then, and some are still starting.
        std::thread::sleep(Duration::from_millis(700));
        client.child.kill().expect("the server is killed");
        client.child.wait().expect("the server is gone");
        while status(worker).is_some_and(|(_, is_over)| !is_over) {
            assert!(Instant::now() < wait, "the worker outlives its server: {script}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_server_that_is_killed_at_once_leaves_no_worker() {
    let place = sandbox();
    for pause in [0, 1, 2, 5, 10, 20, 40, 80] {
        let mut client = Client::open(place.path(), &["--max-steps", "1000000000000", "--timeout", "3600"]);
        client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": "WHILE true DO\nEND" } }));
        let wait = Instant::now() + Duration::from_secs(60);
        let workers = loop {
            match children(client.child.id()) {
                none if none.is_empty() && Instant::now() < wait => {}
                workers => break workers,
            }
        };
        std::thread::sleep(Duration::from_millis(pause));
        client.child.kill().expect("the server is killed");
        client.child.wait().expect("the server is gone");
        for worker in workers {
            while status(worker).is_some_and(|(_, is_over)| !is_over) {
                assert!(Instant::now() < wait, "the worker outlives its server, killed {pause} ms after it began");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

#[test]
fn a_script_that_returns_a_value_without_end_says_so() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let script = "SET a = [1]\nFOR EACH i IN RANGE(60) DO\n  SET a = [a, a]\nEND\nRETURN a";
    let told = client.done("run_script", json!({ "script": script }));
    assert_eq!(told["value"], Json::Null);
    assert!(told["warnings"][0].as_str().is_some_and(|text| text.contains("value of RETURN is left out")), "{told}");
}

#[test]
fn a_script_reads_more_than_a_client_is_given() {
    let place = sandbox();
    std::fs::write(place.path().join("long.log"), "a line of a log\n".repeat(100_000)).expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let script = "SET file = FS.ReadFile(\"long.log\")\nMUST file.error == nil, file.error\n\
        RETURN LEN(STR.Lines(file.content))";
    assert_eq!(client.done("run_script", json!({ "script": script }))["value"], 100_000);
}

#[test]
fn a_plan_shows_so_much_of_a_difference() {
    let place = sandbox();
    std::fs::write(place.path().join("line.json"), "é".repeat(300_000)).expect("a file");
    let mut client = Client::open(place.path(), &["--write"]);
    let script = "MUST CALL FS.WriteFile(\"line.json\", \"short\\n\")";
    let told = client.done("run_script", json!({ "script": script, "plan": true }));
    let diff = told["changes"][0]["diff"].as_str().expect("a difference");
    assert!(diff.len() < 20_000 && diff.contains("[cut: "), "{}", diff.len());
}

#[test]
fn scripts_and_calls_share_the_session_memory() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write", "--tools", "default,memory"]);
    client.done("memory_set", json!({ "key": "given", "value": { "n": 1.0, "list": [1, "ß", null] } }));
    client.done("memory_set", json!({ "key": "old", "value": 1 }));
    let script = "SET given = MEMORY.Get(\"given\")\nMUST TYPEOF(given.n) == \"float\"\n\
        MUST CALL MEMORY.Set(\"made\", given.list)\nMUST CALL MEMORY.Delete(\"old\")\nRETURN given";
    let report = client.done("run_script", json!({ "script": script }));
    assert_eq!(report["value"], json!({ "n": 1.0, "list": [1, "ß", null] }));
    assert_eq!(client.done("memory_get", json!({ "key": "made" }))["result"], json!([1, "ß", null]));
    assert_eq!(client.done("memory_list", json!({}))["result"], json!(["given", "made"]));
    // Memory changes of a plan or a failed atomic run are discarded.
    let changes = "MUST CALL MEMORY.Set(\"never\", 1)\n";
    client.done("run_script", json!({ "script": changes, "plan": true }));
    client.failed("run_script", json!({ "script": format!("{changes}FAIL \"no\"") }));
    assert_eq!(client.done("memory_list", json!({}))["result"], json!(["given", "made"]));
    client.failed("run_script", json!({ "script": format!("{changes}FAIL \"no\""), "atomic": false }));
    assert_eq!(client.done("memory_get", json!({ "key": "never" }))["result"], 1);
}

#[test]
fn the_session_memory_of_a_connection_is_bounded() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--tools", "default,memory"]);
    let fill = "SET text = STR.Repeat(\"x\", 3000000)\nMUST CALL MEMORY.Set(ARGS[0], text)";
    let fill = |key: &str| json!({ "script": fill, "args": [key] });
    client.done("run_script", fill("a"));
    client.done("run_script", fill("b"));
    let error = client.failed("run_script", fill("c"));
    assert_eq!(error["code"], "limit_exceeded", "{error}");
    // Once there is space again, even the same key can be stored at once.
    client.done("run_script", fill("b"));
    client.done("memory_delete", json!({ "key": "a" }));
    client.done("run_script", fill("c"));
    let infinite = "MUST CALL MEMORY.Set(\"x\", 1e308 * 10)";
    assert_eq!(client.failed("run_script", json!({ "script": infinite }))["code"], "bad_args");
}

#[test]
fn the_guide_is_the_page_of_the_book() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let guide = client.done("language_guide", json!({}));
    let page = std::fs::read_to_string(crate::support::package("docs/guide.md")).expect("the page");
    assert_eq!(guide["result"], page);
}

#[test]
fn one_operation_of_a_server_concerns_a_thousand_files_unless_more_are_asked_for() {
    let place = sandbox();
    std::fs::create_dir(place.path().join("many")).expect("a folder");
    for number in 0..1_000 {
        std::fs::write(place.path().join(format!("many/{number}")), "").expect("a file");
    }
    let copy = json!({ "source_path": "many", "destination_path": "copy", "recursive": true });
    let script = json!({ "script": "MUST CALL FS.CopyFile(\"many\", \"other\", recursive: true)" });
    let mut client = Client::open(place.path(), &["--write"]);
    for (tool, arguments) in [("copy_file", &copy), ("run_script", &script)] {
        let error = client.failed(tool, arguments.clone());
        assert_eq!(error["code"], "limit_exceeded", "{error}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("max_files_per_operation")), "{error}");
    }
    let mut client = Client::open(place.path(), &["--write", "--max-files", "1001"]);
    client.done("copy_file", copy);
    client.done("run_script", script);
}
