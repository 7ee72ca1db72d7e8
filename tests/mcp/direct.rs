//! Calls that bypass rmcp: the same bytes, the same order, and as easily cancelled as those that do not. The fields in
//! `_meta` determine the route of a call (`mcp/server/direct`).

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

/// Time after which a server counts as hanging; hashing a TiB takes longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// A progress token sends a call through rmcp.
const TOKEN: &str = "t";

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "one\ntwo\n").expect("a file");
    std::fs::write(place.path().join("long.txt"), "a line\n".repeat(100_000)).expect("a file");
    place
}

fn calls() -> Vec<Json> {
    [
        ("find", json!({})),
        ("find", json!({ "path": "none" })),
        ("read_file", json!({ "file_path": "a.txt" })),
        ("read_file", json!({ "file_path": "long.txt" })),
        ("read_file", json!({ "file_path": "none" })),
        ("read_file", json!({})),
        ("language_guide", json!({})),
        ("read_result", json!({ "cursor": "none:1" })),
        ("write_file", json!({ "file_path": "b.txt", "content": "x" })),
        ("nonsense", json!({})),
    ]
    .map(|(tool, arguments)| json!({ "name": tool, "arguments": arguments }))
    .into()
}

/// Returns the lines that answer the calls, with `meta` in each.
fn answers(client: &mut Client, meta: Option<Json>) -> Vec<String> {
    let mut lines = Vec::new();
    for mut call in calls() {
        if let Some(meta) = &meta {
            call["_meta"] = meta.clone();
        }
        client.ask("tools/call", call);
        let line = std::iter::from_fn(|| client.hear_line()).find(|line| !line.contains("notifications/progress"));
        lines.push(line.expect("an answer"));
    }
    assert_eq!(client.leave(), 0);
    lines
}

#[test]
fn both_ways_have_the_same_bytes() {
    let place = sandbox();
    let token = Some(json!({ "progressToken": TOKEN }));
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let open = || Client::open_with(place.path(), &[], version, json!({}));
        assert_eq!(answers(&mut open(), None), answers(&mut open(), token.clone()), "{version}");
    }
    let open = || Client::modern(place.path(), &[], json!({}));
    assert_eq!(answers(&mut open(), None), answers(&mut open(), token));
}

#[test]
fn a_call_overtakes_none_that_rmcp_has() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    for number in 0..200 {
        let write = json!({ "file_path": "a.txt", "content": number.to_string(), "overwrite": true });
        // One of the two goes through rmcp, alternately.
        let mut calls = [
            json!({ "name": "write_file", "arguments": write }),
            json!({ "name": "read_file", "arguments": { "file_path": "a.txt" } }),
        ];
        calls[number % 2]["_meta"] = json!({ "progressToken": number });
        let ids = calls.map(|call| client.ask("tools/call", call));
        let frames = [client.hear(), client.hear()];
        let read = frames.iter().find(|frame| frame["id"] == ids[1]).expect("an answer");
        assert_eq!(read["result"]["structuredContent"]["content"], number.to_string(), "{read}");
    }
}

/// Starts a server with a slow call of `hash_file`, and returns the id of that call.
fn long_call(place: &std::path::Path) -> (Client, i64) {
    let file = std::fs::File::create(place.join("large.bin")).expect("a file");
    // A sparse file: reading it takes time but no disk space.
    file.set_len(1 << 40).expect("a file with holes");
    let mut client = Client::open(place, &["--tools", "all"]);
    let id = client.ask("tools/call", json!({ "name": "hash_file", "arguments": { "path": "large.bin" } }));
    (client, id)
}

#[test]
fn a_call_is_cancelled_before_and_after_it_has_begun() {
    let place = tempfile::tempdir().expect("a sandbox");
    let (mut client, begun) = long_call(place.path());
    let waits = client.ask("tools/call", json!({ "name": "hash_file", "arguments": { "path": "large.bin" } }));
    for id in [waits, begun] {
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }
    let next = client.ask("tools/call", json!({ "name": "file_info", "arguments": { "path": "large.bin" } }));
    // Neither has an answer.
    assert_eq!(client.hear()["id"], next);
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_question_ends_with_the_call_that_asks_it() {
    let place = sandbox();
    std::fs::write(place.path().join("neuroscript.toml"), "[tools]\nask = [\"delete_file\"]\n").expect("a policy");
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", json!({ "elicitation": {} }));
    let delete = json!({ "name": "delete_file", "arguments": { "path": "a.txt" } });
    let id = client.ask("tools/call", delete);
    assert_eq!(client.hear()["method"], "elicitation/create");
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    client.done("read_file", json!({ "path": "a.txt" }));
    assert!(place.path().join("a.txt").exists());
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_client_that_leaves_a_long_call_behind_ends_the_server_soon() {
    let place = tempfile::tempdir().expect("a sandbox");
    let (mut client, _) = long_call(place.path());
    client.close();
    let end = Instant::now() + PATIENCE;
    let ended = std::iter::repeat_with(|| client.child.try_wait().expect("a child")).find(|ended| {
        std::thread::sleep(Duration::from_millis(5));
        ended.is_some() || Instant::now() > end
    });
    assert!(ended.flatten().is_some_and(|ended| ended.success()), "the server goes on");
}
