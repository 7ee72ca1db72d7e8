//! Searches that charge as they advance, for texts on which a search of the library could take longer than a run may
//! wait: by an [`InterruptibleSearch`], or by a [`Simulation`] where that one cannot decide.
//!
//! They find the matches that the library finds, in texts and in lines of bytes.

use std::cell::OnceCell;
use std::ops::Range;

use regex_syntax::hir::{Hir, Look};

use crate::limits::{LimitHit, space, work};
use crate::toolkit::ToolError;

use super::parse::{Bounds, Fault, Flags, parse, steps};
use super::simulation::{Simulation, Task};
use super::stepper::{InterruptibleSearch, SearchFailure};

/// Maximum work, in steps of the expression times text bytes, of one library search, which does not check the
/// deadline.
const AT_ONCE: u64 = 2_000_000;
/// Work of a library search that counts as one unit when it is charged.
const WORK_PER_UNIT: u64 = 16;
/// Units that are charged before an automaton is built: enough to check the deadline.
const UNITS_TO_BUILD: usize = 1 << 14;

/// A pattern that was parsed without an error before, and is parsed again when an automaton is needed, so that no
/// syntax tree is kept for it.
#[derive(Clone, Debug)]
pub struct KnownPattern {
    /// The pattern.
    pub text: String,
    /// The flags with which it is parsed.
    pub flags: Flags,
    /// Whether a match must not be part of a longer word.
    pub is_word: bool,
}

impl KnownPattern {
    /// Parses the pattern.
    pub fn tree(&self) -> Result<Hir, Fault> {
        let tree = parse(&self.text, self.flags)?;
        Ok(if self.is_word {
            Hir::concat(vec![Hir::look(Look::WordStartHalfUnicode), tree, Hir::look(Look::WordEndHalfUnicode)])
        } else {
            tree
        })
    }

    fn known_tree(&self) -> Result<Hir, ToolError> {
        self.tree().map_err(|fault| match fault {
            Fault::Limit(hit) => hit.into(),
            _ => unreachable!("the pattern was parsed before, with the same flags"),
        })
    }
}

/// Tells which texts the library searches in acceptable time.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce {
    /// Steps that a byte can take.
    steps: u64,
}

impl AtOnce {
    /// Returns whether the library searches `bytes` bytes in acceptable time, and charges that time if so.
    pub fn runs(self, bytes: usize) -> Result<bool, LimitHit> {
        let units = self.units(bytes);
        units.map_or(Ok(()), work::charge)?;
        Ok(units.is_some())
    }

    /// Returns the units of work of a search of `bytes` bytes with the library, or `None` if it would take too long.
    pub fn units(self, bytes: usize) -> Option<usize> {
        let work = self.steps.saturating_mul(bytes as u64);
        (work <= AT_ONCE).then_some(1 + (work / WORK_PER_UNIT) as usize)
    }

    /// Returns the maximum number of bytes that the library searches in acceptable time.
    pub fn longest(self) -> usize {
        usize::try_from(AT_ONCE / self.steps.max(1)).unwrap_or(usize::MAX)
    }
}

/// The searches with one expression.
pub struct StepwiseSearch {
    pattern: KnownPattern,
    at_once: AtOnce,
    /// Size limits of its automata and of each table that is built during a search.
    bounds: Bounds,
    /// Created by the first search that needs it; `None` if it would be too large.
    stepper: OnceCell<Option<InterruptibleSearch>>,
    /// Created by the first search that needs it.
    simulation: OnceCell<Simulation>,
}

impl StepwiseSearch {
    /// Creates the searches with a pattern, given its tree and the limits of its size.
    pub fn new(pattern: KnownPattern, tree: &Hir, bounds: Bounds) -> StepwiseSearch {
        let (stepper, simulation) = (OnceCell::new(), OnceCell::new());
        StepwiseSearch { pattern, at_once: AtOnce { steps: steps(tree) }, bounds, stepper, simulation }
    }

    /// Returns the memory used so far, in bytes.
    pub fn memory_usage(&self) -> usize {
        let stepper = self.stepper.get().and_then(Option::as_ref).map_or(0, InterruptibleSearch::memory_usage);
        let simulation = self.simulation.get().map_or(0, Simulation::memory_usage);
        self.pattern.text.len() + stepper + simulation
    }

    /// Returns which texts the library searches in acceptable time.
    pub fn at_once(&self) -> AtOnce {
        self.at_once
    }

    /// Returns whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, ToolError> {
        if let Some(found) = self.step(|stepper| stepper.is_match(text))? {
            return Ok(found);
        }
        let task = Task { range: 0..text.len(), is_anchored: false, is_any_enough: true, slots: 0 };
        Ok(self.simulation()?.search(text, &task)?.is_some())
    }

    /// Returns the first match that starts at or after a byte.
    pub fn find(&self, text: &[u8], from: usize) -> Result<Option<Range<usize>>, ToolError> {
        if let Some(found) = self.step(|stepper| stepper.find(text, from))? {
            return Ok(found);
        }
        let task = Task { range: from..text.len(), is_anchored: false, is_any_enough: false, slots: 2 };
        Ok(self.simulation()?.search(text, &task)?.map(|positions| positions[0]..positions[1]))
    }

    /// Searches with the stepper. Returns `None` if the automaton must be simulated instead.
    fn step<T>(
        &self,
        search: impl FnOnce(&InterruptibleSearch) -> Result<T, SearchFailure>,
    ) -> Result<Option<T>, ToolError> {
        match self.stepper()?.map(search) {
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(SearchFailure::Limit(hit))) => Err(hit.into()),
            Some(Err(SearchFailure::Unable)) | None => Ok(None),
        }
    }

    fn stepper(&self) -> Result<Option<&InterruptibleSearch>, ToolError> {
        if self.stepper.get().is_none() {
            work::charge(UNITS_TO_BUILD)?;
            let tree = self.pattern.known_tree()?;
            let stepper =
                InterruptibleSearch::new(&tree, self.at_once.steps, Bounds::now(), self.pattern.flags.in_lines);
            self.stepper.get_or_init(|| stepper);
        }
        Ok(self.stepper.get().and_then(Option::as_ref))
    }

    /// Returns the simulation of the automaton.
    pub fn simulation(&self) -> Result<&Simulation, ToolError> {
        if self.simulation.get().is_none() {
            let tree = self.pattern.known_tree()?;
            work::charge(UNITS_TO_BUILD)?;
            // The library may have compiled a smaller form of the expression within these bounds.
            let most = 2 * self.bounds.compiled;
            space::check(most)?;
            let simulation = Simulation::new(&tree, most, self.pattern.flags.in_lines)
                .expect("the library has built such an automaton within half of this");
            self.simulation.get_or_init(|| simulation);
        }
        Ok(self.simulation.get().expect("it was just created"))
    }
}
