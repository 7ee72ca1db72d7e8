//! Room for the texts of a report, counted as they are in JSON: an escaped character takes up to six bytes.

use crate::text::json_length;

/// Bytes reserved for the note on a text that is cut.
const NOTE: usize = 64;

/// The bytes that are left in the JSON of a report.
#[derive(Debug)]
pub struct JsonRoom(usize);

impl JsonRoom {
    /// Creates room of this many bytes.
    pub fn new(bytes: usize) -> JsonRoom {
        JsonRoom(bytes)
    }

    /// Separates up to this many bytes for one part of the report.
    pub fn part(&mut self, bytes: usize) -> JsonRoom {
        let part = bytes.min(self.0);
        self.0 -= part;
        JsonRoom(part)
    }

    /// Takes bytes. Returns false, and takes none, if there are fewer.
    pub fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.0;
        if fits {
            self.0 -= bytes;
        }
        fits
    }

    /// Takes room for a text, of which at most `most` bytes remain. A text that is cut ends with a note.
    pub fn fit(&mut self, mut text: String, most: usize) -> String {
        let most = most.min(self.0);
        let whole = text.len();
        if let Some(end) = end_within(&text, most) {
            let end = end_within(&text, most.saturating_sub(NOTE)).unwrap_or(end);
            text.truncate(end);
            text.push_str(&format!("\n[cut: {end} of {whole} bytes]"));
        }
        self.0 = self.0.saturating_sub(json_len(&text));
        text
    }
}

/// Returns the number of bytes that a text takes in JSON, without its quotes.
pub fn json_len(text: &str) -> usize {
    text.chars().map(json_length).sum()
}

/// Returns where a text ends whose JSON has at most this many bytes; `None` if all of it fits.
fn end_within(text: &str, most: usize) -> Option<usize> {
    let mut room = most;
    let (end, _) = text.char_indices().find(|(_, c)| match room.checked_sub(json_length(*c)) {
        Some(left) => {
            room = left;
            false
        }
        None => true,
    })?;
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::{JsonRoom, json_len};

    #[test]
    fn a_text_takes_what_it_takes_in_json() {
        let every: String = ('\u{0}'..='\u{200}').chain(['€', '\u{2028}', '🦀']).collect();
        for text in ["", "plain", &every] {
            assert_eq!(json_len(text) + 2, serde_json::to_string(text).expect("a text").len(), "{text:?}");
        }
    }

    #[test]
    fn a_text_is_cut_to_its_room() {
        for text in ["x".repeat(1_000), "\u{1}".repeat(1_000), "🦀\"\n".repeat(300)] {
            for most in [0, 1, 63, 64, 65, 200, 999, 1_000, 6_000] {
                let mut room = JsonRoom::new(most);
                let fitted = room.fit(text.clone(), usize::MAX);
                if json_len(&text) <= most {
                    assert_eq!(fitted, text);
                } else {
                    assert!(json_len(&fitted) <= most.max(64), "{most}: {fitted:?}");
                    let (kept, note) = fitted.rsplit_once("\n[cut: ").expect("a note");
                    assert_eq!(note, format!("{} of {} bytes]", kept.len(), text.len()));
                    assert!(text.starts_with(kept));
                }
            }
        }
    }
}
