//! Patterns compiled: what is wrong with one, how large it may be, and the ones that were used last.

use std::cell::RefCell;
use std::rc::Rc;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use crate::toolkit::ToolError;
use crate::value::print;

/// What a compiled expression may take, in bytes.
const MAX_COMPILED: usize = 10 << 20;
/// What the tables that are built while searching may take, in bytes.
const MAX_TABLES: usize = 4 << 20;
/// Groups inside each other.
const MAX_NESTING: u32 = 100;
/// Places that an expression may have, each repetition written out: how many of them can be alive at once
/// is what a byte costs in the worst case, and nobody looks at the clock within one search.
const MAX_PLACES: u64 = 1000;
/// Patterns that are kept compiled.
const KEPT: usize = 16;

/// Bytes of a text times places of an expression: what one search may cost in the worst case. Nobody looks at
/// the clock before it ends.
const MAX_WORK: u64 = 4_000_000_000;

thread_local! {
    static LAST_USED: RefCell<Vec<Compiled>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone)]
struct Compiled {
    regex: Rc<Regex>,
    places: u64,
}

/// The compiled form of a pattern, for this text; a loop compiles it once.
pub fn compiled(pattern: &str, text: &str) -> Result<Rc<Regex>, ToolError> {
    let Compiled { regex, places } = kept_or_new(pattern)?;
    if places.saturating_mul(text.len() as u64) <= MAX_WORK {
        return Ok(regex);
    }
    let message = format!("the text of {} bytes is too long for so large a `pattern`", text.len());
    Err(ToolError::bad_argument("text", message).hint("search its lines one by one, or search for less"))
}

fn kept_or_new(pattern: &str) -> Result<Compiled, ToolError> {
    let kept = LAST_USED.with_borrow_mut(|kept| {
        let place = kept.iter().position(|compiled| compiled.regex.as_str() == pattern)?;
        let compiled = kept.remove(place);
        kept.push(compiled.clone());
        Some(compiled)
    });
    if let Some(compiled) = kept {
        return Ok(compiled);
    }
    let compiled = compile(pattern)?;
    LAST_USED.with_borrow_mut(|kept| {
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(compiled.clone());
    });
    Ok(compiled)
}

fn compile(pattern: &str) -> Result<Compiled, ToolError> {
    let bad = |reason: &str| {
        let shown = print::shortened(pattern, 100);
        ToolError::bad_argument("pattern", format!("`pattern` is no regular expression: {reason}, in `{shown}`"))
    };
    let too_large = || bad("the expression is too large").hint("repeat less, or write `[0-9A-Za-z_]` for `\\w`");
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
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_TABLES).nest_limit(MAX_NESTING);
    let regex = builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => too_large(),
        error => bad(&error.to_string()),
    })?;
    Ok(Compiled { regex: Rc::new(regex), places })
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
