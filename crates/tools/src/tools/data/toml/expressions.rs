//! A TOML text as events, read a few expressions at a time. Tokens are kept only until their expression ends,
//! and their memory is charged before it is allocated.

use std::cell::RefCell;

use toml_parser::lexer::{Lexer, Token, TokenKind};
use toml_parser::parser::{EventReceiver, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, Expected, ParseError, Source};

use crate::gate::Context;
use crate::limits::{Limit, LimitHit, MeteredVec, space, work};
use crate::toolkit::ToolError;

use super::super::super::place::at_byte;

/// Number of tokens after which a batch ends, once the current expression is complete.
const STRETCH: usize = 4_096;

/// The first fault of a text; later faults are ignored.
#[derive(Default)]
pub struct FirstFault(RefCell<Option<Fault>>);

/// Why reading a text stopped.
pub enum Fault {
    /// The text is not TOML.
    Text(ParseError),
    /// A limit was reached, or the text contains something that no value can represent.
    Error(ToolError),
}

impl FirstFault {
    /// Returns whether there is a fault.
    pub fn is_some(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Records a fault, unless there already is one.
    pub fn keep(&self, fault: Fault) {
        self.0.borrow_mut().get_or_insert(fault);
    }

    /// Records that the depth limit was exceeded at `end`, unless an error precedes it.
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

    /// Returns the fault as an error about the text.
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

/// Returns the error for a text that is not TOML.
pub fn refused(text: &str, at: usize, reason: &str) -> ToolError {
    ToolError::bad_argument("text", at_byte(text, at, &format!("the text is no TOML: {reason}")))
}

/// An error sink that records the first error of the parser.
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

/// Sends the events of a text to a receiver until a fault occurs.
pub fn read(
    context: &mut Context<'_>,
    text: &str,
    fault: &FirstFault,
    receiver: &mut dyn EventReceiver,
) -> Result<(), ToolError> {
    let source = Source::new(text);
    let mut receiver = ValidateWhitespace::new(receiver, source);
    let mut lexer = source.lex();
    let mut tokens = MeteredVec::default();
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

/// The outcome of reading a batch of tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// The text has ended.
    Nothing,
    /// Complete expressions.
    Whole,
    /// The start of an expression whose keys nest deeper than the limit on values.
    Cut,
}

/// Returns the maximum number of tokens on a line outside of brackets: more than any key of permitted depth
/// needs, together with its value.
fn longest_line() -> usize {
    space::depth_bound().saturating_mul(4).max(1 << 16)
}

/// Reads the tokens of the next expressions.
fn fill(lexer: &mut Lexer<'_>, tokens: &mut MeteredVec<Token>) -> Result<Filled, ToolError> {
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
    Ok(if !tokens.is_empty() { Filled::Whole } else { Filled::Nothing })
}
