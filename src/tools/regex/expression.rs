//! A compiled regular expression, and searches with it.
//!
//! A search that could exceed the time a run may wait uses an [`InterruptibleSearch`], which charges as it advances;
//! all others use the faster engines of the library. Both find the same matches. The automata and search tables are
//! charged as live memory, and a search starts only if there is enough memory for it.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, PatternID};

use crate::limits::{LimitHit, MemoryCharge, space, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::parse::{Bounds, Fault, Flags, parse};
use super::stepper::{InterruptibleSearch, SearchFailure};

/// Number of tables that grow up to a bound: one forward and one backward, each for the library and for the
/// stepper.
const TABLES: usize = 4;
/// Size of the smallest automaton state in bytes.
const STATE_BYTES: usize = 24;

/// Maximum work, in expression positions times text bytes, of one library search that does not check the
/// deadline.
const AT_ONCE: u64 = 4_000_000;
/// The same maximum if no other search is possible: for word boundaries in texts that are not ASCII, and for
/// the groups inside one match.
const MAX_WORK: u64 = 4_000_000_000;

/// A compiled expression.
pub struct Expression {
    pattern: String,
    regex: Regex,
    /// The tables of the library searches.
    cache: RefCell<Cache>,
    /// Number of positions in the expression with its repetitions written out.
    places: u64,
    /// Maximum size in bytes of each table that is built during a search.
    table_bytes: usize,
    /// The memory charge for everything above and the stepper.
    held: RefCell<MemoryCharge>,
    /// Created by the first search that needs it; `None` if it would be too large.
    stepper: OnceCell<Option<InterruptibleSearch>>,
}

impl Expression {
    /// Creates an expression from its pattern and compiled form, its number of positions, and the maximum size
    /// of its tables.
    pub fn new(pattern: &str, regex: Regex, places: u64, table_bytes: usize) -> Result<Expression, LimitHit> {
        let cache = RefCell::new(regex.create_cache());
        let (pattern, held, stepper) = (pattern.to_owned(), RefCell::default(), OnceCell::new());
        let expression = Expression { pattern, regex, cache, places, table_bytes, held, stepper };
        expression.count()?;
        Ok(expression)
    }

    /// Charges the memory that searches have used, and checks that the next search has enough.
    pub fn ask_for_room(&self) -> Result<(), LimitHit> {
        self.count()?;
        // The slowest engine stores a position per group for each active state, in two lists.
        let states = self.regex.memory_usage() / STATE_BYTES;
        let lists = 2 * states * size_of::<usize>() * self.regex.group_info().slot_len();
        space::check(lists + TABLES * self.table_bytes)
    }

    /// Charges the memory used so far.
    fn count(&self) -> Result<(), LimitHit> {
        let stepper = self.stepper.get().and_then(Option::as_ref).map_or(0, InterruptibleSearch::memory_usage);
        let searched = self.regex.memory_usage() + self.cache.borrow().memory_usage();
        self.held.borrow_mut().grow_to(self.pattern.len() + searched + stepper)
    }

    /// Returns whether there is a match.
    pub fn is_match(&self, text: &str) -> Result<bool, ToolError> {
        match self.stepped(text.len(), |stepper| stepper.is_match(text))? {
            Some(found) => Ok(found),
            None => {
                let input = Input::new(text).earliest(true);
                let regex = self.whole(text.len())?;
                Ok(regex.search_half_with(&mut self.cache.borrow_mut(), &input).is_some())
            }
        }
    }

    /// Returns the first match that starts at or after a byte.
    pub fn find_at(&self, text: &str, from: usize) -> Result<Option<Range<usize>>, ToolError> {
        match self.stepped(text.len() - from, |stepper| stepper.find(text, from))? {
            Some(found) => Ok(found),
            None => {
                let regex = self.whole(text.len() - from)?;
                let input = Input::new(text).range(from..);
                let found = regex.search_with(&mut self.cache.borrow_mut(), &input).map(|found| found.range());
                work::charge_bytes(found.as_ref().map_or(text.len(), |found| found.end) - from)?;
                Ok(found)
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
        let regex = self.whole(found.len())?;
        let input = Input::new(text).range(found).anchored(Anchored::Yes);
        regex.search_captures_with(&mut self.cache.borrow_mut(), &input, &mut groups);
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

    /// Returns the result of an interruptible search, or `None` if the search is short or the stepper cannot do
    /// it.
    fn stepped<T>(
        &self,
        bytes: usize,
        search: impl FnOnce(&InterruptibleSearch) -> Result<T, SearchFailure>,
    ) -> Result<Option<T>, ToolError> {
        if self.places.saturating_mul(bytes as u64) <= AT_ONCE {
            return Ok(None);
        }
        match self.stepper()?.map(search) {
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(SearchFailure::Limit(hit))) => Err(hit.into()),
            Some(Err(SearchFailure::Unable)) | None => Ok(None),
        }
    }

    /// Returns the interruptible search, if the expression has one. The pattern is parsed again, so that
    /// expressions need not keep a syntax tree for it.
    fn stepper(&self) -> Result<Option<&InterruptibleSearch>, ToolError> {
        if self.stepper.get().is_none() {
            let stepper = match parse(&self.pattern, Flags::default()) {
                Ok(tree) => InterruptibleSearch::new(&tree, self.places, Bounds::now()),
                Err(Fault::Limit(hit)) => return Err(hit.into()),
                Err(_) => None,
            };
            self.stepper.get_or_init(|| stepper);
            self.count()?;
        }
        Ok(self.stepper.get().and_then(Option::as_ref))
    }

    /// Returns the library search, if it finishes in acceptable time on `bytes` bytes.
    fn whole(&self, bytes: usize) -> Result<&Regex, ToolError> {
        if self.places.saturating_mul(bytes as u64) <= MAX_WORK {
            return Ok(&self.regex);
        }
        let message = format!("the text of {bytes} bytes is too long for so large a `pattern`");
        Err(ToolError::bad_argument("text", message).hint("search its lines one by one, or search for less"))
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
