//! Finds a part in a text, and charges as it searches.
//!
//! Parts of up to `STRETCH` bytes are found by memchr in overlapping windows; longer ones by the
//! Knuth–Morris–Pratt algorithm, which can stop at any byte. Both take time linear in the text.

use memchr::{memchr, memchr_iter, memmem};

use crate::limits::{LimitHit, space, work};
use crate::toolkit::ToolError;

/// Bytes that are searched between two charges.
const STRETCH: usize = 1 << 20;

/// Maximum product of the lengths of a text and a part that are compared at each place where the part may begin: to
/// prepare a search takes longer than to look through a line.
const COMPARED: usize = 1 << 12;

/// The non-overlapping occurrences of a part in a text, from left to right.
pub struct Occurrences<'a> {
    text: &'a [u8],
    from: usize,
    search: Search<'a>,
}

enum Search<'a> {
    /// A part of one byte needs no preparation.
    Byte(u8),
    Short(Box<memmem::Finder<'a>>),
    Long(Long<'a>),
}

impl<'a> Occurrences<'a> {
    /// Creates a search for a non-empty part.
    pub fn new(text: &'a str, part: &'a str) -> Result<Occurrences<'a>, ToolError> {
        let search = if let [byte] = part.as_bytes() {
            Search::Byte(*byte)
        } else if part.len() <= STRETCH {
            Search::Short(Box::new(memmem::Finder::new(part)))
        } else {
            Search::Long(Long::new(part.as_bytes())?)
        };
        Ok(Occurrences { text: text.as_bytes(), from: 0, search })
    }

    /// Returns the byte position of the next occurrence.
    pub fn next(&mut self) -> Result<Option<usize>, LimitHit> {
        let (found, length) = match &mut self.search {
            Search::Byte(byte) => (next_byte(*byte, self.text, self.from)?, 1),
            Search::Short(finder) => (next_short(finder, self.text, self.from)?, finder.needle().len()),
            Search::Long(long) => (long.next(self.text, self.from)?, long.part.len()),
        };
        self.from = found.map_or(self.text.len(), |at| at + length);
        Ok(found)
    }
}

/// Returns the byte position of the first occurrence of a part, which may be empty.
pub fn first(text: &str, part: &str) -> Result<Option<usize>, ToolError> {
    let Some(&begin) = part.as_bytes().first() else { return Ok(Some(0)) };
    if text.len().saturating_mul(part.len()) > COMPARED {
        return Ok(Occurrences::new(text, part)?.next()?);
    }
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let found = memchr_iter(begin, text).find(|at| text[*at..].starts_with(part));
    work::charge_bytes(found.unwrap_or(text.len()))?;
    Ok(found)
}

/// Returns the byte position of the last occurrence of a part, which may be empty. Occurrences may overlap.
pub fn last(text: &str, part: &str) -> Result<Option<usize>, ToolError> {
    let bytes = text.as_bytes();
    if part.len() > STRETCH {
        return Ok(Long::new(part.as_bytes())?.last(bytes)?);
    }
    let finder = memmem::FinderRev::new(part);
    let mut end = bytes.len();
    loop {
        let start = end.saturating_sub(STRETCH + part.len());
        work::charge_bytes(end - start)?;
        if let Some(at) = finder.rfind(&bytes[start..end]) {
            return Ok(Some(start + at));
        }
        if start == 0 {
            return Ok(None);
        }
        // An occurrence that starts before the window may end inside it.
        end = start + part.len().saturating_sub(1);
    }
}

/// Returns the number of characters in a text.
pub fn char_count(text: &str) -> Result<usize, LimitHit> {
    let mut count = 0;
    for piece in pieces(text) {
        work::charge_bytes(piece.len())?;
        count += piece.chars().count();
    }
    Ok(count)
}

/// Splits a text at character boundaries into pieces of at most `STRETCH` bytes.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(STRETCH));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn next_byte(byte: u8, text: &[u8], mut from: usize) -> Result<Option<usize>, LimitHit> {
    while from < text.len() {
        let end = text.len().min(from + STRETCH);
        let found = memchr(byte, &text[from..end]);
        work::charge_bytes(found.unwrap_or(end - from))?;
        if let Some(at) = found {
            return Ok(Some(from + at));
        }
        from = end;
    }
    Ok(None)
}

fn next_short(finder: &memmem::Finder<'_>, text: &[u8], mut from: usize) -> Result<Option<usize>, LimitHit> {
    loop {
        let end = text.len().min(from + STRETCH + finder.needle().len());
        let found = finder.find(&text[from..end]);
        work::charge_bytes(found.unwrap_or(end - from))?;
        match found {
            Some(at) => return Ok(Some(from + at)),
            None if end == text.len() => return Ok(None),
            // An occurrence that starts in this window may end after it.
            None => from = end - (finder.needle().len() - 1),
        }
    }
}

/// The search for a long part (Knuth–Morris–Pratt).
struct Long<'a> {
    part: &'a [u8],
    /// For each prefix of the part, the length of its longest proper prefix that is also its suffix.
    borders: Vec<u32>,
}

