//! Syntax highlighting of the typed line, based on the tokens of the language.

use std::borrow::Cow;

use crate::engine::{TokenKind, tokens};

/// Length in bytes from which a line is not highlighted, because it would take too long.
const MOST: usize = 256 << 10;

/// Returns a line with colour escapes. `before` holds the lines of its block above it.
pub fn colored<'l>(before: &str, line: &'l str) -> Cow<'l, str> {
    if line.is_empty() || line.len() + before.len() > MOST {
        return line.into();
    }
    if before.is_empty()
        && let Some(command) = super::commands::name_in(line)
    {
        let (name, rest) = line.split_at(command);
        return format!("\x1b[33m{name}\x1b[0m{rest}").into();
    }
    let whole: Cow<'_, str> = if before.is_empty() { line.into() } else { format!("{before}{line}").into() };
    let mut colored = String::with_capacity(line.len() * 2);
    let mut at = before.len();
    for token in tokens(&whole) {
        if token.end <= at {
            continue;
        }
        let start = token.start.max(at);
        colored.push_str(&whole[at..start]);
        match color(token.kind) {
            Some(color) => colored.push_str(&format!("\x1b[{color}m{}\x1b[0m", &whole[start..token.end])),
            None => colored.push_str(&whole[start..token.end]),
        }
        at = token.end;
    }
    colored.push_str(&whole[at..]);
    colored.into()
}

fn color(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Keyword => Some("35"),
        TokenKind::Constant | TokenKind::Number => Some("36"),
        TokenKind::Callee => Some("34"),
        TokenKind::Text { .. } => Some("32"),
        TokenKind::Comment => Some("90"),
        TokenKind::Name | TokenKind::Mark(_) => None,
    }
}
