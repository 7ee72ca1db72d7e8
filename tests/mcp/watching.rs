//! Subscriptions: what clients hear of changes, and what they never hear of.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

const UPDATED: &str = "notifications/resources/updated";
const LIST_CHANGED: &str = "notifications/resources/list_changed";

struct Place {
    _above: tempfile::TempDir,
    root: PathBuf,
}

impl Place {
    fn new() -> Place {
        let above = tempfile::tempdir().expect("a folder");
        let root = above.path().canonicalize().expect("a path").join("box");
        std::fs::create_dir_all(root.join("sub")).expect("a sandbox");
        std::fs::create_dir(root.with_file_name("outside")).expect("a folder");
        let place = Place { _above: above, root };
        place.write("a.txt", "one");
        place.write("sub/b.txt", "one");
        place
    }

    fn write(&self, path: &str, content: &str) {
        std::fs::write(self.root.join(path), content).expect("a file");
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.root.display())
    }
}

fn subscribe(client: &mut Client, uri: &str) {
    let answer = client.request("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

/// Waits for a notification about a resource. Others are returned first.
fn hear_of(client: &mut Client, uri: &str) {
    loop {
        let frame = client.hear();
        assert!(frame.get("id").is_none(), "{frame}");
        if frame["method"] == UPDATED && frame["params"]["uri"] == uri {
            return;
        }
    }
}

/// Returns the frames until a change of `mark`, which the client follows, has arrived.
fn frames_until(client: &mut Client, place: &Place, mark: &str) -> Vec<Json> {
    place.write(mark, &format!("{:?}", Instant::now()));
    let mut frames = Vec::new();
    loop {
        let frame = client.hear();
        if frame["params"]["uri"] == place.uri(mark) {
            return frames;
        }
        frames.push(frame);
    }
}

#[test]
fn changes_by_anybody_are_told() {
    let place = Place::new();
    let mut client = Client::open(&place.root, &["--write"]);
    let (a, b, sub) = (place.uri("a.txt"), place.uri("sub/b.txt"), place.uri("sub"));
    for uri in [&a, &b, &sub] {
        subscribe(&mut client, uri);
    }
    place.write("a.txt", "two");
    hear_of(&mut client, &a);
    // By a tool of the server itself.
    let write = json!({ "file_path": "sub/b.txt", "content": "two", "overwrite": true });
    let id = client.ask("tools/call", json!({ "name": "write_file", "arguments": write }));
    let mut methods = Vec::new();
    for _ in 0..2 {
        let frame = client.hear();
        assert!(frame["id"] == id && frame["result"]["isError"] == false || frame["params"]["uri"] == b, "{frame}");
        methods.push(frame["method"].clone());
    }
    assert!(methods.contains(&json!(UPDATED)), "{methods:?}");
    // By a script, in a process of its own.
    let script = json!({ "script": "MUST CALL FS.WriteFile(\"sub/new.txt\", \"x\")" });
    let id = client.ask("tools/call", json!({ "name": "run_script", "arguments": script }));
    let heard = [client.hear(), client.hear()];
    assert!(heard.iter().any(|frame| frame["params"]["uri"] == sub), "{heard:?}");
    assert!(heard.iter().any(|frame| frame["id"] == id && frame["result"]["isError"] == false), "{heard:?}");
    // Removed, and made again.
    std::fs::remove_file(place.root.join("a.txt")).expect("it is there");
    hear_of(&mut client, &a);
    place.write("new.txt", "three");
    std::fs::rename(place.root.join("new.txt"), place.root.join("a.txt")).expect("it is there");
    hear_of(&mut client, &a);
    // Ended.
    assert_eq!(client.request("resources/unsubscribe", json!({ "uri": a }))["result"], json!({}));
    place.write("a.txt", "four");
    let frames = frames_until(&mut client, &place, "sub/b.txt");
    assert!(frames.iter().all(|frame| frame["params"]["uri"] != a), "{frames:?}");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_path_is_followed_when_its_directories_are_made_anew() {
    let place = Place::new();
    let mut client = Client::open(&place.root, &[]);
    let uri = place.uri("sub/b.txt");
    subscribe(&mut client, &uri);
    for _ in 0..3 {
        std::fs::remove_dir_all(place.root.join("sub")).expect("it is there");
        hear_of(&mut client, &uri);
        std::fs::create_dir(place.root.join("sub")).expect("a folder");
        // The server may still follow the path to the new directory.
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            place.write("sub/b.txt", "x");
            std::thread::sleep(Duration::from_millis(400));
            if client.hear_within(Duration::from_millis(100)).is_some_and(|frame| frame["params"]["uri"] == uri) {
                break;
            }
        }
        assert!(Instant::now() < deadline, "nothing was told");
        while client.hear_within(Duration::from_millis(400)).is_some() {}
    }
}

#[test]
fn nothing_is_told_of_what_is_outside_or_denied() {
    let place = Place::new();
    place.write("mark.txt", "");
    std::fs::write(
        place.root.join("neuroscript.toml"),
        "[policy]\nblocked_patterns = [\"*.pem\"]\nblocked_directories = [\"closed\"]\n",
    )
    .expect("a policy");
    let mut client = Client::open(&place.root, &[]);
    for path in ["mark.txt", "sub/b.txt", "sub"] {
        subscribe(&mut client, &place.uri(path));
    }
    assert_eq!(client.request("resources/list", json!({}))["result"]["resources"].as_array().map(Vec::len), Some(3));
    // Denied and reserved names in directories that are followed.
    place.write("sub/key.pem", "secret");
    place.write("key.pem", "secret");
    std::fs::create_dir(place.root.join("sub/closed")).expect("a folder");
    std::fs::create_dir(place.root.join("sub/.ns")).expect("a folder");
    let frames = frames_until(&mut client, &place, "mark.txt");
    assert!(frames.is_empty(), "{frames:?}");
    // A directory on the way is moved out of the sandbox and replaced by a link to it.
    let outside = place.root.with_file_name("outside");
    std::fs::rename(place.root.join("sub"), outside.join("sub")).expect("it is there");
    std::os::unix::fs::symlink(outside.join("sub"), place.root.join("sub")).expect("a link");
    let _ = frames_until(&mut client, &place, "mark.txt");
    let _ = frames_until(&mut client, &place, "mark.txt");
    for number in 0..5 {
        std::fs::write(outside.join("sub/b.txt"), "outside").expect("a file");
        std::fs::write(outside.join(format!("sub/{number}")), "outside").expect("a file");
        let frames = frames_until(&mut client, &place, "mark.txt");
        assert!(number == 0 || frames.is_empty(), "{frames:?}");
    }
    assert!(client.request("resources/read", json!({ "uri": place.uri("sub/b.txt") }))["error"].is_object());
}

#[test]
fn a_file_that_becomes_a_link_out_tells_nothing_of_its_target() {
    let place = Place::new();
    let outside = place.root.with_file_name("outside").join("c.txt");
    std::fs::write(&outside, "outside").expect("a file");
    place.write("mark.txt", "");
    let mut client = Client::open(&place.root, &[]);
    let uri = place.uri("a.txt");
    subscribe(&mut client, &uri);
    subscribe(&mut client, &place.uri("mark.txt"));
    std::os::unix::fs::symlink(&outside, place.root.join("link")).expect("a link");
    std::fs::rename(place.root.join("link"), place.root.join("a.txt")).expect("it is there");
    let _ = frames_until(&mut client, &place, "mark.txt");
    for _ in 0..3 {
        std::fs::write(&outside, "changed").expect("a file");
        let frames = frames_until(&mut client, &place, "mark.txt");
        assert!(frames.is_empty(), "{frames:?}");
    }
    // The way back is noticed.
    std::fs::remove_file(place.root.join("a.txt")).expect("it is there");
    place.write("a.txt", "inside");
    hear_of(&mut client, &uri);
}

#[test]
fn the_list_is_followed_for_clients_that_have_listed() {
    let place = Place::new();
    let mut client = Client::open(&place.root, &[]);
    subscribe(&mut client, &place.uri("a.txt"));
    place.write("sub/early.txt", "");
    assert!(frames_until(&mut client, &place, "a.txt").is_empty());
    client.request("resources/list", json!({}));
    place.write("sub/late.txt", "");
    assert_eq!(client.hear()["method"], LIST_CHANGED);
    // A change of a content is no change of the list, and hidden names are not listed.
    place.write("sub/late.txt", "x");
    place.write("sub/.hidden", "x");
    let frames = frames_until(&mut client, &place, "a.txt");
    assert!(frames.is_empty(), "{frames:?}");
    std::fs::remove_file(place.root.join("sub/late.txt")).expect("it is there");
    assert_eq!(client.hear()["method"], LIST_CHANGED);
}

#[test]
fn there_are_64_subscriptions_and_an_error_for_the_next() {
    let place = Place::new();
    for number in 0..100 {
        std::fs::create_dir(place.root.join(format!("d{number}"))).expect("a folder");
        place.write(&format!("d{number}/f.txt"), "");
    }
    let mut client = Client::open(&place.root, &[]);
    let handles = || std::fs::read_dir(format!("/proc/{}/fd", client.child.id())).expect("the server runs").count();
    let before = handles();
    let mut refused = 0;
    for number in 0..10_000 {
        let uri = place.uri(&format!("d{}/f.txt", number % 100));
        let answer = client.request("resources/subscribe", json!({ "uri": uri }));
        if answer["error"].is_object() {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("64")), "{answer}");
            refused += 1;
        }
    }
    assert_eq!(refused, 10_000 - 64);
    let handles = std::fs::read_dir(format!("/proc/{}/fd", client.child.id())).expect("the server runs").count();
    assert!(handles < before + 10, "{before} before, {handles} after");
    // A subscription that ends makes room.
    client.request("resources/unsubscribe", json!({ "uri": place.uri("d0/f.txt") }));
    subscribe(&mut client, &place.uri("d99/f.txt"));
    place.write("d99/f.txt", "x");
    hear_of(&mut client, &place.uri("d99/f.txt"));
}

