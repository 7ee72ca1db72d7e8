//! Slices: `a[1:]`, `a[:2]`, `a[1:3]`, `a[::-1]`, `a[1..3]`.

use crate::text::Code;

use super::super::super::super::keyword::{begins_assignment, first_word, is_keyword, is_word_char};
use super::{Habit, at_top, end_of_part, open_bracket, value_start};

/// Returns the slice around a position.
pub fn find(text: &str, at: usize) -> Option<Habit> {
    let (open, _) = open_bracket(&text[..at]).filter(|(_, bracket)| *bracket == '[')?;
    let before = text[..open].trim_end();
    if !before.ends_with(|c: char| is_word_char(c) || matches!(c, ')' | ']' | '"' | '\'')) {
        return None;
    }
    let close = end_of_part(text, open + 1, false);
    let parts = parts(&text[open + 1..close])?;
    let whole = &before[value_start(before)..];
    if whole.is_empty() || is_keyword(whole, "IN") || is_keyword(whole, "RETURN") || is_keyword(whole, "EMIT") {
        return None;
    }
    let is_target = begins_assignment(first_word(text)) && !text[..open].contains('=');
    let help = if is_target { target_help(whole, &parts) } else { help(whole, &parts) };
    let shown = &text[open..(close + 1).min(text.len())];
    let message = format!("`{shown}` is not an index: an index is one element");
    Some(Habit { range: (open, (close + 1).min(text.len())), code: Code::UnexpectedText, message, help })
}

/// Returns start, end and step of a slice.
fn parts(inner: &str) -> Option<Vec<&str>> {
    let colons: Vec<usize> = at_top(inner).filter(|(_, c)| *c == ':').map(|(at, _)| at).collect();
    if colons.is_empty() {
        let (start, end) = inner.split_once("..").filter(|_| !inner.contains(['"', '\'']))?;
        return Some(vec![start.trim(), end.trim_start_matches(['.', '=', '<']).trim()]);
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for colon in colons {
        parts.push(inner[from..colon].trim());
        from = colon + 1;
    }
    parts.push(inner[from..].trim());
    (parts.len() <= 3).then_some(parts)
}

fn help(whole: &str, parts: &[&str]) -> String {
    let is_text = whole.ends_with(['"', '\'']);
    let of_both = |list: String, text: String| {
        if is_text { format!("write `{text}`") } else { format!("write `{list}`, of a text `{text}`") }
    };
    let (start, end) = (parts[0], parts[1]);
    match parts.get(2).copied().unwrap_or_default() {
        "" | "1" if start.is_empty() && end.is_empty() => {
            format!("write `{whole}`: a list or text that is given to a name is a copy")
        }
        "" | "1" => {
            let arguments = arguments(start, end);
            of_both(format!("LIST.Slice({whole}, {arguments})"), format!("STR.Sub({whole}, {arguments})"))
        }
        "-1" if start.is_empty() && end.is_empty() => {
            of_both(format!("LIST.Reverse({whole})"), format!("STR.Reverse({whole})"))
        }
        step => {
            let start = if start.is_empty() { "0" } else { start };
            let end = if end.is_empty() { format!("LEN({whole})") } else { end.to_owned() };
            format!("go through the places: `FOR EACH i IN RANGE({start}, {end}, {step}) DO`, and read `{whole}[i]`")
        }
    }
}

fn arguments(start: &str, end: &str) -> String {
    let start = if start.is_empty() { "0" } else { start };
    if end.is_empty() { start.to_owned() } else { format!("{start}, {end}") }
}

/// Returns help for a slice that is assigned to.
fn target_help(whole: &str, parts: &[&str]) -> String {
    let name = whole.trim_start_matches("SET ").trim_start_matches("set ");
    let head = if parts[0].is_empty() { String::new() } else { format!("LIST.Slice({name}, 0, {}) + ", parts[0]) };
    let tail = if parts[1].is_empty() { String::new() } else { format!(" + LIST.Slice({name}, {})", parts[1]) };
    format!("build the list anew: `SET {name} = {head}[value]{tail}`")
}
