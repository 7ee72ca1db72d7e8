//! Matches lines: with the library as long as that takes acceptable time, else with searches that charge as they
//! advance. A line may have many megabytes, and the library cannot be interrupted.

use std::cell::{Cell, RefCell};
use std::fmt;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;

use crate::limits::MemoryCharge;
use crate::toolkit::ToolError;

use super::super::super::parallel::Pace;
use super::super::super::regex::stepwise::{AtOnce, StepwiseSearch};

/// Units of work of a helper between two questions whether the run goes on.
const UNITS_PER_POLL: usize = 1 << 14;

/// Matches lines and stops at the limits of the run.
pub struct LineMatcher {
    library: RegexMatcher,
    stepwise: StepwiseSearch,
    /// The memory that the stepwise searches use.
    held: RefCell<MemoryCharge>,
    /// The limit that ended a search.
    stopped: RefCell<Option<ToolError>>,
}

/// The error of a search that a limit ended.
#[derive(Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a limit of the run ended the search")
    }
}

impl std::error::Error for Stopped {}

impl LineMatcher {
    /// Joins two compiled forms of one expression.
    pub fn new(library: RegexMatcher, stepwise: StepwiseSearch) -> LineMatcher {
        LineMatcher { library, stepwise, held: RefCell::default(), stopped: RefCell::default() }
    }

    /// Returns the parts from which helpers make their matchers.
    pub fn parts(&self) -> MatcherParts {
        MatcherParts { library: self.library.clone(), at_once: self.stepwise.at_once() }
    }

    /// Takes the limit that ended a search, if one did.
    pub fn take_stop(&self) -> Option<ToolError> {
        self.stopped.borrow_mut().take()
    }

    fn stop(&self, error: impl Into<ToolError>) -> Stopped {
        self.stopped.borrow_mut().get_or_insert_with(|| error.into());
        Stopped
    }

    fn runs_at_once(&self, bytes: usize) -> Result<bool, Stopped> {
        self.stepwise.at_once().runs(bytes).map_err(|hit| self.stop(hit))
    }

    /// Searches step by step, and charges the memory that this took.
    fn stepwise<T>(&self, search: impl FnOnce(&StepwiseSearch) -> Result<T, ToolError>) -> Result<T, Stopped> {
        let found = search(&self.stepwise);
        let counted = self.held.borrow_mut().grow_to(self.stepwise.memory_usage());
        counted.map_err(|hit| self.stop(hit))?;
        found.map_err(|error| self.stop(error))
    }
}

impl Matcher for LineMatcher {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        if self.runs_at_once(line.len() - at)? {
            return Ok(self.library.find_at(line, at).unwrap_or_default());
        }
        let found = self.stepwise(|search| search.find(line, at))?;
        Ok(found.map(|found| Match::new(found.start, found.end)))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        if self.runs_at_once(line.len() - at)? {
            return Ok(self.library.shortest_match_at(line, at).unwrap_or_default());
        }
        if at == 0 {
            // The caller asks only whether there is a match.
            return Ok(self.stepwise(|search| search.is_match(line))?.then_some(line.len()));
        }
        Ok(self.find_at(line, at)?.map(|found| found.end()))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.library.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.library.line_terminator()
    }

    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let longest = self.stepwise.at_once().longest();
        candidate_line(&self.library, lines, longest, |bytes| self.runs_at_once(bytes).map(drop))
    }
}

/// The parts from which helpers make their matchers.
#[derive(Clone)]
pub struct MatcherParts {
    library: RegexMatcher,
    at_once: AtOnce,
}

/// Matches lines with the library alone, for a helper. Stops at a line for which that would take too long.
pub struct QuickMatcher<'a> {
    parts: &'a MatcherParts,
    pace: Pace<'a>,
    /// Units of work since the run was last asked whether it goes on.
    units: Cell<usize>,
}

impl<'a> QuickMatcher<'a> {
    pub fn new(parts: &'a MatcherParts, pace: Pace<'a>) -> QuickMatcher<'a> {
        QuickMatcher { parts, pace, units: Cell::new(0) }
    }

    fn charge(&self, bytes: usize) -> Result<(), Stopped> {
        let units = self.units.get() + self.parts.at_once.units(bytes).ok_or(Stopped)?;
        self.units.set(units);
        if units > UNITS_PER_POLL {
            self.units.set(0);
            self.pace.poll().map_err(|_| Stopped)?;
        }
        Ok(())
    }
}

impl Matcher for QuickMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.charge(line.len() - at)?;
        Ok(self.parts.library.find_at(line, at).unwrap_or_default())
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        self.charge(line.len() - at)?;
        Ok(self.parts.library.shortest_match_at(line, at).unwrap_or_default())
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.parts.library.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.parts.library.line_terminator()
    }

    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        candidate_line(&self.parts.library, lines, self.parts.at_once.longest(), |bytes| self.charge(bytes))
    }
}

/// Looks for a line that may match: in as many lines at a time as the library searches in acceptable time. A line that
/// is longer is a candidate. `charge` receives the number of bytes of each search.
fn candidate_line(
    library: &RegexMatcher,
    lines: &[u8],
    longest: usize,
    charge: impl Fn(usize) -> Result<(), Stopped>,
) -> Result<Option<LineMatchKind>, Stopped> {
    let mut from = 0;
    while from < lines.len() {
        let most = lines.len().min(from.saturating_add(longest));
        let whole = if most == lines.len() { Some(most) } else { end_of_lines(&lines[..most], from) };
        let Some(to) = whole else { return Ok(Some(LineMatchKind::Candidate(from))) };
        charge(to - from)?;
        let found = library.find_candidate_line(&lines[from..to]).unwrap_or_default();
        if let Some(found) = found {
            return Ok(Some(match found {
                LineMatchKind::Confirmed(at) => LineMatchKind::Confirmed(from + at),
                LineMatchKind::Candidate(at) => LineMatchKind::Candidate(from + at),
            }));
        }
        from = to;
    }
    Ok(None)
}

/// Returns the end of the last whole line that begins at or after a position.
fn end_of_lines(lines: &[u8], from: usize) -> Option<usize> {
    memchr::memrchr(b'\n', &lines[from..]).map(|at| from + at + 1)
}
