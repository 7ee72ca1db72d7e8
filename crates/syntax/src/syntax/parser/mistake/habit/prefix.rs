//! Prefixes of values in other languages: `f"…"`, `$"…"`, `r"…"`, `$name`, `typeof x`.

use crate::text::Code;

use super::super::super::super::keyword::{first_word, is_word_char};
use super::super::quoted_length;
use super::{Habit, value_start};

/// Returns the prefixed value at which a line fails.
pub fn find(text: &str, at: usize) -> Option<Habit> {
    marked_text(text, at).or_else(|| dollar(text, at)).or_else(|| word_before(text, at))
}

/// Matches `f"…"`, `$"…"`, `r"…"` and `b"…"`.
fn marked_text(text: &str, at: usize) -> Option<Habit> {
    let rest = &text[at..];
    let (start, quote) = match rest.strip_prefix(['$', '@']) {
        Some(after) => (at, at + rest.len() - after.len()),
        None => (text[..at].trim_end_matches(is_word_char).len(), at),
    };
    let (mark, literal) = (text[start..quote].to_ascii_lowercase(), &text[quote..]);
    if !literal.starts_with(['"', '\'']) || mark.is_empty() || mark.len() > 2 {
        return None;
    }
    let length = quoted_length(literal);
    let inner = &literal[1..length.max(2) - 1];
    let (message, help) = match mark.as_str() {
        "f" | "$" | "fr" | "rf" | "t" => {
            (format!("a text in quotes has no values in it, and no `{mark}` before it"), joined_help(inner))
        }
        "r" | "@" | "b" | "br" | "rb" => {
            (format!("a text has no `{mark}` before it"), format!("write a text without escapes as `'''{inner}'''`"))
        }
        "u" | "l" => (format!("a text has no `{mark}` before it"), format!("write `{}`", &literal[..length])),
        _ => return None,
    };
    Some(Habit { range: (start, quote + length), code: Code::UnexpectedText, message, help })
}

/// Returns a value as an operand of `+`: in parentheses if it has operators of its own.
fn operand(value: &str) -> String {
    let value = value.trim();
    if value_start(value) == 0 { value.to_owned() } else { format!("({value})") }
}

/// Returns help on how to write a text with values in braces.
pub fn joined_help(inner: &str) -> String {
    let pieces = pieces(inner);
    let values = pieces.iter().filter_map(|piece| piece.as_ref().err());
    if let Some(formatted) = values.clone().find(|value| value.contains(':')) {
        let (value, format) = formatted.split_once(':').unwrap_or((formatted, ""));
        return format!("write `STR.Format(\"{{:{format}}}\", [{}])`, and join texts with `+`", value.trim());
    }
    let joined: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            Ok(text) => format!("\"{text}\""),
            Err(value) => operand(value),
        })
        .collect();
    let joined = joined.join(" + ");
    // `+` of values alone would add numbers, so the sum begins with an empty text.
    let is_sum = pieces.iter().take(2).all(Result::is_err);
    let joined = if is_sum { format!("\"\" + {joined}") } else { joined };
    let are_names = values.clone().all(|value| value.chars().all(|c| is_word_char(c) || c == '.'));
    if values.clone().next().is_none() || !are_names {
        return format!("join the parts: `{joined}`");
    }
    let template: String = pieces
        .iter()
        .map(|piece| match piece {
            Ok(text) => (*text).to_owned(),
            Err(value) => format!("{{{{{value}}}}}"),
        })
        .collect();
    format!("join the parts, `{joined}`, or write the text between three backticks: ```{template}```")
}

/// Splits a text with braces into texts (`Ok`) and values (`Err`).
fn pieces(inner: &str) -> Vec<Result<&str, &str>> {
    let mut pieces = Vec::new();
    let mut rest = inner;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let text = rest[..open].strip_suffix('$').unwrap_or(&rest[..open]);
        pieces.extend(Some(Ok(text)).filter(|_| !text.is_empty()));
        pieces.push(Err(rest[open + 1..open + length].trim()));
        rest = &rest[open + length + 1..];
    }
    pieces.extend(Some(Ok(rest)).filter(|_| !rest.is_empty()));
    pieces
}

/// Matches `$name` and `${name}`.
fn dollar(text: &str, at: usize) -> Option<Habit> {
    let after = text[at..].strip_prefix('$')?;
    let inner = after.trim_start_matches('{');
    let name = first_word(inner);
    let opened = after.len() - inner.len();
    let closed = inner[name.len()..].bytes().take(opened).take_while(|byte| *byte == b'}').count();
    let (message, help) = ("a name has no `$` before it".to_owned(), format!("write `{name}`"));
    let end = at + 1 + opened + name.len() + closed;
    (!name.is_empty()).then_some(Habit { range: (at, end), code: Code::UnexpectedText, message, help })
}

/// Functions that other languages write as prefix operators.
const FUNCTIONS: [(&str, &str); 5] =
    [("typeof", "TYPEOF"), ("type", "TYPEOF"), ("len", "LEN"), ("sizeof", "LEN"), ("sqrt", "SQRT")];

/// Matches `typeof x`.
fn word_before(text: &str, at: usize) -> Option<Habit> {
    let before = text[..at].trim_end();
    let start = before.trim_end_matches(is_word_char).len();
    let rest = &text[at..];
    let (word, function) = FUNCTIONS.into_iter().find(|(word, _)| before[start..].eq_ignore_ascii_case(word))?;
    let is_operand = before.len() < at && rest.starts_with(|c: char| is_word_char(c) || matches!(c, '"' | '\''));
    if !is_operand {
        return None;
    }
    let end = at + operand_length(rest);
    let message = format!("`{word}` is a function, and a function takes its value in parentheses");
    let help = format!("write `{function}({})`", &text[at..end]);
    Some(Habit { range: (start, end), code: Code::UnexpectedText, message, help })
}

/// Returns the length of the name, number or text at the start of `text`, including fields and indexes.
fn operand_length(text: &str) -> usize {
    if text.starts_with(['"', '\'']) {
        return quoted_length(text);
    }
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| !text[..*end].ends_with(' '));
    ends.filter(|end| value_start(&text[..*end]) == 0).last().unwrap_or(1)
}
