//! Patterns compiled: what is wrong with one, how large it may be, and the ones that were used last.

use std::cell::RefCell;
use std::rc::Rc;

use regex_automata::meta::{Config, Regex};
use regex_syntax::ast::{self, Ast, Visitor};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Hir, HirKind};

use crate::limits::{Held, LimitHit, space};
use crate::toolkit::ToolError;
use crate::value::print;

use super::expression::Expression;

/// Bytes of a pattern: reading one cannot be stopped.
pub const MAX_PATTERN: usize = 64 << 10;
/// The most that one of the automata of an expression may take, in bytes.
const MAX_COMPILED: usize = 10 << 20;
/// The most that one of the tables of a search may take, in bytes.
const MAX_TABLES: usize = 4 << 20;
/// Each automaton and table takes at most this part of the memory that is left.
const SHARE: usize = 32;
/// Groups inside each other.
const MAX_NESTING: u32 = 100;
/// Places that an expression may have, each repetition written out: how many of them can be alive at once is what a byte
/// costs in the worst case.
const MAX_PLACES: u64 = 1000;
/// Patterns that are kept compiled.
const KEPT: usize = 16;

thread_local! {
    static LAST_USED: RefCell<Vec<Rc<Expression>>> = const { RefCell::new(Vec::new()) };
}

/// The compiled form of a pattern, for which there is room to search; a loop compiles it once.
pub fn compiled(pattern: &str) -> Result<Rc<Expression>, ToolError> {
    let compiled = kept_or_new(pattern)?;
    make_room(&compiled)?;
    Ok(compiled)
}

fn kept_or_new(pattern: &str) -> Result<Rc<Expression>, ToolError> {
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

/// Counts what an expression has taken so far and may take in its next search; others that are kept are given up for it.
fn make_room(expression: &Rc<Expression>) -> Result<(), ToolError> {
    LAST_USED.with_borrow_mut(|kept| {
        while let Err(hit) = expression.ask_for_room() {
            match kept.iter().position(|other| !Rc::ptr_eq(other, expression)) {
                Some(other) => drop(kept.remove(other)),
                None => return Err(hit.into()),
            }
        }
        Ok(())
    })
}

fn compile(pattern: &str) -> Result<Expression, ToolError> {
    let bad = |reason: &str| {
        let shown = print::shortened(pattern, 100);
        ToolError::bad_argument("pattern", format!("`pattern` is no regular expression: {reason}, in `{shown}`"))
    };
    let too_large = || bad("the expression is too large").hint("repeat less, or write `[0-9A-Za-z_]` for `\\w`");
    let expression = parse(pattern, Flags::default()).map_err(|fault| match fault {
        Fault::TooLarge => too_large(),
        Fault::Limit(hit) => hit.into(),
        Fault::Syntax { reason, at } => {
            let before = at.and_then(|at| pattern.get(..at));
            let place = before.map(|before| format!(", at character {}", before.chars().count() + 1));
            bad(&format!("{reason}{}", place.unwrap_or_default()))
        }
    })?;
    let bounds = Bounds::now();
    let config = Config::new()
        .nfa_size_limit(Some(bounds.compiled))
        .onepass_size_limit(Some(bounds.compiled.min(1 << 20)))
        .hybrid_cache_capacity(bounds.tables);
    match Regex::builder().configure(config).build_from_hir(&expression) {
        Ok(regex) => Ok(Expression::new(pattern, regex, places(&expression), bounds.tables)?),
        Err(_) => Err(too_large()),
    }
}

/// What the parts of a compiled expression may take in the memory that is left.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of each automaton.
    pub compiled: usize,
    /// Bytes of each table that is built while searching.
    pub tables: usize,
}

impl Bounds {
    /// Those of this moment.
    pub fn now() -> Bounds {
        let left = usize::try_from(space::memory_left().0).unwrap_or(usize::MAX);
        Bounds { compiled: MAX_COMPILED.min(left / SHARE), tables: MAX_TABLES.min(left / SHARE) }
    }
}

/// How an expression is read, besides what it says itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// Whether case does not count.
    pub ignore_case: bool,
    /// Whether the expression is searched in lines of bytes.
    pub in_lines: bool,
}

/// What is wrong with an expression.
pub enum Fault {
    /// It takes too much.
    TooLarge,
    /// A limit of the run.
    Limit(LimitHit),
    /// It is none.
    Syntax {
        /// Why.
        reason: String,
        /// The byte.
        at: Option<usize>,
    },
}

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

/// The expression of a pattern, as far as it is not too large; what it takes is asked for before it is taken.
pub fn parse(pattern: &str, flags: Flags) -> Result<Hir, Fault> {
    if pattern.len() > MAX_PATTERN {
        return Err(Fault::Syntax { reason: format!("it has more than {MAX_PATTERN} bytes"), at: None });
    }
    let _tree = Held::of(pattern.len() * TREE_BYTES)?;
    let fault =
        |kind: &dyn ToString, span: &ast::Span| Fault::Syntax { reason: kind.to_string(), at: Some(span.start.offset) };
    let mut parser = ast::parse::ParserBuilder::new();
    let tree = parser.nest_limit(MAX_NESTING).build().parse(pattern);
    let tree = tree.map_err(|error| fault(error.kind(), error.span()))?;
    let Ok(classes) = ast::visit(&tree, Classes { ignores_case: flags.ignore_case, ..Classes::default() });
    if classes.is_too_large() {
        return Err(Fault::TooLarge);
    }
    let _classes = Held::of(classes.bytes)?;
    let mut translator = TranslatorBuilder::new();
    translator.case_insensitive(flags.ignore_case).utf8(!flags.in_lines);
    translator.multi_line(flags.in_lines).crlf(flags.in_lines);
    let expression = translator.build().translate(pattern, &tree);
    let expression = expression.map_err(|error| fault(error.kind(), error.span()))?;
    if places(&expression) > MAX_PLACES { Err(Fault::TooLarge) } else { Ok(expression) }
}

/// Bytes that the tree of a pattern takes for each byte of its text, at most.
const TREE_BYTES: usize = 512;
/// Bytes that the ranges of one class of Unicode take while they are put together, at most.
const CLASS_BYTES: usize = 96 << 10;
/// The same for a range that is written out, which has counterparts in the other case.
const RANGE_BYTES: usize = 32 << 10;
/// Classes and ranges that an expression may have.
const MAX_CLASSES: usize = 2_000;
/// Characters in all ranges whose counterparts in the other case are looked up, one after another; they take 0.1 s.
const MAX_FOLDED: u64 = 8_000_000;
/// Characters that count for a class of Unicode, of which most have no other case.
const FOLDED_IN_CLASS: u64 = 30_000;

/// Adds up what the classes of an expression take, which may be a thousand times their text.
#[derive(Default)]
struct Classes {
    bytes: usize,
    count: usize,
    /// Characters in ranges.
    characters: u64,
    /// Case does not count somewhere in the expression.
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

    fn is_too_large(&self) -> bool {
        self.count > MAX_CLASSES || self.ignores_case && self.characters > MAX_FOLDED
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

/// How many characters an expression has when its repetitions are written out.
///
/// Calls itself as often as groups are inside each other, which the parser bounds.
fn places(expression: &Hir) -> u64 {
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
