//! Client roots narrow what calls may do, and widen nothing.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

/// Returns the next frame, which must be a request for roots.
fn question(client: &mut Client) -> Json {
    let question = client.hear();
    assert_eq!(question["method"], "roots/list", "{question}");
    question
}

/// Waits for a request for roots and answers it.
fn name_roots(client: &mut Client, roots: &[String]) {
    let question = question(client);
    answer(client, &question, roots);
}

fn answer(client: &mut Client, question: &Json, roots: &[String]) {
    let roots: Vec<Json> = roots.iter().map(|path| json!({ "uri": format!("file://{path}") })).collect();
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": roots } }));
}

fn sandbox() -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().expect("a sandbox");
    for folder in ["in", "out"] {
        std::fs::create_dir(place.path().join(folder)).expect("a folder");
        std::fs::write(place.path().join(folder).join("a.txt"), "x").expect("a file");
    }
    let path = place.path().canonicalize().expect("a path").display().to_string();
    (place, path)
}

fn open(place: &std::path::Path, options: &[&str]) -> Client {
    Client::open_with(place, options, "2025-11-25", json!({ "roots": { "listChanged": true } }))
}

#[test]
fn a_root_inside_narrows_calls_and_scripts() {
    let (place, path) = sandbox();
    let mut client = open(place.path(), &["--write"]);
    name_roots(&mut client, &[format!("{path}/in")]);
    client.done("read_file", json!({ "file_path": "in/a.txt" }));
    assert_eq!(client.failed("read_file", json!({ "file_path": "out/a.txt" }))["code"], "policy_denied");
    let script = |path: &str| json!({ "script": format!("MUST CALL FS.ReadFile(\"{path}\")\nEMIT LAST.content") });
    assert_eq!(client.done("run_script", script("in/a.txt"))["output"], "x\n");
    assert_eq!(client.failed("run_script", script("out/a.txt"))["code"], "policy_denied");
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    name_roots(&mut client, &[format!("{path}/out")]);
    client.done("read_file", json!({ "file_path": "out/a.txt" }));
    assert_eq!(client.failed("read_file", json!({ "file_path": "in/a.txt" }))["code"], "policy_denied");
}

fn changed(client: &mut Client) {
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
}

/// The answer to a request may be older than a change that follows the request.
#[test]
fn only_the_newest_roots_apply() {
    let (place, path) = sandbox();
    let mut client = open(place.path(), &[]);
    name_roots(&mut client, &[format!("{path}/in")]);
    client.done("read_file", json!({ "file_path": "in/a.txt" }));
    changed(&mut client);
    let first = question(&mut client);
    changed(&mut client);
    changed(&mut client);
    let read = |path: &str| json!({ "name": "read_file", "arguments": { "file_path": path } });
    let outside = client.ask("tools/call", read("out/a.txt"));
    let script = json!({ "script": "MUST CALL FS.ReadFile(\"out/a.txt\")" });
    let script = client.ask("tools/call", json!({ "name": "run_script", "arguments": script }));
    answer(&mut client, &first, std::slice::from_ref(&path));
    // Neither call has an answer yet.
    name_roots(&mut client, &[format!("{path}/in")]);
    let mut answers = [client.hear(), client.hear()];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    for (answer, id) in answers.iter().zip([outside, script]) {
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!((&answer["id"], &error["code"]), (&json!(id), &json!("policy_denied")), "{answer}");
    }
    client.done("read_file", json!({ "file_path": "in/a.txt" }));
}

#[test]
fn a_client_without_roots_is_not_asked_for_them() {
    let (place, _) = sandbox();
    let roots = json!({ "roots": { "listChanged": true } });
    for (options, capabilities) in [(&[][..], json!({})), (&["--ignore-roots"], roots)] {
        let mut client = Client::open_with(place.path(), options, "2025-11-25", capabilities);
        changed(&mut client);
        let ping = client.ask("ping", json!({}));
        assert_eq!(client.hear()["id"], ping, "{options:?}");
        client.done("read_file", json!({ "file_path": "in/a.txt" }));
    }
}

/// The client sends 50,000 notifications and answers no question meanwhile.
#[test]
fn notifications_take_no_memory() {
    let (place, path) = sandbox();
    let long = "x".repeat(200);
    for notification in [
        json!({ "method": "notifications/roots/list_changed" }),
        json!({ "method": "notifications/initialized" }),
        json!({ "method": "notifications/cancelled", "params": { "requestId": 99, "reason": long } }),
        json!({ "method": "notifications/progress", "params": { "progressToken": 1, "progress": 1, "message": long } }),
        json!({ "id": 99, "result": { "roots": [{ "uri": long }] } }),
    ] {
        let mut client = open(place.path(), &[]);
        let first = question(&mut client);
        let before = client.memory();
        let mut frame = notification.clone();
        frame["jsonrpc"] = json!("2.0");
        let piece = format!("{frame}\n").repeat(1_000);
        for _ in 0..50 {
            client.write(piece.as_bytes()).expect("the server reads");
        }
        client.request("ping", json!({}));
        let after = client.memory();
        println!("{} KiB before, {} KiB after", before >> 10, after >> 10);
        assert!(after < before + (16 << 20), "{before} bytes before, {after} after: {notification}");
        answer(&mut client, &first, &[format!("{path}/out")]);
        if notification["method"] == "notifications/roots/list_changed" {
            // It asks once more for all of the changes.
            name_roots(&mut client, &[format!("{path}/in")]);
            client.done("read_file", json!({ "file_path": "in/a.txt" }));
        } else {
            client.done("read_file", json!({ "file_path": "out/a.txt" }));
        }
    }
}

#[test]
fn a_root_above_changes_nothing_and_one_beside_leaves_nothing() {
    let (place, path) = sandbox();
    let mut client = open(place.path(), &[]);
    name_roots(&mut client, &["/".to_owned()]);
    client.done("read_file", json!({ "file_path": "in/a.txt" }));
    assert_eq!(client.failed("read_file", json!({ "file_path": "/etc/hostname" }))["code"], "sandbox_violation");
    let mut client = open(place.path(), &[]);
    name_roots(&mut client, &["/etc".to_owned()]);
    assert_eq!(client.failed("read_file", json!({ "file_path": "in/a.txt" }))["code"], "policy_denied");
    let mut client = open(place.path(), &["--ignore-roots"]);
    client.done("read_file", json!({ "file_path": "in/a.txt" }));
    let _ = path;
}