impl<'a> Long<'a> {
    fn new(part: &'a [u8]) -> Result<Long<'a>, ToolError> {
        if u32::try_from(part.len()).is_err() {
            return Err(ToolError::bad_argument("part", "the part to look for is longer than 4 GiB"));
        }
        space::check(part.len().saturating_mul(size_of::<u32>()))?;
        let mut long = Long { part, borders: vec![0; part.len()] };
        let mut matched = 0;
        for (at, byte) in part.iter().enumerate().skip(1) {
            charge_each(at)?;
            matched = long.advance(matched, *byte);
            long.borders[at] = matched as u32;
        }
        Ok(long)
    }

    /// Returns how many bytes of the part match after `byte`, if `matched` bytes matched before it.
    fn advance(&self, mut matched: usize, byte: u8) -> usize {
        loop {
            match self.part.get(matched) {
                Some(next) if *next == byte => return matched + 1,
                _ if matched == 0 => return 0,
                _ => matched = self.borders[matched - 1] as usize,
            }
        }
    }

    fn next(&self, text: &[u8], from: usize) -> Result<Option<usize>, LimitHit> {
        let mut matched = 0;
        for (at, byte) in text.iter().enumerate().skip(from) {
            charge_each(at)?;
            matched = self.advance(matched, *byte);
            if matched == self.part.len() {
                return Ok(Some(at + 1 - matched));
            }
        }
        Ok(None)
    }

    fn last(&self, text: &[u8]) -> Result<Option<usize>, LimitHit> {
        let (mut matched, mut last) = (0, None);
        for (at, byte) in text.iter().enumerate() {
            charge_each(at)?;
            matched = self.advance(matched, *byte);
            if matched == self.part.len() {
                last = Some(at + 1 - matched);
            }
        }
        Ok(last)
    }
}

/// Charges bytes that are processed individually, in batches.
fn charge_each(at: usize) -> Result<(), LimitHit> {
    const MANY: usize = 1 << 12;
    if at.is_multiple_of(MANY) { work::charge(MANY) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::{COMPARED, Long, Occurrences, STRETCH, first, last};

    fn places(text: &str, part: &str) -> Vec<usize> {
        let mut places = Occurrences::new(text, part).expect("there is memory");
        std::iter::from_fn(|| places.next().expect("there is time")).collect()
    }

    fn by_the_library(text: &str, part: &str) -> Vec<usize> {
        text.match_indices(part).map(|(at, _)| at).collect()
    }

    #[test]
    fn places_are_found_across_windows() {
        for shift in [0, 1, 2, 5, 6, 7, 8] {
            let text = format!("{}needle{}needle", "n".repeat(STRETCH - shift), "é".repeat(STRETCH));
            assert_eq!(places(&text, "needle"), by_the_library(&text, "needle"), "{shift}");
            assert_eq!(last(&text, "needle").expect("there is time"), text.rfind("needle"));
            assert_eq!(first(&text, "needle").expect("there is time"), text.find("needle"));
            let begun = &text[..text.floor_char_boundary(STRETCH + 10)];
            assert_eq!(last(begun, "n").expect("there is time"), begun.rfind('n'));
        }
        assert_eq!(places(&"ab".repeat(STRETCH), "abab").len(), STRETCH / 2);
        assert_eq!(places("", "a"), [0; 0]);
        let far = format!("{}a{}ba", "b".repeat(STRETCH - 1), "b".repeat(STRETCH));
        assert_eq!(places(&far, "a"), by_the_library(&far, "a"));
        assert_eq!((first("é", "").ok(), last("é", "").ok()), (Some(Some(0)), Some(Some(2))));
        assert_eq!(last("xx", "a").expect("there is time"), None);
    }

    #[test]
    fn a_short_text_is_searched_like_a_long_one() {
        for part in ["a", "ab", "aab", "éa", "aabaab"] {
            for length in (0..40).chain([COMPARED / part.len() - 1, COMPARED / part.len(), COMPARED / part.len() + 1]) {
                for begin in ["", "é", "aa", "b"] {
                    let text = format!("{begin}{}", "aab".repeat(length));
                    for text in [text.clone(), format!("{}{part}", "x".repeat(length)), "x".repeat(length)] {
                        assert_eq!(first(&text, part).expect("there is time"), text.find(part), "{part} in {length}");
                    }
                }
            }
        }
    }

    #[test]
    fn long_parts_are_found_like_short_ones() {
        let texts = ["aabaaabaabaaab", "abababab", "aaaa", "mississippi", "ééaéé"];
        for text in texts {
            for from in (0..text.len()).filter(|from| text.is_char_boundary(*from)) {
                for to in (from + 1..=text.len()).filter(|to| text.is_char_boundary(*to)) {
                    let part = &text[from..to];
                    let long = Long::new(part.as_bytes()).expect("there is memory");
                    let (mut at, mut found) = (0, Vec::new());
                    while let Some(place) = long.next(text.as_bytes(), at).expect("there is time") {
                        found.push(place);
                        at = place + part.len();
                    }
                    assert_eq!(found, by_the_library(text, part), "{part} in {text}");
                    assert_eq!(long.last(text.as_bytes()).expect("there is time"), text.rfind(part));
                }
            }
        }
        let part = "ab".repeat(STRETCH);
        let text = format!("a{part}{part}b");
        assert_eq!(places(&text, &part), by_the_library(&text, &part));
        assert_eq!(last(&text, &part).expect("there is time"), text.rfind(&part));
    }
}
