//! Expressions of upstream NeuroScript: the shape that is needed to rewrite them, with the span of each part.
//!
//! Operators of all levels between two values are one [`Shape::Sequence`]; only a rewrite that depends on the level
//! looks at them. The parser recurses once for each bracket and prefix, at most [`MAX_DEPTH`] times.

use std::collections::HashSet;

use super::tokens::{Token, TokenKind};
use crate::syntax::keyword::{is_keyword, is_reserved};

/// Maximum nesting of brackets and prefixes; a line with more is left as it is.
const MAX_DEPTH: usize = 256;

/// The index of an expression in its [`Tree`].
pub type Id = usize;

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// The kind of expression, with its parts.
    pub shape: Shape,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

/// The kinds of expression.
#[derive(Debug)]
pub enum Shape {
    /// A variable, a constant, or `last`.
    Name,
    /// A number.
    Number,
    /// A text; the token says of which kind.
    Text(TokenKind),
    /// `{{name}}`
    Placeholder,
    /// `(…)`
    Parenthesized(Id),
    /// `[…]`
    List(Vec<Id>),
    /// `{key: value, …}`; keys and values in turn.
    Map(Vec<Id>),
    /// A prefix, as a range of bytes, and its operand.
    Prefix(Mark, Id),
    /// Values with operators between them: one operator less than values.
    Sequence(Vec<Id>, Vec<Mark>),
    /// `value[index].name…`: the value and all indexes.
    Access(Id, Vec<Id>),
    /// A call.
    Call(Call),
}

/// A token as a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name, without `call` before it.
    pub callee: Mark,
    /// The opening parenthesis.
    pub open: usize,
    /// The arguments.
    pub args: Vec<Arg>,
}

/// An argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// The name before `:`.
    pub name: Option<Mark>,
    /// The value.
    pub value: Id,
}

/// The expressions of a line.
#[derive(Debug, Default)]
pub struct Tree {
    /// All expressions.
    pub exprs: Vec<Expr>,
}

/// A cursor over the tokens of a line.
pub struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// Names that are variables or procedures of the text, whatever they mean elsewhere.
    own: &'a HashSet<&'a str>,
    /// The index of the next token.
    pub at: usize,
    /// The expressions so far.
    pub tree: Tree,
    depth: usize,
}

/// A line cannot be parsed from here on.
#[derive(Debug)]
pub struct Mistaken;

type Parsed<T> = Result<T, Mistaken>;

