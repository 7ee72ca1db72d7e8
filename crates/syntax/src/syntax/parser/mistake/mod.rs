//! Explains why a line does not parse.
//!
//! pest reports how far it got and which rules it tried there. This module turns that into one finding, after looking
//! for common mistakes of people and language models: operators and words of other languages, a missing `CALL` or
//! `SET`, a block on one line.

mod habit;
mod head;
mod operator;
mod statement;
mod structure;

pub use habit::joined_help;
pub use head::{Head, brace_head, stray_brace};
pub use statement::is_foreign_statement;

use pest::error::{Error, ErrorVariant, InputLocation};

use crate::text::{Code, Diagnostic, Edit, Span, safe};

use super::super::grammar::{Expected, Rule, expected};
use super::super::keyword::{first_word, is_keyword, is_reserved, is_uniform};

/// A line that could not be parsed.
pub struct Failure<'a> {
    text: &'a str,
    /// The position at which pest failed.
    pub at: usize,
    /// The offset of the line in the whole text.
    base: usize,
    /// The constructs that were expected there, sorted.
    pub wanted: Vec<Expected>,
}

/// Returns the finding for a line that does not parse.
pub fn explain(error: &Error<Rule>, text: &str, base: usize) -> Diagnostic {
    let failure = Failure::of(error, text, base);
    failure.foreign_head().or_else(|| failure.statement_mistake()).unwrap_or_else(|| failure.inner_mistake())
}

/// Returns the finding for a text that should have been a single expression.
pub fn explain_value(error: &Error<Rule>, text: &str, base: usize) -> Diagnostic {
    Failure::of(error, text, base).inner_mistake()
}

/// Returns the constructs that pest tried at the position of failure, as messages name them.
fn wanted(error: &Error<Rule>) -> Vec<Expected> {
    let ErrorVariant::ParsingError { positives, negatives } = &error.variant else { return Vec::new() };
    let mut wanted: Vec<Expected> = positives.iter().map(|&rule| expected(rule)).collect();
    // `FOR EACH IN`: `IN` is the only word that the grammar tries in order to reject it.
    wanted.extend(negatives.contains(&Rule::kw_in).then_some(Expected::Name));
    wanted.sort();
    wanted.dedup();
    wanted.retain(|&item| item != Expected::Hidden);
    if wanted.contains(&Expected::Operator) {
        wanted.retain(|item| *item != Expected::Mark("("));
    }
    if wanted.contains(&Expected::Expression) {
        wanted.retain(|item| !matches!(item, Expected::Mark("(" | "\"key\"")));
    }
    wanted
}

impl<'a> Failure<'a> {
    /// Returns the place and the expectations of an error of pest.
    pub fn of(error: &Error<Rule>, text: &'a str, base: usize) -> Failure<'a> {
        let at = match error.location {
            InputLocation::Pos(at) => at,
            InputLocation::Span((at, _)) => at,
        };
        Failure { text, at, base, wanted: wanted(error) }
    }

    /// Returns the finding for a mistake after the first word of a line.
    fn inner_mistake(&self) -> Diagnostic {
        self.name_mistake()
            .or_else(|| self.habit())
            .or_else(|| self.operator_mistake())
            .or_else(|| self.structure_mistake())
            .unwrap_or_else(|| self.plain())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the token at the position of failure, formatted for a message, and its span.
    fn found(&self) -> (String, Span) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            let end = self.base + self.text.len();
            return ("the end of the line".to_owned(), Span::at(end));
        };
        let word = first_word(rest);
        let length = match first {
            _ if !word.is_empty() => word.len(),
            '"' | '\'' => quoted_length(rest),
            _ => first.len_utf8(),
        };
        let shown: String = rest[..length].chars().take(40).collect();
        (format!("`{}`", safe::name(&shown)), self.span(self.at, length))
    }

    fn span(&self, at: usize, length: usize) -> Span {
        Span::new(self.base + at, self.base + at + length)
    }

