//! A regular expression that is compiled, and what is found with it.
//!
//! Where a search could take longer than a run may wait, it is made by a [`Stepper`], which looks at the clock meanwhile;
//! else by the faster engines of the library. Both find the same.

use std::cell::OnceCell;
use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;

use crate::limits::work;
use crate::toolkit::ToolError;
use crate::value::Str;

use super::compile::MAX_COMPILED;
use super::stepper::{Stepper, Unstepped};

/// Places of an expression times bytes of a text that one search of the library goes through without a look at the clock.
const AT_ONCE: u64 = 4_000_000;
/// The same where no other search is able: where words are asked for in texts that are not ASCII, and for what groups hold
/// inside one match.
const MAX_WORK: u64 = 4_000_000_000;

/// An expression that is compiled.
pub struct Expression {
    pattern: String,
    regex: Regex,
    hir: Hir,
    places: u64,
    /// Made at the first search that needs it; none where it would be too large.
    stepper: OnceCell<Option<Stepper>>,
}

impl Expression {
    /// An expression of so many places, as it is written, parsed and compiled.
    pub fn new(pattern: &str, hir: Hir, regex: Regex, places: u64) -> Expression {
        Expression { pattern: pattern.to_owned(), regex, hir, places, stepper: OnceCell::new() }
    }

    /// As it is written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &str) -> Result<bool, ToolError> {
        match self.stepped(text.len(), |stepper| stepper.is_match(text))? {
            Some(found) => Ok(found),
            None => self.whole(text.len()).map(|regex| regex.is_match(text)),
        }
    }

    /// The first match that begins at a byte or after it.
    pub fn find_at(&self, text: &str, from: usize) -> Result<Option<Range<usize>>, ToolError> {
        match self.stepped(text.len() - from, |stepper| stepper.find(text, from))? {
            Some(found) => Ok(found),
            None => {
                let regex = self.whole(text.len() - from)?;
                let found = regex.find(Input::new(text).range(from..)).map(|found| found.range());
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
        regex.search_captures(&Input::new(text).range(found).anchored(Anchored::Yes), &mut groups);
        Ok(groups)
    }

    /// The names of the groups, or their numbers where they have none.
    pub fn group_names(&self) -> Vec<Str> {
        let names = self.names().enumerate();
        names.map(|(number, name)| name.map_or_else(|| Str::new(&number.to_string()), Str::new)).collect()
    }

    /// The names of the groups that have one.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(regex_automata::PatternID::ZERO)
    }

    /// How many groups there are, the whole match included.
    pub fn group_count(&self) -> usize {
        self.regex.group_info().group_len(regex_automata::PatternID::ZERO)
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
        let stepper = self.stepper.get_or_init(|| Stepper::new(&self.hir, self.places, MAX_COMPILED));
        match stepper.as_ref().map(search) {
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(Unstepped::Limit(hit))) => Err(hit.into()),
            Some(Err(Unstepped::Unable)) | None => Ok(None),
        }
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
