//! Interruptible searches: a lazy DFA that advances byte by byte, with charges in between.
//!
//! Searches of the regex crates cannot be interrupted. They are faster, so this one is only for texts on which
//! they could take longer than a run may wait. It finds the same match: the leftmost one, and of several that
//! start there, the one that the expression prefers. One automaton finds the end of the match; another, which
//! runs backward, finds the start.

use std::cell::RefCell;
use std::ops::Range;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config, NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

use crate::limits::{LimitHit, work};

use super::parse::Bounds;

/// Work between two charges, in expression positions times text bytes: a byte may require a new state, which
/// takes time proportional to the size of the expression.
const STRETCH_WORK: usize = 1 << 18;
/// Units that are charged for this work.
const STRETCH_UNITS: usize = 1 << 12;

/// Why there is no result.
pub enum SearchFailure {
    /// A limit was reached.
    Limit(LimitHit),
    /// The automaton cannot decide: it does not know which characters outside ASCII are word characters.
    Unable,
}

impl From<LimitHit> for SearchFailure {
    fn from(hit: LimitHit) -> SearchFailure {
        SearchFailure::Limit(hit)
    }
}

/// The automata of an expression.
pub struct InterruptibleSearch {
    forward: Automaton,
    backward: Automaton,
    /// Bytes that are processed between two charges.
    stretch: usize,
    /// Whether an empty match inside a character counts.
    in_bytes: bool,
}

/// An automaton with the states created so far.
struct Automaton {
    dfa: DFA,
    cache: RefCell<Cache>,
}

impl InterruptibleSearch {
    /// Creates the automata of an expression with the given number of positions, for texts, or for any bytes. Returns
    /// `None` if they would be too large.
    pub fn new(expression: &Hir, places: u64, bounds: Bounds, in_bytes: bool) -> Option<InterruptibleSearch> {
        let compile = |config: Config| {
            let config = config.nfa_size_limit(Some(bounds.compiled)).which_captures(WhichCaptures::None);
            Compiler::new().configure(config).build_from_hir(expression).ok()
        };
        let stretch = STRETCH_WORK / usize::try_from(places.max(1)).unwrap_or(usize::MAX);
        Some(InterruptibleSearch {
            forward: Automaton::new(compile(Config::new())?, MatchKind::LeftmostFirst, bounds)?,
            backward: Automaton::new(compile(Config::new().reverse(true))?, MatchKind::All, bounds)?,
            stretch: stretch.clamp(64, 1 << 16),
            in_bytes,
        })
    }

    /// Returns the memory used so far, in bytes.
    pub fn memory_usage(&self) -> usize {
        self.forward.memory_usage() + self.backward.memory_usage()
    }

    /// Returns whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, SearchFailure> {
        Ok(self.end(text, 0, Wanted::Any)?.is_some())
    }

    /// Returns the first match that starts at or after a byte.
    pub fn find(&self, text: &[u8], from: usize) -> Result<Option<Range<usize>>, SearchFailure> {
        let mut from = from;
        loop {
            let Some(end) = self.end(text, from, Wanted::Whole)? else { return Ok(None) };
            let start = self.start(text, from..end)?;
            // An empty match inside a character does not count.
            if start < end || self.in_bytes || is_char_boundary(text, end) {
                return Ok(Some(start..end));
            }
            from = end + 1;
        }
    }

    fn end(&self, text: &[u8], from: usize, wanted: Wanted) -> Result<Option<usize>, SearchFailure> {
        let Automaton { dfa, cache } = &self.forward;
        let cache = &mut *cache.borrow_mut();
        let input = Input::new(text).range(from..);
        let mut state = dfa.start_state_forward(cache, &input).map_err(|_| SearchFailure::Unable)?;
        let mut end = None;
        for (number, stretch) in text[from..].chunks(self.stretch).enumerate() {
            for (at, byte) in stretch.iter().enumerate() {
                state = dfa.next_state(cache, state, *byte).map_err(|_| SearchFailure::Unable)?;
                if state.is_tagged() {
                    if state.is_match() {
                        // The automaton reports matches one byte late.
                        end = Some(from + number * self.stretch + at);
                        if wanted == Wanted::Any {
                            return Ok(end);
                        }
                    } else if state.is_dead() {
                        return Ok(end);
                    } else if state.is_quit() {
                        return Err(SearchFailure::Unable);
                    }
                }
            }
            work::charge(STRETCH_UNITS * stretch.len() / self.stretch)?;
        }
        let state = dfa.next_eoi_state(cache, state).map_err(|_| SearchFailure::Unable)?;
        Ok(if state.is_match() { Some(text.len()) } else { end })
    }

    /// Returns where the match that ends at the end of a range starts; it starts inside the range.
    fn start(&self, text: &[u8], range: Range<usize>) -> Result<usize, SearchFailure> {
        let Automaton { dfa, cache } = &self.backward;
        let cache = &mut *cache.borrow_mut();
        let input = Input::new(text).range(range.clone()).anchored(Anchored::Yes);
        let mut state = dfa.start_state_reverse(cache, &input).map_err(|_| SearchFailure::Unable)?;
        let mut start = range.end;
        for (number, stretch) in text[range.clone()].rchunks(self.stretch).enumerate() {
            for (at, byte) in stretch.iter().rev().enumerate() {
                state = dfa.next_state(cache, state, *byte).map_err(|_| SearchFailure::Unable)?;
                if state.is_tagged() {
                    if state.is_match() {
                        start = range.end - number * self.stretch - at;
                    } else if state.is_dead() {
                        return Ok(start);
                    } else if state.is_quit() {
                        return Err(SearchFailure::Unable);
                    }
                }
            }
            work::charge(STRETCH_UNITS * stretch.len() / self.stretch)?;
        }
        let state = match range.start.checked_sub(1) {
            Some(before) => dfa.next_state(cache, state, text[before]),
            None => dfa.next_eoi_state(cache, state),
        };
        let state = state.map_err(|_| SearchFailure::Unable)?;
        if state.is_quit() {
            return Err(SearchFailure::Unable);
        }
        Ok(if state.is_match() { range.start } else { start })
    }
}

