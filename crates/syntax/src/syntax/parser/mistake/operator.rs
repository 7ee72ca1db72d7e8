//! Operators of other languages, both symbols and words.

use crate::text::{Code, Diagnostic};

use super::super::super::grammar::Expected;
use super::super::super::keyword::{begins_assignment, first_word, is_keyword, is_word_char};
use super::Failure;
use super::structure::innermost_bracket;

/// The help on how to concatenate texts.
const JOINED: &str = "write `+`, which joins texts and lists and adds numbers";

/// An operator of another language.
struct Foreign {
    mark: &'static str,
    /// The help; that of a symbol follows `write`.
    help: &'static str,
    /// The operator that can replace it as it stands.
    same: Option<&'static str>,
}

impl Foreign {
    /// Suggests the operator that can replace this one, if there is one.
    fn replaced(&self, finding: Diagnostic) -> Diagnostic {
        match self.same {
            Some(same) => finding.instead(same),
            None => finding,
        }
    }
}

/// Words that other languages write between two values, in lower case, and what to write instead.
const WORDS: [Foreign; 18] = [
    Foreign { mark: "div", help: "write `FLOOR(a / b)` for a whole number", same: None },
    Foreign { mark: "mod", help: "write `a % b`", same: Some("%") },
    Foreign { mark: "xor", help: "write `a != b` for two conditions, `a ^ b` for whole numbers", same: None },
    Foreign { mark: "pow", help: "write `a ** b`", same: Some("**") },
    Foreign { mark: "is", help: "write `==`, or `!=` for `is not`", same: Some("==") },
    Foreign { mark: "isnt", help: "write `!=`", same: Some("!=") },
    Foreign { mark: "eq", help: "write `==`", same: Some("==") },
    Foreign { mark: "equals", help: "write `==`", same: Some("==") },
    Foreign { mark: "ne", help: "write `!=`", same: Some("!=") },
    Foreign { mark: "lt", help: "write `<`", same: Some("<") },
    Foreign { mark: "le", help: "write `<=`", same: Some("<=") },
    Foreign { mark: "gt", help: "write `>`", same: Some(">") },
    Foreign { mark: "ge", help: "write `>=`", same: Some(">=") },
    Foreign { mark: "contains", help: "write `STR.Contains(text, part)`, or `value IN list`", same: None },
    Foreign { mark: "has", help: "write `\"key\" IN map`", same: None },
    Foreign { mark: "matches", help: "write `REGEX.Match(text, pattern)`", same: None },
    Foreign { mark: "like", help: "write `REGEX.Match(text, pattern)`, or `STR.Contains(text, part)`", same: None },
    Foreign { mark: "instanceof", help: "write `TYPEOF(value) == \"list\"`", same: None },
];

/// Operators of other languages, and what to write instead.
const MARKS: [Foreign; 19] = [
    Foreign { mark: "===", help: "`==`", same: Some("==") },
    Foreign { mark: "!==", help: "`!=`", same: Some("!=") },
    Foreign { mark: "==", help: "`==` between two values", same: None },
    Foreign { mark: "=>", help: "`>=`", same: Some(">=") },
    Foreign { mark: "=<", help: "`<=`", same: Some("<=") },
    Foreign { mark: "&&", help: "`AND`", same: Some("AND") },
    Foreign { mark: "||", help: "`OR`", same: Some("OR") },
    Foreign { mark: "<>", help: "`!=`", same: Some("!=") },
    Foreign { mark: "+=", help: "`SET x = x + …`", same: None },
    Foreign { mark: "-=", help: "`SET x = x - …`", same: None },
    Foreign { mark: "*=", help: "`SET x = x * …`", same: None },
    Foreign { mark: "/=", help: "`SET x = x / …`", same: None },
    Foreign { mark: "++", help: "`SET x = x + 1`", same: None },
    Foreign { mark: "->", help: "`.name` or `[\"name\"]`", same: None },
    Foreign { mark: "<<", help: "`* 2 ** n`", same: None },
    Foreign { mark: ">>", help: "`/ 2 ** n`", same: None },
    Foreign { mark: "!", help: "`NOT`", same: Some("NOT ") },
    Foreign { mark: "=", help: "`==` to compare", same: Some("==") },
    Foreign { mark: "?", help: "an IF block", same: None },
];

