//! A TOML text as events, a few expressions at a time: its tokens are kept only until their expression is over, and
//! are asked for before they take memory.

use std::cell::RefCell;

use toml_parser::lexer::{Lexer, Token, TokenKind};
use toml_parser::parser::{EventReceiver, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, Expected, ParseError, Source};

use crate::limits::{Charged, Limit, LimitHit, space, work};
use crate::toolkit::{Context, ToolError};

use super::super::super::place::at_byte;

/// Tokens that are read at once, if the expression that they belong to ends by then.
const STRETCH: usize = 4_096;

/// The first fault of a text; what comes after it is passed over.
#[derive(Default)]
pub struct FirstFault(RefCell<Option<Fault>>);

/// Why a text is not read further.
pub enum Fault {
    /// It is no TOML.
    Text(ParseError),
    /// A limit was met, or what it holds is no value.
    Error(ToolError),
}

impl FirstFault {
    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Keeps a fault, unless there was one before.
    pub fn keep(&self, fault: Fault) {
        self.0.borrow_mut().get_or_insert(fault);
    }

    /// Keeps the limit of depth, where all was well up to a place.
    fn keep_of_cut(&self, end: usize) {
        let mut fault = self.0.borrow_mut();
        let is_before = match &*fault {
            Some(Fault::Text(error)) => error.unexpected().is_some_and(|span| span.end() < end),
            Some(Fault::Error(_)) => true,
            None => false,
        };
        if !is_before {
            let hit = LimitHit { limit: Limit::ValueDepth, allowed: space::depth_bound() as u64 };
            *fault = Some(Fault::Error(hit.into()));
        }
    }

    /// The fault as an error about a text.
    pub fn into_error(self, text: &str) -> Option<ToolError> {
        Some(match self.0.into_inner()? {
            Fault::Error(error) => error,
            Fault::Text(error) => {
                let at = error.unexpected().map_or(0, |span| span.start());
                refused(text, at, &words_of(&error))
            }
        })
    }
}

/// The error for a text that is no TOML.
pub fn refused(text: &str, at: usize, reason: &str) -> ToolError {
    ToolError::bad_argument("text", at_byte(text, at, &format!("the text is no TOML: {reason}")))
}

/// Keeps what a parser reports.
struct Sink<'f>(&'f FirstFault);

impl ErrorSink for Sink<'_> {
    fn report_error(&mut self, error: ParseError) {
        self.0.keep(Fault::Text(error));
    }
}

fn words_of(error: &ParseError) -> String {
    let expected = error.expected().map(|expected| match expected {
        [] => "nothing".to_owned(),
        some => some.iter().map(word_of).collect::<Vec<_>>().join(" or "),
    });
    let description = error.description().trim_end_matches('.').to_lowercase();
    match expected {
        Some(expected) => format!("{description}, expected {expected}"),
        None => description,
    }
}

fn word_of(expected: &Expected) -> String {
    match expected {
        Expected::Literal("\n") => "a line break".to_owned(),
        Expected::Literal("`") => "'`'".to_owned(),
        Expected::Literal(text) => format!("`{}`", text.escape_debug()),
        Expected::Description(text) => (*text).to_owned(),
        _ => "something else".to_owned(),
    }
}

/// Gives the events of a text to a receiver, until there is a fault.
pub fn read(
    context: &mut Context<'_>,
    text: &str,
    fault: &FirstFault,
    receiver: &mut dyn EventReceiver,
) -> Result<(), ToolError> {
    let source = Source::new(text);
    let mut receiver = ValidateWhitespace::new(receiver, source);
    let mut lexer = source.lex();
    let mut tokens = Charged::default();
    while !fault.is_some() {
        let filled = fill(&mut lexer, &mut tokens)?;
        if filled == Filled::Nothing {
            break;
        }
        context.spend(tokens.len() / 16)?;
        context.meter.poll()?;
        parse_document(tokens.as_slice(), &mut receiver, &mut Sink(fault));
        if filled == Filled::Cut {
            let end = tokens.as_slice().last().map_or(0, |token| token.span().start());
            fault.keep_of_cut(end);
        }
    }
    Ok(())
}

/// What was taken of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// There was nothing more.
    Nothing,
    /// Expressions that are whole.
    Whole,
    /// The beginning of one whose keys nest deeper than values may.
    Cut,
}

/// How many tokens a line has at most outside of brackets: more than any key that may nest so deep, with its value.
fn longest_line() -> usize {
    space::depth_bound().saturating_mul(4).max(1 << 16)
}

/// Takes the tokens of the next expressions.
fn fill(lexer: &mut Lexer<'_>, tokens: &mut Charged<Token>) -> Result<Filled, ToolError> {
    tokens.clear();
    let (mut open, mut line, longest) = (0_usize, 0_usize, longest_line());
    for token in lexer.by_ref() {
        work::charge(1)?;
        tokens.push(token)?;
        line = if open > 0 || token.kind() == TokenKind::Newline { 0 } else { line + 1 };
        if line > longest {
            return Ok(Filled::Cut);
        }
        match token.kind() {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => open += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => open = open.saturating_sub(1),
            TokenKind::Newline if open == 0 && tokens.len() >= STRETCH => break,
            _ => {}
        }
    }
    Ok(if tokens.len() > 0 { Filled::Whole } else { Filled::Nothing })
}
