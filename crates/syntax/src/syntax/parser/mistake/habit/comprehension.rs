//! Comprehensions: `[x * 2 for x in list if x > 1]`, `{x: 1 for x in list}`, `sum(x for x in list)`.

use crate::text::Code;

use super::super::super::super::keyword::is_word_char;
use super::{Habit, at_top, end_of_part, open_bracket, procedure, words_at_top};

/// The parts of a comprehension.
struct Comprehension<'a> {
    value: &'a str,
    names: &'a str,
    list: &'a str,
    condition: Option<&'a str>,
}

/// Returns the comprehension around a position.
pub fn find(text: &str, at: usize) -> Option<Habit> {
    let (open, bracket) = open_bracket(&text[..at])?;
    let close = end_of_part(text, open + 1, false);
    let parts = Comprehension::of(text[open + 1..close].trim())?;
    // For a call the brackets are not part of the argument.
    let range = if bracket == '(' { (open + 1, close) } else { (open, (close + 1).min(text.len())) };
    let help = if bracket == '{' { parts.map_help() } else { parts.list_help() };
    let message = "a comprehension is not part of this language".to_owned();
    Some(Habit { range, code: Code::UnexpectedText, message, help })
}

impl<'a> Comprehension<'a> {
    fn of(inner: &'a str) -> Option<Comprehension<'a>> {
        let words = words_at_top(inner);
        let next = |word: &str, from: usize| {
            words.iter().find(|(at, found)| *at >= from && found.eq_ignore_ascii_case(word)).map(|(at, _)| *at)
        };
        let of = next("for", 0)?;
        let within = next("in", of)?;
        let condition = next("if", within);
        let names = inner[of + 3..within].trim().trim_start_matches("EACH ").trim_start_matches("each ").trim();
        let (value, list) = (inner[..of].trim(), inner[within + 2..condition.unwrap_or(inner.len())].trim());
        let is_whole = !value.is_empty() && !names.is_empty() && !list.is_empty();
        let condition = condition.map(|at| inner[at + 2..].trim());
        is_whole.then_some(Comprehension { value, names, list, condition })
    }

    fn list_help(&self) -> String {
        let mut defined = Vec::new();
        let mut written = self.list.to_owned();
        let Comprehension { names, value, .. } = *self;
        let is_simple = names.chars().all(is_word_char);
        if words_at_top(self.list).iter().any(|(_, word)| word.eq_ignore_ascii_case("for")) {
            return format!(
                "go through each list with a `FOR EACH` of its own, one inside the other, and `SET result = result + [{value}]`"
            );
        }
        if !is_simple {
            return self.loop_help("[]", &format!("SET result = result + [{value}]"));
        }
        if let Some(condition) = self.condition {
            written = format!("LIST.Filter({written}, {})", self.named(condition, "Fits", &mut defined));
        }
        if value != names {
            written = format!("LIST.Map({written}, {})", self.named(value, "Convert", &mut defined));
        }
        if defined.is_empty() {
            return format!("write `{written}`");
        }
        format!("define a procedure at the top level, and give its name:\n{}\n{written}", defined.join("\n"))
    }

    /// Returns the name of a procedure that computes an expression: the one that the expression calls, or a new one.
    fn named(&self, expression: &'a str, name: &'a str, defined: &mut Vec<String>) -> &'a str {
        let called = expression.strip_suffix(&format!("({})", self.names));
        if let Some(called) = called.filter(|called| called.chars().all(|c| is_word_char(c) || c == '.')) {
            return called;
        }
        defined.push(procedure(name, self.names, expression));
        name
    }

    fn map_help(&self) -> String {
        let colon = at_top(self.value).find(|(_, c)| *c == ':').map(|(at, _)| at);
        let (key, value) = colon.map_or((self.value, "true"), |at| (&self.value[..at], &self.value[at + 1..]));
        self.loop_help("{}", &format!("SET result[{}] = {}", key.trim(), value.trim()))
    }

    /// Returns help with a loop that builds the result of the comprehension.
    fn loop_help(&self, empty: &str, step: &str) -> String {
        let Comprehension { names, list, .. } = self;
        let body = self
            .condition
            .map_or_else(|| format!("  {step}"), |condition| format!("  IF {condition} THEN\n    {step}\n  END"));
        format!("build it in a loop:\nSET result = {empty}\nFOR EACH {names} IN {list} DO\n{body}\nEND")
    }
}
