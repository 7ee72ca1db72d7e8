//! Compiles patterns within limits, and caches the most recent ones.

use std::cell::RefCell;
use std::rc::Rc;

use regex_automata::meta::{Config, Regex};

use crate::toolkit::{Form, ToolError};
use crate::value::print;

use super::super::recent::Recent;
use super::excess::{Excess, MAX_COMPILED, automaton_bytes};
use super::expression::Expression;
use super::parse::{Bounds, Fault, Flags, parse};
use super::stepwise::KnownPattern;

/// Number of compiled patterns in the cache. A run's memory limit applies to all of them together.
const KEPT: usize = 256;

thread_local! {
    static LAST_USED: RefCell<Recent<Expression>> = const { RefCell::new(Recent::new(KEPT)) };
}

/// Returns the compiled form of a pattern, after checking that there is memory for a search. A pattern used in
/// a loop is compiled once.
pub fn compiled(pattern: &str) -> Result<Rc<Expression>, ToolError> {
    let compiled = kept_or_new(pattern)?;
    make_room(&compiled)?;
    Ok(compiled)
}

fn kept_or_new(pattern: &str) -> Result<Rc<Expression>, ToolError> {
    if let Some(compiled) = LAST_USED.with_borrow_mut(|kept| kept.get(pattern)) {
        return Ok(compiled);
    }
    let compiled = Rc::new(compile(pattern)?);
    LAST_USED.with_borrow_mut(|kept| kept.put(pattern, compiled.clone()));
    Ok(compiled)
}

/// Charges the memory that an expression has used and may use in its next search; evicts other cached
/// expressions if necessary.
fn make_room(expression: &Rc<Expression>) -> Result<(), ToolError> {
    LAST_USED.with_borrow_mut(|kept| {
        while let Err(hit) = expression.ask_for_room() {
            if !kept.evict_other(expression) {
                return Err(hit.into());
            }
        }
        Ok(())
    })
}

/// The form of patterns.
pub const PATTERN: Form = Form::new(|_, pattern| check(pattern));

/// Parses a pattern, and compiles it only if it may be too large.
fn check(pattern: &str) -> Result<(), ToolError> {
    let tree = parse(pattern, Flags::default()).map_err(|error| fault(pattern, error))?;
    if automaton_bytes(&tree) > MAX_COMPILED as u64 { kept_or_new(pattern).map(drop) } else { Ok(()) }
}

fn bad(pattern: &str, reason: &str) -> ToolError {
    let shown = print::shortened(pattern, 100);
    ToolError::bad_argument("pattern", format!("`pattern` is no regular expression: {reason}, in `{shown}`"))
}

fn fault(pattern: &str, fault: Fault) -> ToolError {
    match fault {
        Fault::TooLarge(excess) => bad(pattern, &excess.to_string()).hint(excess.help()),
        Fault::Limit(hit) => hit.into(),
        Fault::Syntax { reason, at } => {
            let before = at.as_ref().and_then(|at| pattern.get(..at.start));
            let place = before.map(|before| format!(", at character {}", before.chars().count() + 1));
            ToolError { part: at, ..bad(pattern, &format!("{reason}{}", place.unwrap_or_default())) }
        }
    }
}

fn compile(pattern: &str) -> Result<Expression, ToolError> {
    let known = KnownPattern { text: pattern.to_owned(), flags: Flags::default(), is_word: false };
    build(known).map_err(|error| fault(pattern, error))
}

/// Compiles a pattern without keeping it.
pub fn build(pattern: KnownPattern) -> Result<Expression, Fault> {
    let tree = pattern.tree()?;
    let bounds = Bounds::now();
    let config = Config::new()
        .nfa_size_limit(Some(bounds.compiled))
        .onepass_size_limit(Some(bounds.compiled.min(1 << 20)))
        .hybrid_cache_capacity(bounds.tables);
    match Regex::builder().configure(config).build_from_hir(&tree) {
        Ok(regex) => Ok(Expression::new(pattern, &tree, regex, bounds)?),
        Err(_) => Err(Fault::TooLarge(Excess::Automaton { limit: bounds.compiled })),
    }
}
