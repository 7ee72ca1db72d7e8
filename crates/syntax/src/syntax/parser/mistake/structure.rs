//! Structural mistakes at the position of failure: blocks on one line, numbers, keys.

use crate::text::{Code, Diagnostic, Edit};

use super::super::super::foreign::ForeignWord;
use super::super::super::keyword::{dotted_word, first_word, is_keyword, is_word_char};
use super::super::closer::closer_role;
use super::Failure;

impl Failure<'_> {
    /// Returns the finding for `;`, one-line blocks, keys without quotes, or words in mixed case.
    pub(super) fn structure_mistake(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        if let Some(finding) = self.semicolon().or_else(|| self.one_line_block()).or_else(|| self.map_key()) {
            return Some(finding);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number_with_letters().filter(|_| !is_number_before(&self.text[..self.at]));
        }
        if let Some(finding) = self.one_sided_point() {
            return Some(finding);
        }
        let word = first_word(rest);
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        if is_dialect_word(before) && !word.is_empty() {
            let dialect = before.rsplit(|c: char| !is_word_char(c)).next().unwrap_or(before);
            let message = format!("`{dialect} {word}` belongs to another dialect");
            let at = before.len() - dialect.len();
            let finding = Diagnostic::error(Code::OtherDialect, self.span(at, self.at + word.len() - at), message);
            return Some(finding.help("compare with `== nil`, `\"\"`, `[]` or `{}`, or test the value itself"));
        }
        if self.text[..self.at].contains("[[") && !word.is_empty() {
            let at = self.text.find("[[").expect("the text was just searched");
            let inner = &self.text[at + 2..];
            let inner = inner.split("]]").next().unwrap_or(inner);
            let finding =
                Diagnostic::error(Code::OtherDialect, self.span(at, 2), "texts in `[[…]]` belong to another dialect");
            return Some(finding.help(format!(
                "write the text in quotes, `\"{}\"`, or of many lines in `'''…'''`; between elements of a list write commas",
                inner.replace('"', "\\\"")
            )));
        }
        None
    }

    /// Matches `5x`, `1.` and `0x1F`.
    pub(super) fn number_with_letters(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let token = dotted_word(rest);
        let plain = token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        if plain {
            return None;
        }
        let finding = self.error(Code::BadNumber, token.len(), format!("`{token}` is neither a number nor a name"));
        Some(finding.help("a number with a point has digits on both sides of it; a name begins with a letter or `_`"))
    }

    /// Matches `1.` and `.5`.
    fn one_sided_point(&self) -> Option<Diagnostic> {
        let (before, rest) = (&self.text[..self.at], self.rest());
        let digit = |c: char| c.is_ascii_digit();
        let (start, length) = if rest.starts_with('.') && rest[1..].starts_with(digit) {
            (self.at, 1 + rest[1..].find(|c| !digit(c)).unwrap_or(rest.len() - 1))
        } else if before.strip_suffix('.').is_some_and(|digits| digits.ends_with(digit)) {
            (before.len() - 1, 1)
        } else {
            return None;
        };
        let finding = Diagnostic::error(
            Code::BadNumber,
            self.span(start, length),
            "a number with a point has digits on both sides of it",
        );
        let whole = if start == self.at { format!("0{}", &rest[..length]) } else { ".0".to_owned() };
        Some(finding.help("write `0.5` or `1.0`").instead(&whole))
    }

    /// Matches a key that is not a text: `{k: 1}`, `{1: 2}`, `{[1]: 2}`.
    fn map_key(&self) -> Option<Diagnostic> {
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        if !before.ends_with(['{', ',']) || innermost_bracket(before) != Some('{') {
            return None;
        }
        let key = key_before_colon(self.rest()).filter(|key| !key.starts_with(['"', '\'']))?;
        let shown: String = key.chars().take(40).collect();
        let finding = self.error(Code::MapKey, key.len(), format!("expected a key in quotes, found `{shown}`"));
        Some(if key.chars().all(is_word_char) {
            finding.help(format!("write `{{\"{key}\": …}}`")).instead(&format!("\"{key}\""))
        } else {
            finding.help("keys are texts; for a key that is computed write `SET m[key] = value`")
        })
    }

    /// Matches text after `THEN`, `DO`, `ELSE`, `means` or a closer, and a whole block on one line.
    fn one_line_block(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        let word = before.rsplit(|c: char| !is_word_char(c)).next()?;
        let body = body_before_closer(rest);
        let opens = ["THEN", "DO", "ELSE", "MEANS"].iter().any(|keyword| is_keyword(word, keyword));
        let is_whole =
            body.is_some() && ["DEFINE", "COMMAND"].iter().any(|head| is_keyword(first_word(self.text), head));
        if rest.is_empty() {
            return None;
        }
        if opens || is_whole {
            let finding = if opens {
                self.error(Code::OneLineBlock, rest.len(), format!("only a comment may follow `{word}`"))
            } else {
                self.error(Code::OneLineBlock, rest.len(), "a block does not fit on one line")
            };
            let body = body.unwrap_or(rest);
            return Some(finding.help(format!("write it on three lines:\n{before}\n  {body}\nEND")));
        }
        if before != word || closer_role(word).is_none() {
            return None;
        }
        let finding = self.error(Code::OneLineBlock, rest.len(), format!("only a comment may follow `{word}`"));
        Some(match joined_closer(word, rest) {
            Some(closer) => {
                let edit = Edit { span: self.span(0, self.text.trim_end().len()), text: closer.clone() };
                finding.help(format!("write `{closer}`, or `END` alone")).suggest(Some(edit))
            }
            None => finding.help("put it on a line of its own"),
        })
    }
}

