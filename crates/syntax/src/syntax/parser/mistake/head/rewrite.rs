//! Rewrites heads of other languages in the syntax of this language.

use crate::syntax::keyword::{first_word, is_word};

use super::super::habit::{at_top, words_at_top};
use super::{Head, Kind};

impl Head<'_> {
    /// Returns the head in the syntax of this language. Returns `None` if the meaning is not clear.
    pub(super) fn written(&self) -> Option<String> {
        let inner = self.inner();
        let word = |keyword: &str| self.keyword(keyword);
        let conditional =
            |head: &str, end: &str, condition: String| format!("{} {condition} {}", word(head), word(end));
        Some(match self.kind {
            Kind::If => conditional("IF", "THEN", self.condition(inner)),
            Kind::Unless => conditional("IF", "THEN", format!("{} ({})", word("NOT"), self.condition(inner))),
            Kind::Switch | Kind::Finally => return None,
            Kind::ElseIf => conditional("ELSE IF", "THEN", self.condition(inner)),
            Kind::Else => word("ELSE"),
            Kind::While => conditional("WHILE", "DO", self.condition(inner)),
            Kind::Until => conditional("WHILE", "DO", format!("{} ({})", word("NOT"), self.condition(inner))),
            Kind::For => {
                let (names, list) = turns(inner)?;
                format!("{} {names} {} {list} {}", word("FOR EACH"), word("IN"), word("DO"))
            }
            Kind::OnError if inner.is_empty() => word("ON ERROR DO"),
            Kind::OnError => format!("{} {inner} {}", word("ON ERROR"), word("DO")),
            Kind::Try => word("ON ERROR DO"),
            Kind::Catch => format!("{} {} {}", word("ON ERROR AS"), caught(inner), word("DO")),
            Kind::Procedure if self.is_foreign_word => format!("{} {}", word("DEFINE PROCEDURE"), signature(inner)),
            Kind::Procedure => format!("{} {inner}", word("DEFINE PROCEDURE")),
            Kind::Func => format!("{} {inner} {}", word("FUNC"), word("MEANS")),
        })
    }

    /// Returns a condition with the operators of this language and without enclosing parentheses.
    fn condition(&self, condition: &str) -> String {
        let condition = unwrapped(condition);
        let mut written = String::new();
        let mut copied = 0;
        for (at, _) in super::super::structure::outside_quotes(condition).filter(|(_, c)| "&|=!".contains(*c)) {
            let Some((mark, meant)) = self.operator(condition, at).filter(|_| at >= copied) else { continue };
            written.push_str(&condition[copied..at]);
            written.push_str(&meant);
            copied = at + mark;
        }
        written + &condition[copied..]
    }

    /// Returns the length of an operator from another language at `at`, and its equivalent in this one.
    fn operator(&self, condition: &str, at: usize) -> Option<(usize, String)> {
        let (before, rest) = condition.split_at(at);
        let is_part = before.ends_with(['=', '!', '<', '>']);
        Some(if rest.starts_with("===") {
            (3, "==".to_owned())
        } else if rest.starts_with("!==") {
            (3, "!=".to_owned())
        } else if rest.starts_with("&&") {
            (2, self.keyword("AND"))
        } else if rest.starts_with("||") {
            (2, self.keyword("OR"))
        } else if ["==", "=>", "=<", "!="].iter().any(|kept| rest.starts_with(kept)) || is_part {
            return None;
        } else if rest.starts_with('=') {
            (1, "==".to_owned())
        } else if rest.starts_with('!') {
            (1, format!("{} ", self.keyword("NOT")))
        } else {
            return None;
        })
    }
}

/// Removes the parentheses that enclose the whole text.
fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 1_usize;
    for (_, c) in super::super::structure::outside_quotes(inner) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text;
        }
    }
    inner.trim()
}

/// Returns the names and the list of a loop: `x in xs`, `(let x of xs)`, `$xs as $x`, `i = 0; i < 3; i++`.
fn turns(inner: &str) -> Option<(String, String)> {
    let inner = unwrapped(inner);
    if inner.contains(';') {
        return counted(inner);
    }
    let joint = words_at_top(inner)
        .into_iter()
        .find(|(_, word)| ["in", "of", "as", "to"].iter().any(|joint| word.eq_ignore_ascii_case(joint)));
    let (before, joint, after) = match joint {
        Some((at, word)) => (&inner[..at], word.to_ascii_lowercase(), &inner[at + word.len()..]),
        None => {
            let (at, _) = at_top(inner).find(|&(_, c)| c == ':')?;
            (&inner[..at], "in".to_owned(), &inner[at + 1..])
        }
    };
    match joint.as_str() {
        "to" => {
            let (name, start) = before.split_once('=')?;
            Some((names(name)?, range(start.trim(), &after_next(after.trim()))))
        }
        "as" => Some((names(&after.replace("=>", ","))?, list(before))),
        _ => Some((names(before)?, list(after))),
    }
}

