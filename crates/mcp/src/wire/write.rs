//! The writing thread: writes queued frames in pieces, so that a client that does not read is noticed.
//!
//! Most answers are short and the client is waiting for them: those are written without the thread ([`super::pipe`]).

use std::io::{Write, stdout};

use super::shared::{Ending, Shared};

/// Size of a single write, in bytes.
const PIECE: usize = 64 << 10;

/// Writes until the connection is closed.
pub fn write_all(shared: &Shared) {
    let mut output = stdout().lock();
    let mut batch = Vec::new();
    while shared.next_batch(&mut batch) {
        for piece in batch.chunks(PIECE) {
            shared.writes();
            if output.write_all(piece).and_then(|()| output.flush()).is_err() {
                return shared.close(Ending::Left);
            }
        }
        shared.wrote();
        batch.clear();
        batch.shrink_to(PIECE);
    }
}
