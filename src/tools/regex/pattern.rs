//! A compiled pattern and the tables that its searches have built, which are counted as live.

use std::cell::{RefCell, RefMut};
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::iter::Searcher;

use crate::limits::{Held, LimitHit, space};

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    regex: Regex,
    cache: RefCell<Cache>,
    held: RefCell<Held>,
    places: u64,
    /// What a search may take besides what was taken so far.
    room: usize,
}

/// Tables that grow up to a bound: those of searches forwards and backwards.
const TABLES: usize = 2;
/// Bytes of the smallest state of an automaton.
const STATE_BYTES: usize = 24;

impl Pattern {
    /// A pattern of which this is the compiled form.
    pub fn new(source: &str, regex: Regex, places: u64, table_bytes: usize) -> Result<Pattern, LimitHit> {
        let cache = regex.create_cache();
        // Where nothing quicker can be used, each state that is alive keeps a place for each group, in two lists.
        let states = regex.memory_usage() / STATE_BYTES;
        let lists = 2 * states * size_of::<usize>() * regex.group_info().slot_len();
        let held = Held::of(source.len() + regex.memory_usage() + cache.memory_usage())?;
        Ok(Pattern {
            source: source.to_owned(),
            regex,
            cache: RefCell::new(cache),
            held: RefCell::new(held),
            places,
            room: lists + TABLES * table_bytes,
        })
    }

    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many characters it has when its repetitions are written out.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// Counts what its searches have taken, and asks for what the next one may take.
    pub fn ask_for_room(&self) -> Result<(), LimitHit> {
        let taken = self.source.len() + self.regex.memory_usage() + self.cache.borrow().memory_usage();
        self.held.borrow_mut().grow_to(taken)?;
        space::check(self.room)
    }

    /// Whether a text holds a match.
    pub fn is_match(&self, text: &str) -> bool {
        let input = Input::new(text).earliest(true);
        self.regex.search_half_with(&mut self.cache.borrow_mut(), &input).is_some()
    }

    /// The matches in a text, one after another.
    pub fn matches<'p, 't>(&'p self, text: &'t str) -> Matches<'p, 't> {
        Matches { regex: &self.regex, cache: self.cache.borrow_mut(), searcher: Searcher::new(Input::new(text)) }
    }

    /// The matches in a text with what their groups hold.
    pub fn groups<'p, 't>(&'p self, text: &'t str) -> Groups<'p, 't> {
        Groups { matches: self.matches(text), captures: self.regex.create_captures(), text }
    }

    /// The names of the groups, none where they have none; the first is the whole match.
    pub fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(regex_automata::PatternID::ZERO)
    }
}

/// Goes through matches.
pub struct Matches<'p, 't> {
    regex: &'p Regex,
    cache: RefMut<'p, Cache>,
    searcher: Searcher<'t>,
}

impl Iterator for Matches<'_, '_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let Matches { regex, cache, searcher } = self;
        searcher.advance(|input| Ok(regex.search_with(cache, input))).map(|found| found.range())
    }
}

/// Goes through matches and their groups.
pub struct Groups<'p, 't> {
    matches: Matches<'p, 't>,
    captures: Captures,
    text: &'t str,
}

impl<'t> Groups<'_, 't> {
    /// Finds the next match; none when there is no other.
    pub fn advance(&mut self) -> Option<Range<usize>> {
        let Groups { matches: Matches { regex, cache, searcher }, captures, .. } = self;
        let found = searcher.advance(|input| {
            regex.search_captures_with(cache, input, captures);
            Ok(captures.get_match())
        });
        found.map(|found| found.range())
    }

    /// What a group of the newest match holds.
    pub fn get(&self, group: usize) -> Option<&'t str> {
        self.captures.get_group(group).map(|span| &self.text[span.range()])
    }
}