    fn error(&self, code: Code, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(self.at, length), message)
    }

    /// Returns the finding for a token where only a name is allowed.
    fn name_mistake(&self) -> Option<Diagnostic> {
        if self.wanted != [Expected::Name] {
            return None;
        }
        if let Some(finding) = self.number_with_letters() {
            return Some(finding);
        }
        let word = first_word(self.rest());
        let (found, span) = self.found();
        let after = self.rest()[word.len()..].trim_start_matches([' ', '\t']);
        // In `FOR EACH IN list` the name is missing, in `FOR EACH in IN list` it is wrong.
        let is_joint = is_keyword(word, "IN") && !after.starts_with(',') && !is_keyword(first_word(after), "IN");
        if is_reserved(word) && !is_joint {
            let message = format!("expected a name, found the reserved word `{word}`");
            return Some(Diagnostic::error(Code::ReservedName, span, message).help("choose another name"));
        }
        let finding = Diagnostic::error(Code::UnexpectedText, span, format!("expected a name, found {found}"));
        Some(finding.help("a name begins with a letter or `_`, and continues with letters, digits and `_`"))
    }

    /// Returns the generic finding: what was expected and what was found.
    fn plain(&self) -> Diagnostic {
        let (found, span) = self.found();
        let message = if self.wanted.is_empty() {
            format!("{found} does not fit here")
        } else {
            format!("expected {}, found {found}", list(&self.wanted))
        };
        let finding = Diagnostic::error(Code::UnexpectedText, span, message);
        let finding = match self.help() {
            Some(help) => finding.help(help),
            None => finding,
        };
        finding.suggest(self.suggestion())
    }

    /// Returns the edit that the help suggests, if it is a whole one.
    fn suggestion(&self) -> Option<Edit> {
        let word = first_word(self.rest());
        if let Some(keyword) = self.misspelt_keyword() {
            return Some(Edit { span: self.span(self.at, word.len()), text: keyword.to_uppercase() });
        }
        if let Some(statement) = self.assignment_without_equals() {
            let span = self.span(0, self.text.trim_end().len());
            return (!statement.ends_with('…')).then_some(Edit { span, text: statement });
        }
        let first = self.rest().chars().next()?;
        let (_, mark) = TYPOGRAPHIC.iter().find(|(known, _)| *known == first)?;
        Some(Edit { span: self.span(self.at, first.len_utf8()), text: (*mark).to_owned() })
    }

    /// Returns the keyword that a word in mixed case stands for.
    fn misspelt_keyword(&self) -> Option<&'static str> {
        let word = first_word(self.rest());
        let is_meant = |keyword: &&'static str| word.eq_ignore_ascii_case(keyword) && !is_uniform(word);
        self.wanted.iter().find_map(|item| match item {
            Expected::Mark(mark) => Some(*mark).filter(is_meant),
            Expected::Operator => ["AND", "OR", "NOT", "IN"].into_iter().find(is_meant),
            _ => None,
        })
    }

    /// Matches `“text”` and `a – b`.
    fn typographic_mark(&self) -> Option<String> {
        let first = self.rest().chars().next()?;
        let (_, mark) = TYPOGRAPHIC.iter().find(|(known, _)| *known == first)?;
        Some(format!("write `{mark}`: `{first}` is a character of prose"))
    }

    fn help(&self) -> Option<String> {
        let wanted = &self.wanted;
        if let Some(keyword) = self.misspelt_keyword() {
            let (upper, lower) = (keyword.to_uppercase(), keyword.to_lowercase());
            return Some(format!("write `{upper}` or `{lower}`: keywords are all upper or all lower case"));
        }
        if let Some(statement) = self.assignment_without_equals() {
            let shown: String = statement.chars().take(80).collect();
            return Some(format!("write `{shown}`"));
        }
        let first = first_word(self.text);
        if is_keyword(first, "FOR") && wanted.contains(&Expected::Mark("EACH")) {
            return Some("write `FOR EACH x IN list DO`; to count, `FOR EACH i IN RANGE(10) DO`".to_owned());
        }
        if is_keyword(first, "USE") {
            return Some("write `USE \"lib/dates.ns\" AS dates`: the path of a file in quotes, and a name".to_owned());
        }
        if is_keyword(first, "CALL") {
            return Some("write `CALL Name(…)`: the parentheses are needed, and nothing may follow them".to_owned());
        }
        if is_keyword(first, "DEFINE") && wanted.contains(&Expected::Mark("PROCEDURE")) {
            return Some("write `DEFINE PROCEDURE Name(a, b)`".to_owned());
        }
        if let Some(help) = self.several_values().or_else(|| self.typographic_mark()) {
            return Some(help);
        }
        let ends_here = wanted.contains(&Expected::EndOfLine) && wanted.contains(&Expected::Operator);
        ends_here
            .then(|| "one statement stands on a line; values are joined by an operator or parted by `,`".to_owned())
    }
}

/// Marks that editors for prose write in place of quotes and signs, and what to write.
const TYPOGRAPHIC: [(char, &str); 14] = [
    ('\u{201c}', "\""),
    ('\u{201d}', "\""),
    ('\u{201e}', "\""),
    ('\u{ab}', "\""),
    ('\u{bb}', "\""),
    ('\u{2018}', "'"),
    ('\u{2019}', "'"),
    ('\u{2013}', "-"),
    ('\u{2014}', "-"),
    ('\u{2212}', "-"),
    ('\u{d7}', "*"),
    ('\u{f7}', "/"),
    ('\u{2264}', "<="),
    ('\u{2265}', ">="),
];

/// Joins alternatives: `a`, `a or b`, `a, b or c`.
fn list(wanted: &[Expected]) -> String {
    let words: Vec<String> = wanted.iter().map(|item| words(*item)).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn words(item: Expected) -> String {
    match item {
        Expected::Statement => "a statement".to_owned(),
        Expected::Expression => "a value".to_owned(),
        Expected::Name => "a name".to_owned(),
        Expected::Operator => "an operator".to_owned(),
        Expected::EndOfLine => "the end of the line".to_owned(),
        Expected::Mark(mark) => format!("`{mark}`"),
        Expected::Hidden => String::new(),
    }
}

fn quoted_length(text: &str) -> usize {
    let quote = text.chars().next().unwrap_or('"');
    text[1..].find(quote).map_or(1, |at| at + 2)
}
