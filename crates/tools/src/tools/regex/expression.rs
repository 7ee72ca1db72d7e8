//! A compiled regular expression, and searches with it.
//!
//! A search that could exceed the time a run may wait uses a [`StepwiseSearch`], which charges as it advances; all other
//! searches use the faster engines of the library. All find the same matches. The automata and search tables are charged as live memory, and a search starts only if there is
//! enough memory for it.

use std::cell::RefCell;
use std::ops::Range;

use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, PatternID};
use regex_syntax::hir::Hir;

use crate::limits::{LimitHit, MemoryCharge, space};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::parse::Bounds;
use super::simulation::{SLOTS_PER_UNIT, Task};
use super::stepwise::{KnownPattern, StepwiseSearch};

/// Number of tables that grow up to a bound: one forward and one backward, each for the library and for the
/// stepper.
const TABLES: usize = 4;
/// Size of the smallest automaton state in bytes.
const STATE_BYTES: usize = 24;

/// A compiled expression.
pub struct Expression {
    regex: Regex,
    /// The tables of the library searches.
    cache: RefCell<Cache>,
    /// The searches that the library could take too long for.
    stepwise: StepwiseSearch,
    /// Size limits of its automata and of each table that is built during a search.
    bounds: Bounds,
    /// The memory charge for everything above.
    held: RefCell<MemoryCharge>,
}

impl Expression {
    /// Creates an expression from its pattern, tree and compiled form, and the limits by which it was compiled.
    pub fn new(pattern: KnownPattern, tree: &Hir, regex: Regex, bounds: Bounds) -> Result<Expression, LimitHit> {
        let expression = Expression {
            cache: RefCell::new(regex.create_cache()),
            regex,
            stepwise: StepwiseSearch::new(pattern, tree, bounds),
            bounds,
            held: RefCell::default(),
        };
        expression.count()?;
        Ok(expression)
    }

    /// Charges the memory that searches have used, and checks that the next search has enough.
    pub fn ask_for_room(&self) -> Result<(), LimitHit> {
        self.count()?;
        // The slowest engine stores a position per group for each active state, in two lists.
        let states = self.regex.memory_usage() / STATE_BYTES;
        let lists = 2 * states * size_of::<usize>() * self.regex.group_info().slot_len();
        space::check(lists + TABLES * self.bounds.tables)
    }

    /// Charges the memory used so far.
    fn count(&self) -> Result<(), LimitHit> {
        let searched = self.regex.memory_usage() + self.cache.borrow().memory_usage();
        self.held.borrow_mut().grow_to(searched + self.stepwise.memory_usage())
    }

    /// Returns whether there is a match.
    pub fn is_match(&self, text: &str) -> Result<bool, ToolError> {
        if self.stepwise.at_once().runs(text.len())? {
            let input = Input::new(text).earliest(true);
            return Ok(self.regex.search_half_with(&mut self.cache.borrow_mut(), &input).is_some());
        }
        let found = self.stepwise.is_match(text.as_bytes());
        self.count()?;
        found
    }

    /// Returns the first match that starts at or after a byte.
    pub fn find_at(&self, text: &str, from: usize) -> Result<Option<Range<usize>>, ToolError> {
        if self.stepwise.at_once().runs(text.len() - from)? {
            let input = Input::new(text).range(from..);
            return Ok(self.regex.search_with(&mut self.cache.borrow_mut(), &input).map(|found| found.range()));
        }
        let found = self.stepwise.find(text.as_bytes(), from);
        self.count()?;
        found
    }

    /// Returns the non-overlapping matches in a text, from left to right.
    pub fn matches<'r>(&'r self, text: &'r str) -> Matches<'r> {
        Matches { expression: self, text, from: 0, last_end: None }
    }

    /// Returns the groups of a match; the first is the whole match.
    pub fn groups(&self, text: &str, found: Range<usize>) -> Result<Captures, ToolError> {
        let mut groups = self.regex.create_captures();
        let slots = groups.slots().len();
        if self.stepwise.at_once().runs(found.len() * (1 + slots / SLOTS_PER_UNIT))? {
            let input = Input::new(text).range(found).anchored(Anchored::Yes);
            self.regex.search_captures_with(&mut self.cache.borrow_mut(), &input, &mut groups);
        } else {
            let task = Task { range: found, is_anchored: true, is_any_enough: false, slots };
            let positions = self.stepwise.simulation()?.search(text.as_bytes(), &task)?;
            self.count()?;
            groups.set_pattern(positions.is_some().then_some(PatternID::ZERO));
            for (slot, position) in groups.slots_mut().iter_mut().zip(positions.unwrap_or_default()) {
                *slot = NonMaxUsize::new(position);
            }
        }
        Ok(groups)
    }

    /// Returns the names of the groups, or their numbers if they have none.
    pub fn group_names(&self) -> Vec<Str> {
        let names = self.names().enumerate();
        names.map(|(number, name)| name.map_or_else(|| Str::new(&number.to_string()), Str::new)).collect()
    }

    /// Returns the names of the groups, `None` for those without; the first is the whole match.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(PatternID::ZERO)
    }

    /// Returns the number of groups, including the whole match.
    pub fn group_count(&self) -> usize {
        self.regex.group_info().group_len(PatternID::ZERO)
    }
}

/// The matches in a text.
pub struct Matches<'r> {
    expression: &'r Expression,
    text: &'r str,
    from: usize,
    last_end: Option<usize>,
}

impl Matches<'_> {
    /// Returns the next match. An empty match directly after another is skipped.
    pub fn next(&mut self) -> Result<Option<Range<usize>>, ToolError> {
        let mut found = self.expression.find_at(self.text, self.from)?;
        if found.as_ref().is_some_and(|found| found.is_empty() && Some(found.end) == self.last_end) {
            let Some(next) = self.text[self.from..].chars().next() else { return Ok(None) };
            found = self.expression.find_at(self.text, self.from + next.len_utf8())?;
        }
        if let Some(found) = &found {
            self.from = found.end;
            self.last_end = Some(found.end);
        } else {
            self.from = self.text.len();
        }
        Ok(found)
    }
}
