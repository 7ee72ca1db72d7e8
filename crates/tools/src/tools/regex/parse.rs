//! Parses patterns within limits: of their length, their size with all repetitions written out, and the memory that
//! they take.

use std::ops::Range;

use regex_syntax::ast::{self, Ast, Visitor};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::limits::{LimitHit, MemoryCharge, space};

use super::excess::{Excess, MAX_CLASSES, MAX_COMPILED, MAX_FOLDED};

/// Maximum length of a pattern in bytes, because parsing cannot be interrupted.
pub const MAX_PATTERN: usize = 64 << 10;
/// Maximum size of each table of a search in bytes.
const MAX_TABLES: usize = 4 << 20;
/// Each automaton and table may use 1/`SHARE` of the free memory.
const SHARE: usize = 32;
/// Maximum nesting of groups.
const MAX_NESTING: u32 = 100;

/// Size limits for the parts of a compiled expression, given the free memory.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum size of each automaton in bytes.
    pub compiled: usize,
    /// Maximum size in bytes of each table that is built during a search.
    pub tables: usize,
}

impl Bounds {
    /// Returns the current limits.
    pub fn now() -> Bounds {
        let left = usize::try_from(space::memory_left().0).unwrap_or(usize::MAX);
        Bounds { compiled: MAX_COMPILED.min(left / SHARE), tables: MAX_TABLES.min(left / SHARE) }
    }
}

/// Options for parsing an expression, in addition to its inline flags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// Whether letter case is ignored.
    pub ignore_case: bool,
    /// Whether the expression is applied to lines of bytes.
    pub in_lines: bool,
    /// Whether the pattern is an escaped text, of which at most a few positions are active at once.
    pub is_literal: bool,
}

/// Why a pattern was refused.
pub enum Fault {
    /// It is too large.
    TooLarge(Excess),
    /// A limit of the run.
    Limit(LimitHit),
    /// A syntax error.
    Syntax {
        /// The reason.
        reason: String,
        /// The bytes of the pattern that it is about.
        at: Option<Range<usize>>,
    },
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

/// Parses a pattern and refuses one that is too large. Memory is charged before it is used.
pub fn parse(pattern: &str, flags: Flags) -> Result<Hir, Fault> {
    if pattern.len() > MAX_PATTERN && !flags.is_literal {
        return Err(Fault::Syntax { reason: format!("it has more than {MAX_PATTERN} bytes"), at: None });
    }
    let _tree = MemoryCharge::of(pattern.len() * TREE_BYTES)?;
    let fault = |kind: &dyn ToString, span: &ast::Span| Fault::Syntax {
        reason: kind.to_string(),
        at: Some(span.start.offset..span.end.offset),
    };
    let mut parser = ast::parse::ParserBuilder::new();
    let tree = parser.nest_limit(MAX_NESTING).build().parse(pattern);
    let tree = tree.map_err(|error| fault(error.kind(), error.span()))?;
    let Ok(classes) = ast::visit(&tree, Classes { ignores_case: flags.ignore_case, ..Classes::default() });
    if let Some(excess) = classes.excess() {
        return Err(Fault::TooLarge(excess));
    }
    let _classes = MemoryCharge::of(classes.bytes)?;
    let mut translator = TranslatorBuilder::new();
    translator.case_insensitive(flags.ignore_case).utf8(!flags.in_lines);
    translator.multi_line(flags.in_lines).crlf(flags.in_lines);
    let expression = translator.build().translate(pattern, &tree);
    let expression = expression.map_err(|error| fault(error.kind(), error.span()))?;
    match Excess::of_positions(&expression) {
        Some(excess) if !flags.is_literal => Err(Fault::TooLarge(excess)),
        _ => Ok(expression),
    }
}

/// Upper bound for the memory of the syntax tree, in bytes per byte of the pattern.
const TREE_BYTES: usize = 512;
/// Upper bound for the memory that the ranges of one Unicode class use during construction, in bytes.
const CLASS_BYTES: usize = 96 << 10;
/// Upper bound for the memory of an explicit range, including its case variants, in bytes.
const RANGE_BYTES: usize = 32 << 10;
/// Number of characters assumed for a Unicode class, most of which have no case variants.
const FOLDED_IN_CLASS: u64 = 30_000;

/// Sums up the memory of the classes in an expression, which may be a thousand times the size of their text.
#[derive(Default)]
struct Classes {
    bytes: usize,
    count: usize,
    /// Number of characters in ranges.
    characters: u64,
    /// Whether letter case is ignored anywhere in the expression.
    ignores_case: bool,
}

impl Classes {
    fn add(&mut self, bytes: usize, characters: u64) {
        self.bytes += bytes;
        self.count += 1;
        self.characters += characters;
    }

    fn add_flags(&mut self, flags: &ast::Flags) {
        self.ignores_case |= flags.flag_state(ast::Flag::CaseInsensitive).is_some();
    }

    fn excess(&self) -> Option<Excess> {
        let is_folded = self.ignores_case && self.characters > MAX_FOLDED;
        let has_many = (self.count > MAX_CLASSES).then_some(Excess::Classes);
        has_many.or(is_folded.then_some(Excess::Folded))
    }
}

impl Visitor for Classes {
    type Output = Classes;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Classes, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), Self::Err> {
        match tree {
            Ast::ClassUnicode(_) | Ast::ClassPerl(_) => self.add(CLASS_BYTES, FOLDED_IN_CLASS),
            Ast::ClassBracketed(_) => self.add(CLASS_BYTES, 0),
            Ast::Flags(set) => self.add_flags(&set.flags),
            Ast::Group(group) => group.flags().into_iter().for_each(|flags| self.add_flags(flags)),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ast::ClassSetItem::Unicode(_) | ast::ClassSetItem::Perl(_) => self.add(CLASS_BYTES, FOLDED_IN_CLASS),
            ast::ClassSetItem::Bracketed(_) => self.add(CLASS_BYTES, 0),
            ast::ClassSetItem::Ascii(_) => self.add(RANGE_BYTES, 128),
            ast::ClassSetItem::Range(range) => {
                let characters = u32::from(range.end.c).saturating_sub(u32::from(range.start.c));
                self.add(RANGE_BYTES, characters.into());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns an upper bound for the steps that a byte can take in a search: positions, alternatives, repetitions and
/// the edges of groups, with all repetitions written out.
///
/// Recursion is bounded by the limit on nested groups.
pub fn steps(expression: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().fold(0_u64, |sum, part| sum.saturating_add(steps(part)));
    match expression.kind() {
        HirKind::Empty => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(_) => 1,
        HirKind::Look(look) if look.as_repr() >= Look::WordUnicode.as_repr() => 4,
        HirKind::Look(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            steps(&repetition.sub).saturating_add(1).saturating_mul(times.into())
        }
        HirKind::Capture(capture) => steps(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(parts) => sum(parts).saturating_add(parts.len() as u64),
    }
}
