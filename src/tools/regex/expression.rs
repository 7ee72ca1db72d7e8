//! A regular expression that is compiled, and what is found with it.
//!
//! Where a search could take longer than a run may wait, it is made by a [`Stepper`], which looks at the clock meanwhile;
//! else by the faster engines of the library. Both find the same. The automata and the tables that searches build are
//! counted as live, and there is room for them before a search begins.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, PatternID};

use crate::limits::{Held, LimitHit, space, work};
use crate::toolkit::ToolError;
use crate::value::Str;

use super::compile::{Bounds, Fault, Flags, parse};
use super::stepper::{Stepper, Unstepped};

/// Tables that grow up to a bound: those of the library and of the stepper, forwards and backwards each.
const TABLES: usize = 4;
/// Bytes of the smallest state of an automaton.
const STATE_BYTES: usize = 24;

/// Places of an expression times bytes of a text that one search of the library goes through without a look at the clock.
const AT_ONCE: u64 = 4_000_000;
/// The same where no other search is able: where words are asked for in texts that are not ASCII, and for what groups hold
/// inside one match.
const MAX_WORK: u64 = 4_000_000_000;

/// An expression that is compiled.
pub struct Expression {
    pattern: String,
    regex: Regex,
    /// The tables of the library's searches.
    cache: RefCell<Cache>,
    /// How many characters it has when its repetitions are written out.
    places: u64,
    /// Bytes of each table that is built while searching.
    table_bytes: usize,
    /// What all of it has taken.
    held: RefCell<Held>,
    /// Made at the first search that needs it; none where it would be too large.
    stepper: OnceCell<Option<Stepper>>,
}

impl Expression {
    /// An expression of so many places, as it is written and compiled, whose tables have at most so many bytes each.
    pub fn new(pattern: &str, regex: Regex, places: u64, table_bytes: usize) -> Result<Expression, LimitHit> {
        let cache = RefCell::new(regex.create_cache());
        let (pattern, held, stepper) = (pattern.to_owned(), RefCell::default(), OnceCell::new());
        let expression = Expression { pattern, regex, cache, places, table_bytes, held, stepper };
        expression.count()?;
        Ok(expression)
    }

    /// Counts what its searches have taken, and asks for what the next one may take.
    pub fn ask_for_room(&self) -> Result<(), LimitHit> {
        self.count()?;
        // Where nothing quicker can be used, each state that is alive keeps a place for each group, in two lists.
        let states = self.regex.memory_usage() / STATE_BYTES;
        let lists = 2 * states * size_of::<usize>() * self.regex.group_info().slot_len();
        space::check(lists + TABLES * self.table_bytes)
    }

    /// Counts what it has taken so far.
    fn count(&self) -> Result<(), LimitHit> {
        let stepper = self.stepper.get().and_then(Option::as_ref).map_or(0, Stepper::memory_usage);
        let searched = self.regex.memory_usage() + self.cache.borrow().memory_usage();
        self.held.borrow_mut().grow_to(self.pattern.len() + searched + stepper)
    }

    /// As it is written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether there is a match.
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

    /// The first match that begins at a byte or after it.
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

    /// The matches of a text, from the left, none of which overlap.
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

    /// The names of the groups, or their numbers where they have none.
    pub fn group_names(&self) -> Vec<Str> {
        let names = self.names().enumerate();
        names.map(|(number, name)| name.map_or_else(|| Str::new(&number.to_string()), Str::new)).collect()
    }

    /// The names of the groups, none where they have none; the first is the whole match.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(PatternID::ZERO)
    }

    /// How many groups there are, the whole match included.
    pub fn group_count(&self) -> usize {
        self.regex.group_info().group_len(PatternID::ZERO)
    }

    /// The result of a search that can be stopped; none where it is short, or cannot be made so.
    fn stepped<T>(
        &self,
        bytes: usize,
        search: impl FnOnce(&Stepper) -> Result<T, Unstepped>,
    ) -> Result<Option<T>, ToolError> {
        if self.places.saturating_mul(bytes as u64) <= AT_ONCE {
            return Ok(None);
        }
        match self.stepper()?.map(search) {
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(Unstepped::Limit(hit))) => Err(hit.into()),
            Some(Err(Unstepped::Unable)) | None => Ok(None),
        }
    }

    /// The search that can be stopped, if the expression has one. Its pattern is read once more, so that no expression
    /// keeps a tree for it.
    fn stepper(&self) -> Result<Option<&Stepper>, ToolError> {
        if self.stepper.get().is_none() {
            let stepper = match parse(&self.pattern, Flags::default()) {
                Ok(tree) => Stepper::new(&tree, self.places, Bounds::now()),
                Err(Fault::Limit(hit)) => return Err(hit.into()),
                Err(_) => None,
            };
            self.stepper.get_or_init(|| stepper);
            self.count()?;
        }
        Ok(self.stepper.get().and_then(Option::as_ref))
    }

    /// The library's search, for so many bytes that it ends some time.
    fn whole(&self, bytes: usize) -> Result<&Regex, ToolError> {
        if self.places.saturating_mul(bytes as u64) <= MAX_WORK {
            return Ok(&self.regex);
        }
        let message = format!("the text of {bytes} bytes is too long for so large a `pattern`");
        Err(ToolError::bad_argument("text", message).hint("search its lines one by one, or search for less"))
    }
}

/// The matches of a text.
pub struct Matches<'r> {
    expression: &'r Expression,
    text: &'r str,
    from: usize,
    last_end: Option<usize>,
}

impl Matches<'_> {
    /// The next match. An empty one right behind another is none.
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
