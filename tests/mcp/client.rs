//! A client that exchanges lines and knows nothing of the protocol but its frames.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::ns;

/// Maximum time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the result of a call that is no object: a text by itself, or the member `result`.
pub fn result_of(answer: &Json) -> Json {
    let structured = answer.get("structuredContent").map(|structured| &structured["result"]);
    structured.unwrap_or(&answer["content"][0]["text"]).clone()
}

pub struct Client {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: i64,
    /// The `_meta` of every request of this client.
    meta: Option<Json>,
    /// The answer to the handshake.
    pub server: Json,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    /// Starts a server without a handshake.
    pub fn start(sandbox: &Path, options: &[&str]) -> Client {
        let mut command = ns(sandbox);
        command.arg("mcp").args(options);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ns starts");
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, lines, next: 0, meta: None, server: Json::Null }
    }

    /// Starts a server with the handshake of clients up to 2025-11-25.
    pub fn open(sandbox: &Path, options: &[&str]) -> Client {
        Client::open_with(sandbox, options, "2025-11-25", json!({}))
    }

    /// Starts a server with a revision and capabilities.
    pub fn open_with(sandbox: &Path, options: &[&str], version: &str, capabilities: Json) -> Client {
        let mut client = Client::start(sandbox, options);
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        client.server = answer["result"].clone();
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Starts a server for a client of 2026-07-28, which needs no handshake.
    pub fn modern(sandbox: &Path, options: &[&str], capabilities: Json) -> Client {
        let mut client = Client::start(sandbox, options);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        client
    }

    /// Writes raw bytes.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush())
    }

    /// Writes a frame.
    pub fn say(&mut self, frame: &Json) {
        self.write(format!("{frame}\n").as_bytes()).expect("the server reads");
    }

    /// Writes a request and returns its id.
    pub fn ask(&mut self, method: &str, mut params: Json) -> i64 {
        self.next += 1;
        if let Some(meta) = &self.meta {
            let mut whole = meta.clone();
            if let (Some(whole), Some(own)) = (whole.as_object_mut(), params["_meta"].as_object()) {
                whole.extend(own.clone());
            }
            params["_meta"] = whole;
        }
        let frame = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.say(&frame);
        self.next
    }

    /// Returns the next frame.
    pub fn hear(&mut self) -> Json {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Returns the next frame, if one arrives within a time.
    pub fn hear_within(&mut self, patience: Duration) -> Option<Json> {
        let line = self.lines.recv_timeout(patience).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Returns the next line; `None` at the end of the output.
    pub fn hear_line(&mut self) -> Option<String> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// Returns the answer to a request; skips other frames.
    pub fn answer_to(&mut self, id: i64) -> Json {
        loop {
            let frame = self.hear();
            if frame["id"] == id && frame.get("method").is_none() {
                return frame;
            }
        }
    }

    /// Sends a request and returns its answer.
    pub fn request(&mut self, method: &str, params: Json) -> Json {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// Calls a tool and returns the result.
    pub fn call(&mut self, tool: &str, arguments: Json) -> Json {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool, which must succeed, and returns its structured content; a text by itself as `result`.
    pub fn done(&mut self, tool: &str, arguments: Json) -> Json {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        match result.get("structuredContent") {
            Some(structured) => structured.clone(),
            None => json!({ "result": result_of(&result) }),
        }
    }

    /// Calls a tool, which must fail, and returns its error.
    pub fn failed(&mut self, tool: &str, arguments: Json) -> Json {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"]["error"].clone()
    }

    /// Closes the input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Closes the input and returns the exit code.
    pub fn leave(&mut self) -> i32 {
        self.close();
        self.child.wait().expect("the server ends").code().unwrap_or(-1)
    }

    /// Returns the resident memory of the server in bytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the server runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the system says so");
        let kilobytes: u64 = line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number");
        kilobytes * 1024
    }
}