impl<'a> Parser<'a> {
    /// Creates a parser at the first of `tokens`.
    pub fn new(text: &'a str, tokens: &'a [Token], own: &'a HashSet<&'a str>) -> Parser<'a> {
        Parser { text, tokens, own, at: 0, tree: Tree::default(), depth: 0 }
    }

    /// Returns the next token, which stays.
    pub fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// Returns the text of the next token, or an empty text at the end.
    pub fn next_text(&self) -> &'a str {
        self.peek().map_or("", |token| &self.text[token.start..token.end])
    }

    fn text_after(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Takes the next token if it is this mark or keyword.
    pub fn take(&mut self, expected: &str) -> Option<Mark> {
        let token = self.peek()?;
        let found = &self.text[token.start..token.end];
        let fits = match token.kind {
            TokenKind::Word => is_keyword(found, expected),
            TokenKind::Mark => found == expected,
            _ => false,
        };
        fits.then(|| {
            self.at += 1;
            Mark { start: token.start, end: token.end }
        })
    }

    fn expect(&mut self, expected: &str) -> Parsed<Mark> {
        self.take(expected).ok_or(Mistaken)
    }

    fn push(&mut self, shape: Shape, start: usize, end: usize) -> Id {
        self.tree.exprs.push(Expr { shape, start, end });
        self.tree.exprs.len() - 1
    }

    /// Parses an expression.
    pub fn expression(&mut self) -> Parsed<Id> {
        let first = self.operand()?;
        let (mut values, mut marks) = (vec![first], Vec::new());
        while let Some(mark) = self.operator() {
            marks.push(mark);
            values.push(self.operand()?);
        }
        if marks.is_empty() {
            return Ok(first);
        }
        let (start, end) = (self.tree.exprs[first].start, self.tree.exprs[*values.last().unwrap_or(&first)].end);
        Ok(self.push(Shape::Sequence(values, marks), start, end))
    }

    fn operator(&mut self) -> Option<Mark> {
        let token = self.peek()?;
        let found = &self.text[token.start..token.end];
        let is_mark = token.kind == TokenKind::Mark
            && ["+", "-", "==", "!=", "<=", "<", ">=", ">", "**", "*", "/", "%", "&", "|", "^"].contains(&found);
        let is_word = |word: &str| token.kind == TokenKind::Word && is_keyword(found, word);
        let joins = is_mark || ["AND", "OR", "IN"].iter().any(|word| is_word(word));
        if joins {
            self.at += 1;
            return Some(Mark { start: token.start, end: token.end });
        }
        if is_word("NOT") && is_keyword(self.text_after(1), "IN") {
            let end = self.tokens[self.at + 1].end;
            self.at += 2;
            return Some(Mark { start: token.start, end });
        }
        None
    }

    fn operand(&mut self) -> Parsed<Id> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Mistaken);
        }
        let operand = match self.prefix() {
            Some(mark) => {
                let value = self.operand()?;
                let end = self.tree.exprs[value].end;
                self.push(Shape::Prefix(mark, value), mark.start, end)
            }
            None => {
                let primary = self.primary()?;
                self.postfixes(primary)?
            }
        };
        self.depth -= 1;
        Ok(operand)
    }

    /// Takes a prefix: `-`, `~`, `not`, and the words `no`, `some` and `typeof` where a value follows.
    fn prefix(&mut self) -> Option<Mark> {
        if let Some(mark) = self.take("-").or_else(|| self.take("~")).or_else(|| self.take("NOT")) {
            return Some(mark);
        }
        let word = self.next_text();
        if !["no", "some", "typeof"].contains(&word) || self.own.contains(word) {
            return None;
        }
        let next = self.tokens.get(self.at + 1)?;
        let after = &self.text[next.start..next.end];
        let is_joint = ["AND", "OR", "IN", "THEN", "DO", "NOT", "MEANS", "INTO", "WITH", "AS"];
        let begins_value = match next.kind {
            TokenKind::Word => !is_joint.iter().any(|joint| is_keyword(after, joint)) || after == "not",
            TokenKind::Mark => ["{", "{{"].contains(&after) || (word != "typeof" && after == "("),
            TokenKind::Unknown => false,
            _ => true,
        };
        // `no[0]` and `no(x)` are a variable and a call of a procedure, unless a blank stands between.
        let stands_apart = self.peek().is_some_and(|token| token.end < next.start);
        let is_list = after == "[" && stands_apart && next.kind == TokenKind::Mark;
        let applies = is_list || (begins_value && (after != "(" || stands_apart));
        applies.then(|| {
            let token = self.tokens[self.at];
            self.at += 1;
            Mark { start: token.start, end: token.end }
        })
    }

    fn primary(&mut self) -> Parsed<Id> {
        let token = *self.peek().ok_or(Mistaken)?;
        let Token { kind, start, end } = token;
        match kind {
            TokenKind::Number => {
                self.at += 1;
                Ok(self.push(Shape::Number, start, end))
            }
            TokenKind::Quoted | TokenKind::Raw | TokenKind::Template | TokenKind::Bracketed => {
                self.at += 1;
                Ok(self.push(Shape::Text(kind), start, end))
            }
            TokenKind::Word => self.word(),
            TokenKind::Mark => self.bracket(),
            TokenKind::Unknown => Err(Mistaken),
        }
    }

    /// Parses a name, a constant or a call.
    fn word(&mut self) -> Parsed<Id> {
        let start = self.peek().ok_or(Mistaken)?.start;
        self.take("CALL");
        let first = *self.peek().filter(|token| token.kind == TokenKind::Word).ok_or(Mistaken)?;
        let word = &self.text[first.start..first.end];
        let is_constant = ["LAST", "TRUE", "FALSE", "NIL", "NULL"].iter().any(|constant| is_keyword(word, constant));
        if is_reserved(word) && !is_constant {
            return Err(Mistaken);
        }
        self.at += 1;
        if let Some(call) = self.dotted_call(first)? {
            let end = self.tokens[self.at - 1].end;
            return Ok(self.push(Shape::Call(call), start, end));
        }
        if start == first.start { Ok(self.push(Shape::Name, first.start, first.end)) } else { Err(Mistaken) }
    }

    /// Parses the rest of `a.b.c(…)`; the cursor stays after the first word if no call follows.
    fn dotted_call(&mut self, first: Token) -> Parsed<Option<Call>> {
        let (back, mut end) = (self.at, first.end);
        while self.next_text() == "." && self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Word)
        {
            end = self.tokens[self.at + 1].end;
            self.at += 2;
        }
        let Some(open) = self.take("(") else {
            self.at = back;
            return Ok(None);
        };
        let mut args = Vec::new();
        while self.take(")").is_none() {
            let name = self.argument_name();
            args.push(Arg { name, value: self.expression()? });
            if self.take(",").is_none() {
                self.expect(")")?;
                break;
            }
        }
        Ok(Some(Call { callee: Mark { start: first.start, end }, open: open.start, args }))
    }

    fn argument_name(&mut self) -> Option<Mark> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word && self.text_after(1) == ":")?;
        self.at += 2;
        Some(Mark { start: token.start, end: token.end })
    }

    fn bracket(&mut self) -> Parsed<Id> {
        let start = self.peek().ok_or(Mistaken)?.start;
        if self.take("{{").is_some() {
            self.take("@");
            while self.next_text() != "}" {
                self.peek().filter(|token| token.kind == TokenKind::Word || self.next_text() == ".").ok_or(Mistaken)?;
                self.at += 1;
            }
            self.expect("}")?;
            let end = self.expect("}")?.end;
            return Ok(self.push(Shape::Placeholder, start, end));
        }
        if self.take("(").is_some() {
            let inner = self.expression()?;
            let end = self.expect(")")?.end;
            return Ok(self.push(Shape::Parenthesized(inner), start, end));
        }
        if self.take("[").is_some() {
            let (items, end) = self.items("]", Parser::item)?;
            return Ok(self.push(Shape::List(items), start, end));
        }
        self.expect("{")?;
        let (parts, end) = self.items("}", Parser::entry)?;
        Ok(self.push(Shape::Map(parts), start, end))
    }

    fn items(&mut self, close: &str, item: fn(&mut Self, &mut Vec<Id>) -> Parsed<()>) -> Parsed<(Vec<Id>, usize)> {
        let mut found = Vec::new();
        loop {
            if let Some(mark) = self.take(close) {
                return Ok((found, mark.end));
            }
            item(self, &mut found)?;
            if self.take(",").is_none() {
                return Ok((found, self.expect(close)?.end));
            }
        }
    }

    fn item(&mut self, found: &mut Vec<Id>) -> Parsed<()> {
        found.push(self.expression()?);
        Ok(())
    }

    fn entry(&mut self, found: &mut Vec<Id>) -> Parsed<()> {
        found.push(self.expression()?);
        self.expect(":")?;
        found.push(self.expression()?);
        Ok(())
    }

    /// Parses the indexes and fields after a value.
    fn postfixes(&mut self, value: Id) -> Parsed<Id> {
        let (start, mut end) = (self.tree.exprs[value].start, self.tree.exprs[value].end);
        let mut indexes = Vec::new();
        loop {
            if self.take("[").is_some() {
                indexes.push(self.expression()?);
                end = self.expect("]")?.end;
            } else if self.take(".").is_some() {
                end = self.peek().filter(|token| token.kind == TokenKind::Word).ok_or(Mistaken)?.end;
                self.at += 1;
            } else if end == self.tree.exprs[value].end {
                return Ok(value);
            } else {
                return Ok(self.push(Shape::Access(value, indexes), start, end));
            }
        }
    }
}
