//! Keys of session and project memory.

use super::error::MemoryError;

/// Maximum length of a key in bytes.
pub const MAX_KEY: usize = 256;

/// A valid key: not empty, at most `MAX_KEY` bytes, no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Box<str>);

impl Key {
    /// Parses a key.
    pub fn parse(text: &str) -> Result<Key, MemoryError> {
        if text.is_empty() {
            return Err(MemoryError::BadKey("expected a key, found an empty text".to_owned()));
        }
        if text.len() > MAX_KEY {
            return Err(MemoryError::BadKey(format!("the key has {} bytes, more than {MAX_KEY}", text.len())));
        }
        if let Some(c) = text.chars().find(|c| c.is_control()) {
            return Err(MemoryError::BadKey(format!("the key holds the control character U+{:04X}", c as u32)));
        }
        Ok(Key(text.into()))
    }

    /// Returns the key as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
