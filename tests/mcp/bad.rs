//! Invalid input causes an error or a clean end.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

fn sandbox() -> tempfile::TempDir {
    tempfile::tempdir().expect("a sandbox")
}

/// Asserts that the server still works.
fn works(client: &mut Client) {
    client.done("find", json!({}));
}

#[test]
fn frames_that_are_no_messages_are_answered() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    for (frame, code, id) in [
        (&b"nonsense\n"[..], -32700, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"\n", -32700, Json::Null),
        (b"5\n", -32600, Json::Null),
        (b"[]\n", -32600, Json::Null),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}]\n", -32600, Json::Null),
        (b"{}\n", -32600, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}\n", -32600, json!(7)),
        (b"{\"id\":7,\"method\":\"ping\"}\n", -32600, json!(7)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}\n", -32600, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n", -32600, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n", -32600, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n", -32600, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n", -32600, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}\n", -32602, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":[]}\n", -32602, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":5}\n", -32602, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\xff\"}\n", -32700, Json::Null),
        (b"\x00\x01\x02\n", -32700, Json::Null),
    ] {
        client.write(frame).expect("the server reads");
        let answer = client.hear();
        let shown = String::from_utf8_lossy(frame);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}: {answer}");
    }
    // These frames need no answer.
    for frame in [
        &b"\n"[..],
        b"   \r\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"nonsense\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
    ] {
        client.write(frame).expect("the server reads");
    }
    works(&mut client);
    assert_eq!(client.leave(), 0);
}

#[test]
fn bad_frames_before_the_handshake_end_nothing() {
    let place = sandbox();
    let mut client = Client::start(place.path(), &[]);
    client.write(b"nonsense\n").expect("the server reads");
    assert_eq!(client.hear()["error"]["code"], -32700);
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.say(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    let answer = client.request("tools/list", json!({}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
    assert!(client.request("initialize", params)["result"].is_object());
    works(&mut client);
}

#[test]
fn a_frame_of_100_mb_is_refused_without_memory() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &[]);
    works(&mut client);
    let before = client.memory();
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"").expect("a part");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        client.write(&piece).expect("the server reads");
    }
    client.write(b"\"}}\n").expect("the end");
    let answer = client.hear();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    works(&mut client);
    let after = client.memory();
    println!("{} KiB before, {} KiB after", before >> 10, after >> 10);
    assert!(after < before + (24 << 20), "{before} bytes before, {after} after");
}

#[test]
fn an_id_that_is_taken_is_refused() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--max-steps", "1000000000000"]);
    let script = json!({ "name": "run_script", "arguments": { "script": "WHILE true DO\n  SET a = 1\nEND" } });
    let id = client.ask("tools/call", script);
    client.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
    let answer = client.hear();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Json::Null, &json!(-32600)), "{answer}");
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    works(&mut client);
}

#[test]
fn arguments_of_any_type_and_depth_are_refused_by_the_tool() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write"]);
    for value in
        [json!(5), json!(null), json!([]), json!({ "a": {} }), json!(true), json!(1e300), json!("\u{0}"), json!("")]
    {
        let result = client.call("read_file", json!({ "file_path": value }));
        assert_eq!(result["isError"], true, "{value}: {result}");
    }
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, id) in [(100, 7), (127, 8), (10_000, 9), (1_000_000, 10)] {
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"read_file\",\"arguments\":{{\"file_path\":{}}}}}}}\n",
            nested(levels)
        );
        client.write(call.as_bytes()).expect("the server reads");
        let answer = client.hear();
        let is_refused = answer["result"]["isError"] == true || answer["error"]["code"] == -32602;
        assert!(answer["id"] == id && is_refused, "{levels}: {answer}");
    }
    works(&mut client);
}

#[test]
fn a_client_that_vanishes_ends_the_server() {
    let place = sandbox();
    for _ in 0..5 {
        let mut client = Client::open(place.path(), &["--write"]);
        for number in 0..20 {
            let write = json!({ "file_path": format!("f{number}"), "content": "x".repeat(100_000), "overwrite": true });
            client.ask("tools/call", json!({ "name": "write_file", "arguments": write }));
        }
        // In the middle of a frame.
        client.write(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"par").expect("a part");
        assert_eq!(client.leave(), 0);
    }
    for entry in std::fs::read_dir(place.path()).expect("the sandbox") {
        let entry = entry.expect("an entry");
        if entry.file_name() != ".ns" {
            assert_eq!(entry.metadata().expect("it is there").len(), 100_000, "{entry:?} is half made");
        }
    }
}

#[test]
fn a_client_that_leaves_a_long_script_behind_ends_the_server_soon() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--write", "--max-steps", "1000000000000"]);
    let script = "MUST CALL FS.WriteFile(\"a.txt\", \"x\")\nWHILE true DO\n  SET a = 1\nEND";
    client.ask("tools/call", json!({ "name": "run_script", "arguments": { "script": script } }));
    let end = Instant::now() + Duration::from_secs(30);
    while !place.path().join("a.txt").exists() {
        assert!(Instant::now() < end, "the script runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(client.leave(), 0);
    assert!(!place.path().join("a.txt").exists(), "the script was taken back before the server ended");
}

#[test]
fn a_client_that_closes_both_sides_ends_the_server() {
    let place = sandbox();
    let mut command = crate::support::ns(place.path());
    let mut child = command
        .args(["mcp", "--write"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("ns starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("the input is piped");
    let frame = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    // The server ends, and later writes fail.
    let end = Instant::now() + Duration::from_secs(30);
    while std::io::Write::write_all(&mut input, frame.as_bytes()).is_ok() {
        assert!(Instant::now() < end, "the server notices");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_client_that_never_reads_is_given_up_and_takes_no_memory() {
    let place = sandbox();
    std::fs::write(place.path().join("a.txt"), "x".repeat(200_000)).expect("a file");
    let mut command = crate::support::ns(place.path());
    let mut child = command
        .args(["mcp", "--patience", "2"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("ns starts");
    let mut input = child.stdin.take().expect("the input is piped");
    let writer = std::thread::spawn(move || {
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
        let first = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let mut frame = format!("{first}\n");
        for id in 1.. {
            if std::io::Write::write_all(&mut input, frame.as_bytes()).is_err() {
                return;
            }
            let call = json!({ "name": "read_file", "arguments": { "file_path": "a.txt" } });
            frame = format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }));
        }
    });
    let mut most = 0;
    let end = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
        let resident = line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
        most = most.max(resident.unwrap_or_default());
        assert!(Instant::now() < end, "the server gives up");
        std::thread::sleep(Duration::from_millis(20));
    };
    println!("at most {most} KiB");
    assert_eq!(status.code(), Some(1));
    assert!(most < 128 << 10, "{most} KiB");
    writer.join().expect("the writer ends");
}

/// Its end waits for nobody.
#[test]
fn a_client_that_says_nothing_ends_the_server() {
    if !crate::support::has_strace() {
        return;
    }
    let place = sandbox();
    let trace = tempfile::NamedTempFile::new().expect("a file for the trace");
    let mut server = crate::support::ns(place.path());
    server.arg("mcp");
    let mut command = crate::support::strace(&server, trace.path(), &["-e", "trace=clock_nanosleep"]);
    let ran = crate::support::run(command.stdin(std::process::Stdio::null()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // It looks for the end of its thread every millisecond, for ten seconds at most.
    let looks = std::fs::read_to_string(trace.path()).expect("a trace").lines().count();
    assert!(looks < 5_000, "{looks} looks");
}
