//! `ns mcp --http` request by request: who may connect, what tokens share, and the end of the server.
//! `tests/clients/over_http.py` has the rest: real clients, broken streams, many clients at once, limits that take time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::{ns, run};

/// Maximum time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
const TOKEN: &str = "a-token-for-the-test";

struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the last frame of the stream.
    fn frame(&self) -> Json {
        let last = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).rfind(|data| data.starts_with('{'));
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    fn start(sandbox: &Path, options: &[&str]) -> Server {
        let mut command = ns(sandbox);
        command.args(["mcp", "--http", "127.0.0.1:0"]).args(options).env("NS_MCP_TOKEN", TOKEN);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("ns starts");
        let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("the server says where it listens");
        // The pipe stays open.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let address = line.trim().strip_prefix("listening at http://").and_then(|url| url.strip_suffix("/mcp"));
        Server { child, address: address.unwrap_or_else(|| panic!("{line}")).to_owned() }
    }

    /// Sends a request on a connection of its own. `head` has further lines.
    fn ask(&self, method: &str, path: &str, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it is set");
        let host = if head.contains("Host:") { "" } else { "Host: localhost\r\n" };
        let fixed =
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nConnection: close";
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}{fixed}\r\n{head}Content-Length: {length}\r\n\r\n{body}")
            .expect("the server reads");
        let mut whole = Vec::new();
        // A refusal may close the connection before all is read.
        let _ = stream.read_to_end(&mut whole);
        let whole = String::from_utf8(whole).expect("it is text");
        let (head, body) = whole.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {whole}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("it has a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn status(&self, head: &str) -> u16 {
        self.ask("POST", "/mcp", head, &hello()).status
    }

    /// Calls a tool without a session, as from 2026-07-28 on.
    fn call(&self, token: &str, tool: &str, arguments: Json) -> Json {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let head = format!(
            "{}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n",
            bearer(token)
        );
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let answer = self.ask("POST", "/mcp", &head, &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.frame()["result"].clone()
    }

    fn signal(&self, signal: &str) {
        let sent = std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

/// Makes a token. Returns it and its entry for a tokens file.
fn new_token(sandbox: &Path, name: &str) -> (String, String) {
    let ran = run(ns(sandbox).args(["mcp", "--new-token", name]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let token = ran.stderr.trim().strip_prefix("Authorization: Bearer ").expect("it has the form of a header");
    assert!(token.len() == 64 && !ran.stdout.contains(token), "{}", ran.stdout);
    (token.to_owned(), ran.stdout)
}

#[test]
fn only_those_with_a_token_from_here_are_answered() {
    let sandbox = tempfile::tempdir().expect("a folder for the test");
    let server = Server::start(sandbox.path(), &[]);
    let mine = bearer(TOKEN);
    for (head, status) in [
        ("", 401),
        (&bearer("another"), 401),
        (&bearer(""), 401),
        (&mine, 200),
        (&format!("{mine}Host: evil.example\r\n"), 403),
        (&format!("{mine}Origin: https://evil.example\r\n"), 403),
        (&format!("{mine}Origin: http://localhost:3000\r\n"), 200),
    ] {
        assert_eq!(server.status(head), status, "{head}");
    }
    let refused = server.ask("POST", "/mcp", "", &hello());
    assert_eq!(refused.header("WWW-Authenticate"), Some("Bearer realm=\"ns mcp\""));
    let refused = server.ask("POST", "/mcp", &bearer("another"), &hello());
    assert!(refused.header("WWW-Authenticate").is_some_and(|challenge| challenge.contains("invalid_token")));
    assert_eq!(server.ask("GET", "/healthz", "", "").status, 200);
    assert_eq!(server.ask("GET", "/metrics", &mine, "").status, 404);
    assert_eq!(server.ask("GET", "/", &mine, "").status, 404);
}

#[test]
fn each_token_has_its_own_history() {
    let (sandbox, config) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (ci, entry) = new_token(sandbox.path(), "ci");
    let (guest, other) = new_token(sandbox.path(), "guest");
    let file = config.path().join("tokens.toml");
    std::fs::write(&file, format!("{entry}write = true\n{other}write = true\n")).expect("the file is written");
    let server = Server::start(sandbox.path(), &["--tokens", &file.display().to_string()]);
    let written = server.call(&ci, "write_file", json!({ "file_path": "a.txt", "content": "1" }));
    let run = written["_meta"]["undo_id"].as_str().expect("it has an id").to_owned();
    let listed = |token: &str| server.call(token, "history", json!({}))["structuredContent"]["runs"].clone();
    assert_eq!(listed(&guest), json!([]));
    assert_eq!(listed(&ci)[0]["command"], "ns mcp (ci) FS.WriteFile a.txt", "{}", listed(&ci));
    for arguments in [json!({}), json!({ "run": run })] {
        let refused = server.call(&guest, "undo", arguments);
        assert_eq!(refused["structuredContent"]["error"]["code"], "not_found", "{refused}");
    }
    let undone = server.call(&ci, "undo", json!({}));
    assert_eq!(undone["isError"], false, "{undone}");
    assert!(!sandbox.path().join("a.txt").exists());
    // The user sees all.
    let log = run_log(sandbox.path());
    assert!(log.contains("ns mcp (ci) FS.WriteFile a.txt"), "{log}");
}

fn run_log(sandbox: &Path) -> String {
    run(ns(sandbox).args(["log", "--output", "json"])).stdout
}

#[test]
fn a_tokens_file_is_checked() {
    let (sandbox, config) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (_, entry) = new_token(sandbox.path(), "ci");
    for (folder, text, said) in [
        (config.path(), String::new(), "there are 0 entries"),
        (config.path(), format!("{entry}{entry}"), "tokens.toml:4: there are two tokens `ci`"),
        (config.path(), format!("{entry}speed = 3\n"), "tokens.toml:4: unknown field `speed`"),
        (sandbox.path(), entry.clone(), "is in the sandbox"),
    ] {
        let file = folder.join("tokens.toml");
        std::fs::write(&file, &text).expect("the file is written");
        let ran = run(ns(sandbox.path()).args(["mcp", "--http", "127.0.0.1:0", "--tokens"]).arg(&file));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[test]
fn a_signal_ends_the_server_when_its_calls_have_ended() {
    let sandbox = tempfile::tempdir().expect("a folder for the test");
    let mut server = Server::start(sandbox.path(), &["--write", "--grace", "60"]);
    let script = "MUST CALL FS.WriteFile(\"a.txt\", \"x\")\nWHILE NOT FS.Exists(\"go\") DO\n  SET a = 1\nEND\n\
                  MUST CALL FS.WriteFile(\"b.txt\", \"x\")";
    std::thread::scope(|scope| {
        let call = scope.spawn(|| server.call(TOKEN, "run_script", json!({ "script": script })));
        while !sandbox.path().join("a.txt").exists() && !call.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        server.signal("-TERM");
        while server.ask("GET", "/healthz", "", "").status == 200 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(server.status(&bearer(TOKEN)), 503, "a new call is refused");
        std::fs::write(sandbox.path().join("go"), "").expect("the script is told to go on");
        let answer = call.join().expect("it is answered");
        assert_eq!(answer["isError"], false, "{answer}");
    });
    assert_eq!(server.child.wait().expect("the server ends").code(), Some(0));
    assert!(sandbox.path().join("b.txt").exists());
}
