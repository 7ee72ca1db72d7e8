//! Escapes text for display on a terminal.
//!
//! File names and script output may contain control characters, which move a terminal's cursor or change its state,
//! and bidirectional or other format characters, which make one name look like another. These are shown as escapes.
//! Of the output for programs, only JSON on standard error is escaped here.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::joined::{joins, selects_nothing};

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

/// Like [`name`], but keeps tabs: for a line of a file.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\t')
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
    // Most characters are ASCII, and no format character is.
    !c.is_ascii()
        && matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// Whether a character, given the text before and after it, is not shown: a control or format character, unless it is
/// part of a visible sequence such as a joined emoji, or a variation selector after a character without variants.
pub fn is_hidden(c: char, before: &str, after: &str) -> bool {
    (c.is_control() || is_format(c)) && !joins(c, before, after) || selects_nothing(c, before)
}

/// Returns the first character of a text that is not shown.
pub fn hidden(text: &str) -> Option<char> {
    let is_hidden = |(at, c): &(usize, char)| is_hidden(*c, &text[..*at], &text[at + c.len_utf8()..]);
    text.char_indices().find(is_hidden).map(|(_, c)| c)
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

#[cfg(test)]
mod tests {
    use super::{hidden, json, name, prose};

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
            "کار\u{200c}ها",
            "র\u{200d}্যাম",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ] {
            assert_eq!((&*name(text), &*prose(text), hidden(text)), (text, text, None));
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
            ("۲\u{200c}۲", "۲\\u{200c}۲"),
            ("র\u{200d}a", "র\\u{200d}a"),
            ("🏴\u{e0067}\u{e0062}", "🏴\\u{e0067}\\u{e0062}"),
            ("a\u{e0067}\u{e007f}", "a\\u{e0067}\\u{e007f}"),
            ("🏴\u{e007f}", "🏴\\u{e007f}"),
            ("\u{202e}👨", "\\u{202e}👨"),
        ] {
            assert_eq!(name(text), shown, "{text:?}");
            assert!(hidden(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn selectors_are_hidden_where_they_select_nothing() {
        for text in ["❤\u{fe0f}", "1\u{fe0f}\u{20e3}", "©\u{fe0e}", "葛\u{e0100}", "ᠠ\u{180b}", "∩\u{fe00}"] {
            assert_eq!(hidden(text), None, "{text:?}");
        }
        for text in ["a\u{fe0f}", "\u{fe0f}", "é\u{e0100}", "я\u{fe00}", "α\u{fe0f}b", " \u{fe0f}", "❤\u{fe0f}\u{fe0f}"]
        {
            assert!(hidden(text).is_some(), "{text:?}");
        }
    }
}
