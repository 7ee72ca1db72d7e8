//! Cancelled requests: those that wait are never begun, and their ids may be used again.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

fn cancel(client: &mut Client, id: i64) {
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
}

fn begin(client: &mut Client, script: &str) -> i64 {
    let arguments = json!({ "script": script, "atomic": false });
    client.ask("tools/call", json!({ "name": "run_script", "arguments": arguments }))
}

/// Begins a script that writes `NAME.txt` and then never ends, and waits for the file.
fn begin_endless(client: &mut Client, place: &Path, name: &str) -> i64 {
    let script = format!("MUST CALL FS.WriteFile(\"{name}.txt\", \"x\")\nWHILE true DO\n  SET a = 1\nEND");
    let id = begin(client, &script);
    wait_until(&place.join(format!("{name}.txt")), true);
    id
}

/// Waits until a file is there, or is gone.
fn wait_until(path: &Path, is_there: bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while path.exists() != is_there {
        assert!(Instant::now() < end, "{path:?} is there: {}", !is_there);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn open(place: &Path) -> Client {
    Client::open(place, &["--write", "--max-steps", "1000000000000"])
}

#[test]
fn a_script_that_is_cancelled_before_its_turn_never_runs() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = open(place.path());
    let first = begin_endless(&mut client, place.path(), "first");
    let second = begin_endless(&mut client, place.path(), "second");
    let third = begin(&mut client, "MUST CALL FS.WriteFile(\"third.txt\", \"x\")");
    cancel(&mut client, third);
    // One turn is free now. It goes to the third script if that still waits, and then to this one.
    cancel(&mut client, first);
    assert_eq!(client.done("run_script", json!({ "script": "EMIT 4" }))["output"], "4\n");
    // If it had begun, it would have written by now.
    std::thread::sleep(Duration::from_millis(500));
    assert!(!place.path().join("third.txt").exists(), "the third script ran");
    cancel(&mut client, second);
}

/// The engine waits for the answer to a question, so the order of the script waits for the engine.
#[test]
fn a_script_that_is_cancelled_before_its_order_never_runs() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("neuroscript.toml"), "[tools]\nask = [\"delete_file\"]\n").expect("a policy");
    std::fs::write(place.path().join("a.txt"), "x").expect("a file");
    let can = json!({ "elicitation": {} });
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", can);
    let delete = client.ask("tools/call", json!({ "name": "delete_file", "arguments": { "path": "a.txt" } }));
    let question = client.hear();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let script = begin(&mut client, "MUST CALL FS.WriteFile(\"b.txt\", \"x\")");
    // The server has read the script, and begun with it, when it answers.
    client.request("ping", json!({}));
    cancel(&mut client, script);
    client.request("ping", json!({}));
    let reply = json!({ "action": "accept", "content": { "answer": "once" } });
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
    assert_eq!(client.answer_to(delete)["result"]["isError"], false);
    assert_eq!(client.done("run_script", json!({ "script": "EMIT 4" }))["output"], "4\n");
    // If it had begun, it would have written by now.
    std::thread::sleep(Duration::from_millis(500));
    assert!(!place.path().join("b.txt").exists(), "the script ran");
}

/// A script whose question is answered waits for a turn again, with its changes half made.
#[test]
fn a_script_that_is_cancelled_before_it_goes_on_is_taken_back() {
    let place = tempfile::tempdir().expect("a sandbox");
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("neuroscript.toml"), "[tools]\nask = [\"delete_file\"]\n").expect("a policy");
    std::fs::write(file("a.txt"), "x").expect("a file");
    let options = ["--write", "--max-steps", "1000000000000", "--timeout", "120"];
    let mut client = Client::modern(place.path(), &options, json!({ "elicitation": {} }));
    let script = "MUST CALL FS.WriteFile(\"half.txt\", \"x\")\nMUST CALL FS.DeleteFile(\"a.txt\")";
    let mut call = json!({ "name": "run_script", "arguments": { "script": script } });
    let required = client.request("tools/call", call.clone())["result"].clone();
    assert_eq!(required["resultType"], "input_required", "{required}");
    let others = ["first", "second"].map(|name| begin_endless(&mut client, place.path(), name));
    call["requestState"] = required["requestState"].clone();
    call["inputResponses"] = json!({ "approval": { "action": "accept", "content": { "answer": "once" } } });
    let again = client.ask("tools/call", call);
    client.request("ping", json!({}));
    assert!(file("half.txt").exists());
    cancel(&mut client, again);
    // The script is taken back.
    wait_until(&file("half.txt"), false);
    assert!(file("a.txt").exists());
    others.into_iter().for_each(|id| cancel(&mut client, id));
}

/// A call that waits for the roots of the client.
#[test]
fn a_call_that_is_cancelled_before_the_roots_are_known_is_never_made() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", json!({ "roots": {} }));
    let question = client.hear();
    for number in 0..20 {
        let write = json!({ "file_path": format!("{number}.txt"), "content": "x" });
        let id = client.ask("tools/call", json!({ "name": "write_file", "arguments": write }));
        cancel(&mut client, id);
    }
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }));
    let files = client.done("find", json!({}));
    assert_eq!(files["result"], json!([]));
}

/// Cancels a request and uses its id for another, in one piece. Returns the next frame.
fn replace(client: &mut Client, id: i64, call: &Json) -> Json {
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
    client.write(format!("{cancel}\n{call}\n").as_bytes()).expect("the server reads");
    client.hear()
}

/// The work for the first request still ends when the second one with its id begins.
#[test]
fn the_id_of_a_cancelled_script_may_be_used_again() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = open(place.path());
    let id = begin_endless(&mut client, place.path(), "first");
    let script = "SET i = 0\nWHILE i < 300000 DO\n  SET i = i + 1\nEND\nEMIT i";
    let answer = replace(&mut client, id, &json!({ "name": "run_script", "arguments": { "script": script } }));
    let told = (&answer["id"], &answer["result"]["structuredContent"]["output"]);
    assert_eq!(told, (&json!(id), &json!("300000\n")), "{answer}");
}

/// Calls of tools bypass rmcp.
#[test]
fn the_id_of_a_cancelled_call_may_be_used_again() {
    let place = tempfile::tempdir().expect("a sandbox");
    let file = std::fs::File::create(place.path().join("long.bin")).expect("a file");
    file.set_len(60 << 30).expect("a file with holes");
    let mut client = Client::open(place.path(), &["--tools", "all"]);
    for _ in 0..10 {
        let hash = json!({ "name": "hash_file", "arguments": { "path": "long.bin" } });
        let id = client.ask("tools/call", hash);
        client.request("ping", json!({}));
        let info = json!({ "name": "file_info", "arguments": { "path": "long.bin" } });
        let answer = replace(&mut client, id, &info);
        let told = (&answer["id"], &answer["result"]["isError"], &answer["result"]["structuredContent"]["size"]);
        assert_eq!(told, (&json!(id), &json!(false), &json!(60_u64 << 30)), "{answer}");
    }
}
