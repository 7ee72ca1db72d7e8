//! Tokens for highlighting, as numbers.

use neuroscript_syntax::{TokenClass, tokens};

use crate::utf16::Utf16Offsets;

/// Returns three numbers for each token that has a class, in source order: its start, its end and the position of
/// the class in [`TokenClass`].
pub fn highlight(script: &str) -> Vec<u32> {
    let all = tokens(script);
    let mut offsets = Utf16Offsets::new(script);
    let mut numbers = Vec::with_capacity(all.len() * 3);
    for (position, token) in all.iter().enumerate() {
        let Some(class) = TokenClass::of(&all, position) else { continue };
        numbers.extend([offsets.at(token.start), offsets.at(token.end), class as usize].map(|number| number as u32));
    }
    numbers
}
