//! The layout of paragraphs and examples on pages.

/// Maximum number of bytes of a line.
const WIDTH: usize = 96;

/// Wraps a text into lines of at most 96 bytes. Each line of the text is wrapped by itself, so paragraphs that an empty
/// line separates stay apart, and so do the items of a list, which begin with `- `.
pub fn wrapped(text: &str) -> String {
    text.lines().map(wrapped_line).collect::<Vec<_>>().join("\n")
}

/// Wraps a line. What follows the first line of an item is indented.
fn wrapped_line(text: &str) -> String {
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + 1 + word.len() > WIDTH {
            lines.push(format!("{indent}{word}"));
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.join("\n")
}

/// Indents each line of a text by two spaces.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn paragraphs_and_items_stay_apart() {
        let long = "word ".repeat(24);
        let text = format!("One  paragraph.\n\nAnother one:\n- an item {long}\n- the last");
        let twelve = "word ".repeat(17);
        let seven = "word ".repeat(7);
        let items = format!("- an item {}\n  {}", twelve.trim_end(), seven.trim_end());
        assert_eq!(wrapped(&text), format!("One paragraph.\n\nAnother one:\n{items}\n- the last"));
        assert!(wrapped(&text).lines().all(|line| line.len() <= 96));
    }
}
