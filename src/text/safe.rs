//! Text made safe to show on a terminal.
//!
//! File names and script output may hold control characters, which move a terminal's cursor or
//! change its state, and bidirectional or other format characters, which make a name look like
//! another one. They are shown as escapes. Of machine output, only JSON for standard error comes here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes every control, bidirectional and format character, line breaks and tabs included.
///
/// Used for names and for quoted text inside messages.
pub fn name(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Like [`name`], but line breaks and tabs stay: for running text such as the output of EMIT.
pub fn prose(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\n' || c == '\t')
}

/// Like [`name`], with the escapes of JSON: a JSON text stays what it says.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_unsafe(c) {
            false => safe.push(c),
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                write!(safe, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character must not reach a terminal as it is.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character is of Unicode's general category Cf (format), or a lone-surrogate stand-in.
///
/// The list is that of Unicode 16.
pub fn is_format(c: char) -> bool {
    matches!(c,
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
    for c in text[first..].chars() {
        match c {
            _ if !needs(c) => safe.push(c),
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            _ => write!(safe, "\\u{{{:x}}}", c as u32).expect("writing to a string cannot fail"),
        }
    }
    Cow::Owned(safe)
}