impl Failure<'_> {
    /// Returns the finding for an operator of another language at the position of failure.
    pub(super) fn operator_mistake(&self) -> Option<Diagnostic> {
        self.joint().or_else(|| self.word_operator()).or_else(|| self.mark_operator())
    }

    /// Matches `"a" ++ b`, `"a" . "b"` and `"a" .. "b"`.
    fn joint(&self) -> Option<Diagnostic> {
        let blanks = [' ', '\t'];
        // pest takes the first character for an operator, or for the dot of a field.
        let before = self.text[..self.at].trim_end_matches(blanks).trim_end_matches(['+', '.']);
        let after = &self.text[before.len()..];
        let mark = ["++", "..", "."].into_iter().find(|mark| after.starts_with(mark))?;
        let right = after[mark.len()..].trim_start_matches(blanks);
        let is_text = |c: char| matches!(c, '"' | '\'' | '`');
        let is_joint = match mark {
            "++" => right.starts_with(|c| is_word_char(c) || is_text(c) || matches!(c, '[' | '(' | '{')),
            _ => before.trim_end_matches(blanks).ends_with(is_text) || right.starts_with(is_text),
        };
        let at = before.len();
        let message = || format!("`{mark}` is not an operator here");
        let finding = || Diagnostic::error(Code::WrongOperator, self.span(at, mark.len()), message());
        is_joint.then(|| finding().help(JOINED).instead("+"))
    }

    /// Matches `a div b` and `a is b`.
    fn word_operator(&self) -> Option<Diagnostic> {
        let word = first_word(self.rest());
        let lower = word.to_ascii_lowercase();
        let foreign = WORDS.iter().find(|foreign| foreign.mark == lower)?;
        let has_operands = self.wanted.contains(&Expected::Operator) && self.rest().len() > word.len();
        let message = format!("`{word}` is not an operator here");
        let is_two_words = lower == "is" && is_keyword(first_word(self.rest()[word.len()..].trim_start()), "NOT");
        let finding = || self.error(Code::WrongOperator, word.len(), message).help(foreign.help);
        has_operands.then(|| if is_two_words { finding() } else { foreign.replaced(finding()) })
    }

    fn mark_operator(&self) -> Option<Diagnostic> {
        // pest may have taken the first one or two characters for a valid operator.
        let starts = (0..=2).rev().filter_map(|back| self.at.checked_sub(back));
        let whole = |at: usize| {
            let text = self.text.get(at..)?;
            let covers = |mark: &str| text.starts_with(mark) && at + mark.len() > self.at;
            MARKS.iter().find(|foreign| covers(foreign.mark)).map(|foreign| (at, foreign))
        };
        let (at, foreign) = starts.filter_map(whole).find(|(_, foreign)| foreign.mark != "==")?;
        let found = foreign.mark;
        let message = format!("`{found}` is not an operator here");
        let finding = Diagnostic::error(Code::WrongOperator, self.span(at, found.len()), message);
        let bracket = innermost_bracket(&self.text[..at]);
        if let Some(help) = self.chained_assignment(at).filter(|_| found == "=" && bracket.is_none()) {
            return Some(finding.help(help));
        }
        let is_head = ["DEFINE", "FUNC"].iter().any(|word| is_keyword(first_word(self.text), word));
        Some(match found {
            "=" if is_head => finding.help("write `name: 2` for a default").instead(":"),
            "=" if bracket == Some('{') => finding.help("write `:` between a key and its value").instead(":"),
            "=" if bracket == Some('(') => finding.help("write `name: value` for an argument by name, `==` to compare"),
            _ => foreign.replaced(finding.help(format!("write {}", foreign.help))),
        })
    }

    /// Matches `EMIT 1; EMIT 2`, `EMIT 1;` and `IF x; THEN`.
    pub(super) fn semicolon(&self) -> Option<Diagnostic> {
        let next = self.rest().strip_prefix(';')?.trim_matches([' ', '\t', ';']);
        let goes_on = ["THEN", "DO"].iter().any(|word| is_keyword(first_word(next), word));
        let finding = self.error(Code::WrongOperator, 1, "there is no `;` here");
        Some(if next.is_empty() || goes_on {
            finding.help("remove it: a statement ends with its line").instead("")
        } else {
            let next: String = next.chars().take(60).collect();
            finding.help(format!("a statement ends with its line: write `{next}` on a line of its own"))
        })
    }

    /// Matches `SET x, y = 1, 2`.
    pub(super) fn several_values(&self) -> Option<String> {
        let values = self.values_of_set()?;
        let is_list = self.rest().starts_with(',') && innermost_bracket(&self.text[..self.at]).is_none();
        let (before, values) = (self.text[..self.text.len() - values.len()].trim_end(), values.trim());
        (is_list && values.len() < 60).then(|| format!("write one list: `{before} [{values}]`"))
    }

    /// Matches `SET x = y = 1`.
    fn chained_assignment(&self, at: usize) -> Option<String> {
        let values = self.values_of_set()?;
        let start = self.text.len() - values.len();
        let inner = self.text.get(start..at).map(str::trim)?;
        let value = self.text[at + 1..].trim();
        let word = first_word(self.text);
        let target = self.text[word.len()..start].trim_end_matches('=').trim();
        let is_name = !inner.is_empty() && inner.chars().all(|c| is_word_char(c) || c == '.');
        let is_simple = is_name && !value.is_empty() && value.len() < 60;
        is_simple.then(|| format!("write two lines: `{word} {inner} = {value}` and `{word} {target} = {inner}`"))
    }

    /// Returns the text behind the `=` of a SET.
    fn values_of_set(&self) -> Option<&str> {
        let word = first_word(self.text);
        let equals = self.text.find('=').filter(|_| begins_assignment(word))?;
        Some(&self.text[equals + 1..])
    }

    /// Matches `SET x 6`, `SET x to 6` and `SET x := 6`.
    pub(super) fn assignment_without_equals(&self) -> Option<String> {
        let word = first_word(self.text);
        if !begins_assignment(word) || !self.wanted.contains(&Expected::Mark("=")) {
            return None;
        }
        let place = self.text[word.len()..self.at].trim();
        let rest = self.rest().trim();
        let joint = first_word(rest);
        let value = match joint.to_ascii_lowercase().as_str() {
            "to" | "as" | "be" => &rest[joint.len()..],
            _ => rest.trim_start_matches([':', '=', '<', '-', '~']),
        };
        let value = if value.trim().is_empty() { "…" } else { value.trim() };
        Some(format!("{word} {place} = {value}"))
    }
}
