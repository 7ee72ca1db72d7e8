//! The run that is debugged: its program, breakpoints and changes, and the gate for undoing them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::eval::Machine;
use crate::gate::{End, EndedRun, Gate};
use crate::limits::{Interrupt, Limits};

use super::breakpoints::Breakpoints;
use super::history::{History, PastChange};
use super::program::DebugProgram;
use super::snapshot::Snapshot;
use super::stop::StopFilters;
use super::visits::Visits;
use super::watches::Watches;

/// The run that is debugged.
pub(in crate::engine) struct Debuggee {
    pub(super) gate: Rc<Gate>,
    pub(super) limits: Limits,
    pub(super) interrupt: Interrupt,
    /// The command, as the list of runs shows it.
    pub(super) listed: String,
    pub(super) code: DebugProgram,
    pub(super) breakpoints: RefCell<Breakpoints>,
    pub(super) filters: Cell<StopFilters>,
    pub(super) history: RefCell<History>,
    pub(super) watches: RefCell<Watches>,
    pub(super) visits: RefCell<Visits>,
}

/// The parts of a run that is debugged.
pub(in crate::engine) struct DebugParts {
    pub gate: Rc<Gate>,
    pub limits: Limits,
    pub interrupt: Interrupt,
    pub listed: String,
    pub code: DebugProgram,
}

impl Debuggee {
    /// Creates the run of a program.
    pub fn new(parts: DebugParts) -> Debuggee {
        let DebugParts { gate, limits, interrupt, listed, code } = parts;
        Debuggee {
            gate,
            limits,
            interrupt,
            listed,
            code,
            breakpoints: RefCell::default(),
            filters: Cell::default(),
            history: RefCell::default(),
            watches: RefCell::default(),
            visits: RefCell::default(),
        }
    }

    /// Takes the variables of the run.
    pub(super) fn snapshot(&self, machine: &Machine) -> Snapshot {
        Snapshot::of(machine, &self.code, &self.visits.borrow())
    }

    /// Ends the current run of the journal and announces the next one. Returns the one that ended, if it changed
    /// something.
    pub(super) fn next_run(&self, command: &str) -> Option<EndedRun> {
        let ended = self.gate.end_journal(End::Done);
        self.gate.announce(command, false);
        ended
    }

    /// Begins the run of a change.
    pub(super) fn begin_change(&self, before: Snapshot, what: &str) {
        if self.history.borrow_mut().begin(before) {
            self.next_run(&format!("{}: {what}", self.listed));
        }
    }

    /// Ends the run of a change. Returns whether it is one to go back over.
    pub(super) fn end_change(&self) -> bool {
        let mut history = self.history.borrow_mut();
        if self.gate.has_temporary() {
            // Its removal belongs to the run that made it, which ends with the script.
            history.close();
        }
        let Some(before) = history.take_pending() else { return false };
        let ended = self.next_run(&self.listed).filter(|ended| ended.steps > 0);
        let has_changed = ended.is_some();
        if let Some(ended) = ended {
            history.push(PastChange { before, run: ended.run });
        }
        has_changed
    }
}
