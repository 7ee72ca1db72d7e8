//! The thread that writes: everything that waits, in pieces, so that a client that does not read is noticed.

use std::io::{Write, stdout};

use super::shared::{Ending, Shared};

/// Bytes that are written at once.
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