#[test]
fn a_storm_of_changes_becomes_a_few_notifications() {
    let place = Place::new();
    place.write("mark.txt", "");
    let mut client = Client::open(&place.root, &[]);
    subscribe(&mut client, &place.uri("a.txt"));
    subscribe(&mut client, &place.uri("mark.txt"));
    client.request("resources/list", json!({}));
    let before = client.memory();
    let began = Instant::now();
    let writes = if std::env::var_os("NS_LONG").is_some() { 100_000 } else { 20_000 };
    for number in 0..writes {
        place.write(if number % 2 == 0 { "a.txt" } else { "b.txt" }, "x");
        if number % 100 == 1 {
            std::fs::remove_file(place.root.join("b.txt")).expect("it is there");
        }
    }
    let frames = frames_until(&mut client, &place, "mark.txt");
    // At most four per second of each kind.
    let most = 2 * (4 * (began.elapsed().as_secs() as usize + 2));
    assert!(!frames.is_empty() && frames.len() <= most, "{} frames, at most {most}", frames.len());
    assert!(client.memory() < before + (32 << 20), "{before} before, {} after", client.memory());
    client.done("find", json!({}));
}

/// While it does not read, changes wait and become one.
#[test]
fn a_client_that_does_not_read_hears_of_many_changes_once() {
    let place = Place::new();
    place.write("large.txt", &"x".repeat(100_000));
    let mut command = crate::support::ns(&place.root);
    let mut child = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ns starts");
    let mut input = child.stdin.take().expect("the input is piped");
    let mut say = |frame: Json| writeln!(input, "{frame}").expect("the server reads");
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    say(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
    say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let uri = place.uri("a.txt");
    say(json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": uri } }));
    let call = json!({ "name": "read_file", "arguments": { "path": "large.txt" } });
    let last = 60;
    for id in 2..=last {
        say(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }));
    }
    // The answers fill the pipe and the queue.
    std::thread::sleep(Duration::from_secs(3));
    for number in 0..30 {
        place.write("a.txt", &number.to_string());
        std::thread::sleep(Duration::from_millis(100));
    }
    let output = BufReader::new(child.stdout.take().expect("the output is piped"));
    let (mut answers, mut updates) = (0, 0);
    for line in output.lines() {
        let frame: Json = serde_json::from_str(&line.expect("a line")).expect("a frame");
        answers += usize::from(frame["id"].is_i64());
        updates += usize::from(frame["method"] == UPDATED);
        if answers == last + 1 && updates > 0 {
            break;
        }
    }
    assert!(updates <= 2, "{updates}");
    drop(input);
    let _ = child.kill();
    let _ = child.wait();
}

