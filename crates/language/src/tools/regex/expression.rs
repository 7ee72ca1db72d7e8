//! A compiled regular expression, and searches with it.
//!
//! A search that could exceed the time a run may wait uses an [`InterruptibleSearch`], or a [`Simulation`] where that
//! one cannot decide. Both charge as they advance; all other searches use the faster engines of the library. All find
//! the same matches. The automata and search tables are charged as live memory, and a search starts only if there is
//! enough memory for it.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, PatternID};
use regex_syntax::hir::Hir;

use crate::limits::{LimitHit, MemoryCharge, space, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::parse::{Bounds, Fault, Flags, parse, steps};
use super::simulation::{SLOTS_PER_UNIT, Simulation, Task};
use super::stepper::{InterruptibleSearch, SearchFailure};

/// Number of tables that grow up to a bound: one forward and one backward, each for the library and for the
/// stepper.
const TABLES: usize = 4;
/// Size of the smallest automaton state in bytes.
const STATE_BYTES: usize = 24;

/// Maximum work, in steps of the expression times text bytes, of one library search, which does not check the
/// deadline.
const AT_ONCE: u64 = 2_000_000;
/// Work of a library search that counts as one unit when it is charged.
const WORK_PER_UNIT: u64 = 16;
/// Units that are charged before an automaton is built: enough to check the deadline.
const UNITS_TO_BUILD: usize = 1 << 14;

/// A compiled expression.
pub struct Expression {
    pattern: String,
    regex: Regex,
    /// The tables of the library searches.
    cache: RefCell<Cache>,
    /// Steps that a byte can take.
    steps: u64,
    /// Size limits of its automata and of each table that is built during a search.
    bounds: Bounds,
    /// The memory charge for everything above and the interruptible searches.
    held: RefCell<MemoryCharge>,
    /// Created by the first search that needs it; `None` if it would be too large.
    stepper: OnceCell<Option<InterruptibleSearch>>,
    /// Created by the first search that needs it.
    simulation: OnceCell<Simulation>,
}

/// The method of a search, with its result if it was done already.
enum Method<T> {
    /// It was done step by step.
    Done(T),
    /// By the library, in one piece.
    Library,
    /// By simulating the automaton.
    Simulation,
}

impl Expression {
    /// Creates an expression from its pattern, tree and compiled form, and the limits by which it was compiled.
    pub fn new(pattern: &str, tree: &Hir, regex: Regex, bounds: Bounds) -> Result<Expression, LimitHit> {
        let expression = Expression {
            pattern: pattern.to_owned(),
            cache: RefCell::new(regex.create_cache()),
            regex,
            steps: steps(tree),
            bounds,
            held: RefCell::default(),
            stepper: OnceCell::new(),
            simulation: OnceCell::new(),
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
        let stepper = self.stepper.get().and_then(Option::as_ref).map_or(0, InterruptibleSearch::memory_usage);
        let simulation = self.simulation.get().map_or(0, Simulation::memory_usage);
        let searched = self.regex.memory_usage() + self.cache.borrow().memory_usage();
        self.held.borrow_mut().grow_to(self.pattern.len() + searched + stepper + simulation)
    }

    /// Returns whether there is a match.
    pub fn is_match(&self, text: &str) -> Result<bool, ToolError> {
        match self.method(text.len(), |stepper| stepper.is_match(text))? {
            Method::Done(found) => Ok(found),
            Method::Library => {
                let input = Input::new(text).earliest(true);
                Ok(self.regex.search_half_with(&mut self.cache.borrow_mut(), &input).is_some())
            }
            Method::Simulation => {
                let task = Task { range: 0..text.len(), is_anchored: false, is_any_enough: true, slots: 0 };
                Ok(self.simulation()?.search(text, &task)?.is_some())
            }
        }
    }

    /// Returns the first match that starts at or after a byte.
    pub fn find_at(&self, text: &str, from: usize) -> Result<Option<Range<usize>>, ToolError> {
        match self.method(text.len() - from, |stepper| stepper.find(text, from))? {
            Method::Done(found) => Ok(found),
            Method::Library => {
                let input = Input::new(text).range(from..);
                Ok(self.regex.search_with(&mut self.cache.borrow_mut(), &input).map(|found| found.range()))
            }
            Method::Simulation => {
                let task = Task { range: from..text.len(), is_anchored: false, is_any_enough: false, slots: 2 };
                Ok(self.simulation()?.search(text, &task)?.map(|positions| positions[0]..positions[1]))
            }
        }
    }

    /// Returns the non-overlapping matches in a text, from left to right.
    pub fn matches<'r>(&'r self, text: &'r str) -> Matches<'r> {
        Matches { expression: self, text, from: 0, last_end: None }
    }

    /// Returns the groups of a match; the first is the whole match.
    pub fn groups(&self, text: &str, found: Range<usize>) -> Result<Captures, ToolError> {
        let mut groups = self.regex.create_captures();
        let slots = groups.slots().len();
        if self.runs_at_once(found.len() * (1 + slots / SLOTS_PER_UNIT))? {
            let input = Input::new(text).range(found).anchored(Anchored::Yes);
            self.regex.search_captures_with(&mut self.cache.borrow_mut(), &input, &mut groups);
        } else {
            let task = Task { range: found, is_anchored: true, is_any_enough: false, slots };
            let positions = self.simulation()?.search(text, &task)?;
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

    /// Searches step by step if the library could take too long. If the stepper cannot decide, the automaton must be
    /// simulated.
    fn method<T>(
        &self,
        bytes: usize,
        search: impl FnOnce(&InterruptibleSearch) -> Result<T, SearchFailure>,
    ) -> Result<Method<T>, ToolError> {
        if self.runs_at_once(bytes)? {
            return Ok(Method::Library);
        }
        match self.stepper()?.map(search) {
            Some(Ok(found)) => Ok(Method::Done(found)),
            Some(Err(SearchFailure::Limit(hit))) => Err(hit.into()),
            Some(Err(SearchFailure::Unable)) | None => Ok(Method::Simulation),
        }
    }

    /// Returns whether the library searches `bytes` bytes in acceptable time, and charges that time if so.
    fn runs_at_once(&self, bytes: usize) -> Result<bool, LimitHit> {
        let work = self.steps.saturating_mul(bytes as u64);
        let is_short = work <= AT_ONCE;
        if is_short {
            work::charge(1 + (work / WORK_PER_UNIT) as usize)?;
        }
        Ok(is_short)
    }

    /// Returns the interruptible search, if the expression has one. The pattern is parsed again, so that
    /// expressions need not keep a syntax tree for it.
    fn stepper(&self) -> Result<Option<&InterruptibleSearch>, ToolError> {
        if self.stepper.get().is_none() {
            work::charge(UNITS_TO_BUILD)?;
            let stepper = match parse(&self.pattern, Flags::default()) {
                Ok(tree) => InterruptibleSearch::new(&tree, self.steps, Bounds::now()),
                Err(Fault::Limit(hit)) => return Err(hit.into()),
                Err(_) => None,
            };
            self.stepper.get_or_init(|| stepper);
            self.count()?;
        }
        Ok(self.stepper.get().and_then(Option::as_ref))
    }

    /// Returns the simulation of the automaton.
    fn simulation(&self) -> Result<&Simulation, ToolError> {
        if self.simulation.get().is_none() {
            let tree = match parse(&self.pattern, Flags::default()) {
                Ok(tree) => tree,
                Err(Fault::Limit(hit)) => return Err(hit.into()),
                Err(_) => unreachable!("the pattern was parsed before, with the same flags"),
            };
            work::charge(UNITS_TO_BUILD)?;
            space::check(self.bounds.compiled)?;
            let simulation = Simulation::new(&tree, self.bounds.compiled)
                .expect("the library has built the same automaton within these bounds");
            self.simulation.get_or_init(|| simulation);
            self.count()?;
        }
        Ok(self.simulation.get().expect("it was just created"))
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
