//! Escapes text for display on a terminal.
//!
//! File names and script output may contain control characters, which move a terminal's cursor or change its state,
//! and bidirectional or other format characters, which make one name look like another. These are shown as escapes.
//! Of the output for programs, only JSON on standard error is escaped here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes every control, bidirectional and format character, including line breaks and tabs.
///
/// Used for names and for quoted text in messages.
pub fn name(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Like [`name`], but keeps line breaks and tabs: for running text such as the output of EMIT.
pub fn prose(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\n' || c == '\t')
}

/// Like [`name`], but with JSON escapes, so that a JSON text keeps its meaning.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                write!(safe, "\\u{unit:04x}").expect("writing to a string cannot fail");
            })
        } else {
            safe.push(c)
        }
    }
    Cow::Owned(safe)
}

/// Returns the bytes of a name as `$'…'` of a shell takes them: what is not UTF-8, and what [`name`] escapes, as `\xFF`.
pub fn raw_name(bytes: &[u8]) -> String {
    let mut safe = String::with_capacity(bytes.len() + 8);
    let escape = |safe: &mut String, bytes: &[u8]| {
        bytes.iter().for_each(|byte| write!(safe, "\\x{byte:02X}").expect("writing to a string cannot fail"));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | '\'' => safe.extend(['\\', c]),
                c if is_unsafe(c) => escape(&mut safe, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => safe.push(c),
            }
        }
        escape(&mut safe, chunk.invalid());
    }
    safe
}

/// Whether a character must not reach a terminal unescaped.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character is in Unicode's general category Cf (format), as of Unicode 16.
pub fn is_format(c: char) -> bool {
    // None of them is ASCII, as most characters are.
    !c.is_ascii()
        && matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let needs = |c: char| is_unsafe(c) && !keep(c);
    let Some(first) = text.find(needs) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 8);
    safe.push_str(&text[..first]);
    for (at, c) in text[first..].char_indices() {
        let (before, after) = (&text[..first + at], &text[first + at + c.len_utf8()..]);
        match c {
            _ if !needs(c) || joins(c, before, after) => safe.push(c),
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            _ => write!(safe, "\\u{{{:x}}}", c as u32).expect("writing to a string cannot fail"),
        }
    }
    Cow::Owned(safe)
}

/// Prevents letters from joining.
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
/// Joins letters, or several pictographs to one emoji.
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The base of a region's flag, followed by tags.
const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
/// Maximum number of tags in a flag.
const MOST_TAGS: usize = 8;

/// Whether a format character is part of a visible sequence: an emoji joined of several, the flag of a region, or a
/// word in a script that needs it. Elsewhere it is invisible and makes two texts look alike.
fn joins(c: char, before: &str, after: &str) -> bool {
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    match c {
        ZERO_WIDTH_JOINER if next.is_some_and(is_pictograph) => {
            let is_modifier = |c: &char| *c == '\u{fe0f}' || ('\u{1f3fb}'..='\u{1f3ff}').contains(c);
            before.chars().rev().take(3).find(|c| !is_modifier(c)).is_some_and(is_pictograph)
        }
        ZERO_WIDTH_JOINER => previous.is_some_and(is_virama),
        ZERO_WIDTH_NON_JOINER => {
            previous.is_some_and(is_virama) || previous.is_some_and(is_arabic) && next.is_some_and(is_arabic)
        }
        '\u{e0020}'..=CANCEL_TAG => is_in_flag(c, before, after),
        _ => false,
    }
}

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
    let is_modifier = ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
    !is_modifier
        && matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character is a virama, which removes the vowel of a consonant in the scripts of India and its neighbors.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{17d2}'
    )
}

fn is_arabic(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6d3}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8c9}')
}

#[cfg(test)]
mod tests {
    use super::{json, name, prose};

    #[test]
    fn what_is_joined_is_seen_as_it_is() {
        for text in [
            "👨\u{200d}👩\u{200d}👧",
            "🏳\u{fe0f}\u{200d}🌈",
            "👩🏽\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "🧔🏻\u{200d}♂\u{fe0f}",
            "क्\u{200d}ष",
            "می\u{200c}خواهم",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ] {
            assert_eq!((&*name(text), &*prose(text)), (text, text));
            assert!(!json(text).contains('\u{200d}'), "JSON for programs is escaped as before");
        }
    }

    #[test]
    fn what_joins_nothing_is_escaped() {
        for (text, shown) in [
            ("a\u{200d}b", "a\\u{200d}b"),
            ("👨\u{200d}", "👨\\u{200d}"),
            ("\u{200d}👨", "\\u{200d}👨"),
            ("a\u{200d}👨", "a\\u{200d}👨"),
            ("👨\u{200d}\u{200d}👩", "👨\\u{200d}\\u{200d}👩"),
            ("👨\u{200c}👩", "👨\\u{200c}👩"),
            ("a\u{200c}b", "a\\u{200c}b"),
            ("م\u{200c}", "م\\u{200c}"),
            ("🏴\u{e0067}\u{e0062}", "🏴\\u{e0067}\\u{e0062}"),
            ("a\u{e0067}\u{e007f}", "a\\u{e0067}\\u{e007f}"),
            ("🏴\u{e007f}", "🏴\\u{e007f}"),
            ("\u{202e}👨", "\\u{202e}👨"),
        ] {
            assert_eq!(name(text), shown, "{text:?}");
        }
    }
}
