//! A client of `ns dap` that exchanges frames and knows nothing of the protocol but them.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::frames::{bodies, frame};
use crate::support::ns_without_sandbox;

/// Maximum time to wait for a frame.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Adapter {
    child: Child,
    input: ChildStdin,
    frames: Receiver<Json>,
    /// The events that nobody has waited for yet.
    events: Vec<Json>,
    next: u64,
    /// The messages of log points.
    pub logged: String,
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Adapter {
    /// Starts `ns dap` in a directory and sends `launch`; breakpoints can be set then.
    pub fn launch(directory: &Path, launch: Json) -> Adapter {
        let mut command = ns_without_sandbox();
        command.current_dir(directory).arg("dap");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ns starts");
        let frames = bodies(child.stdout.take().expect("the output is piped"));
        let input = child.stdin.take().expect("the input is piped");
        let mut adapter = Adapter { child, input, frames, events: Vec::new(), next: 0, logged: String::new() };
        adapter.result("initialize", json!({ "adapterID": "neuroscript", "pathFormat": "path" }));
        adapter.send("launch", launch);
        adapter.event(&["initialized"]);
        adapter
    }

    /// Sets breakpoints in a file. Returns whether each of them is verified.
    pub fn set_breakpoints(&mut self, file: &Path, points: Json) -> Vec<bool> {
        let set = self.result("setBreakpoints", json!({ "source": { "path": file }, "breakpoints": points }));
        let set = set["breakpoints"].as_array().expect("breakpoints");
        set.iter().map(|point| point["verified"] == true).collect()
    }

    /// Lets the run begin, and returns where it stops.
    pub fn begin(&mut self) -> String {
        self.result("setExceptionBreakpoints", json!({ "filters": ["uncaught"] }));
        self.go("configurationDone")
    }

    /// Lets the run go on, and returns where it stops: `REASON LINE DESCRIPTION`, or `end`.
    pub fn go(&mut self, command: &str) -> String {
        self.result(command, json!({ "threadId": 1 }));
        let stop = self.event(&["stopped", "terminated"]);
        if stop["event"] == "terminated" {
            return "end".to_owned();
        }
        let text = |key: &str| stop["body"][key].as_str().unwrap_or_default().to_owned();
        let line = self.frame(0)["line"].to_string();
        format!("{} {line} {}", text("reason"), text("description")).trim_end().to_owned()
    }

    /// Returns a frame, counted from the innermost.
    fn frame(&mut self, number: usize) -> Json {
        self.result("stackTrace", json!({ "threadId": 1 }))["stackFrames"][number].clone()
    }

    /// Returns the path of a frame's text.
    pub fn path(&mut self, frame: usize) -> String {
        let frame = self.frame(frame);
        frame["source"]["path"].as_str().unwrap_or_else(|| panic!("no path: {frame}")).to_owned()
    }

    /// Sends a request and returns the body of the answer, which must be a success.
    pub fn result(&mut self, command: &str, arguments: Json) -> Json {
        let sent = self.send(command, arguments);
        loop {
            let frame = self.receive(command);
            if frame["type"] == "response" && frame["request_seq"] == sent {
                assert_eq!(frame["success"], true, "{frame}");
                return frame["body"].clone();
            }
        }
    }

    fn send(&mut self, command: &str, arguments: Json) -> u64 {
        self.next += 1;
        let request = json!({ "seq": self.next, "type": "request", "command": command, "arguments": arguments });
        self.input.write_all(&frame(&request)).and_then(|()| self.input.flush()).expect("ns reads");
        self.next
    }

    fn event(&mut self, names: &[&str]) -> Json {
        let is_one = |event: &Json| names.iter().any(|name| event["event"] == *name);
        loop {
            if let Some(at) = self.events.iter().position(is_one) {
                return self.events.remove(at);
            }
            self.receive(&names.join(" or "));
        }
    }

    fn receive(&mut self, wanted: &str) -> Json {
        let frame = self.frames.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no {wanted}: {error}"));
        if frame["event"] == "output" && frame["body"]["category"] == "console" {
            self.logged.push_str(frame["body"]["output"].as_str().unwrap_or_default());
        } else if frame["type"] == "event" {
            self.events.push(frame.clone());
        }
        frame
    }
}
