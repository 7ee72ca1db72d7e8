//! Frames of the base protocol, which language servers and debug adapters share: headers, and a body of JSON.
//!
//! A frame that is too large or no JSON is reported and skipped; only headers that cannot be read end the connection.
//! Memory is taken for bytes that have arrived, whatever length a header claims.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value as Json;

/// Maximum size of the body of a frame, in bytes.
pub const MAX_BODY: u64 = 32 << 20;
/// Maximum size of the headers of a frame, in bytes.
const MAX_HEADERS: u64 = 4 << 10;

/// A frame from the client.
#[derive(Debug)]
pub enum Frame {
    /// A body that is JSON, and its size in bytes.
    Json(Json, u64),
    /// A body that was skipped, with the reason.
    Malformed(String),
}

/// Reads a frame; `None` at the end of the input between two frames.
///
/// # Errors
/// Headers that cannot be read, an input that ends in a frame, and failures to read.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let Some(length) = read_headers(input)? else { return Ok(None) };
    if length > MAX_BODY {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return if skipped == length {
            Ok(Some(Frame::Malformed(format!("a message has {length} bytes, more than {MAX_BODY}"))))
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        };
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(json) => Frame::Json(json, length),
        Err(error) => Frame::Malformed(format!("a message is no JSON: {error}")),
    }))
}

/// Reads headers up to the empty line, and returns the length of the body; `None` at the end of the input.
fn read_headers(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let malformed = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason);
    let mut input = input.take(MAX_HEADERS);
    let (mut length, mut is_first) = (None, true);
    loop {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line)?;
        if line.is_empty() && is_first && input.limit() > 0 {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\n") else { return Err(malformed("the headers do not end")) };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        is_first = false;
        if line.is_empty() {
            return length.map(Some).ok_or_else(|| malformed("`Content-Length` is missing"));
        }
        let header = str::from_utf8(line).ok().and_then(|line| line.split_once(':'));
        let Some((name, value)) = header else { return Err(malformed("a header has no name")) };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse().map_err(|_| malformed("`Content-Length` is no number"))?);
        }
    }
}

/// Writes a frame.
///
/// # Errors
/// Failures to write.
pub fn write(output: &mut impl Write, body: &Json) -> io::Result<()> {
    let body = body.to_string();
    output.write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Frame, read, write};

    #[test]
    fn frames_are_read_one_after_the_other() {
        let mut input = Vec::new();
        write(&mut input, &json!({ "a": "é" })).expect("memory takes it");
        input.extend(b"content-length: 3\r\nContent-Type: x\r\n\r\n{]}Content-Length:99999999\n\n");
        input.resize(input.len() + 99_999_999, b' ');
        write(&mut input, &json!(1)).expect("memory takes it");
        let mut input = &input[..];
        assert!(matches!(read(&mut input), Ok(Some(Frame::Json(body, _))) if body == json!({ "a": "é" })));
        assert!(matches!(read(&mut input), Ok(Some(Frame::Malformed(why))) if why.contains("no JSON")));
        assert!(matches!(read(&mut input), Ok(Some(Frame::Malformed(why))) if why.contains("99999999 bytes")));
        assert!(matches!(read(&mut input), Ok(Some(Frame::Json(body, _))) if body == json!(1)));
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn broken_headers_and_a_cut_body_are_errors() {
        let long = format!("X: {}\r\n\r\n", "a".repeat(5_000));
        for input in [
            "\r\n",
            "X: 1\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length\r\n\r\n",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Le",
            &long,
        ] {
            assert!(read(&mut input.as_bytes()).is_err(), "{input:?}");
        }
        // A length that is a lie allocates nothing.
        assert!(read(&mut &b"Content-Length: 18446744073709551615\r\n\r\n{}"[..]).is_err());
    }
}
