//! The shape of a literal map or list, as far as its keys go, in the form of a JSON Schema.

use std::ops::Range;

use serde_json::{Map, Value as Json, json};

use crate::engine::TokenKind;

use super::outline::Outline;

/// Maximum depth to which maps in maps are followed.
const MAX_DEPTH: usize = 16;

/// Returns the shape of the literal that tokens begin with; `None` if it is no list or map.
pub fn literal_shape(outline: &Outline<'_>, value: Range<usize>) -> Option<Json> {
    let shape = Reader { outline, at: value.start, end: value.end }.value(0);
    if shape.is_null() { None } else { Some(shape) }
}

struct Reader<'a> {
    outline: &'a Outline<'a>,
    at: usize,
    end: usize,
}

impl Reader<'_> {
    /// Reads a value up to the comma or bracket after it. Values other than lists and maps have the shape null.
    fn value(&mut self, depth: usize) -> Json {
        let shape = match self.kind() {
            Some(TokenKind::Mark('{')) if depth < MAX_DEPTH => self.map(depth),
            Some(TokenKind::Mark('[')) if depth < MAX_DEPTH => self.list(depth),
            _ => Json::Null,
        };
        let begun = self.at;
        self.skip();
        // An operator or an index behind a literal makes another value of it.
        if self.at > begun { Json::Null } else { shape }
    }

    fn map(&mut self, depth: usize) -> Json {
        self.at += 1;
        let mut properties = Map::new();
        while self.kind().is_some_and(|kind| kind != TokenKind::Mark('}')) {
            let key = match self.kind() {
                Some(TokenKind::Text { .. }) => self.outline.content(self.at),
                _ => Some(self.outline.word(self.at)),
            };
            self.at += 1;
            if self.kind() == Some(TokenKind::Mark(':')) {
                self.at += 1;
                let shape = self.value(depth + 1);
                properties.extend(key.map(|key| (key.to_owned(), shape)));
            } else {
                self.skip();
            }
            self.at += usize::from(self.kind() == Some(TokenKind::Mark(',')));
            if matches!(self.kind(), Some(TokenKind::Mark(')' | ']'))) {
                break;
            }
        }
        self.at += 1;
        json!({ "properties": properties })
    }

    fn list(&mut self, depth: usize) -> Json {
        self.at += 1;
        let mut first = None;
        while self.kind().is_some_and(|kind| !matches!(kind, TokenKind::Mark(']' | ')' | '}'))) {
            let shape = self.value(depth + 1);
            first.get_or_insert(shape);
            self.at += usize::from(self.kind() == Some(TokenKind::Mark(',')));
        }
        self.at += 1;
        json!({ "items": first })
    }

    /// Moves to the comma or bracket that ends the current value.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::Mark(',') if depth == 0 => return,
                TokenKind::Mark('(' | '[' | '{') => depth += 1,
                TokenKind::Mark(')' | ']' | '}') if depth == 0 => return,
                TokenKind::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Returns the kind of the current token. Comments are passed over.
    fn kind(&mut self) -> Option<TokenKind> {
        loop {
            let token = self.outline.tokens.get(self.at).filter(|_| self.at < self.end)?;
            if token.kind != TokenKind::Comment {
                return Some(token.kind);
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Outline, literal_shape};

    #[test]
    fn keys_are_those_of_literals() {
        let shape = |text: &str| {
            let outline = Outline::of(text);
            let end = outline.tokens.len();
            literal_shape(&outline, 3..end)
        };
        let inner = json!({ "properties": { "c": null } });
        let map = json!({ "properties": { "a": null, "b": inner, "d e": { "items": inner } } });
        assert_eq!(shape("SET x = {\"a\": 1 + f(2, 3), \"b\": {\"c\": 2}, # n\n \"d e\": [{\"c\": 1}, 2]}"), Some(map));
        assert_eq!(shape("SET x = {\"a\": 1}.a"), None);
        assert_eq!(shape("SET x = 1"), None);
        assert_eq!(shape("SET x ="), None);
        // Texts that are not complete end somewhere.
        for text in ["SET x = {", "SET x = {\"a\"", "SET x = {\"a\":", "SET x = [{)}", "SET x = {{{:,}", "SET x = {a]}"]
        {
            assert!(shape(text).is_some(), "{text}");
        }
        assert!(shape(&format!("SET x = {}", "[".repeat(900))).is_some());
    }
}
