//! Offsets in UTF-16 code units, in which JavaScript counts.

/// Converts byte offsets of a text. Ascending offsets take time linear in the text, all together.
pub struct Utf16Offsets<'a> {
    text: &'a str,
    byte: usize,
    units: usize,
}

impl<'a> Utf16Offsets<'a> {
    /// Creates a converter for a text.
    pub fn new(text: &'a str) -> Utf16Offsets<'a> {
        Utf16Offsets { text, byte: 0, units: 0 }
    }

    /// Returns the number of code units before a byte. A byte within a character counts as the end of it, and one after
    /// the text as its end.
    pub fn at(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.units) = (0, 0);
        }
        for character in self.text[self.byte..].chars() {
            if self.byte >= byte {
                break;
            }
            self.byte += character.len_utf8();
            self.units += character.len_utf16();
        }
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::Utf16Offsets;

    #[test]
    fn offsets_count_code_units_in_any_order() {
        let mut offsets = Utf16Offsets::new("aé😀b");
        let found = [0, 1, 3, 7, 8, 99, 3, 2].map(|byte| offsets.at(byte));
        assert_eq!(found, [0, 1, 2, 4, 5, 5, 2, 2]);
    }
}
