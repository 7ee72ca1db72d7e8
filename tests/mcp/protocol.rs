//! The handshakes of all revisions, and rules for every frame.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn every_older_revision_shakes_hands() {
    let place = tempfile::tempdir().expect("a sandbox");
    for version in OLDER {
        let mut client = Client::open_with(place.path(), &[], version, json!({}));
        assert_eq!(client.request("ping", json!({}))["result"], json!({}), "{version}");
        let result = client.call("find", json!({}));
        assert!(result.get("resultType").is_none(), "{version}: {result}");
        assert_eq!(client.leave(), 0);
    }
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::modern(place.path(), &[], json!({}));
    let found = client.request("server/discover", json!({}))["result"].clone();
    let versions = found["supportedVersions"].as_array().expect("versions").clone();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    assert!(found["capabilities"]["tools"].is_object(), "{found}");
    let result = client.call("find", json!({}));
    assert_eq!(result["resultType"], "complete", "{result}");
    assert_eq!(client.request("tools/list", json!({}))["result"]["resultType"], "complete");
    assert_eq!(client.leave(), 0);
}

#[test]
fn an_unknown_revision_is_answered_with_a_known_one() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::start(place.path(), &[]);
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": info });
    let answer = client.request("initialize", params);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    assert!(answer["result"]["instructions"].as_str().is_some_and(|text| text.contains("run_script")), "{answer}");
}

#[test]
fn equal_inputs_have_equal_bytes() {
    let place = tempfile::tempdir().expect("a sandbox");
    for name in ["a.txt", "b.txt", "c.md"] {
        std::fs::write(place.path().join(name), name).expect("a file");
    }
    let frames = [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "find", "arguments": { "path": "." } })),
        ("tools/call", json!({ "name": "search_files", "arguments": { "text": "a" } })),
        ("tools/call", json!({ "name": "read_file", "arguments": { "file_path": "none" } })),
        ("tools/call", json!({ "name": "nonsense", "arguments": {} })),
    ];
    let answers = || {
        let mut client = Client::open(place.path(), &[]);
        let mut lines = Vec::new();
        for (method, params) in &frames {
            client.ask(method, params.clone());
            lines.push(client.hear_line().expect("an answer"));
        }
        lines
    };
    assert_eq!(answers(), answers());
}

#[test]
fn calls_that_are_sent_ahead_are_done_in_their_order() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    let mut last = 0;
    for number in 0..50 {
        let write = json!({ "file_path": "a.txt", "content": number.to_string(), "overwrite": true });
        client.ask("tools/call", json!({ "name": "write_file", "arguments": write }));
        let read = json!({ "file_path": "a.txt" });
        last = client.ask("tools/call", json!({ "name": "read_file", "arguments": read }));
        let _ = client.hear();
        let answer = client.answer_to(last);
        assert_eq!(answer["result"]["structuredContent"]["content"], number.to_string(), "{answer}");
    }
    assert_eq!(last, 101);
}

#[test]
fn long_calls_tell_how_far_they_have_come_and_can_be_cancelled() {
    let place = tempfile::tempdir().expect("a sandbox");
    let file = std::fs::File::create(place.path().join("large.bin")).expect("a file");
    // A sparse file: reading it takes time but no disk space.
    file.set_len(60 << 30).expect("a file with holes");
    let mut client = Client::open(place.path(), &["--tools", "all"]);
    let arguments = json!({ "path": "large.bin" });
    let call = json!({ "name": "hash_file", "arguments": arguments, "_meta": { "progressToken": "t" } });
    let id = client.ask("tools/call", call);
    let mut last = 0.0;
    for _ in 0..3 {
        let told = client.hear();
        assert_eq!(told["method"], "notifications/progress", "{told}");
        assert_eq!(told["params"]["progressToken"], "t");
        let done = told["params"]["progress"].as_f64().expect("a number");
        assert!(done > last, "{told}");
        last = done;
    }
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    // The next call does not wait, and the cancelled one has no answer.
    let next = client.ask("tools/call", json!({ "name": "find", "arguments": {} }));
    loop {
        let frame = client.hear();
        assert_ne!(frame["id"], id, "{frame}");
        if frame["id"] == next {
            break;
        }
    }
}

#[test]
fn a_call_that_waits_reports_no_progress_of_another() {
    let place = tempfile::tempdir().expect("a sandbox");
    for name in ["a.bin", "b.bin"] {
        let file = std::fs::File::create(place.path().join(name)).expect("a file");
        file.set_len(60 << 30).expect("a file with holes");
    }
    let mut client = Client::open(place.path(), &["--tools", "all"]);
    let hash = |name: &str| json!({ "name": "hash_file", "arguments": { "path": name } });
    let first = client.ask("tools/call", hash("a.bin"));
    let mut call = hash("b.bin");
    call["_meta"] = json!({ "progressToken": "b" });
    let second = client.ask("tools/call", call);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let ping = client.ask("ping", json!({}));
    let frame = client.hear();
    assert_eq!(frame["id"], ping, "{frame}");
    let cancel = |client: &mut Client, id: i64| {
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    };
    cancel(&mut client, first);
    let told = client.hear();
    assert_eq!((&told["method"], &told["params"]["progressToken"]), (&json!("notifications/progress"), &json!("b")));
    cancel(&mut client, second);
}

#[test]
fn there_is_one_page_of_tools() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let listed = client.request("tools/list", json!({}))["result"].clone();
    assert!(listed["tools"].is_array() && listed.get("nextCursor").is_none(), "{listed}");
    for cursor in ["", "1", "nonsense"] {
        let answer = client.request("tools/list", json!({ "cursor": cursor }));
        assert_eq!(answer["error"]["code"], -32602, "{cursor:?}: {answer}");
    }
}

#[test]
fn whoever_leaves_gets_what_was_asked_for() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let ids: Vec<i64> =
        (0..100).map(|_| client.ask("tools/call", json!({ "name": "find", "arguments": {} }))).collect();
    assert_eq!(client.leave(), 0);
    // Calls are executed in order; the order of answers is unspecified.
    let lines = std::iter::from_fn(|| client.hear_line());
    let answers: Vec<Json> = lines.map(|line| serde_json::from_str(&line).expect("a frame")).collect();
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{answers:?}");
    let answered: BTreeSet<i64> = answers.iter().filter_map(|answer| answer["id"].as_i64()).collect();
    assert_eq!((answers.len(), answered), (ids.len(), ids.into_iter().collect()));
}

#[test]
fn unknown_methods_and_tools_are_errors_of_the_protocol() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let code = |answer: &Json| answer["error"]["code"].as_i64().unwrap_or_default();
    assert_eq!(code(&client.request("nonsense/list", json!({}))), -32601);
    let answer = client.request("tools/call", json!({ "name": "read_fil", "arguments": {} }));
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("`read_file`")), "{answer}");
    let answer = client.request("tools/call", json!({ "name": "write_file", "arguments": {} }));
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("--write")), "{answer}");
    for params in [json!({ "name": 5 }), json!({}), json!({ "name": "find", "arguments": [] })] {
        assert_eq!(code(&client.request("tools/call", params.clone())), -32602, "{params}");
    }
}
