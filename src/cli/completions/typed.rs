//! The words of a command line that is being typed in bash: quotes may still be open.

use std::ffi::OsString;
use std::iter::Peekable;
use std::str::Chars;

/// Returns the words after the command of a line; the last one is being typed, and may be empty.
pub fn words_after_command(line: &str) -> Vec<OsString> {
    let words = words(line);
    let is_assignment = |word: &&String| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let before = words.iter().take_while(is_assignment).count();
    words.into_iter().skip(before + 1).map(OsString::from).collect()
}

fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_begun = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        if matches!(c, ' ' | '\t' | '\n') {
            if std::mem::take(&mut is_begun) {
                words.push(String::new());
            }
            continue;
        }
        is_begun = true;
        let Some(word) = words.last_mut() else { break };
        match c {
            '\\' => word.extend(rest.next()),
            '\'' => word.extend(rest.by_ref().take_while(|c| *c != '\'')),
            '"' => double_quoted(&mut rest, word),
            '$' if rest.next_if_eq(&'\'').is_some() => escaped(&mut rest, word),
            c => word.push(c),
        }
    }
    words
}

/// Adds a text in double quotes, in which a backslash only counts before a few characters.
fn double_quoted(rest: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(c) = rest.next().filter(|c| *c != '"') {
        let next = rest.next_if(|next| c == '\\' && matches!(next, '"' | '\\' | '$' | '`'));
        word.push(next.unwrap_or(c));
    }
}

/// Adds a text in `$'…'`, in the spellings that bash writes itself.
fn escaped(rest: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(c) = rest.next().filter(|c| *c != '\'') {
        match (c, rest.next_if(|_| c == '\\')) {
            (_, Some('n')) => word.push('\n'),
            (_, Some('t')) => word.push('\t'),
            (_, Some('r')) => word.push('\r'),
            (_, Some(c)) => word.push(c),
            (c, None) => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words_after_command;

    #[test]
    fn words_are_those_that_bash_would_pass() {
        for (line, wanted) in [
            ("ns", &[][..]),
            ("ns ", &[""]),
            ("ns run 'my scripts/tidy up.ns' --ne", &["run", "my scripts/tidy up.ns", "--ne"]),
            ("ns run \"it's \\$5\".ns ", &["run", "it's $5.ns", ""]),
            ("ns my\\ scr\\'t.ns a\\;b", &["my scr't.ns", "a;b"]),
            ("X=1 Y='a b' ns  tidy.ns --a=b", &["tidy.ns", "--a=b"]),
            ("ns $'a\\'b\\n' \"open quo", &["a'b\n", "open quo"]),
            ("ns 'f\u{fc}r' ''", &["f\u{fc}r", ""]),
        ] {
            assert_eq!(words_after_command(line), wanted, "{line}");
        }
    }
}
