//! Escaping of text for HTML and XML.

/// Escapes markup. `put` writes the characters for which `is_strange` is true.
pub fn escaped(text: &str, is_strange: fn(char) -> bool, put: fn(char, &mut String)) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if is_strange(c) => put(c, &mut escaped),
            c => escaped.push(c),
        }
    }
    escaped
}
