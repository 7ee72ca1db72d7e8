//! An editor that exchanges frames and knows nothing of the protocol but them.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::frames::{bodies, frame};
use crate::support::ns_without_sandbox;

/// Maximum time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Editor {
    pub child: Child,
    input: Option<ChildStdin>,
    frames: Receiver<Json>,
    /// Frames that were read and not asked for yet.
    early: VecDeque<Json>,
    next: i64,
    /// The answer to `initialize`.
    pub server: Json,
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the abilities of a modern editor.
pub fn abilities() -> Json {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
        "textDocument": {
            "completion": { "completionItem": { "snippetSupport": true } },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "publishDiagnostics": { "relatedInformation": true, "tagSupport": { "valueSet": [1, 2] } },
        },
    })
}

/// Returns the URI of a path without characters that must be escaped.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Returns a position.
pub fn at(line: usize, character: usize) -> Json {
    json!({ "line": line, "character": character })
}

impl Editor {
    /// Starts a server without a handshake.
    pub fn start(folder: &Path, options: &[&str]) -> Editor {
        let mut command = ns_without_sandbox();
        command.current_dir(folder).arg("lsp").args(options);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ns starts");
        let frames = bodies(child.stdout.take().expect("the output is piped"));
        let input = child.stdin.take();
        Editor { child, input, frames, early: VecDeque::new(), next: 0, server: Json::Null }
    }

    /// Starts a server for a folder.
    pub fn open(folder: &Path) -> Editor {
        Editor::open_with(folder, &[], &abilities())
    }

    /// Starts a server for a folder with options, as an editor with these abilities.
    pub fn open_with(folder: &Path, options: &[&str], abilities: &Json) -> Editor {
        let mut editor = Editor::start(folder, options);
        let folders = json!([{ "uri": uri(folder), "name": "test" }]);
        let params =
            json!({ "processId": null, "rootUri": null, "workspaceFolders": folders, "capabilities": abilities });
        let answer = editor.request("initialize", params);
        assert!(answer.get("error").is_none(), "{answer}");
        editor.server = answer["result"].clone();
        editor.say("initialized", json!({}));
        editor
    }

    /// Writes raw bytes.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush())
    }

    /// Writes a body.
    pub fn send(&mut self, body: &Json) {
        self.write(&frame(body)).expect("the server reads");
    }

    /// Writes a notification.
    pub fn say(&mut self, method: &str, params: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Writes a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Json) -> i64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Returns the next frame.
    pub fn hear(&mut self) -> Json {
        self.frames.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// Returns the first frame that fits; keeps the others.
    fn hear_that(&mut self, fits: impl Fn(&Json) -> bool) -> Json {
        if let Some(place) = self.early.iter().position(&fits) {
            return self.early.remove(place).expect("it was found there");
        }
        loop {
            let frame = self.hear();
            if fits(&frame) {
                return frame;
            }
            self.early.push_back(frame);
        }
    }

    /// Sends a request and returns its answer.
    pub fn request(&mut self, method: &str, params: Json) -> Json {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// Returns the answer to a request.
    pub fn answer_to(&mut self, id: i64) -> Json {
        self.hear_that(|frame| frame["id"] == id && frame.get("method").is_none())
    }

    /// Sends a request and returns its result.
    pub fn result(&mut self, method: &str, params: Json) -> Json {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Opens a document.
    pub fn open_document(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "neuroscript", "version": 1, "text": text });
        self.say("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of a document.
    pub fn replace(&mut self, uri: &str, version: i64, text: &str) {
        let params =
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }] });
        self.say("textDocument/didChange", params);
    }

    /// Returns the next published diagnostics of a document.
    pub fn published(&mut self, uri: &str) -> Json {
        let frame = self
            .hear_that(|frame| frame["method"] == "textDocument/publishDiagnostics" && frame["params"]["uri"] == uri);
        frame["params"].clone()
    }

    /// Asks for the diagnostics of a document.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Json> {
        let result = self.result("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        result["items"].as_array().expect("a list").clone()
    }

    /// Sends a request about a position and returns its result.
    pub fn result_at(&mut self, method: &str, uri: &str, position: Json) -> Json {
        self.result(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// Ends the server, which must succeed.
    pub fn leave(mut self) {
        assert_eq!(self.result("shutdown", Json::Null), Json::Null);
        self.say("exit", Json::Null);
        assert_eq!(self.ended().code(), Some(0));
    }

    /// Closes the input.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the server.
    pub fn ended(&mut self) -> ExitStatus {
        let begun = std::time::Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the server is a child") {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Applies edits of the protocol to a text, in UTF-16 code units.
pub fn edited(text: &str, edits: &Json) -> String {
    let mut edits: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("edits are a list")
        .iter()
        .map(|edit| {
            let offset = |place: &Json| offset_of(text, place);
            let new = edit["newText"].as_str().expect("an edit has a text");
            (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]), new.to_owned())
        })
        .collect();
    edits.sort();
    let (mut result, mut done) = (String::new(), 0);
    for (start, end, new) in edits {
        assert!(start >= done, "edits overlap");
        result.push_str(&text[done..start]);
        result.push_str(&new);
        done = end;
    }
    result + &text[done..]
}

/// Returns the offset of a position in UTF-16 code units, in a text whose lines end with line feeds.
pub fn offset_of(text: &str, place: &Json) -> usize {
    let (line, character) = (place["line"].as_u64().expect("a line"), place["character"].as_u64().expect("a column"));
    let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let mut units = 0;
    for (at, found) in text[start..].char_indices() {
        if units >= character {
            return start + at;
        }
        units += found.len_utf16() as u64;
    }
    text.len()
}
