//! Interruptible searches for everything that a lazy DFA cannot do: groups, and word boundaries outside ASCII.
//!
//! The nondeterministic automaton is simulated byte by byte: all of its active states advance together, in the order
//! in which the expression prefers them, each with its own positions of groups (a Pike VM). A byte takes time
//! proportional to the number of states, which is charged. The matches are those of the library.

use std::cell::RefCell;
use std::mem::swap;
use std::ops::Range;

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;
use regex_automata::{MatchKind, Span};
use regex_syntax::hir::Hir;

use crate::limits::{LimitHit, MemoryCharge, work};

use super::stepper::is_char_boundary;

/// The position of a group that took no part.
const UNSET: usize = usize::MAX;
/// Bytes in which a literal is looked for between two charges.
const STRETCH: usize = 1 << 18;
/// Positions of groups that are copied in the time that a state takes.
pub const SLOTS_PER_UNIT: usize = 8;

/// The part of a text that is searched, and what is wanted.
pub struct Task {
    /// The range of bytes; assertions see the text around it.
    pub range: Range<usize>,
    /// Whether a match must start where the range starts.
    pub is_anchored: bool,
    /// Whether any match will do, rather than the preferred one.
    pub is_any_enough: bool,
    /// Number of positions to report: two for each group, of which the first is the whole match.
    pub slots: usize,
}

/// The automaton of an expression, with the tables of its searches.
pub struct Simulation {
    nfa: NFA,
    /// Whether a match may begin inside a character.
    in_bytes: bool,
    prefilter: Option<Prefilter>,
    tables: RefCell<Tables>,
}

#[derive(Default)]
struct Tables {
    stack: Vec<Frame>,
    current: Active,
    next: Active,
    /// Positions of a thread that starts.
    blank: Vec<usize>,
    held: MemoryCharge,
}

/// The active states, in order of preference, with the positions of their groups.
#[derive(Default)]
struct Active {
    states: Vec<StateID>,
    /// The index in `states` of each active state; invalid for others.
    index: Vec<u32>,
    positions: Vec<usize>,
    slots: usize,
}

/// An entry of the stack by which transitions are followed that read nothing.
#[derive(Clone, Copy)]
enum Frame {
    Explore(StateID),
    Restore { slot: usize, position: usize },
}

/// The states that are reached without reading a byte, at a place in a text.
struct EpsilonClosure<'a> {
    text: &'a [u8],
    at: usize,
    stack: &'a mut Vec<Frame>,
    active: &'a mut Active,
    /// As before once all transitions were followed.
    positions: &'a mut [usize],
}

