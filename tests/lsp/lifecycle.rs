//! Handshake, bad frames, cancelled requests, and the end of a server.

use std::fs;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, uri};

const NOT_INITIALIZED: i64 = -32002;
const INVALID_REQUEST: i64 = -32600;

#[test]
fn the_exit_code_tells_whether_the_server_was_shut_down() {
    let place = tempfile::tempdir().unwrap();
    Editor::open(place.path()).leave();
    let mut editor = Editor::open(place.path());
    editor.say("exit", Json::Null);
    assert_eq!(editor.ended().code(), Some(1), "exit without shutdown");
    let mut editor = Editor::open(place.path());
    editor.hang_up();
    assert_eq!(editor.ended().code(), Some(1), "a client that is gone");
    let mut editor = Editor::start(place.path(), &[]);
    editor.hang_up();
    assert_eq!(editor.ended().code(), Some(1), "a client that never came");
    let mut editor = Editor::start(place.path(), &["--stdio"]);
    editor.say("exit", Json::Null);
    assert_eq!(editor.ended().code(), Some(1), "exit before initialize");
}

#[test]
fn requests_at_the_wrong_time_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(place.path(), &[]);
    let answer = editor.request("textDocument/hover", json!({}));
    assert_eq!(answer["error"]["code"], NOT_INITIALIZED, "{answer}");
    editor.say("textDocument/didOpen", json!({}));
    let answer = editor.request("initialize", json!({ "capabilities": 1 }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = editor.request("initialize", json!({ "capabilities": {} }));
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
    let answer = editor.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(answer["error"]["code"], INVALID_REQUEST, "{answer}");
    assert_eq!(editor.result("shutdown", Json::Null), Json::Null);
    for method in ["textDocument/hover", "shutdown", "initialize"] {
        assert_eq!(editor.request(method, json!({}))["error"]["code"], INVALID_REQUEST, "{method}");
    }
    editor.say("exit", Json::Null);
    assert_eq!(editor.ended().code(), Some(0));
}

#[test]
fn what_is_no_message_is_answered_and_skipped() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    for (body, code) in [
        ("{]", -32700),
        ("[]", INVALID_REQUEST),
        ("1", INVALID_REQUEST),
        (r#"{"id": 1, "method": "shutdown"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc": "2.0", "id": null, "method": "shutdown"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, INVALID_REQUEST),
        (r#"{"jsonrpc": "2.0", "id": 1}"#, INVALID_REQUEST),
    ] {
        editor.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let answer = editor.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Json::Null, &json!(code)), "{body}: {answer}");
    }
    for id in [json!("a"), json!(9_007_199_254_740_993_i64), json!(-1), json!("")] {
        editor.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "no/such" }));
        let answer = editor.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32601)), "{answer}");
    }
    // Notifications and answers that nobody knows are ignored.
    editor.say("no/such", json!({}));
    editor.say("textDocument/didChange", json!({ "textDocument": 1 }));
    editor.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": null }));
    editor.leave();
}

#[test]
fn a_frame_that_is_too_large_is_skipped() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let body = vec![b' '; (32 << 20) + 1];
    editor.write(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
    editor.write(&body).unwrap();
    let answer = editor.hear();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    editor.leave();
    // Headers that cannot be read end the connection, and so does a body that ends early.
    for bytes in ["Content-Length: x\r\n\r\n", "Content-Length: 18446744073709551615\r\n\r\n{", "\r\n\r\n"] {
        let mut editor = Editor::open(place.path());
        editor.write(bytes.as_bytes()).unwrap();
        editor.hang_up();
        assert_eq!(editor.ended().code(), Some(1), "{bytes:?}");
    }
}

#[test]
fn a_request_that_is_taken_back_while_it_waits_is_not_carried_out() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, &"SET x = 1\nEMIT x\n".repeat(5_000));
    // The first request takes long enough for all others to arrive, in one write.
    let mut bytes = String::new();
    let mut add = |body: Json| {
        let body = body.to_string();
        bytes.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    };
    let params = json!({ "textDocument": { "uri": file } });
    add(json!({ "jsonrpc": "2.0", "id": 100, "method": "textDocument/documentSymbol", "params": params }));
    for id in 101..110 {
        let params = json!({ "textDocument": { "uri": file }, "position": at(0, 4) });
        add(json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params }));
    }
    add(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 109 } }));
    add(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 7_777 } }));
    editor.write(bytes.as_bytes()).unwrap();
    for id in 100..109 {
        assert!(editor.answer_to(id).get("result").is_some(), "{id}");
    }
    assert_eq!(editor.answer_to(109)["error"]["code"], -32800);
    // Requests that are answered, or never came, are taken back while nothing else happens.
    for id in [json!(100), json!("x"), Json::Null] {
        editor.say("$/cancelRequest", json!({ "id": id }));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    editor.say("$/cancelRequest", Json::Null);
    editor.leave();
}

#[test]
fn the_encoding_is_one_that_the_client_offers() {
    let place = tempfile::tempdir().unwrap();
    for (offered, chosen) in [
        (json!(["utf-16", "utf-8"]), "utf-8"),
        (json!(["utf-16"]), "utf-16"),
        (json!(["utf-32", "x"]), "utf-32"),
        (json!([]), "utf-16"),
        (Json::Null, "utf-16"),
    ] {
        let mut abilities = abilities();
        abilities["general"]["positionEncodings"] = offered;
        let editor = Editor::open_with(place.path(), &[], &abilities);
        assert_eq!(editor.server["capabilities"]["positionEncoding"], chosen);
    }
}

#[test]
fn a_folder_that_cannot_be_opened_is_an_error_of_the_handshake() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(place.path(), &[]);
    let missing = uri(&place.path().join("none"));
    let answer = editor.request("initialize", json!({ "capabilities": {}, "rootUri": missing }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("none"), "{answer}");
    fs::write(place.path().join("neuroscript.toml"), "no_such_key = 1\n").unwrap();
    let answer = editor.request("initialize", json!({ "capabilities": {}, "rootUri": uri(place.path()) }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("no_such_key"), "{answer}");
}

/// All threads of the server are under the kernel's filter, and it may open nothing outside of its folder.
#[cfg(target_os = "linux")]
#[test]
fn the_server_is_locked_down() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, "EMIT 1\n");
    editor.published(&file);
    let mut threads = 0;
    for task in fs::read_dir(format!("/proc/{}/task", editor.child.id())).unwrap() {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        assert!(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "{status}");
        threads += 1;
    }
    assert!(threads >= 2, "a thread reads, another one works");
    editor.leave();
    let left: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
    assert!(left.is_empty(), "the server writes nothing: {left:?}");
}
