//! Many calls over one connection: each is answered once, and memory stays constant.

use std::collections::HashMap;

use serde_json::json;

use crate::mcp::client::Client;

/// Number of concurrent calls.
const IN_FLIGHT: usize = 8;
/// One in this many frames is malformed.
const MALFORMED: usize = 100;

#[test]
fn every_request_is_answered_once_and_memory_is_flat() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "hello\n".repeat(100)).expect("a file");
    let calls = if std::env::var_os("NS_LONG").is_some() { 100_000 } else { 4_000 };
    let mut client = Client::open(place.path(), &[]);
    let mut waiting: HashMap<i64, bool> = HashMap::new();
    let (mut refused, mut sent_malformed, mut early) = (0, 0, 0);
    for number in 0..calls {
        match number % MALFORMED {
            0 => {
                client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\n").expect("the server reads");
                sent_malformed += 1;
            }
            kind => {
                let call = match kind % 3 {
                    0 => json!({ "name": "read_file", "arguments": { "file_path": "a.txt" } }),
                    1 => json!({ "name": "find", "arguments": { "path": "." } }),
                    _ => json!({ "name": "read_file", "arguments": { "file_path": "none" } }),
                };
                let id = client.ask("tools/call", call);
                assert_eq!(waiting.insert(id, kind % 3 == 2), None);
            }
        }
        if number == calls / 10 {
            early = client.memory();
        }
        while waiting.len() >= IN_FLIGHT {
            refused += hear(&mut client, &mut waiting);
        }
    }
    while !waiting.is_empty() || refused < sent_malformed {
        refused += hear(&mut client, &mut waiting);
    }
    assert_eq!(refused, sent_malformed, "each malformed frame has one answer");
    let late = client.memory();
    println!("{calls} calls: {} KiB early, {} KiB late", early >> 10, late >> 10);
    assert!(late < early + (4 << 20), "{early} bytes early, {late} late");
    assert_eq!(client.leave(), 0);
    assert_eq!(client.hear_line(), None);
}

/// Reads one frame. Returns 1 if it refuses a malformed one.
fn hear(client: &mut Client, waiting: &mut HashMap<i64, bool>) -> usize {
    let frame = client.hear();
    match frame["id"].as_i64() {
        Some(id) => {
            let is_error = waiting.remove(&id).unwrap_or_else(|| panic!("{id} is answered twice: {frame}"));
            assert_eq!(frame["result"]["isError"], is_error, "{frame}");
            0
        }
        None => {
            assert_eq!(frame["error"]["code"], -32700, "{frame}");
            1
        }
    }
}