/// Returns the name and the range of `i = 0; i < 3; i++`.
fn counted(inner: &str) -> Option<(String, String)> {
    let mut parts = inner.split(';').map(str::trim);
    let (first, condition, step) = (parts.next()?, parts.next()?, parts.next()?);
    let (name, start) = first.split_once('=')?;
    let (_, end) = condition.split_once('<')?;
    let is_by_one = step.contains("++") || step.replace(' ', "").ends_with("+=1");
    let end = match end.strip_prefix('=') {
        Some(end) => after_next(end.trim()),
        None => end.trim().to_owned(),
    };
    is_by_one.then_some(())?;
    Some((names(name)?, range(start.trim(), &end)))
}

/// Returns the number plus one, or an expression for it if it is not a literal.
fn after_next(number: &str) -> String {
    number
        .parse::<i64>()
        .ok()
        .and_then(|number| number.checked_add(1))
        .map_or_else(|| format!("{number} + 1"), |next| next.to_string())
}

fn range(start: &str, end: &str) -> String {
    if start == "0" { format!("RANGE({end})") } else { format!("RANGE({start}, {end})") }
}

/// Returns the names before `in`, without types and sigils.
fn names(text: &str) -> Option<String> {
    let name = |part: &str| {
        let name = part.trim().rsplit([' ', '\t']).next()?.trim_start_matches(['$', '&', '@']);
        is_word(name).then(|| name.to_owned())
    };
    let names: Option<Vec<String>> = unwrapped(text.trim()).split(',').map(name).collect();
    names.filter(|names| names.len() <= 2).map(|names| names.join(", "))
}

/// Returns the list after `in`, without the calls that other languages wrap it in, such as `enumerate(…)`.
fn list(text: &str) -> String {
    let text = text.trim().trim_start_matches('$');
    let text = text.strip_suffix(".items()").or_else(|| text.strip_suffix(".entries()")).unwrap_or(text);
    let inner = |name: &str| text.strip_prefix(name).and_then(|text| text.strip_suffix(')'));
    match text.split_once("..") {
        Some((start, end)) if !start.contains(['"', '\'', '(']) => range(start.trim(), end.trim()),
        _ => match (inner("range("), inner("enumerate(")) {
            (Some(bounds), _) => format!("RANGE({bounds})"),
            (_, Some(list)) => list.to_owned(),
            _ => text.to_owned(),
        },
    }
}

/// Returns the name of a caught exception: `e` for `e`, `(Exception e)` or `ValueError as e`.
fn caught(inner: &str) -> &str {
    let word = unwrapped(inner).rsplit(|c: char| !super::is_word_char(c)).next().unwrap_or_default();
    let is_type = word.len() > 1 && word.starts_with(char::is_uppercase);
    if is_word(word) && !is_type { word } else { "err" }
}

/// Rewrites a signature: `f(x: int, y = 2) -> int` becomes `f(x, y: 2)`.
fn signature(inner: &str) -> String {
    let name = first_word(inner);
    let rest = inner[name.len()..].trim_start();
    let name = if name.is_empty() { "Name" } else { name };
    let mut brackets = at_top(rest).filter(|&(_, c)| matches!(c, '(' | ')'));
    let (Some((0, _)), Some((end, _))) = (brackets.next(), brackets.next()) else { return format!("{name}()") };
    let params = &rest[1..end];
    let mut commas: Vec<usize> = at_top(params).filter(|&(_, c)| c == ',').map(|(at, _)| at).collect();
    commas.push(params.len());
    let mut start = 0;
    let mut written = Vec::new();
    for comma in commas {
        written.extend(Some(parameter(&params[start..comma])).filter(|param| !param.is_empty()));
        start = (comma + 1).min(params.len());
    }
    format!("{name}({})", written.join(", "))
}

/// Rewrites a parameter and drops its type: `y: int = 2` becomes `y: 2`.
fn parameter(text: &str) -> String {
    let (name, default) = match text.split_once('=') {
        Some((name, default)) => (name, Some(default.trim())),
        None => (text, None),
    };
    let name = name.split(':').next().unwrap_or(name).trim();
    let name = name.rsplit([' ', '\t']).next().unwrap_or(name).trim_start_matches(['$', '&', '*', '@']);
    match default {
        Some(default) => format!("{name}: {default}"),
        None => name.to_owned(),
    }
}
