//! Frames of JSON with their length before them, as `ns lsp` and `ns dap` exchange them.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value as Json;

/// Returns the frame of a body.
pub fn frame(body: &Json) -> Vec<u8> {
    let body = body.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Returns the bodies that a thread of its own reads from an output.
pub fn bodies(output: impl Read + Send + 'static) -> Receiver<Json> {
    let mut output = BufReader::new(output);
    let (tell, bodies) = channel();
    std::thread::spawn(move || {
        while let Some(body) = read(&mut output) {
            if tell.send(body).is_err() {
                return;
            }
        }
    });
    bodies
}

fn read(output: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        length = line.strip_prefix("Content-Length: ")?.trim().parse().ok()?;
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server sends JSON"))
}
