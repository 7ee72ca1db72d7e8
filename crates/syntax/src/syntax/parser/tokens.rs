//! Converts pest's tokens to those that the formatter prints.

use pest::Token as Edge;
use pest::iterators::Pairs;

use crate::syntax::ast::BinaryOp;
use crate::syntax::grammar::Rule;
use crate::syntax::keyword::{is_keyword, is_reserved};
use crate::syntax::written::{Bracket, Token, TokenKind};
use crate::text::Span;

/// Records the tokens of a parsed line; `base` is its offset.
pub fn record(pairs: Pairs<'_, Rule>, text: &str, base: usize, tokens: &mut Vec<Token>) {
    let mut reader = Reader { text, base, tokens, brackets: Vec::new(), end: 0 };
    let mut opened: Option<(Rule, usize)> = None;
    let mut around = Rule::line;
    for edge in pairs.tokens() {
        match edge {
            Edge::Start { rule, pos } => {
                around = opened.map_or(Rule::line, |(rule, _)| rule);
                opened = Some((rule, pos.pos()));
            }
            Edge::End { rule, pos } => {
                if let Some((_, start)) = opened.take() {
                    reader.leaf(rule, around, start, pos.pos());
                }
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    tokens: &'a mut Vec<Token>,
    /// The open brackets.
    brackets: Vec<Bracket>,
    /// End offset of the latest token.
    end: usize,
}

impl Reader<'_> {
    /// Handles a rule without inner rules; `around` is the rule that begins directly before it.
    fn leaf(&mut self, rule: Rule, around: Rule, start: usize, end: usize) {
        if start == end {
            return;
        }
        // The grammar keeps no token for the commas of lists.
        if let Some(comma) = self.text[self.end..start].find(',') {
            self.push(TokenKind::Comma, self.end + comma, self.end + comma + 1);
        }
        let kind = self.kind(rule, around, &self.text[start..end]);
        // The lookahead after `=` may skip blanks, which pest then includes in the rule.
        let end = if kind == TokenKind::Equals { start + 1 } else { end };
        match kind {
            TokenKind::Open(bracket) => self.brackets.push(bracket),
            TokenKind::Close(_) => drop(self.brackets.pop()),
            _ => {}
        }
        self.push(kind, start, end);
        self.end = end;
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.base + start, self.base + end) });
    }

    fn kind(&self, rule: Rule, around: Rule, word: &str) -> TokenKind {
        match rule {
            Rule::word => self.word(word),
            Rule::name => TokenKind::Name,
            Rule::label => TokenKind::Label,
            Rule::number => TokenKind::Number,
            Rule::quoted | Rule::raw_text | Rule::template => TokenKind::Text,
            Rule::prefix if is_keyword(word, "NOT") => TokenKind::Not,
            Rule::prefix => TokenKind::Sign,
            Rule::infix => TokenKind::Operator(precedence(word)),
            Rule::comma => TokenKind::Comma,
            Rule::colon => TokenKind::Colon,
            Rule::dot => TokenKind::Dot,
            Rule::equals => TokenKind::Equals,
            Rule::open_paren | Rule::open_bracket | Rule::open_brace | Rule::open_braces => {
                TokenKind::Open(bracket_of(around))
            }
            Rule::close_paren | Rule::close_bracket | Rule::close_brace | Rule::close_braces => {
                TokenKind::Close(self.brackets.last().copied().expect("what closes was opened"))
            }
            Rule::kw_call if !self.is_first() => TokenKind::KeywordInside,
            _ => TokenKind::Keyword,
        }
    }

    /// Classifies a word of an expression; after a dot every word is a name.
    fn word(&self, word: &str) -> TokenKind {
        let after_dot = self.tokens.last().is_some_and(|last| last.kind == TokenKind::Dot);
        if after_dot || !is_reserved(word) {
            TokenKind::Name
        } else if is_keyword(word, "LAST") {
            TokenKind::KeywordInside
        } else {
            TokenKind::Literal
        }
    }

    fn is_first(&self) -> bool {
        self.end == 0
    }
}

fn bracket_of(rule: Rule) -> Bracket {
    match rule {
        Rule::signature => Bracket::Signature,
        Rule::arguments => Bracket::Arguments,
        Rule::index => Bracket::Index,
        Rule::list => Bracket::List,
        Rule::map => Bracket::Map,
        Rule::placeholder => Bracket::Placeholder,
        _ => Bracket::Parentheses,
    }
}

/// Returns the precedence of a binary operator; `**`, which is not a [`BinaryOp`], binds most tightly.
fn precedence(word: &str) -> u8 {
    match super::expr::binary(word) {
        Some(op) => BinaryOp::precedence(op),
        None => u8::MAX,
    }
}
