//! A script as it was written, line by line and token by token: the input of the formatter.
//!
//! It is produced together with the tree; the tree has the comments. It stores only spans, so that no token text can be
//! lost.

use std::ops::Range;

use crate::text::Span;

/// The lines of a script and their tokens.
#[derive(Debug, Default)]
pub struct Written {
    /// Logical lines, in source order.
    pub lines: Vec<WrittenLine>,
    /// The tokens of all statements.
    pub tokens: Vec<Token>,
}

/// A logical line.
#[derive(Debug)]
pub struct WrittenLine {
    /// The kind of line.
    pub kind: WrittenKind,
    /// The span without surrounding blanks and comments.
    pub span: Span,
}

/// The kind of a logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenKind {
    /// A statement: its role in block structure, and its range of tokens.
    Statement(BlockPart, Range<usize>),
    /// `:: key: value`
    Metadata,
    /// `COMMENT: … ENDCOMMENT`
    Comment,
}

/// The role of a statement in block structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// It belongs to the current block.
    Inside,
    /// It opens a block.
    Opens,
    /// It opens a procedure.
    OpensProcedure,
    /// `ELSE` or `ELSE IF`
    Between,
    /// It closes a block.
    Closes,
}

/// A token; its text is the source at its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// The span of the token.
    pub span: Span,
}

/// The kinds of token, as far as they are printed differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword that is part of a statement.
    Keyword,
    /// A keyword that is part of an expression: `CALL`, `LAST`.
    KeywordInside,
    /// `true`, `false`, `nil` or `null`
    Literal,
    /// A name: of a variable, a procedure, a part of a tool's name, or a field.
    Name,
    /// The name of an argument, before `:`.
    Label,
    /// A number.
    Number,
    /// A text in any kind of quotes.
    Text,
    /// The unary operator `-` or `~`.
    Sign,
    /// The unary operator `NOT`.
    Not,
    /// A binary operator, with its precedence; 1 is `OR`, the lowest.
    Operator(u8),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `=`
    Equals,
    /// An opening bracket.
    Open(Bracket),
    /// A closing bracket.
    Close(Bracket),
}

/// The role of a pair of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// Grouping: `(a + b)`.
    Parentheses,
    /// The parameters of a procedure.
    Signature,
    /// The arguments of a call.
    Arguments,
    /// An index, as `[i]` after a value.
    Index,
    /// A list: `[1, 2]`.
    List,
    /// A map: `{"k": 1}`.
    Map,
    /// A placeholder: `{{name}}`.
    Placeholder,
}
