//! The keywords that can follow an unfinished line, for completion.

use pest::Parser as _;

use super::super::grammar::{Expected, Grammar, Rule};
use super::super::keyword::{CONSTANTS, HEAD_WORDS, first_word};
use super::mistake::Failure;

/// Maximum length in bytes of a line; longer ones are not looked at, so that an answer takes some milliseconds at most.
const MAX_LENGTH: usize = 4 << 10;
/// A character that no rule accepts.
const STOP: char = '\u{1}';

/// Returns the keywords that can follow an unfinished logical line without comments, in upper case and sorted.
pub fn next_words(line: &str) -> Vec<String> {
    let Some(wanted) = expected_after(line) else { return Vec::new() };
    let before_not = || line.trim_end().strip_suffix("NOT").or_else(|| line.trim_end().strip_suffix("not"));
    // The grammar reads the two words of `NOT IN` as one.
    if wanted.is_empty() && before_not().and_then(expected_after).is_some_and(|w| w.contains(&Expected::Operator)) {
        return vec!["IN".to_owned()];
    }
    let mut words = Vec::new();
    for item in wanted {
        match item {
            Expected::Expression => {
                words.extend(["CALL", "NOT"].map(str::to_owned));
                words.extend(CONSTANTS.iter().filter(|word| **word != "NULL").map(|word| (*word).to_owned()));
            }
            Expected::Operator => words.extend(["AND", "OR", "IN", "NOT"].map(str::to_owned)),
            Expected::Mark(mark) if mark.chars().all(char::is_alphabetic) => words.push(mark.to_uppercase()),
            _ => {}
        }
    }
    // The grammar names a whole signature where it may begin, and not its words.
    let head = first_word(line).to_ascii_uppercase();
    let of_head = HEAD_WORDS.iter().filter(|(known, _)| *known == head).flat_map(|(_, words)| *words);
    words.extend(of_head.filter(|word| continues(line, word)).map(|word| (*word).to_owned()));
    words.sort();
    words.dedup();
    words
}

/// Whether a line can go on with a keyword and a name.
fn continues(line: &str, word: &str) -> bool {
    let text = format!("{line} {word} x");
    Grammar::parse(Rule::line, &text).map_or_else(|error| Failure::of(&error, &text, 0).at == text.len(), |_| true)
}

/// Returns the constructs that can follow a line: none if it is wrong before its end, and `None` if it is too long.
fn expected_after(line: &str) -> Option<Vec<Expected>> {
    if line.len() > MAX_LENGTH {
        return None;
    }
    let text = format!("{line} {STOP}");
    let Err(error) = Grammar::parse(Rule::line, &text) else { return Some(Vec::new()) };
    let failure = Failure::of(&error, &text, 0);
    Some(if text[failure.at..].trim_start() == STOP.to_string() { failure.wanted } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::next_words;

    #[test]
    fn words_are_those_of_the_grammar() {
        let value = ["ARGS", "CALL", "FALSE", "LAST", "LAST_ERROR", "NIL", "NOT", "TRUE"];
        let operator = ["AND", "IN", "NOT", "OR"];
        let with = |word: &'static str| {
            let mut words = operator.to_vec();
            words.push(word);
            words.sort_unstable();
            words
        };
        for line in ["EMIT", "EMIT a,", "SET x =", "IF", "WHILE a +", "EMIT F(", "EMIT [1,", "RETURN", "MUST NOT"] {
            assert_eq!(next_words(line), value, "{line}");
        }
        for line in ["EMIT a", "SET x = F(1)", "MUST a AND b", "EMIT F(a"] {
            assert_eq!(next_words(line), operator, "{line}");
        }
        assert_eq!(next_words("IF a"), with("THEN"));
        assert_eq!(next_words("ELSE IF a"), with("THEN"));
        assert_eq!(next_words("WHILE a"), with("DO"));
        assert_eq!(next_words("FOR EACH a IN b"), with("DO"));
        assert_eq!(next_words("EMIT a NOT"), ["IN"]);
        assert_eq!(next_words("FOR"), ["EACH"]);
        assert_eq!(next_words("FOR EACH a"), ["IN"]);
        assert_eq!(next_words("ON"), ["ERROR"]);
        assert_eq!(next_words("ON ERROR"), ["AS", "DO"]);
        assert_eq!(next_words("DEFINE"), ["PROCEDURE"]);
        assert_eq!(next_words("DEFINE PROCEDURE F"), ["NEEDS", "OPTIONAL", "RETURNS"]);
        assert_eq!(next_words("define procedure f needs a optional b"), ["RETURNS"]);
        assert_eq!(next_words("FUNC F NEEDS a"), ["MEANS", "OPTIONAL", "RETURNS"]);
        assert_eq!(next_words("USE \"a.ns\""), ["AS"]);
        for line in ["SET", "SET x", "EMIT 1 2", "nonsense here", "IF a THEN", "BREAK", "FOR EACH"] {
            assert_eq!(next_words(line), Vec::<String>::new(), "{line}");
        }
    }
}
