//! Literals: converts the source text of texts and numbers to values.

use std::ops::Range;

use crate::text::{Code, Diagnostic, Span};

use super::super::ast::ExprKind;
use super::findings::Findings;

/// Parses a number: digits, with an optional point and exponent.
pub fn number(text: &str, span: Span) -> Result<ExprKind, Diagnostic> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    if text.contains("_.") || text.ends_with('_') || text.contains("_e") || text.contains("_E") || text.contains("__") {
        let finding = Diagnostic::error(Code::BadNumber, span, "`_` may stand only between two digits");
        return Err(finding.help("write the number as `1_000`"));
    }
    if digits.contains(['.', 'e', 'E']) {
        let value: f64 = digits.parse().expect("the grammar's numbers are Rust's");
        if value.is_infinite() {
            let finding = Diagnostic::error(Code::BadNumber, span, "the number does not fit into a float");
            return Err(finding.help("the largest is about 1.8e308"));
        }
        return Ok(ExprKind::Float(value));
    }
    match digits.parse::<u64>() {
        Ok(value) if value <= 1 << 63 => Ok(ExprKind::Int(value)),
        _ => Err(too_large(span)),
    }
}

/// Returns the diagnostic for a whole number that does not fit into 64 bits.
pub fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadNumber, span, "the whole number does not fit into 64 bits")
        .help("the largest is 9223372036854775807; write a float, `1e20`, where the exact value does not matter")
}

/// Returns the text between three-character fences.
pub fn unfenced(literal: &str) -> &str {
    &literal[FENCE..literal.len() - FENCE]
}

/// Decodes the escapes of `"…"` or `'…'`; `literal` includes the quotes, `base` is its offset.
///
/// Reports every invalid escape and omits it from the result.
pub fn quoted(literal: &str, base: usize, findings: &mut Findings) -> String {
    let inner = &literal[1..literal.len() - 1];
    let mut text = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(length) = inner[at..].find('\\') {
        text.push_str(&inner[at..at + length]);
        at += length;
        match escape(&inner[at..], base + 1 + at) {
            Ok(escape) => {
                text.push(escape.character);
                at += escape.length;
            }
            Err(finding) => {
                at += finding.span().map_or(1, |span| span.len());
                findings.push(finding);
            }
        }
    }
    text.push_str(&inner[at..]);
    text
}

/// Returns the bytes of a text literal, with its quotes, that stand for a part of its value. `None` if this is no text
/// literal.
pub fn part_of_literal(literal: &str, part: Range<usize>) -> Option<Range<usize>> {
    let start = place_in_literal(literal, part.start)?;
    let end = place_in_literal(literal, part.end)?;
    let after = literal[start..].chars().next().map_or(start, |first| start + first.len_utf8());
    Some(start..end.max(after))
}

/// Returns where the byte `at` of a value is in its literal.
fn place_in_literal(literal: &str, at: usize) -> Option<usize> {
    let is_fenced = ["'''", "```"].iter().any(|fence| literal.starts_with(fence) && literal.ends_with(fence));
    if is_fenced {
        return (at + 2 * FENCE <= literal.len()).then_some(FENCE + at);
    }
    let quote = literal.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let (mut place, mut left) = (0, at);
    while left > 0 {
        let plain = inner[place..].find('\\').unwrap_or(inner.len() - place).min(left);
        (place, left) = (place + plain, left - plain);
        if left > 0 {
            let escape = escape(inner.get(place..).filter(|rest| rest.starts_with('\\'))?, 0).ok()?;
            (place, left) = (place + escape.length, left.checked_sub(escape.character.len_utf8())?);
        }
    }
    Some(1 + place)
}

/// Length of a fence in bytes.
const FENCE: usize = 3;

/// A decoded escape.
#[derive(Clone, Copy, Debug)]
pub struct Escape {
    /// The character that it stands for.
    pub character: char,
    /// Its length in bytes.
    pub length: usize,
}

/// Decodes the escape at the start of a text. At least one character must follow the backslash; `offset` is that of the
/// backslash.
pub fn escape(text: &str, offset: usize) -> Result<Escape, Diagnostic> {
    let marker = text[1..].chars().next().expect("the grammar has a character after each backslash");
    let simple = match marker {
        '"' | '\'' | '\\' | '/' => Some(marker),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        _ => None,
    };
    if let Some(character) = simple {
        return Ok(Escape { character, length: 2 });
    }
    match marker {
        'x' => hexadecimal(text, 2, 2).filter(|code| *code < 0x80).and_then(|code| escaped(code, 4)),
        'u' if text[2..].starts_with('{') => braced(text),
        'u' => four_digits(text),
        _ => None,
    }
    .ok_or_else(|| bad_escape(text, marker, offset))
}

/// Maximum number of digits in `\u{1F600}`.
const MAX_DIGITS: usize = 6;

/// Decodes `\u{1F600}`.
fn braced(text: &str) -> Option<Escape> {
    // A brace further away closes something else.
    let end = text.bytes().take("\\u{}".len() + MAX_DIGITS).position(|byte| byte == b'}')?;
    let digits = end.checked_sub(3).filter(|digits| (1..=MAX_DIGITS).contains(digits))?;
    escaped(hexadecimal(text, 3, digits)?, end + 1)
}

/// Decodes `\u00e9`, or two such escapes that form a surrogate pair as in JSON.
fn four_digits(text: &str) -> Option<Escape> {
    let high = hexadecimal(text, 2, 4)?;
    if !(0xD800..0xDC00).contains(&high) {
        return escaped(high, UNICODE_LENGTH);
    }
    let rest = text[UNICODE_LENGTH..].starts_with("\\u").then_some(&text[UNICODE_LENGTH..])?;
    let low = hexadecimal(rest, 2, 4)?;
    let low = low.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
    escaped(0x10000 + ((high - 0xD800) << 10) + low, 2 * UNICODE_LENGTH)
}

/// Length in bytes of `\u00e9`.
const UNICODE_LENGTH: usize = 6;

/// Parses `count` hexadecimal digits at `start`.
fn hexadecimal(text: &str, start: usize, count: usize) -> Option<u32> {
    let digits = text.get(start..start + count)?;
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_digits.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Returns the escape of a code point, if that is a character.
fn escaped(code: u32, length: usize) -> Option<Escape> {
    Some(Escape { character: char::from_u32(code)?, length })
}

fn bad_escape(text: &str, marker: char, offset: usize) -> Diagnostic {
    let span = Span::new(offset, offset + 1 + marker.len_utf8());
    let (message, help) = match marker {
        'x' => ("`\\x` needs two hexadecimal digits, 00 to 7F".to_owned(), "for other characters write `\\u{…}`"),
        'u' if text[2..].starts_with('{') => (
            "`\\u{…}` needs one to six hexadecimal digits that name a character".to_owned(),
            "write it as `\\u{1F600}`",
        ),
        'u' => (
            "`\\u` needs four hexadecimal digits that name a character".to_owned(),
            "write it as `\\u00e9` or `\\u{e9}`",
        ),
        _ => (format!("`\\{marker}` is not an escape"), "a backslash itself is written `\\\\`"),
    };
    Diagnostic::error(Code::BadEscape, span, message).help(help)
}
