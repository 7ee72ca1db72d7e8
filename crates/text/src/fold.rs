//! Comparison of names without regard to letter case and Unicode normalization.

use unicode_normalization::UnicodeNormalization;

/// Returns a name in the form in which names are compared.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}
