//! Shell quoting, for command lines in messages and listings.

/// Returns the text as a shell word: in single quotes, unless it is plain.
pub fn shell_word(text: &str) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "/._-+,@:=%".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Returns the words as one command line of at most `most` characters; `…` stands for the rest.
pub fn shell_line<'a>(words: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut line = String::new();
    let mut left = most;
    for word in words {
        // Look at no more of a word than could be shown.
        let beginning: String = word.chars().take(left + 1).collect();
        let shown = shell_word(&beginning);
        let length = shown.chars().count() + usize::from(!line.is_empty());
        if length > left {
            line.push_str(if line.is_empty() { "…" } else { " …" });
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&shown);
        left -= length;
    }
    line
}

/// Returns the first word of a command line, without its quotes.
pub fn first_shell_word(line: &str) -> String {
    let (mut word, mut is_quoted) = (String::new(), false);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(characters.next()),
            ' ' if !is_quoted => break,
            other => word.push(other),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::{first_shell_word, shell_line, shell_word};

    #[test]
    fn a_shell_reads_the_same() {
        for (text, shown) in [("a.txt", "a.txt"), ("", "''"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("*", "'*'")] {
            assert_eq!(shell_word(text), shown);
        }
    }

    #[test]
    fn the_first_word_is_read_back() {
        for text in ["a.txt", "", "a b", "it's", "'", r"a\b", "ü"] {
            let word = shell_word(text);
            assert_eq!(first_shell_word(&word), text);
            assert_eq!(first_shell_word(&format!("{word} 'b c'")), text);
        }
    }

    #[test]
    fn a_long_line_is_cut_between_words() {
        assert_eq!(shell_line(["Photos", "--go", "a b"], 40), "Photos --go 'a b'");
        assert_eq!(shell_line(["Photos", "--go"], 8), "Photos …");
        assert_eq!(shell_line([&*"x".repeat(1 << 20)], 200), "…");
    }
}
