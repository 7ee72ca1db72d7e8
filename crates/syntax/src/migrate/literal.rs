//! Texts that only upstream can write.

use crate::text::quoted;

/// Returns a text in `[[…]]` in quotes of ours.
pub fn unbracketed(written: &str) -> String {
    let inner = &written[2..written.len() - 2];
    if !inner.contains("'''") && !inner.ends_with('\'') {
        return format!("'''{inner}'''");
    }
    quoted(inner)
}

/// Returns a text in quotes with escapes of ours, or `None` if it has no others.
pub fn with_our_escapes(written: &str) -> Option<String> {
    let (mut out, mut rest, mut is_changed) = (String::with_capacity(written.len()), written, false);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (escape, length) = escape(rest);
        match escape {
            Some(escape) => {
                out.push_str(&escape);
                is_changed = true;
            }
            None => out.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// Returns an escape as ours, if it is only upstream's, and its length.
fn escape(rest: &str) -> (Option<String>, usize) {
    let second = rest[1..].chars().next();
    let octal = rest[1..].bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    match second {
        Some('v') => (Some("\\x0b".to_owned()), 2),
        Some(c @ ('~' | '`')) => (Some(c.to_string()), 2),
        Some('x') if rest.len() >= 4 && rest.is_char_boundary(4) => {
            let digits = &rest[2..4];
            let is_high = u8::from_str_radix(digits, 16).is_ok_and(|byte| byte > 0x7f);
            (is_high.then(|| format!("\\u00{digits}")), 4)
        }
        Some('0'..='7') if octal >= 2 => {
            let code = u32::from_str_radix(&rest[1..=octal], 8).unwrap_or(0);
            (Some(format!("\\u{code:04x}")), 1 + octal)
        }
        Some(c) => (None, 1 + c.len_utf8()),
        None => (None, 1),
    }
}

/// Returns a template without the `@` of its placeholders, or `None` if there are none.
pub fn without_at(written: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), written);
    while let Some(at) = rest.find("{{@") {
        out.push_str(&rest[..at + 2]);
        rest = &rest[at + 3..];
    }
    (!out.is_empty()).then(|| out + rest)
}
