//! Names as they are compared where letter case and Unicode form do not count.

use unicode_normalization::UnicodeNormalization;

/// A name in the form in which it is compared.
pub fn fold(name: &str) -> String {
    name.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}
