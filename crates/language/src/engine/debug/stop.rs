//! Why a run stops, and how it goes on.

/// How a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// To the next breakpoint.
    Continue,
    /// To the next statement, also in a procedure.
    StepIn,
    /// To the next statement that is not in a procedure called meanwhile.
    StepOver,
    /// To the next statement after the procedure returns.
    StepOut,
    /// Ends the run.
    End,
}

/// How a run goes on after requests were served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// It goes on.
    On,
    /// It stops before the next statement.
    Pause,
    /// It ends.
    End,
}

/// Why a run has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Before the first statement.
    Entry,
    /// After a step.
    Step,
    /// The client asked for it.
    Pause,
    /// At breakpoints.
    Breakpoint(BreakpointStop),
    /// An error was raised.
    Error(RaisedError),
    /// Before a call that changes files.
    Change(AnnouncedChange),
}

/// The breakpoints that stop a run.
#[derive(Clone, Debug)]
pub struct BreakpointStop {
    /// Their numbers.
    pub ids: Vec<u64>,
    /// Whether all stand on procedures.
    pub is_of_procedure: bool,
    /// Why a condition could not be evaluated.
    pub problem: Option<String>,
}

impl BreakpointStop {
    /// Joins breakpoints of one statement; `None` if there are none.
    pub(super) fn of(due: Vec<DueBreakpoint>) -> Option<BreakpointStop> {
        let ids = due.iter().map(|due| due.id).collect();
        let is_of_procedure = due.iter().all(|due| due.is_of_procedure);
        let is_any = !due.is_empty();
        let problem = due.into_iter().filter_map(|due| due.problem).next_back();
        is_any.then_some(BreakpointStop { ids, is_of_procedure, problem })
    }
}

/// A breakpoint that stops a run.
#[derive(Debug)]
pub(super) struct DueBreakpoint {
    /// Its number.
    pub id: u64,
    /// Whether it stands on a procedure.
    pub is_of_procedure: bool,
    /// Why its condition could not be evaluated.
    pub problem: Option<String>,
}

/// An error that was raised.
#[derive(Clone, Debug)]
pub struct RaisedError {
    /// The code.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The help.
    pub help: Option<String>,
    /// Whether a handler is in force for it.
    pub is_handled: bool,
}

/// A call that is about to change files.
#[derive(Clone, Debug)]
pub struct AnnouncedChange {
    /// The tool.
    pub tool: &'static str,
    /// Paths among the arguments, at most 20.
    pub paths: Vec<String>,
    /// Number of further paths.
    pub more: usize,
}

/// Where a run stops besides breakpoints.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopFilters {
    /// Before each change of a file.
    pub changes: bool,
    /// At each error, also a handled one.
    pub errors: bool,
    /// At errors that end the run.
    pub uncaught: bool,
}