impl Simulation {
    /// Creates the automaton of an expression, for texts, or for any bytes. Returns `None` if it would have more than
    /// `most` bytes.
    pub fn new(expression: &Hir, most: usize, in_bytes: bool) -> Option<Simulation> {
        let config = Config::new().nfa_size_limit(Some(most)).which_captures(WhichCaptures::All);
        let nfa = Compiler::new().configure(config).build_from_hir(expression).ok()?;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, expression);
        Some(Simulation { nfa, in_bytes, prefilter, tables: RefCell::default() })
    }

    /// Returns the memory used in bytes, without the tables of searches, which are charged on their own.
    pub fn memory_usage(&self) -> usize {
        self.nfa.memory_usage() + self.prefilter.as_ref().map_or(0, Prefilter::memory_usage)
    }

    /// Returns the positions of the groups of the first match.
    pub fn search(&self, text: &[u8], task: &Task) -> Result<Option<Vec<usize>>, LimitHit> {
        let tables = &mut *self.tables.borrow_mut();
        tables.prepare(self.nfa.states().len(), task.slots)?;
        let mut found = None;
        let mut at = task.range.start;
        loop {
            if tables.current.states.is_empty() {
                if found.is_some() || task.is_anchored && at > task.range.start {
                    break;
                }
                match self.candidate(text, at..task.range.end, task.is_anchored)? {
                    Some(candidate) => at = candidate,
                    None => break,
                }
            }
            // An empty match inside a character does not count, and no other starts there.
            let starts = found.is_none() && (!task.is_anchored || at == task.range.start);
            if starts && (self.in_bytes || is_char_boundary(text, at)) {
                let Tables { stack, current, blank, .. } = tables;
                let closure = EpsilonClosure { text, at, stack, active: current, positions: blank };
                self.follow(closure, self.nfa.start_anchored());
            }
            if let Some(positions) = self.step(tables, text, at, at < task.range.end) {
                found = Some(positions);
                if task.is_any_enough {
                    break;
                }
            }
            let states = tables.current.states.len() + tables.next.states.len();
            work::charge((1 + states) * (1 + task.slots / SLOTS_PER_UNIT))?;
            if at >= task.range.end {
                break;
            }
            at += 1;
            swap(&mut tables.current, &mut tables.next);
            tables.next.states.clear();
        }
        Ok(found)
    }

    /// Returns where a match may start, at the start of the range or after it.
    fn candidate(&self, text: &[u8], range: Range<usize>, is_anchored: bool) -> Result<Option<usize>, LimitHit> {
        let Some(prefilter) = self.prefilter.as_ref().filter(|_| !is_anchored) else { return Ok(Some(range.start)) };
        let mut from = range.start;
        while from < range.end {
            let end = range.end.min(from + STRETCH);
            work::charge_bytes(end - from)?;
            // A literal that starts before `end` may end after it.
            let within = Span { start: from, end: range.end.min(end + prefilter.max_needle_len()) };
            if let Some(found) = prefilter.find(text, within) {
                return Ok(Some(found.start));
            }
            from = end;
        }
        Ok(None)
    }

    /// Moves every active state over the byte at `at`, if `reads` is set, until one is a match. Returns the positions
    /// of its groups.
    fn step(&self, tables: &mut Tables, text: &[u8], at: usize, reads: bool) -> Option<Vec<usize>> {
        let Tables { stack, current, next, .. } = tables;
        for number in 0..current.states.len() {
            let state = current.states[number];
            let target = match self.nfa.state(state) {
                State::Match { .. } => return Some(current.positions_of(state).to_vec()),
                State::ByteRange { trans } if reads => trans.matches(text, at).then_some(trans.next),
                State::Sparse(sparse) if reads => sparse.matches(text, at),
                State::Dense(dense) if reads => dense.matches(text, at),
                _ => None,
            };
            if let Some(target) = target {
                let positions = current.positions_of(state);
                self.follow(EpsilonClosure { text, at: at + 1, stack, active: next, positions }, target);
            }
        }
        None
    }

    /// Adds a state and all that are reached from it without reading a byte.
    fn follow(&self, mut closure: EpsilonClosure<'_>, state: StateID) {
        closure.stack.push(Frame::Explore(state));
        while let Some(frame) = closure.stack.pop() {
            match frame {
                Frame::Restore { slot, position } => closure.positions[slot] = position,
                Frame::Explore(state) => self.explore(&mut closure, state),
            }
        }
    }

    /// Adds a state, follows its first transition that reads nothing, and puts the others on the stack.
    fn explore(&self, closure: &mut EpsilonClosure<'_>, mut state: StateID) {
        while closure.active.insert(state) {
            state = match self.nfa.state(state) {
                State::Look { look, next } if self.nfa.look_matcher().matches(*look, closure.text, closure.at) => *next,
                State::Look { .. } => return,
                State::Union { alternates } => {
                    let Some((first, others)) = alternates.split_first() else { return };
                    closure.stack.extend(others.iter().rev().copied().map(Frame::Explore));
                    *first
                }
                State::BinaryUnion { alt1, alt2 } => {
                    closure.stack.push(Frame::Explore(*alt2));
                    *alt1
                }
                State::Capture { next, slot, .. } => {
                    if let Some(position) = closure.positions.get_mut(slot.as_usize()) {
                        closure.stack.push(Frame::Restore { slot: slot.as_usize(), position: *position });
                        *position = closure.at;
                    }
                    *next
                }
                _ => return closure.active.positions_of(state).copy_from_slice(closure.positions),
            };
        }
    }
}

impl Tables {
    /// Makes room for the states of an automaton with `slots` positions each, and forgets the previous search.
    fn prepare(&mut self, states: usize, slots: usize) -> Result<(), LimitHit> {
        let sets = 2 * states * (size_of::<StateID>() + size_of::<u32>());
        let rows = (2 * states + 1) * slots * size_of::<usize>();
        let largest = rows.max((self.current.positions.len() + self.next.positions.len()) * size_of::<usize>());
        // The stack has at most an entry for each alternative and each group.
        self.held.grow_to(sets + largest + 2 * states * size_of::<Frame>())?;
        self.stack.clear();
        self.current.prepare(states, slots);
        self.next.prepare(states, slots);
        self.blank.clear();
        self.blank.resize(slots, UNSET);
        Ok(())
    }
}

impl Active {
    fn prepare(&mut self, states: usize, slots: usize) {
        self.states.clear();
        self.states.reserve(states);
        self.index.resize(states, 0);
        self.slots = slots;
        if self.positions.len() < states * slots {
            self.positions.resize(states * slots, UNSET);
        }
    }

    /// Adds a state. Returns whether it is new.
    fn insert(&mut self, state: StateID) -> bool {
        let index = &mut self.index[state];
        if self.states.get(*index as usize) == Some(&state) {
            return false;
        }
        *index = self.states.len() as u32;
        self.states.push(state);
        true
    }

    fn positions_of(&mut self, state: StateID) -> &mut [usize] {
        let from = state.as_usize() * self.slots;
        &mut self.positions[from..from + self.slots]
    }
}

#[cfg(test)]
mod tests;
