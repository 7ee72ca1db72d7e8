//! Handling of numbers in a text that are too large for any value of the language.

/// How to handle a number that no value can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BigNumbers {
    /// Report an error.
    Refuse,
    /// Keep the number as a text, exactly as written.
    Text,
}

impl BigNumbers {
    /// The option values that scripts use.
    pub const WORDS: &[&str] = &["error", "text"];

    /// Returns the option with a name; any word but `text` means [`BigNumbers::Refuse`].
    pub fn named(word: &str) -> BigNumbers {
        if word == "text" { BigNumbers::Text } else { BigNumbers::Refuse }
    }
}

/// The error for a whole number that is too large.
pub const BEYOND_INTS: &str = "the whole number does not fit into 64 bits";
/// The error for any other number that is too large.
pub const BEYOND_FLOATS: &str = "the number is beyond all floats";
/// The help for both errors.
pub const REMEDY: &str = "`big_numbers: \"text\"` gives such numbers as texts";
