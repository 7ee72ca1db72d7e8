//! Conditional values: `a if x else b`, `x ? a : b`, `if x then a else b`.

use crate::text::Code;

use super::super::super::super::keyword::{begins_assignment, first_word, is_keyword};
use super::{Habit, at_top, end_of_part, open_bracket, words_at_top};

/// The parts of a conditional value.
struct Conditional<'a> {
    condition: &'a str,
    then: &'a str,
    otherwise: &'a str,
}

/// Returns the conditional value around a position.
pub fn find(text: &str, at: usize) -> Option<Habit> {
    let (start, end) = part_around(text, at);
    let inner = &text[start..end];
    let parts = Conditional::of(inner).filter(Conditional::is_whole)?;
    let start = start + inner.len() - inner.trim_start().len();
    let end = start + inner.trim().len();
    Some(Habit {
        range: (start, end),
        code: Code::UnexpectedText,
        message: "a conditional value is not part of this language".to_owned(),
        help: parts.help(&text[..start], &text[end..]),
    })
}

impl<'a> Conditional<'a> {
    fn of(text: &'a str) -> Option<Conditional<'a>> {
        Conditional::of_marks(text).or_else(|| Conditional::of_words(text))
    }

    /// Matches `x ? a : b`.
    fn of_marks(text: &'a str) -> Option<Conditional<'a>> {
        let place = |mark: char, from: usize| at_top(text).find(|(at, c)| *at >= from && *c == mark);
        let (question, _) = place('?', 0)?;
        let (colon, _) = place(':', question)?;
        let (condition, then, otherwise) = (&text[..question], &text[question + 1..colon], &text[colon + 1..]);
        Some(Conditional { condition, then, otherwise })
    }

    /// Matches `a if x else b` and `if x then a else b`.
    fn of_words(text: &'a str) -> Option<Conditional<'a>> {
        let words = words_at_top(text);
        let after = |keyword: &str, from: usize| {
            words.iter().find(|(at, word)| *at >= from && word.eq_ignore_ascii_case(keyword)).map(|(at, _)| *at)
        };
        let condition = after("if", 0)?;
        let otherwise = after("else", condition)?;
        let rest = text[otherwise + 4..].trim_end();
        let before = text[..condition].trim();
        if !before.is_empty() {
            return Some(Conditional { condition: &text[condition + 2..otherwise], then: before, otherwise: rest });
        }
        let then = after("then", condition).filter(|then| *then < otherwise)?;
        let rest = words
            .last()
            .filter(|(_, word)| is_keyword(word, "END"))
            .map_or(rest, |(end, _)| &text[otherwise + 4..*end]);
        Some(Conditional { condition: &text[condition + 2..then], then: &text[then + 4..otherwise], otherwise: rest })
    }

    fn is_whole(&self) -> bool {
        [self.condition, self.then, self.otherwise].iter().all(|part| !part.trim().is_empty())
    }

    /// Returns help with the line in both branches of an IF block; `before` and `after` are the rest of the line.
    fn help(&self, before: &str, after: &str) -> String {
        let [condition, then, otherwise] = [self.condition, self.then, self.otherwise].map(str::trim);
        if is_head(before) {
            return format!(
                "choose the value in an IF block before this line:\nIF {condition} THEN\n  SET value = {then}\nELSE\n  \
                 SET value = {otherwise}\nEND"
            );
        }
        let before = before.trim_start();
        format!(
            "write an IF block:\nIF {condition} THEN\n  {before}{then}{after}\nELSE\n  {before}{otherwise}{after}\nEND"
        )
    }
}

/// Returns start and end of the value around a position: between brackets and commas, behind a key or an argument name,
/// or behind the words at the start of the line.
fn part_around(text: &str, at: usize) -> (usize, usize) {
    let bracket = open_bracket(&text[..at]);
    let outer = bracket.map_or_else(|| value_of_line(text), |(open, _)| open + 1);
    let inner = text.get(outer..at).unwrap_or_default();
    let is_name_end = |place: usize| bracket.is_some() && !inner[..place].contains('?');
    let before = at_top(inner).filter(|(place, c)| *c == ',' || (*c == ':' && is_name_end(*place))).last();
    let start = before.map_or(outer, |(place, _)| outer + place + 1);
    let end = end_of_part(text, start, true);
    let body =
        words_at_top(text).into_iter().find(|(_, word)| ["THEN", "DO"].iter().any(|begin| is_keyword(word, begin)));
    let head_end = body.filter(|_| is_head(text)).map_or(end, |(place, _)| place);
    (start, end.min(head_end.max(start)))
}

/// Returns where the value of a line begins: behind `SET x =`, `EMIT` or `RETURN`.
fn value_of_line(text: &str) -> usize {
    let word = first_word(text);
    let equals = at_top(text).find(|(_, c)| *c == '=' && begins_assignment(word));
    equals.map_or(word.len(), |(place, _)| place + 1)
}

/// Returns whether a line begins a block or a part of one.
fn is_head(line: &str) -> bool {
    ["IF", "ELSE", "WHILE", "FOR"].iter().any(|keyword| is_keyword(first_word(line), keyword))
}
