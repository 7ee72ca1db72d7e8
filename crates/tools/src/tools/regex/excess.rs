//! The limits on the size of a pattern: why one is too large, and how to make it smaller.

use std::fmt;

use regex_syntax::hir::{Class, Hir, HirKind};

/// Maximum size of each automaton of an expression in bytes, because building one cannot be interrupted; the
/// largest take about 0.1 s.
pub const MAX_COMPILED: usize = 10 << 20;
/// Maximum number of positions in an expression with its repetitions written out. The number of positions that
/// can be active at once is the worst-case cost of a byte.
pub const MAX_PLACES: u64 = 1000;
/// Maximum number of classes and ranges in an expression.
pub const MAX_CLASSES: usize = 2_000;
/// Maximum number of characters in all ranges whose case variants are looked up individually; this takes 0.1 s.
pub const MAX_FOLDED: u64 = 8_000_000;

/// The limit that a pattern exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// It has too many classes and ranges.
    Classes,
    /// The ranges whose case variants are looked up have too many characters.
    Folded,
    /// It has too many positions.
    Positions {
        /// Number of positions, with repetitions written out.
        count: u64,
        /// The part of the pattern that makes them many.
        cause: Cause,
    },
    /// Its automaton needs more than this number of bytes.
    Automaton {
        /// The maximum in bytes.
        limit: usize,
    },
}

/// The part of a pattern that makes its positions many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its own length.
    Length,
    /// Counted repetitions.
    Counts,
    /// Counted repetitions of counted repetitions.
    Nesting,
}

impl Excess {
    /// Returns the excess of an expression with too many positions, if it has them.
    pub fn of_positions(expression: &Hir) -> Option<Excess> {
        let count = places(expression);
        if count <= MAX_PLACES {
            return None;
        }
        let cause = if written(expression) > MAX_PLACES {
            Cause::Length
        } else if has_nested_counts(expression, false) {
            Cause::Nesting
        } else {
            Cause::Counts
        };
        Some(Excess::Positions { count, cause })
    }

    /// Returns the suggested fix, in the imperative.
    pub fn help(self) -> &'static str {
        match self {
            Excess::Classes => "join classes that follow each other in `|` into one, or use several patterns",
            Excess::Folded => "leave out `(?i)`, or write smaller ranges",
            Excess::Positions { cause: Cause::Length, .. } => "use several patterns, one after the other",
            Excess::Positions { cause: Cause::Counts, .. } => {
                "lower the count, or write `+` or `*` for it and test the length of the match"
            }
            Excess::Positions { cause: Cause::Nesting, .. } => {
                "lower a count: those of a repetition within a repetition multiply"
            }
            Excess::Automaton { limit } if limit < MAX_COMPILED => {
                "raise `memory_bytes` in `[limits]`, or write small classes, such as `[0-9A-Za-z_]` for `\\w`"
            }
            Excess::Automaton { .. } => {
                "write small classes for those of Unicode: `[0-9A-Za-z_]` for `\\w`, `[0-9]` for `\\d`; or repeat them less"
            }
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Classes => write!(f, "it has more than {MAX_CLASSES} classes and ranges"),
            Excess::Folded => {
                write!(f, "letter case is ignored in ranges of more than {MAX_FOLDED} characters")
            }
            Excess::Positions { count, cause: Cause::Length } => {
                write!(f, "it has {count} positions, more than {MAX_PLACES}")
            }
            Excess::Positions { count: u64::MAX, .. } => {
                write!(f, "with its repetitions written out it has more than {MAX_PLACES} positions")
            }
            Excess::Positions { count, .. } => {
                write!(f, "with its repetitions written out it has {count} positions, more than {MAX_PLACES}")
            }
            Excess::Automaton { limit } => write!(f, "compiled it takes more than {limit} bytes"),
        }
    }
}

/// Returns the number of positions in an expression with its repetitions written out.
///
/// Recursion is bounded by the limit on nested groups.
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

/// Returns the number of positions as the pattern is written, each repetition counted once.
fn written(expression: &Hir) -> u64 {
    match expression.kind() {
        HirKind::Repetition(repetition) => written(&repetition.sub),
        HirKind::Capture(capture) => written(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(written).sum(),
        _ => places(expression),
    }
}

/// Returns whether a counted repetition is part of another.
fn has_nested_counts(expression: &Hir, is_inside: bool) -> bool {
    match expression.kind() {
        HirKind::Repetition(repetition) => {
            let is_counted = repetition.max.unwrap_or(repetition.min) > 1;
            is_counted && is_inside || has_nested_counts(&repetition.sub, is_inside || is_counted)
        }
        HirKind::Capture(capture) => has_nested_counts(&capture.sub, is_inside),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(|part| has_nested_counts(part, is_inside))
        }
        _ => false,
    }
}

/// Upper bound for the bytes that a range of a class takes in an automaton.
const RANGE_BYTES: u64 = 200;
/// Upper bound for the bytes that any other position takes in an automaton.
const PLACE_BYTES: u64 = 200;

/// Returns an upper bound for the size of an automaton of the expression, in bytes.
pub fn automaton_bytes(expression: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().fold(0_u64, |sum, part| sum.saturating_add(automaton_bytes(part)));
    let inner = match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len() as u64 * PLACE_BYTES,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64 * RANGE_BYTES,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64 * RANGE_BYTES,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            automaton_bytes(&repetition.sub).saturating_mul(times.into())
        }
        HirKind::Capture(capture) => automaton_bytes(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    };
    inner.saturating_add(PLACE_BYTES)
}
