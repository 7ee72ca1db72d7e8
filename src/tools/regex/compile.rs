//! Patterns compiled: what is wrong with one, how large it may be, and the ones that were used last.

use std::cell::RefCell;
use std::rc::Rc;

use regex_automata::meta::{Builder, Config};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use crate::toolkit::ToolError;
use crate::value::print;

use super::expression::Expression;

/// What a compiled expression may take, in bytes.
pub const MAX_COMPILED: usize = 10 << 20;
/// What the tables that are built while searching may take, in bytes.
const MAX_TABLES: usize = 4 << 20;
/// Groups inside each other.
const MAX_NESTING: u32 = 100;
/// Places that an expression may have, each repetition written out: how many of them can be alive at once is what a byte
/// costs in the worst case.
const MAX_PLACES: u64 = 1000;
/// Bytes of a pattern: parsing one cannot be stopped.
pub const MAX_PATTERN: usize = 64 << 10;
/// Patterns that are kept compiled.
const KEPT: usize = 16;

thread_local! {
    static LAST_USED: RefCell<Vec<Rc<Expression>>> = const { RefCell::new(Vec::new()) };
}

/// The compiled form of a pattern; a loop compiles it once.
pub fn compiled(pattern: &str) -> Result<Rc<Expression>, ToolError> {
    let kept = LAST_USED.with_borrow_mut(|kept| {
        let place = kept.iter().position(|compiled| compiled.pattern() == pattern)?;
        let compiled = kept.remove(place);
        kept.push(compiled.clone());
        Some(compiled)
    });
    if let Some(compiled) = kept {
        return Ok(compiled);
    }
    let compiled = Rc::new(compile(pattern)?);
    LAST_USED.with_borrow_mut(|kept| {
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(compiled.clone());
    });
    Ok(compiled)
}

fn compile(pattern: &str) -> Result<Expression, ToolError> {
    let bad = |reason: &str| {
        let shown = print::shortened(pattern, 100);
        ToolError::bad_argument("pattern", format!("`pattern` is no regular expression: {reason}, in `{shown}`"))
    };
    let too_large = || bad("the expression is too large").hint("repeat less, or write `[0-9A-Za-z_]` for `\\w`");
    if pattern.len() > MAX_PATTERN {
        return Err(bad(&format!("it has more than {MAX_PATTERN} bytes")));
    }
    let mut parser = ParserBuilder::new();
    let expression = parser.nest_limit(MAX_NESTING).build().parse(pattern).map_err(|error| {
        let (reason, place) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start.offset)),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span().start.offset)),
            error => (error.to_string(), None),
        };
        let before = place.and_then(|place| pattern.get(..place));
        bad(&before.map_or(reason.clone(), |before| format!("{reason}, at character {}", before.chars().count() + 1)))
    })?;
    let places = places(&expression);
    if places > MAX_PLACES {
        return Err(too_large());
    }
    let config = Config::new().nfa_size_limit(Some(MAX_COMPILED)).hybrid_cache_capacity(MAX_TABLES);
    let regex = Builder::new()
        .configure(config)
        .build_from_hir(&expression)
        .map_err(|error| if error.size_limit().is_some() { too_large() } else { bad(&error.to_string()) })?;
    Ok(Expression::new(pattern, expression, regex, places))
}

/// How many characters an expression has when its repetitions are written out.
///
/// Calls itself as often as groups are inside each other, which the parser bounds.
pub fn places(expression: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().fold(0_u64, |sum, part| sum.saturating_add(places(part)));
    match expression.kind() {
        HirKind::Empty => 0,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            places(&repetition.sub).max(1).saturating_mul(times.into())
        }
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}
