//! Log messages, and the progress of searches.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

const MESSAGE: &str = "notifications/message";

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("secret.pem"), "very secret").expect("a file");
    std::fs::write(place.path().join("neuroscript.toml"), "[policy]\nblocked_patterns = [\"*.pem\"]\n")
        .expect("a policy");
    place
}

fn refused(client: &mut Client) -> i64 {
    client.ask("tools/call", json!({ "name": "read_file", "arguments": { "path": "secret.pem" } }))
}

/// Returns the messages until the answer to a request, and those that arrive soon after.
fn messages(client: &mut Client, id: i64) -> Vec<Json> {
    let mut messages = Vec::new();
    let mut is_answered = false;
    while let Some(frame) = client.hear_within(std::time::Duration::from_secs(if is_answered { 2 } else { 60 })) {
        is_answered |= frame["id"] == id;
        if frame["method"] == MESSAGE {
            messages.push(frame["params"].clone());
        }
    }
    messages
}

#[test]
fn refusals_and_warnings_are_told_from_their_level_on() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    let id = refused(&mut client);
    assert!(messages(&mut client, id).is_empty(), "nobody asked for messages");
    client.request("logging/setLevel", json!({ "level": "notice" }));
    let id = refused(&mut client);
    let told = messages(&mut client, id);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["level"], &told[0]["logger"]), (&json!("notice"), &json!("neuroscript")));
    assert_eq!((&told[0]["data"]["code"], &told[0]["data"]["tool"]), (&json!("policy_denied"), &json!("read_file")));
    assert!(!told[0].to_string().contains("very secret"), "{told:?}");
    // A resource is refused like a call.
    let uri = format!("file://{}/secret.pem", place.path().canonicalize().expect("a path").display());
    let id = client.ask("resources/read", json!({ "uri": uri }));
    assert_eq!(messages(&mut client, id).len(), 1);
    // A script is refused too, and a failure of another kind is no message.
    let script = json!({ "script": "MUST CALL FS.ReadFile(\"secret.pem\")" });
    let id = client.ask("tools/call", json!({ "name": "run_script", "arguments": script }));
    assert_eq!(messages(&mut client, id).len(), 1);
    let id = client.ask("tools/call", json!({ "name": "read_file", "arguments": { "path": "none" } }));
    assert!(messages(&mut client, id).is_empty());
    client.request("logging/setLevel", json!({ "level": "warning" }));
    let id = refused(&mut client);
    assert!(messages(&mut client, id).is_empty());
    std::fs::write(place.path().join(".gitignore"), format!("{}\n", "x".repeat(5_000))).expect("a file");
    let id = client.ask("tools/call", json!({ "name": "find", "arguments": { "gitignore": true } }));
    let told = messages(&mut client, id);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["level"], "warning");
    assert_eq!(client.request("logging/setLevel", json!({ "level": "loud" }))["error"]["code"], -32602);
}

#[test]
fn nothing_is_told_before_the_handshake_has_ended() {
    let place = sandbox();
    let mut client = Client::start(place.path(), &[]);
    let info = json!({ "name": "test", "version": "1" });
    client.request("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }));
    client.request("logging/setLevel", json!({ "level": "debug" }));
    let id = refused(&mut client);
    assert!(messages(&mut client, id).is_empty());
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    // The order of a notification and a call that bypasses rmcp is not defined.
    client.request("ping", json!({}));
    let id = refused(&mut client);
    assert_eq!(messages(&mut client, id).len(), 1);
}

#[test]
fn many_messages_are_bounded_and_the_others_counted() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    client.request("logging/setLevel", json!({ "level": "notice" }));
    let mut told: Vec<Json> = Vec::new();
    for round in 0..80 {
        for number in 0..50 {
            let path = if round < 40 { format!("{round}-{number}.pem") } else { "secret.pem".to_owned() };
            client.ask("tools/call", json!({ "name": "read_file", "arguments": { "path": path } }));
        }
        let mut answers = 0;
        while answers < 50 {
            let frame = client.hear();
            answers += usize::from(frame["id"].is_i64());
            told.extend((frame["method"] == MESSAGE).then(|| frame["params"].clone()));
        }
    }
    while let Some(frame) = client.hear_within(std::time::Duration::from_secs(3)) {
        told.push(frame["params"].clone());
    }
    assert!(told.len() < 1_000, "{}", told.len());
    let dropped: u64 = told.iter().filter_map(|message| message["data"]["dropped"].as_u64()).sum();
    let repeated = told.iter().filter_map(|message| message["data"]["count"].as_u64()).max();
    assert!(dropped > 500, "{dropped}");
    assert!(repeated > Some(100), "{repeated:?}");
}

#[test]
fn the_newest_revision_asks_with_each_request() {
    let place = sandbox();
    let mut client = Client::modern(place.path(), &[], json!({}));
    let id = refused(&mut client);
    assert!(messages(&mut client, id).is_empty());
    let arguments = json!({ "path": "secret.pem" });
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
    let call = json!({ "name": "read_file", "arguments": arguments, "_meta": meta });
    let id = client.ask("tools/call", call);
    let first = client.hear();
    assert_eq!((&first["method"], &first["params"]["level"]), (&json!(MESSAGE), &json!("notice")), "{first}");
    assert_eq!(client.hear()["id"], id);
}

#[test]
fn a_worker_that_dies_is_an_error() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--max-steps", "1000000000000"]);
    client.request("logging/setLevel", json!({ "level": "error" }));
    let script = json!({ "script": "WHILE true DO\n  SET a = 1\nEND" });
    let id = client.ask("tools/call", json!({ "name": "run_script", "arguments": script }));
    let server = client.child.id();
    let worker = loop {
        let tasks = std::fs::read_dir(format!("/proc/{server}/task")).expect("the server runs");
        let children = tasks.flatten().map(|task| std::fs::read_to_string(task.path().join("children")));
        let children: String = children.map(Result::unwrap_or_default).collect();
        if let Some(worker) = children.split_whitespace().next() {
            break worker.to_owned();
        }
    };
    assert!(std::process::Command::new("kill").args(["-9", &worker]).status().is_ok_and(|status| status.success()));
    let told = messages(&mut client, id);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["level"], "error");
}

#[test]
fn a_long_search_tells_how_many_files_and_matches_it_has_seen() {
    let place = tempfile::tempdir().expect("a sandbox");
    let text = format!("needle\n{}", "some other line\n".repeat(400_000));
    for number in 0..900 {
        let path = place.path().join(format!("{number}.txt"));
        match number {
            0 => std::fs::write(&path, &text).expect("a file"),
            _ => std::fs::hard_link(place.path().join("0.txt"), &path).expect("a second name"),
        }
    }
    let mut client = Client::open(place.path(), &["--max-steps", "1000000000000"]);
    let arguments = json!({ "text": "(needle|nedle)", "regex": true });
    let call = json!({ "name": "search_files", "arguments": arguments, "_meta": { "progressToken": "t" } });
    let id = client.ask("tools/call", call);
    // The first notification comes long before the answer; what is left of the search is cancelled.
    loop {
        let frame = client.hear();
        assert_ne!(frame["id"], id, "{frame}");
        assert_eq!(frame["params"]["progressToken"], "t", "{frame}");
        let told = frame["params"]["message"].as_str().expect("a message");
        if told.contains(" files searched, ") && told.contains(" matches") {
            break;
        }
    }
}
