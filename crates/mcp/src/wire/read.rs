//! The reading thread: reads bounded lines, and pauses while too much is pending.

use std::io::{self, BufRead, BufReader, stdin};

use tokio::sync::mpsc::UnboundedSender;

use super::backlog::Incoming;
use super::frame::{self, Frame};
use super::ids;
use super::shared::{Ending, Shared};

/// Maximum size of a frame, in bytes.
pub const MAX_FRAME: usize = 16 << 20;
/// Size of the read buffer, in bytes.
const PIECE: usize = 64 << 10;
/// Capacity in bytes to which a line buffer is shrunk after a longer line.
const KEPT: usize = 256 << 10;

/// The outcome of reading a line.
enum Line {
    /// A line, without its newline.
    Whole,
    /// A line longer than a frame may be; it was skipped.
    TooLong,
    /// The end of the input.
    End,
}

/// Reads until the client closes its side, or the connection is closed.
pub fn read_all(shared: &Shared, sender: &UnboundedSender<Incoming>) {
    let mut input = BufReader::with_capacity(PIECE, stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(KEPT);
        match read_line(&mut input, &mut line) {
            Ok(Line::Whole) => take(shared, sender, &line),
            Ok(Line::TooLong) => shared.refuse(&frame::too_long(MAX_FRAME)),
            Ok(Line::End) => return,
            // The input is broken.
            Err(_) => return shared.close(Ending::Left),
        }
        if shared.is_closed() {
            return;
        }
    }
}

fn take(shared: &Shared, sender: &UnboundedSender<Incoming>, line: &[u8]) {
    let (message, counted) = match frame::parse(line) {
        Frame::Nothing => return,
        Frame::Refused(error) => return shared.refuse(&error),
        Frame::Message(message) => (message, Some(line.len())),
        Frame::Cancelled(id, mut message) => {
            // Requests that rmcp does not have are cancelled by now.
            let Some(number) = shared.cancel(&id) else { return };
            ids::number(&mut message, number);
            (message, Some(line.len()))
        }
        Frame::Call(id, call) => {
            let Some(request) = shared.admit(&id, line.len()) else { return shared.refuse(&frame::doubled(&id)) };
            match shared.take_directly(&request, call) {
                Ok(()) => return,
                Err(call) => (frame::call(ids::of_rmcp(request.number), *call), None),
            }
        }
        Frame::Request(id, mut message) => {
            let Some(request) = shared.admit(&id, line.len()) else { return shared.refuse(&frame::doubled(&id)) };
            if frame::stays_open(&message)
                && let Err(error) = shared.stand(&request)
            {
                let _ = shared.send(*error);
                return;
            }
            ids::number(&mut message, request.number);
            (message, None)
        }
    };
    // Before the first request, a notification or an answer has nothing to refer to, and rmcp would end the connection.
    if shared.has_begun(&message) {
        counted.into_iter().for_each(|bytes| shared.wait_for_rmcp(bytes));
        // The receiver is dropped only at shutdown.
        let _ = sender.send(Incoming { message, counted });
    }
}

/// Reads a line of at most [`MAX_FRAME`] bytes. Skips a longer one.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    let mut is_too_long = false;
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            return Ok(match (is_too_long, line.is_empty()) {
                (true, _) => Line::TooLong,
                (false, true) => Line::End,
                (false, false) => Line::Whole,
            });
        }
        let end = memchr::memchr(b'\n', piece);
        let part = &piece[..end.unwrap_or(piece.len())];
        is_too_long |= line.len() + part.len() > MAX_FRAME;
        if is_too_long {
            *line = Vec::new()
        } else {
            line.extend_from_slice(part)
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
        }
    }
}