/// Whether no character of a text ends after this position and begins before it. In bytes that are no text, every byte
/// that does not continue a character begins one.
pub fn is_char_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

/// The kind of result that a search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Whether there is a match.
    Any,
    /// The end of the match that the expression prefers.
    Whole,
}

impl Automaton {
    fn new(nfa: NFA, kind: MatchKind, bounds: Bounds) -> Option<Automaton> {
        let config = DFA::config()
            .match_kind(kind)
            .unicode_word_boundary(true)
            .cache_capacity(bounds.tables)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = RefCell::new(dfa.create_cache());
        Some(Automaton { dfa, cache })
    }

    fn memory_usage(&self) -> usize {
        self.dfa.get_nfa().memory_usage() + self.cache.borrow().memory_usage()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, proptest};
    use regex_syntax::parse;

    use super::{Bounds, InterruptibleSearch, SearchFailure};

    const PATTERNS: [&str; 34] = [
        "",
        "a",
        "a*",
        "a+b|a",
        "ab|a",
        "a|ab",
        "(a|b)*c",
        "[^x]*x",
        "^a",
        "a$",
        "(?m)^b|c$",
        "\\b",
        "\\bb",
        "b\\b",
        "\\B",
        "é+",
        ".",
        ".*",
        "(?s).*",
        "\\s+",
        "[a-z]+é?",
        "a{2,3}",
        "a{2,3}?",
        "a*?b",
        "(?i)AB",
        "(a*)*",
        "(a|aa)+$",
        "b?",
        "c??",
        "|a",
        "a|",
        "(?:)|é",
        "[^é]",
        "x*$",
    ];

    fn same(pattern: &str, text: &str) {
        let expression = parse(pattern).expect("a pattern");
        let mut stepper =
            InterruptibleSearch::new(&expression, 10, Bounds { compiled: 1 << 20, tables: 4 << 20 }, false)
                .expect("it is small");
        stepper.stretch = 2;
        let library = regex::Regex::new(pattern).expect("a pattern");
        for from in (0..=text.len()).filter(|from| text.is_char_boundary(*from)) {
            let found = match stepper.find(text.as_bytes(), from) {
                Ok(found) => found,
                Err(SearchFailure::Unable) if pattern.contains(['b', 'B']) && !text.is_ascii() => continue,
                Err(_) => panic!("`{pattern}` in `{text}` from {from}: there is time"),
            };
            let wanted = library.find_at(text, from).map(|found| found.range());
            assert_eq!(found, wanted, "`{pattern}` in `{text}` from {from}");
        }
        if let Ok(found) = stepper.is_match(text.as_bytes()) {
            assert_eq!(found, library.is_match(text), "`{pattern}` in `{text}`");
        }
    }

    #[test]
    fn it_finds_what_the_library_finds() {
        let texts =
            ["", "a", "aab", "ababc", "xaax", "é", "aéb é", "a b\nc a\n", "\n", "aaaaaa", "bbb", "AB ab", "cc\nb"];
        PATTERNS.iter().for_each(|pattern| texts.iter().for_each(|text| same(pattern, text)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn in_random_texts_too(text in "[abcxé \n]{0,12}", pattern in "([abcxé.]|\\[\\^?a-b\\]|\\(a\\|bc\\)|\\\\b|\\\\s)([*+?]\\??)?([abx]|\\(ab\\|a\\)|\\$)?([*+?])?") {
            same(&pattern, &text);
        }
    }
}
