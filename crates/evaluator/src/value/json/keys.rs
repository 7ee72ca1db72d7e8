//! Keys of JSON objects, shared between objects.

use super::super::{Small, Str};

/// A cache of keys: documents with many records repeat a few keys, which are allocated once.
#[derive(Default)]
pub struct Keys {
    known: Vec<Str>,
}

/// Number of cache slots, a power of two.
const SLOTS: usize = 256;

impl Keys {
    /// Returns the key with this text, shared with the cached one if that is equal.
    pub fn find(&mut self, text: &str) -> Str {
        if text.len() <= Small::CAPACITY {
            return Str::new(text);
        }
        if self.known.is_empty() {
            self.known.resize(SLOTS, Str::Small(Small::EMPTY));
        }
        let bytes = text.as_bytes();
        let mix = bytes.iter().fold(bytes.len(), |mix, byte| mix.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        let slot = &mut self.known[mix % SLOTS];
        if *slot.as_text() != *text {
            *slot = Str::new(text);
        }
        slot.clone()
    }
}
