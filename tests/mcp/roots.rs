//! Client roots narrow what calls may do, and widen nothing.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

/// Answers the request for roots.
fn name_roots(client: &mut Client, roots: &[String]) {
    let question = client.hear();
    assert_eq!(question["method"], "roots/list", "{question}");
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
