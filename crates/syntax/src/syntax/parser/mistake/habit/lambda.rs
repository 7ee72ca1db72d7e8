//! Anonymous functions: `x => x * 2`, `lambda x: x * 2`, `fn(x) { … }`, `|x| x * 2`.

use crate::text::Code;

use super::super::super::super::keyword::{first_word, is_reserved, is_word_char};
use super::super::structure::outside_quotes;
use super::{Habit, end_of_part, open_bracket, procedure};

/// An anonymous function in a line.
struct Lambda<'a> {
    start: usize,
    end: usize,
    params: &'a str,
    body: &'a str,
}

/// Returns the anonymous function around a position.
pub fn find(text: &str, at: usize) -> Option<Habit> {
    let places = outside_quotes(text)
        .filter_map(|(place, _)| arrow(text, place).or_else(|| word(text, place)).or_else(|| bars(text, place)));
    let lambda = places.into_iter().find(|lambda| (lambda.start..=lambda.end).contains(&at))?;
    Some(Habit {
        range: (lambda.start, lambda.end),
        code: Code::WrongOperator,
        message: "a function without a name is not part of this language".to_owned(),
        help: help(text, &lambda),
    })
}

/// Matches `x => x * 2` or `(a, b) -> a + b` where a value can begin.
fn arrow(text: &str, place: usize) -> Option<Lambda<'_>> {
    let rest = &text[place..];
    let mark = ["=>", "->"].into_iter().find(|mark| rest.starts_with(mark))?;
    let before = text[..place].trim_end();
    let (start, params) = match before.strip_suffix(')') {
        Some(inner) => {
            let (open, _) = open_bracket(inner).filter(|(_, bracket)| *bracket == '(')?;
            (open, &inner[open + 1..])
        }
        None => {
            let start = before.trim_end_matches(is_word_char).len();
            (start, &before[start..])
        }
    };
    // `p->name` reads a field in other languages.
    let is_spaced = before.len() < place && rest[2..].starts_with(' ');
    let is_field = mark == "->" && !before.ends_with(')') && !is_spaced;
    if is_field || (params.is_empty() && !before.ends_with(')')) || is_reserved(params) || !begins_value(&text[..start])
    {
        return None;
    }
    Some(with_body(text, start, params, place + mark.len()))
}

/// Returns whether a value can begin after a text, rather than the rest of a comparison: after `=`, between arguments,
/// or at the start.
fn begins_value(before: &str) -> bool {
    let before = before.trim_end();
    let is_assigned = before.strip_suffix('=').is_some_and(|target| !target.ends_with(['=', '<', '>', '!']));
    let is_item = match open_bracket(before) {
        Some((at, '(')) => is_call(&before[..at]),
        Some(_) => true,
        None => false,
    };
    before.is_empty() || is_assigned || (is_item && before.ends_with(['(', ',', ':', '[']))
}

/// Returns whether a bracket after this text would contain arguments.
fn is_call(before: &str) -> bool {
    let word = &before[before.trim_end_matches(is_word_char).len()..];
    !word.is_empty() && !is_reserved(word)
}

/// Matches `lambda x: x * 2`, `fn(x) { x * 2 }` or `function(x) x * 2`.
fn word(text: &str, place: usize) -> Option<Lambda<'_>> {
    let name = first_word(&text[place..]);
    if place == 0 || text[..place].ends_with(|c: char| is_word_char(c) || c == '.') {
        return None;
    }
    let after = place + name.len();
    if name.eq_ignore_ascii_case("lambda") {
        let colon = after + text[after..].find(':')?;
        let params = text[after..colon].trim();
        let are_names = params.chars().all(|c| is_word_char(c) || matches!(c, ',' | ' ' | '*' | '='));
        return are_names.then(|| with_body(text, place, params, colon + 1));
    }
    if !["fn", "fun", "func", "function", "proc", "sub"].iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return None;
    }
    let open = after + text[after..].find('(').filter(|open| text[after..after + open].trim().is_empty())?;
    let close = end_of_part(text, open + 1, false);
    let body = text.get(close + 1..)?.trim_start();
    (!body.is_empty() && !body.starts_with([',', ')', ']', '}']))
        .then(|| with_body(text, place, &text[open + 1..close], close + 1))
}

/// Matches `|x| x * 2`.
fn bars(text: &str, place: usize) -> Option<Lambda<'_>> {
    let inner = text[place..].strip_prefix('|')?;
    let length = inner.find('|')?;
    let params = &inner[..length];
    let are_names = !params.trim().is_empty() && params.chars().all(|c| is_word_char(c) || matches!(c, ',' | ' '));
    (are_names && begins_value(&text[..place])).then(|| with_body(text, place, params, place + length + 2))
}

/// Returns a function whose body begins at a position.
fn with_body<'a>(text: &'a str, start: usize, params: &'a str, body: usize) -> Lambda<'a> {
    let end = end_of_part(text, body, true);
    let mut inner = text[body..end].trim().trim_start_matches(['-', '=', '>', ':', ' ']);
    inner = inner.strip_prefix('{').map_or(inner, |inner| inner.trim_end_matches(['}', ' ']));
    let inner = inner.trim().trim_end_matches(';');
    let inner = inner.strip_prefix("return ").or_else(|| inner.strip_prefix("RETURN ")).unwrap_or(inner);
    let inner = inner.strip_suffix(" end").or_else(|| inner.strip_suffix(" END")).unwrap_or(inner);
    Lambda { start, end, params: params.trim(), body: inner.trim() }
}

fn help(text: &str, lambda: &Lambda<'_>) -> String {
    let Lambda { start, end, params, body } = *lambda;
    let body = if body.is_empty() { "…" } else { body };
    if let Some(target) = assigned(&text[..start]) {
        let compared = text[start..end].contains("=>") && !text[start..].starts_with('(');
        let more = if compared { "; to compare, write `>=`" } else { "" };
        let defined = procedure(target, params, body);
        return format!(
            "define a procedure at the top level:\n{defined}\nand call it, `{target}({params})`, or give its name, \
             `LIST.Map(list, {target})`{more}"
        );
    }
    let name = name_for(&text[..start]);
    let line = format!("{}{name}{}", &text[..start], &text[end..]);
    format!("define a procedure at the top level, and give its name:\n{}\n{line}", procedure(name, params, body))
}

/// Returns the variable that the line assigns, if the text before the function is only its assignment.
fn assigned(before: &str) -> Option<&str> {
    let target = before.trim_end().strip_suffix('=')?.trim();
    let (_, name) = target.split_once([' ', '\t'])?;
    let name = name.trim();
    name.chars().all(is_word_char).then_some(name)
}

/// Returns a procedure name that suits the function it is passed to.
fn name_for(before: &str) -> &'static str {
    let callee = open_bracket(before).map_or("", |(at, _)| &before[..at]).to_ascii_lowercase();
    let is_for = |words: &[&str]| words.iter().any(|word| callee.ends_with(word));
    if is_for(&["filter", "any", "all", "where", "find", "some", "every"]) {
        "Fits"
    } else if is_for(&["reduce", "fold"]) {
        "Combine"
    } else if is_for(&["sortby", "sort", "sorted", "groupby"]) {
        "KeyOf"
    } else {
        "Convert"
    }
}
