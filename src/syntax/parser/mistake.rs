//! What a line that does not parse probably meant.
//!
//! pest says how far it came and what it tried there; this file turns that into one finding, and
//! first looks for the mistakes that people and models make: operators and words of other
//! languages, a missing `CALL` or `SET`, a block on one line.

use pest::error::{Error, ErrorVariant, InputLocation};

use crate::text::{Code, Diagnostic, Span, nearest, safe};

use super::super::grammar::{Expected, Rule, expected};
use super::super::keyword::{STATEMENT_WORDS, first_word, is_keyword, is_reserved, is_uniform, is_word_char};

/// A line that failed: its text, where pest gave up, and the offset of the line.
struct Failure<'a> {
    text: &'a str,
    at: usize,
    base: usize,
}

/// The finding for a line that does not parse.
pub fn explain(error: &Error<Rule>, text: &str, base: usize) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) => at,
        InputLocation::Span((at, _)) => at,
    };
    let failure = Failure { text, at, base };
    failure
        .statement_mistake()
        .or_else(|| failure.operator_mistake())
        .or_else(|| failure.structure_mistake())
        .unwrap_or_else(|| failure.plain(error))
}

impl<'a> Failure<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The token at the place of failure, as a message shows it, and its span.
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

    /// Mistakes in the first word of a line.
    fn statement_mistake(&self) -> Option<Diagnostic> {
        let word = first_word(self.text);
        let after = self.text[word.len()..].trim_start_matches([' ', '\t']);
        let at_word = |code, message: String| Diagnostic::error(code, self.span(0, word.len().max(1)), message);
        if word.is_empty() {
            return self.first_mark();
        }
        if let Some(finding) = other_dialect(word, after, &at_word) {
            return Some(finding);
        }
        if is_statement_word(word) {
            return None;
        }
        if let Some(finding) = assignment_or_call(word, after, &at_word) {
            return Some(finding);
        }
        if let Some((meant, example)) = other_language(word) {
            let finding = at_word(Code::UnknownStatement, format!("`{word}` is not a statement of this language"));
            return Some(finding.help(format!("write `{meant}`: `{example}`")));
        }
        let finding = at_word(Code::UnknownStatement, format!("expected a statement, found `{}`", safe::name(word)));
        let upper = word.to_uppercase();
        Some(match nearest(&upper, STATEMENT_WORDS) {
            Some(keyword) if !is_uniform(word) && upper == *keyword => finding.help(format!(
                "write `{keyword}` or `{}`: keywords are all upper or all lower case",
                keyword.to_lowercase()
            )),
            Some(keyword) => finding.help(format!("did you mean `{keyword}`?")),
            None => finding
                .help("a line begins with a word such as `SET`, `EMIT`, `CALL`, `IF`, `WHILE`, `FOR EACH` or `END`"),
        })
    }

    /// A line that begins with no word at all.
    fn first_mark(&self) -> Option<Diagnostic> {
        let finding = |message: &str| Diagnostic::error(Code::UnknownStatement, self.span(0, 1), message);
        match self.text.chars().next()? {
            '}' => Some(finding("`}` closes no block here").help("blocks are closed with `END`")),
            '{' => Some(
                finding("`{` opens no block here").help("blocks begin with `IF … THEN`, `WHILE … DO`, `FOR EACH … DO`"),
            ),
            ';' => Some(finding("there is no `;` here").help("remove it: a statement ends with its line")),
            _ => None,
        }
    }

    /// Operators of other languages at the place of failure.
    fn operator_mistake(&self) -> Option<Diagnostic> {
        const MISTAKES: [(&str, &str); 19] = [
            ("===", "`==`"),
            ("!==", "`!=`"),
            ("==", "`==` between two values"),
            ("=>", "`>=`"),
            ("=<", "`<=`"),
            ("&&", "`AND`"),
            ("||", "`OR`"),
            ("<>", "`!=`"),
            ("+=", "`SET x = x + …`"),
            ("-=", "`SET x = x - …`"),
            ("*=", "`SET x = x * …`"),
            ("/=", "`SET x = x / …`"),
            ("++", "`SET x = x + 1`"),
            ("->", "`.name` or `[\"name\"]`"),
            ("<<", "`* 2 ** n`"),
            (">>", "`/ 2 ** n`"),
            ("!", "`NOT`"),
            ("=", "`==` to compare"),
            ("?", "an IF block"),
        ];
        let rest = self.rest();
        let (found, meant) =
            MISTAKES.iter().find(|(mark, _)| rest.starts_with(mark)).or_else(|| self.mistake_before(&MISTAKES))?;
        let at = if rest.starts_with(found) { self.at } else { self.at - 1 };
        if *found == "==" {
            return None;
        }
        let message = format!("`{found}` is not an operator here");
        let finding = Diagnostic::error(Code::WrongOperator, self.span(at, found.len()), message);
        Some(finding.help(format!("write {meant}")))
    }

    /// An operator whose first character pest took for one of ours: `&&`, `||`, `<>`.
    fn mistake_before<'m>(&self, mistakes: &'m [(&'m str, &'m str)]) -> Option<&'m (&'m str, &'m str)> {
        let before = self.at.checked_sub(1).filter(|&at| self.text.is_char_boundary(at))?;
        mistakes.iter().find(|(mark, _)| mark.len() > 1 && *mark != "==" && self.text[before..].starts_with(mark))
    }

    /// `;`, one-line blocks, keys without quotes, words in mixed case.
    fn structure_mistake(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        if rest.starts_with(';') {
            return Some(
                self.error(Code::WrongOperator, 1, "there is no `;` here")
                    .help("remove it: a statement ends with its line"),
            );
        }
        if let Some(finding) = self.one_line_block() {
            return Some(finding);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number_with_letters();
        }
        if let Some(finding) = self.one_sided_point() {
            return Some(finding);
        }
        let word = first_word(rest);
        let after_word = rest[word.len()..].trim_start_matches([' ', '\t']);
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        if !word.is_empty() && after_word.starts_with(':') && before.ends_with(['{', ',']) {
            let finding = self.error(Code::MapKey, word.len(), format!("expected a key in quotes, found `{word}`"));
            return Some(finding.help(format!("write `{{\"{word}\": …}}`")));
        }
        if is_dialect_word(before) && !word.is_empty() {
            let dialect = before.rsplit(|c: char| !is_word_char(c)).next().unwrap_or(before);
            let message = format!("`{dialect} {word}` belongs to another dialect");
            let at = before.len() - dialect.len();
            let finding = Diagnostic::error(Code::OtherDialect, self.span(at, self.at + word.len() - at), message);
            return Some(finding.help("compare with `== nil`, `\"\"`, `[]` or `{}`, or test the value itself"));
        }
        if self.text[..self.at].contains("[[") && !word.is_empty() {
            let at = self.text.find("[[").expect("the text was just searched");
            let finding =
                Diagnostic::error(Code::OtherDialect, self.span(at, 2), "texts in `[[…]]` belong to another dialect");
            return Some(
                finding.help("write the text in `\"…\"` or `'''…'''`; between elements of a list write commas"),
            );
        }
        None
    }

    /// `5x`, `1.`, `0x1F`
    fn number_with_letters(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        let length = rest.find(|c: char| !(is_word_char(c) || c == '.')).unwrap_or(rest.len());
        let token = &rest[..length];
        let plain = token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        if plain || is_number_before(&self.text[..self.at]) {
            return None;
        }
        let finding = self.error(Code::BadNumber, length, format!("`{token}` is neither a number nor a name"));
        Some(finding.help("a number with a point has digits on both sides of it; a name begins with a letter or `_`"))
    }

    /// `1.` and `.5`
    fn one_sided_point(&self) -> Option<Diagnostic> {
        let (before, rest) = (&self.text[..self.at], self.rest());
        let digit = |c: char| c.is_ascii_digit();
        let (start, length) = match () {
            () if rest.starts_with('.') && rest[1..].starts_with(digit) => {
                (self.at, 1 + rest[1..].find(|c| !digit(c)).unwrap_or(rest.len() - 1))
            }
            () if before.strip_suffix('.').is_some_and(|digits| digits.ends_with(digit)) => (before.len() - 1, 1),
            () => return None,
        };
        let finding = Diagnostic::error(
            Code::BadNumber,
            self.span(start, length),
            "a number with a point has digits on both sides of it",
        );
        Some(finding.help("write `0.5` or `1.0`"))
    }

    /// Text after `THEN`, `DO`, `ELSE`, `means` or a closer.
    fn one_line_block(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        let word = before.rsplit(|c: char| !is_word_char(c)).next()?;
        let opens = ["THEN", "DO", "ELSE", "MEANS"].iter().any(|keyword| is_keyword(word, keyword));
        let closes = word.len() >= 3 && word[..3].eq_ignore_ascii_case("end") && before == word;
        if rest.is_empty() || !(opens || closes) {
            return None;
        }
        let finding = self.error(Code::OneLineBlock, rest.len(), format!("only a comment may follow `{word}`"));
        let body = rest.strip_suffix("END").or_else(|| rest.strip_suffix("end")).unwrap_or(rest).trim();
        Some(match opens {
            true => finding.help(format!("write it on three lines:\n{before}\n  {body}\nEND")),
            false => finding.help("put it on a line of its own"),
        })
    }

    /// Expected this or that, found the other.
    fn plain(&self, error: &Error<Rule>) -> Diagnostic {
        let (found, span) = self.found();
        let mut wanted: Vec<Expected> = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.iter().map(|&rule| expected(rule)).collect(),
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        wanted.sort();
        wanted.dedup();
        wanted.retain(|&item| item != Expected::Hidden);
        if wanted.contains(&Expected::Operator) {
            wanted.retain(|item| *item != Expected::Mark("("));
        }
        if wanted.contains(&Expected::Expression) {
            wanted.retain(|item| !matches!(item, Expected::Mark("(" | "\"key\"")));
        }
        let word = first_word(self.rest());
        if wanted.contains(&Expected::Name) && is_reserved(word) {
            let message = format!("expected a name, found the reserved word `{word}`");
            return Diagnostic::error(Code::ReservedName, span, message).help("choose another name");
        }
        let message = match wanted.is_empty() {
            true => format!("{found} does not fit here"),
            false => format!("expected {}, found {found}", list(&wanted)),
        };
        let finding = Diagnostic::error(Code::UnexpectedText, span, message);
        match self.help(&wanted) {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    fn help(&self, wanted: &[Expected]) -> Option<String> {
        let word = first_word(self.rest());
        let keyword = wanted.iter().find_map(|item| match item {
            Expected::Mark(mark) if word.eq_ignore_ascii_case(mark) => Some(*mark),
            _ => None,
        });
        if let Some(keyword) = keyword {
            let (upper, lower) = (keyword.to_uppercase(), keyword.to_lowercase());
            return Some(format!("write `{upper}` or `{lower}`: keywords are all upper or all lower case"));
        }
        let first = first_word(self.text);
        if is_keyword(first, "FOR") && wanted.contains(&Expected::Mark("EACH")) {
            return Some("write `FOR EACH x IN list DO`; to count, `FOR EACH i IN RANGE(10) DO`".to_owned());
        }
        if is_keyword(first, "CALL") {
            return Some("write `CALL Name(…)`: the parentheses are needed, and nothing may follow them".to_owned());
        }
        let ends_here = wanted.contains(&Expected::EndOfLine) && wanted.contains(&Expected::Operator);
        ends_here
            .then(|| "one statement stands on a line; values are joined by an operator or parted by `,`".to_owned())
    }
}

/// `a`, `a or b`, `a, b or c`
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

/// Whether a value stands right before, so that what follows it is not at fault itself.
fn is_number_before(before: &str) -> bool {
    before
        .trim_end_matches([' ', '\t'])
        .ends_with(|c: char| is_word_char(c) || matches!(c, ')' | ']' | '}' | '"' | '\''))
        && !is_keyword(first_word(before), before.trim())
}

fn is_statement_word(word: &str) -> bool {
    STATEMENT_WORDS.iter().any(|keyword| is_keyword(word, keyword))
}

fn quoted_length(text: &str) -> usize {
    let quote = text.chars().next().unwrap_or('"');
    text[1..].find(quote).map_or(1, |at| at + 2)
}

/// Whether a text ends in one of the words `no` and `some`, which other dialects put before a value.
fn is_dialect_word(text: &str) -> bool {
    let word = text.rsplit(|c: char| !is_word_char(c)).next().unwrap_or(text);
    ["NO", "SOME"].iter().any(|dialect| is_keyword(word, dialect))
}

/// Statements of other dialects of the language.
fn other_dialect(word: &str, after: &str, at_word: &dyn Fn(Code, String) -> Diagnostic) -> Option<Diagnostic> {
    let help = match word.to_ascii_lowercase().as_str() {
        "ask" | "promptuser" | "whisper" if !after.starts_with(['=', '.', '[']) => {
            "scripts here ask nobody; give values as arguments: `ns run FILE -- VALUE`"
        }
        "clear_event" => "events are not part of this language",
        "on" if is_keyword(first_word(after), "EVENT") => {
            "events are not part of this language; `ON ERROR DO` handles errors"
        }
        _ => return None,
    };
    let shown = if word.eq_ignore_ascii_case("on") { "on event" } else { word };
    Some(at_word(Code::OtherDialect, format!("`{shown}` belongs to another dialect")).help(help))
}

/// `x = 1`, `x += 1`, `f(1)` as a line.
fn assignment_or_call(word: &str, after: &str, at_word: &dyn Fn(Code, String) -> Diagnostic) -> Option<Diagnostic> {
    let target_end = after.find('=').unwrap_or(0);
    let target = after[..target_end].trim_end();
    let compound = target.ends_with(['+', '-', '*', '/', '%']);
    let is_target = target.is_empty() || target.starts_with(['[', '.', ',']) || compound || target == ":";
    let compares = after[target_end..].starts_with("==") || target.ends_with(['<', '>', '!']);
    if after.contains('=') && is_target && !compares && !target.contains('(') {
        let value = after[target_end + 1..].trim();
        let place = format!("{word}{}", target.trim_end_matches([':', '+', '-', '*', '/', '%', ' ']));
        if compound {
            let op = &target[target.len() - 1..];
            let finding = at_word(Code::WrongOperator, format!("`{op}=` is not an operator here"));
            return Some(finding.help(format!("write `SET {place} = {place} {op} {value}`")));
        }
        let finding = at_word(Code::MissingCallOrSet, "an assignment begins with `SET`".to_owned());
        return Some(finding.help(format!("write `SET {place} = {value}`")));
    }
    if after.starts_with('(') || (after.starts_with('.') && after.contains('(')) {
        // `print(x)` is better answered with the word it stands for.
        if other_language(word).is_some() {
            return None;
        }
        let line: String = after.chars().take(60).collect();
        let finding = at_word(Code::MissingCallOrSet, "a call on a line of its own begins with `CALL`".to_owned());
        return Some(finding.help(format!("write `CALL {word}{line}`")));
    }
    if after.starts_with("++") || after.starts_with("--") {
        let finding = at_word(Code::WrongOperator, "there is no `++` or `--` here".to_owned());
        return Some(finding.help(format!("write `SET {word} = {word} + 1`")));
    }
    None
}

/// What a first word of other languages is called here, with an example.
fn other_language(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word.to_ascii_lowercase().as_str() {
        "print" | "println" | "echo" | "puts" | "say" | "printf" | "log" | "display" | "output" => {
            ("EMIT", "EMIT \"size: \", n")
        }
        "let" | "const" | "local" | "dim" | "int" | "string" | "float" | "list" | "map" => ("SET", "SET x = 1"),
        "elif" | "elseif" | "elsif" => ("ELSE IF", "ELSE IF n > 1 THEN"),
        "foreach" | "each" | "loop" | "repeat" => ("FOR EACH", "FOR EACH x IN list DO"),
        "until" => ("WHILE NOT", "WHILE NOT done DO"),
        "unless" => ("IF NOT", "IF NOT ready THEN"),
        "function" | "def" | "fn" | "proc" | "procedure" | "sub" => ("DEFINE PROCEDURE", "DEFINE PROCEDURE Name(a, b)"),
        "try" | "catch" | "except" | "finally" => ("ON ERROR", "ON ERROR AS err DO"),
        "throw" | "raise" | "error" | "panic" | "die" => ("FAIL", "FAIL \"message\""),
        "assert" | "require" | "ensure" => ("MUST", "MUST ok, \"message\""),
        "exit" | "quit" => ("RETURN", "RETURN"),
        "next" => ("CONTINUE", "CONTINUE"),
        "endloop" | "fi" | "done" | "esac" | "wend" => ("END", "END"),
        _ => return None,
    })
}