/// Starts a stream of notifications, and returns its id after the acknowledgement.
fn listen(client: &mut Client, filter: Json) -> (i64, Json) {
    let id = client.ask("subscriptions/listen", json!({ "notifications": filter }));
    let frame = client.hear();
    assert_eq!(frame["method"], "notifications/subscriptions/acknowledged", "{frame}");
    assert_eq!(frame["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{frame}");
    (id, frame["params"]["notifications"].clone())
}

#[test]
fn the_newest_revision_listens_with_a_request() {
    let place = Place::new();
    let mut client = Client::modern(&place.root, &[], json!({}));
    let outside = "file:///etc/passwd";
    let uris = json!([place.uri("a.txt"), outside]);
    let filter = json!({ "resourceSubscriptions": uris, "resourcesListChanged": true, "toolsListChanged": true });
    let (id, accepted) = listen(&mut client, filter);
    assert_eq!(accepted["resourcesListChanged"], true);
    assert!(accepted.get("toolsListChanged").is_none(), "{accepted}");
    // Other requests go on, directly.
    client.done("find", json!({}));
    place.write("a.txt", "two");
    let frame = client.hear();
    assert_eq!((&frame["method"], &frame["params"]["uri"]), (&json!(UPDATED), &json!(place.uri("a.txt"))));
    assert_eq!(frame["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{frame}");
    place.write("new.txt", "");
    let frame = client.hear();
    assert_eq!(frame["method"], LIST_CHANGED, "{frame}");
    assert_eq!(frame["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{frame}");
    // A cancelled stream is silent, and its id is free again.
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    let (_, _) = listen(&mut client, json!({ "resourceSubscriptions": [place.uri("sub/b.txt")] }));
    client.done("find", json!({}));
    place.write("a.txt", "three");
    let frames = frames_until(&mut client, &place, "sub/b.txt");
    assert!(frames.is_empty(), "{frames:?}");
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = client.request(method, json!({ "uri": place.uri("a.txt") }));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let began = Instant::now();
    assert_eq!(client.leave(), 0);
    assert!(began.elapsed() < Duration::from_secs(4), "an open stream holds up the end");
}

#[test]
fn streams_are_bounded_and_hold_up_nothing() {
    let place = Place::new();
    let mut client = Client::modern(&place.root, &[], json!({}));
    for _ in 0..16 {
        listen(&mut client, json!({ "resourcesListChanged": true }));
    }
    for _ in 0..200 {
        let answer = client.request("subscriptions/listen", json!({ "notifications": {} }));
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
    }
    client.done("find", json!({}));
    let uris: Vec<String> = (0..10_000).map(|number| place.uri(&format!("{number}.txt"))).collect();
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    let (_, accepted) = listen(&mut client, json!({ "resourceSubscriptions": uris }));
    assert_eq!(accepted["resourceSubscriptions"].as_array().map(Vec::len), Some(64), "{accepted}");
    client.done("find", json!({}));
}
