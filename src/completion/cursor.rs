//! The syntactic context of the cursor: the call, name or text literal that it is in.

use crate::engine::{BEGINNING_WORDS, Page, PageKind, Token, TokenKind, closed_heads, pages, tokens};
use crate::manual::entry_of;

use super::surroundings::Surroundings;

/// A text up to the cursor, as tokens.
pub struct CursorContext<'t> {
    /// The text.
    pub text: &'t str,
    /// The tokens before the word or text literal that contains the cursor.
    pub before: Vec<Token>,
    /// That word or text literal, up to the cursor.
    pub at: At<'t>,
}

/// The element that contains the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'t> {
    /// A word, possibly empty.
    Word(&'t str),
    /// A text literal: the opening quote, and the content.
    Text(&'t str, &'t str),
    /// A comment.
    Comment,
}

/// A call whose arguments contain the cursor.
pub struct Call {
    /// The name of the callee.
    pub callee: String,
    /// Number of arguments before the current one.
    pub arguments: usize,
    /// Names of the named arguments that are given.
    pub given: Vec<String>,
    /// Whether the current argument is still empty.
    pub is_fresh: bool,
}

/// An access to an element of a value.
enum Step {
    Key(String),
    Index(usize),
}

impl<'t> CursorContext<'t> {
    /// Returns the context at the end of a text.
    pub fn of(text: &'t str) -> CursorContext<'t> {
        let mut before = tokens(text);
        let at = match before.last().copied() {
            Some(Token { kind: TokenKind::Text { is_closed: false }, start, .. }) => {
                before.pop();
                let quote = if text[start..].starts_with("'''") || text[start..].starts_with("```") { 3 } else { 1 };
                At::Text(&text[start..start + quote], &text[start + quote..])
            }
            Some(Token { kind: TokenKind::Comment, end, .. }) if end == text.len() => At::Comment,
            Some(token) if token.end == text.len() && is_word(token.kind) => {
                before.pop();
                At::Word(&text[token.start..])
            }
            _ => At::Word(""),
        };
        CursorContext { text, before, at }
    }

    fn word(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    /// Returns the token at an index counted from the end.
    fn last(&self, back: usize) -> Option<Token> {
        self.before.len().checked_sub(back + 1).map(|place| self.before[place])
    }

    fn is_mark(&self, back: usize, mark: char) -> bool {
        self.last(back).is_some_and(|token| token.kind == TokenKind::Mark(mark))
    }

    /// Whether the preceding word is this keyword.
    pub fn follows(&self, keyword: &str) -> bool {
        let is_it = |token: &Token| token.kind == TokenKind::Keyword && self.word(*token).eq_ignore_ascii_case(keyword);
        self.last(0).as_ref().is_some_and(is_it)
    }

    /// Returns the unfinished statement before the word at the cursor, without comments and line breaks. In brackets it
    /// has only the element with the cursor. Returns `None` where the key of a map stands.
    pub fn statement(&self) -> Option<String> {
        let Some(open) = self.open_bracket() else { return Some(self.words(self.beginning())) };
        let mut depth = 0_usize;
        let mut first = open + 1;
        let mut is_value = self.before[open].kind != TokenKind::Mark('{');
        for (place, token) in self.before.iter().enumerate().skip(first) {
            match token.kind {
                TokenKind::Mark('(' | '[' | '{') => depth += 1,
                TokenKind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                TokenKind::Mark(mark @ (',' | ':')) if depth == 0 => {
                    first = place + 1;
                    is_value = mark == ':' || self.before[open].kind != TokenKind::Mark('{');
                }
                _ => {}
            }
        }
        is_value.then(|| format!("EMIT {}", self.words(first)))
    }

    /// Returns the words from a token on, with blanks between them.
    fn words(&self, first: usize) -> String {
        let tokens = self.before[first..].iter().filter(|token| token.kind != TokenKind::Comment);
        tokens.map(|token| self.word(*token)).collect::<Vec<&str>>().join(" ")
    }

    /// Returns the first token of the line with the cursor, which is in no bracket; a line ends neither in brackets nor
    /// after `\`.
    fn beginning(&self) -> usize {
        let mut end = self.text.len() - if let At::Word(word) = self.at { word.len() } else { 0 };
        let mut depth = 0_usize;
        for (place, token) in self.before.iter().enumerate().rev() {
            let gap = &self.text[token.end..end];
            if depth == 0 && gap.contains('\n') && !gap.contains('\\') {
                return place + 1;
            }
            match token.kind {
                TokenKind::Mark(')' | ']' | '}') => depth += 1,
                TokenKind::Mark('(' | '[' | '{') => depth = depth.saturating_sub(1),
                _ => {}
            }
            end = token.start;
        }
        0
    }

    /// Returns the first word, in upper case, of the innermost block that is open at the cursor.
    pub fn open_block(&self) -> Option<String> {
        let mut open: Vec<String> = Vec::new();
        let mut end = 0;
        for token in &self.before {
            let begins = end == 0 || self.text[end..token.start].contains('\n');
            end = token.end;
            if token.kind != TokenKind::Keyword || !begins {
                continue;
            }
            let word = self.word(*token).to_ascii_uppercase();
            if !closed_heads(&word).is_empty() {
                open.pop();
            } else if closed_heads("END").contains(&word.as_str()) {
                open.push(word);
            }
        }
        open.pop()
    }

    /// Returns the innermost bracket that is open at the cursor. A line that begins with the first word of a statement
    /// ends what a mistake left open.
    fn open_bracket(&self) -> Option<usize> {
        let mut open = Vec::new();
        let mut end = 0;
        for (place, token) in self.before.iter().enumerate() {
            let begins = token.kind == TokenKind::Keyword && self.text[end..token.start].contains('\n');
            if begins && BEGINNING_WORDS.iter().any(|word| self.word(*token).eq_ignore_ascii_case(word)) {
                open.clear();
            }
            match token.kind {
                TokenKind::Mark('(' | '[' | '{') => open.push(place),
                TokenKind::Mark(')' | ']' | '}') => drop(open.pop()),
                _ => {}
            }
            end = token.end;
        }
        open.pop()
    }

    /// Returns the name before the dot that precedes the cursor.
    pub fn owner(&self) -> Option<&'t str> {
        let name = self.last(1).filter(|name| self.is_mark(0, '.') && is_word(name.kind))?;
        let is_chain = self.is_mark(2, '.') && self.last(2).is_some_and(|dot| dot.end == name.start);
        (!is_chain).then(|| self.word(name))
    }

    /// Returns the value whose key is being typed: `x` in `x["` and in `x.`.
    pub fn holder<S: Surroundings>(&self, surroundings: &S) -> Option<S::Shape> {
        let opens = match self.at {
            At::Text(..) => '[',
            At::Word(_) => '.',
            At::Comment => return None,
        };
        self.is_mark(0, opens).then(|| self.shape(self.before.len() - 1, surroundings, 0)).flatten()
    }

    /// Follows the names and keys that end before a token.
    fn shape<S: Surroundings>(&self, end: usize, surroundings: &S, depth: usize) -> Option<S::Shape> {
        let mut steps = Vec::new();
        let mut at = end.checked_sub(1)?;
        let root = loop {
            let token = self.before[at];
            match token.kind {
                TokenKind::Mark(']') => {
                    let (inner, open) = (self.before[at.checked_sub(1)?], self.before[at.checked_sub(2)?]);
                    if open.kind != TokenKind::Mark('[') {
                        return None;
                    }
                    let text = self.word(inner);
                    steps.push(match inner.kind {
                        TokenKind::Text { is_closed: true } => Step::Key(text[1..text.len() - 1].to_owned()),
                        // The index is not known yet, so assume the first element: the others usually look alike.
                        _ => Step::Index(text.parse().unwrap_or(0)),
                    });
                    at = at.checked_sub(3)?;
                }
                _ if is_word(token.kind) => {
                    if at < 2 || self.before[at - 1].kind != TokenKind::Mark('.') {
                        break self.word(token);
                    }
                    steps.push(Step::Key(self.word(token).to_owned()));
                    at -= 2;
                }
                _ => return None,
            }
        };
        let root = if root.eq_ignore_ascii_case("LAST") {
            surroundings.last()?
        } else {
            surroundings.variable(root).or_else(|| self.element(root, surroundings, depth))?
        };
        steps.iter().rev().try_fold(root, |shape, step| match step {
            Step::Key(key) => surroundings.key(&shape, key),
            Step::Index(index) => surroundings.element(&shape, *index),
        })
    }

    /// Returns an element of the list that a loop with this variable iterates over.
    fn element<S: Surroundings>(&self, variable: &str, surroundings: &S, depth: usize) -> Option<S::Shape> {
        let is_loop = |place: &usize| {
            let word = |place: usize| self.before.get(place).map_or("", |token| self.word(*token));
            word(*place).eq_ignore_ascii_case("EACH") && word(place + 1) == variable
        };
        let each = (0..self.before.len()).rev().find(is_loop).filter(|_| depth < 8)?;
        let is_end = |token: &Token| token.kind == TokenKind::Keyword && self.word(*token).eq_ignore_ascii_case("DO");
        let end = each + self.before[each..].iter().position(is_end)?;
        let list = match self.called_before(each + 2, end) {
            Some(callee) => surroundings.result(&callee),
            None => self.shape(end, surroundings, depth + 1),
        };
        surroundings.element(&list?, 0)
    }

    /// Returns the callee if the tokens from `IN` up to a token are one call.
    fn called_before(&self, from: usize, end: usize) -> Option<String> {
        let is_in = |token: &Token| token.kind == TokenKind::Keyword && self.word(*token).eq_ignore_ascii_case("IN");
        let first = from + self.before[from..end].iter().position(is_in)? + 1;
        let open = first + self.before[first..end].iter().position(|token| token.kind == TokenKind::Mark('('))?;
        let closes_last = self.before[end - 1].kind == TokenKind::Mark(')');
        let callee = self.callee(open);
        let written: String = self.before[first..open].iter().map(|token| self.word(*token)).collect();
        (closes_last && callee == written).then_some(callee)
    }

    /// Returns the innermost call whose arguments contain the cursor.
    pub fn call(&self) -> Option<Call> {
        let mut open: Vec<(usize, Call)> = Vec::new();
        for (place, token) in self.before.iter().enumerate() {
            let next_is_colon = self.before.get(place + 1).is_some_and(|next| next.kind == TokenKind::Mark(':'));
            match token.kind {
                TokenKind::Mark('(' | '[' | '{') => {
                    let callee = if token.kind == TokenKind::Mark('(') { self.callee(place) } else { String::new() };
                    open.push((place, Call { callee, arguments: 0, given: Vec::new(), is_fresh: true }));
                    continue;
                }
                TokenKind::Mark(')' | ']' | '}') => drop(open.pop()),
                TokenKind::Mark(',') => {
                    if let Some((_, call)) = open.last_mut() {
                        call.arguments += 1;
                        call.is_fresh = true;
                    }
                    continue;
                }
                TokenKind::Name if next_is_colon => {
                    if let Some((_, call)) = open.last_mut() {
                        call.given.push(self.word(*token).to_owned());
                    }
                }
                _ => {}
            }
            if let Some((_, call)) = open.last_mut() {
                call.is_fresh = false;
            }
        }
        let (_, call) = open.pop()?;
        let is_fresh = call.is_fresh && self.at == At::Word("");
        (!call.callee.is_empty()).then_some(Call { is_fresh, ..call })
    }

    /// Returns the name before an opening bracket, such as `FS.ReadFile`.
    fn callee(&self, open: usize) -> String {
        let mut first = open;
        while let Some(name) = first.checked_sub(1).filter(|name| is_word(self.before[*name].kind)) {
            first = name;
            match first.checked_sub(1).filter(|dot| self.before[*dot].kind == TokenKind::Mark('.')) {
                Some(dot) => first = dot,
                None => break,
            }
        }
        self.before[first..open].iter().map(|token| self.word(*token)).collect()
    }

    /// Returns the dotted name that ends at the cursor.
    pub fn name(&self) -> String {
        let At::Word(word) = self.at else { return String::new() };
        let owner = self.owner().map_or(String::new(), |owner| format!("{owner}."));
        format!("{owner}{word}")
    }
}

fn is_word(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name | TokenKind::Callee | TokenKind::Keyword | TokenKind::Constant)
}

/// Returns the parameters of a callee: their names, and their forms in a signature.
pub fn parameters(callee: &str, surroundings: &impl Surroundings) -> Option<Vec<(String, String)>> {
    if let Some(procedure) = surroundings.procedure(callee) {
        return Some(procedure.parameters.into_iter().zip(procedure.shown_parameters).collect());
    }
    if let Some(page) = built_in(callee) {
        let inside = page.form.split_once('(').map_or("", |(_, inside)| inside.trim_end_matches(')'));
        return Some(inside.split(", ").map(|name| (String::new(), name.to_owned())).collect());
    }
    let entry = entry_of(surroundings.registry(), callee)?;
    Some(entry.parameters().map(|(name, shown)| (name.to_owned(), shown)).collect())
}

/// Returns the page of a built-in function.
pub fn built_in(name: &str) -> Option<&'static Page> {
    pages().find(|page| page.kind == PageKind::BuiltIn && page.names.contains(&name))
}
