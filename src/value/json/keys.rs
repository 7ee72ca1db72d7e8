//! Keys of JSON objects, shared between objects.

use super::super::{Small, Str};

/// A cache of keys: documents with many records repeat a few keys, which are allocated once.
#[derive(Default)]
pub struct Keys {
    known: Vec<Str>,
}

/// Number of cache slots, a power of two.
const KEPT: usize = 256;

impl Keys {
    /// Returns the key with this text, shared with the cached one if that is equal.
    pub fn find(&mut self, text: &str) -> Str {
        if text.len() <= Small::CAPACITY {
            return Str::new(text);
        }
        if self.known.is_empty() {
            self.known.resize(KEPT, Str::Small(Small::EMPTY));
        }
        let bytes = text.as_bytes();
        let mix = bytes.iter().fold(bytes.len(), |mix, byte| mix.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        let place = &mut self.known[mix % KEPT];
        if *place.as_text() != *text {
            *place = Str::new(text);
        }
        place.clone()
    }
}
