//! What becomes of a number in a text that no value of the language holds as it was written.

/// What a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BigNumbers {
    /// The number is an error.
    Refuse,
    /// The number becomes the text that it is written as.
    Text,
}

impl BigNumbers {
    /// The words for it.
    pub const WORDS: &[&str] = &["error", "text"];

    /// What one of the words stands for.
    pub fn named(word: &str) -> BigNumbers {
        if word == "text" { BigNumbers::Text } else { BigNumbers::Refuse }
    }
}

/// What is wrong with a whole number.
pub const BEYOND_INTS: &str = "the whole number does not fit into 64 bits";
/// What is wrong with any other number.
pub const BEYOND_FLOATS: &str = "the number is beyond all floats";
/// What can be done about either.
pub const REMEDY: &str = "`big_numbers: \"text\"` gives such numbers as texts";
