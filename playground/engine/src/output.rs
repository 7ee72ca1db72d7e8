//! The output of a run, which leaves in pieces: the first lines at once, then as soon as there is much of it or some time
//! has passed.

use std::time::Duration;

use neuroscript_language::engine::{EmitError, Meter, Output, Value, emitted};
use web_time::Instant;

/// A function that receives the pieces of the output. The flag says whether a piece is a warning.
pub type Receiver = Box<dyn FnMut(&str, bool)>;

/// Number of bytes that are collected before they leave.
const PIECE: usize = 4 << 10;
/// Time after which output leaves with the next line, once there were many pieces.
const DELAY: Duration = Duration::from_millis(50);
/// Number of pieces that leave at once, so that a script that prints and then works is not silent.
const PROMPT: usize = 256;
/// Maximum number of bytes of warnings, which the output limit of a run does not count.
const WARNINGS: usize = 64 << 10;

/// Collects lines and passes them on in pieces. Dropping it passes on the rest.
pub struct Pieces {
    receiver: Receiver,
    collected: String,
    left: Instant,
    pieces: usize,
    warned: usize,
}

impl Pieces {
    /// Creates an output for a receiver.
    pub fn new(receiver: Receiver) -> Pieces {
        Pieces { receiver, collected: String::new(), left: Instant::now(), pieces: 0, warned: 0 }
    }

    fn flush(&mut self) {
        if !self.collected.is_empty() {
            (self.receiver)(&self.collected, false);
            self.collected.clear();
            self.pieces += 1;
        }
        self.left = Instant::now();
    }
}

impl Output for Pieces {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.collected.push_str(&emitted(values, meter)?);
        if self.pieces < PROMPT || self.collected.len() >= PIECE || self.left.elapsed() >= DELAY {
            self.flush();
        }
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        if self.warned > WARNINGS {
            return;
        }
        self.flush();
        self.warned += text.len();
        let text = if self.warned > WARNINGS { "further warnings are not shown" } else { text };
        (self.receiver)(text, true);
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.flush();
    }
}