/// Returns `END IF` as one word.
fn joined_closer(word: &str, rest: &str) -> Option<String> {
    let kind = match rest.trim_end_matches([' ', '\t', ';', '.']).to_ascii_uppercase().as_str() {
        "FOR EACH" => "FOR".to_owned(),
        "ON ERROR" => "ON".to_owned(),
        other => match ForeignWord::of(other) {
            Some(ForeignWord::For) => "FOR".to_owned(),
            Some(ForeignWord::Function) => "FUNC".to_owned(),
            Some(ForeignWord::Procedure) => "PROCEDURE".to_owned(),
            _ => other.to_owned(),
        },
    };
    let closer = format!("END{kind}");
    let exists = closer_role(&closer).is_some() && word.eq_ignore_ascii_case("END");
    exists.then(|| if is_keyword(word, "END") && word == "end" { closer.to_lowercase() } else { closer })
}

/// Returns the text before the closer at the end of a line, if there is one.
fn body_before_closer(rest: &str) -> Option<&str> {
    let rest = rest.trim_end();
    let last = rest.rsplit(|c: char| !is_word_char(c)).next()?;
    closer_role(last)?;
    Some(rest[..rest.len() - last.len()].trim_end())
}

/// Returns the innermost bracket that is open at the end of a text.
pub(super) fn innermost_bracket(text: &str) -> Option<char> {
    let mut open = Vec::new();
    for (_, c) in outside_quotes(text) {
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// Returns the text up to the `:` on its own nesting level.
fn key_before_colon(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in outside_quotes(text) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return None,
            ':' if depth == 0 => return Some(text[..at].trim_end()).filter(|key| !key.is_empty()),
            _ => {}
        }
    }
    None
}

/// Returns the characters outside quotes.
pub(super) fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut escaped = false;
    text.char_indices().filter(move |&(_, c)| match quote {
        None => {
            quote = Some(c).filter(|c| matches!(c, '"' | '\''));
            quote.is_none()
        }
        Some(open) => {
            let closes = c == open && !escaped;
            escaped = c == '\\' && !escaped;
            quote = quote.filter(|_| !closes);
            false
        }
    })
}

/// Returns whether a value directly precedes, so that the number after it is not itself wrong.
fn is_number_before(before: &str) -> bool {
    before
        .trim_end_matches([' ', '\t'])
        .ends_with(|c: char| is_word_char(c) || matches!(c, ')' | ']' | '}' | '"' | '\''))
        && !is_keyword(first_word(before), before.trim())
}

/// Returns whether a text ends in `no` or `some`, which other dialects write before a value.
fn is_dialect_word(text: &str) -> bool {
    let word = text.rsplit(|c: char| !is_word_char(c)).next().unwrap_or(text);
    ["NO", "SOME"].iter().any(|dialect| is_keyword(word, dialect))
}
