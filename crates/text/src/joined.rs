//! Format characters that are part of what is seen.
//!
//! Honest text needs some of them: joined emoji, flags of regions, and words of scripts in which letters join. The rules
//! are those of RFC 5892, appendix A (CONTEXTJ), and of Unicode's emoji sequences (UTS 51), with two additions: a
//! non-joiner after a letter that never joins, which Persian spelling has, and a joiner before the virama of a Bengali
//! or Kannada *ra*. Elsewhere a format character is invisible and makes two texts look alike.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Prevents letters from joining.
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
/// Joins letters, or several pictographs to one emoji.
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The base of a region's flag, followed by tags.
const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
/// Maximum number of tags in a flag.
const MOST_TAGS: usize = 8;
/// The combining class of viramas.
const VIRAMA: u8 = 9;

/// Whether a format character, given the text before and after it, is part of a visible sequence.
pub fn joins(c: char, before: &str, after: &str) -> bool {
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    match c {
        ZERO_WIDTH_JOINER if next.is_some_and(is_pictograph) => {
            let is_modifier = |c: &char| *c == '\u{fe0f}' || is_skin_tone(*c);
            before.chars().rev().take(3).find(|c| !is_modifier(c)).is_some_and(is_pictograph)
        }
        ZERO_WIDTH_JOINER => previous.is_some_and(is_virama) || shapes_ra(previous, next),
        ZERO_WIDTH_NON_JOINER => {
            previous.is_some_and(is_virama) || previous.is_some_and(is_arabic) && next.is_some_and(is_arabic)
        }
        '\u{e0020}'..=CANCEL_TAG => is_in_flag(c, before, after),
        _ => false,
    }
}

/// Whether a character that is no format character is invisible by itself: a variation selector, a filler, the grapheme
/// joiner, or an inherent vowel of Khmer. Unicode allows it within words, where it makes two of them look alike.
pub fn is_blank_mark(c: char) -> bool {
    is_selector(c)
        || matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a variation selector follows a character that has no variants: a letter of the alphabets of Europe, a blank,
/// another selector, or nothing.
pub fn selects_nothing(c: char, before: &str) -> bool {
    let has_none = |c: char| c.is_whitespace() || is_selector(c) || c.is_alphabetic() && c <= '\u{52f}';
    is_selector(c) && before.chars().next_back().is_none_or(has_none)
}

/// Returns the composed form (NFC) of the character that ends a text together with the marks and the character before
/// them, if it is written differently there.
pub fn composed(text: &str) -> Option<String> {
    let is_mark = |c: char| canonical_combining_class(c) != 0;
    let base = |text: &str| text.char_indices().rev().take(MOST_MARKS).find(|(_, c)| !is_mark(*c)).map(|(at, _)| at);
    let last = base(text)?;
    // Two letters of Korean or of an Indian script may be one character, too.
    let start = base(&text[..last]).unwrap_or(last);
    let written = &text[start..];
    let is_composed = |text: &str| text.nfc().eq(text.chars());
    (!is_composed(written)).then(|| written.nfc().collect())
}

/// Maximum number of marks after a character that are looked at.
const MOST_MARKS: usize = 32;

/// Whether a tag is between a black flag and the end of its tag sequence.
fn is_in_flag(c: char, before: &str, after: &str) -> bool {
    let is_tag = |c: &char| ('\u{e0020}'..CANCEL_TAG).contains(c);
    let begins = before.chars().rev().take(MOST_TAGS).find(|c| !is_tag(c)) == Some(BLACK_FLAG);
    let ends = c == CANCEL_TAG || after.chars().take(MOST_TAGS).find(|c| !is_tag(c)) == Some(CANCEL_TAG);
    let is_named = c != CANCEL_TAG || before.chars().next_back().is_some_and(|c| is_tag(&c));
    begins && ends && is_named
}

/// Whether a character is in a block of symbols from which emoji are joined.
fn is_pictograph(c: char) -> bool {
    let is_in_block = matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    is_in_block && !is_skin_tone(c)
}

fn is_skin_tone(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

/// Whether a character is a virama, which removes the vowel of a consonant in the scripts of India and its neighbors.
fn is_virama(c: char) -> bool {
    canonical_combining_class(c) == VIRAMA
}

/// Whether a joiner between two characters shapes a *ra*: Bengali *ra* with *ya-phalaa*, Kannada *ra* before a consonant.
fn shapes_ra(previous: Option<char>, next: Option<char>) -> bool {
    matches!((previous, next), (Some('\u{9b0}'), Some('\u{9cd}')) | (Some('\u{cb0}'), Some('\u{ccd}')))
}

/// Whether a character is a letter or mark of the Arabic script in the blocks that languages of today use.
fn is_arabic(c: char) -> bool {
    let is_digit = matches!(c, '\u{660}'..='\u{66d}' | '\u{6f0}'..='\u{6f9}');
    let is_letter = matches!(c, '\u{620}'..='\u{6d3}' | '\u{6d5}' | '\u{6ee}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{887}' | '\u{8a0}'..='\u{8c9}');
    is_letter && !is_digit
}
