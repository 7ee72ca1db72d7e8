//! A script as it was written, line by line and token by token: what the formatter prints anew.
//!
//! It stands beside the tree and comes of the same parsing; comments are the tree's. Places are all
//! it knows of the text, so that nothing of a token can be lost on the way.

use std::ops::Range;

use crate::text::Span;

/// The lines of a script with their tokens.
#[derive(Debug, Default)]
pub struct Written {
    /// Logical lines, in the text's order.
    pub lines: Vec<WrittenLine>,
    /// The tokens of all statements.
    pub tokens: Vec<Token>,
}

/// A logical line.
#[derive(Debug)]
pub struct WrittenLine {
    /// What it is.
    pub kind: WrittenKind,
    /// Its place, without blanks and comments around it.
    pub span: Span,
}

/// What a logical line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenKind {
    /// A statement: what it is to blocks, and its tokens.
    Statement(BlockPart, Range<usize>),
    /// `:: key: value`
    Metadata,
    /// `COMMENT: … ENDCOMMENT`
    Comment,
}

/// What a statement is to the blocks around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// It stands in one.
    Inside,
    /// It opens one.
    Opens,
    /// It opens a procedure.
    OpensProcedure,
    /// `ELSE` and `ELSE IF`
    Between,
    /// It closes one.
    Closes,
}

/// A token; what stands there is its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of tokens, as far as they are printed in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword that is part of a statement.
    Keyword,
    /// A keyword that is part of an expression: `CALL`, `LAST`.
    KeywordInside,
    /// `true`, `false`, `nil`, `null`
    Literal,
    /// A name: of a variable, a procedure, a part of a tool's name, a field.
    Name,
    /// The name of an argument, before `:`.
    Label,
    /// A number.
    Number,
    /// A text in any quotes.
    Text,
    /// `-` or `~` before its operand.
    Sign,
    /// `NOT` before its operand.
    Not,
    /// An operator between operands, by its strength; 0 is `OR`, the weakest.
    Operator(u8),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `=`
    Equals,
    /// What opens a bracket.
    Open(Bracket),
    /// What closes it.
    Close(Bracket),
}

/// What brackets are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `(a + b)`
    Parentheses,
    /// The parameters of a procedure.
    Signature,
    /// The arguments of a call.
    Arguments,
    /// `[i]` after a value.
    Index,
    /// `[1, 2]`
    List,
    /// `{"k": 1}`
    Map,
    /// `{{name}}`
    Placeholder,
}
