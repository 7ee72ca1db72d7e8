//! `:break` and `:step`: lines and scripts under a debugger at the terminal.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::engine::{
    DebugClient, LineBreakpoint, Moved, Paused, ProcedureBreakpoint, Purity, Resume, Served, Stop, StopFilters, Value,
    VariableScope,
};
use crate::terminal::nearest_file::is_script;
use crate::terminal::printer::Shared;
use crate::terminal::table::cell;
use crate::text::safe;

use super::Repl;
use super::commands::{self, Command};

/// A breakpoint that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    /// On a line of a script.
    Line(usize),
    /// On a procedure.
    Procedure(String),
}

impl std::fmt::Display for Typed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Typed::Line(line) => write!(f, "line {line}"),
            Typed::Procedure(name) => f.write_str(name),
        }
    }
}

/// Maximum number of breakpoints.
const MAX_BREAKPOINTS: usize = 100;
/// Maximum number of calls that `:where` shows.
const MAX_SHOWN: usize = 20;
/// The commands at a stop: their first letters suffice.
const AT_STOP: [&str; 10] = ["step", "next", "out", "continue", "back", "break", "where", "vars", "quit", "help"];

/// The debugger at the terminal.
pub struct TerminalDebugger {
    printer: Shared,
    breakpoints: RefCell<Vec<Typed>>,
    /// Whether the next run stops before its first statement.
    steps_in: Cell<bool>,
    /// The last move, which an empty line repeats.
    last_move: Cell<Resume>,
}

/// The consequence of a line at a stop.
enum Next {
    /// Another line is read.
    Stay,
    /// The run goes on.
    Go(Resume),
}

impl TerminalDebugger {
    /// Creates the debugger of a session.
    pub fn new(printer: Shared) -> TerminalDebugger {
        TerminalDebugger {
            printer,
            breakpoints: RefCell::default(),
            steps_in: Cell::new(false),
            last_move: Cell::new(Resume::StepIn),
        }
    }

    fn print(&self, text: &str) {
        // A closed output is not an error.
        let _ = self.printer.print_line(text).and_then(|()| self.printer.flush());
    }

    /// Shows where the run is, and the text of the line.
    fn show_place(&self, paused: &mut Paused<'_>, why: &str) {
        let Some(frame) = paused.frames(0, 1).pop() else { return };
        let place = frame.location;
        let line = paused.current_line().unwrap_or_default();
        self.print(&format!("{why}: {}:{} in {}", safe::name(&place.source), place.line, frame.name));
        self.print(&format!("{:>6} | {}", place.line, safe::name(&line)));
    }

    /// Processes a line at a stop.
    fn take(&self, paused: &mut Paused<'_>, line: &str) -> Next {
        let line = line.trim();
        if line.is_empty() {
            return self.go(paused, self.last_move.get());
        }
        let Some(Command { name, rest }) = commands::of(line).filter(|_| line.starts_with(':')) else {
            self.evaluate(paused, line);
            return Next::Stay;
        };
        let known = AT_STOP.iter().find(|known| !name.is_empty() && known.starts_with(name));
        match (known.copied(), rest) {
            (Some("break"), what) => {
                self.break_at(Some(what).filter(|what| !what.is_empty()));
                self.set_breakpoints(paused, |line| what.parse() == Ok(line));
            }
            (Some("step"), "") => return self.go(paused, Resume::StepIn),
            (Some("next"), "") => return self.go(paused, Resume::StepOver),
            (Some("out"), "") => return self.go(paused, Resume::StepOut),
            (Some("continue"), "") => return self.go(paused, Resume::Continue),
            (Some("quit"), "") => return Next::Go(Resume::End),
            (Some("back"), "") => {
                let moved = paused.step_back();
                return self.moved(paused, moved);
            }
            (Some("where"), "") => self.show_calls(paused),
            (Some("vars"), "") => self.show_variables(paused),
            _ => self.print(commands::AT_STOP),
        }
        Next::Stay
    }

    /// Adds a breakpoint, lists the breakpoints, or removes them.
    fn break_at(&self, what: Option<&str>) {
        match what {
            None => self.list_breakpoints(),
            Some("off") => {
                self.breakpoints.borrow_mut().clear();
                self.print("the breakpoints are removed");
            }
            Some(text) => {
                let typed = text.parse().map_or_else(|_| Typed::Procedure(text.to_owned()), Typed::Line);
                self.add_breakpoint(typed);
            }
        }
    }

    fn add_breakpoint(&self, typed: Typed) {
        let mut breakpoints = self.breakpoints.borrow_mut();
        if breakpoints.len() >= MAX_BREAKPOINTS {
            return self.print(&format!("there are {MAX_BREAKPOINTS} breakpoints already"));
        }
        let shown = typed.to_string();
        if !breakpoints.contains(&typed) {
            breakpoints.push(typed);
        }
        self.print(&format!("runs stop at {shown}"));
    }

    fn list_breakpoints(&self) {
        let breakpoints = self.breakpoints.borrow();
        if breakpoints.is_empty() {
            return self.print("there are no breakpoints");
        }
        for typed in &*breakpoints {
            self.print(&typed.to_string());
        }
    }

    /// Sets the breakpoints in the run, and says which of these lines it cannot stop at.
    fn set_breakpoints(&self, paused: &mut Paused<'_>, is_said: impl Fn(usize) -> bool) {
        let typed = self.breakpoints.borrow();
        let lines = typed.iter().filter_map(|typed| match typed {
            Typed::Line(line) => Some(LineBreakpoint { line: *line, ..LineBreakpoint::default() }),
            Typed::Procedure(_) => None,
        });
        let lines: Vec<_> = lines.collect();
        // Lines are those of a script. The text of a typed line is no script.
        let script = paused.texts().into_iter().rev().find(|(_, is_module)| !is_module).map(|(name, _)| name);
        if let Some(script) = script.filter(|name| !name.starts_with('<')) {
            let set = paused.set_breakpoints(&script, &lines);
            let said = lines.iter().zip(set).filter(|(wanted, _)| is_said(wanted.line));
            said.filter_map(|(_, set)| set.message).for_each(|message| self.print(&message));
        }
        let procedures = typed.iter().filter_map(|typed| match typed {
            Typed::Procedure(name) => {
                Some(ProcedureBreakpoint { name: name.clone(), ..ProcedureBreakpoint::default() })
            }
            Typed::Line(_) => None,
        });
        // A procedure may come with a later line.
        paused.set_procedure_breakpoints(&procedures.collect::<Vec<_>>());
    }

    fn go(&self, paused: &mut Paused<'_>, resume: Resume) -> Next {
        self.last_move.set(resume);
        if !paused.is_in_past() {
            return Next::Go(resume);
        }
        match paused.forward(resume) {
            Moved::Present => Next::Go(resume),
            moved => self.moved(paused, moved),
        }
    }

    fn moved(&self, paused: &mut Paused<'_>, moved: Moved) -> Next {
        match moved {
            Moved::Shown | Moved::AtBreakpoint(_) | Moved::Present => {
                let [taken_back, all] = paused.changes();
                let why = if taken_back > 0 {
                    format!("before change {} of {all}", all - taken_back + 1)
                } else {
                    "all changes are made again".to_owned()
                };
                self.show_place(paused, &why);
            }
            Moved::Nowhere(reason) => self.print(&reason),
            Moved::Stuck(error) => {
                let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
                self.print(&format!("{}{hint}", safe::name(&error.message)));
            }
        }
        Next::Stay
    }

    /// Shows the value of an expression, or carries out `SET name = expression`.
    fn evaluate(&self, paused: &mut Paused<'_>, text: &str) {
        let frame = paused.frame_count().checked_sub(1);
        let shown = match assignment(text) {
            Some((name, value)) => {
                let value = paused.evaluate(frame, value, Purity::Effects);
                value.and_then(|it| paused.set_variable(frame.unwrap_or(0), name, &[], it.value)).map(|()| None)
            }
            None => paused.evaluate(frame, text, Purity::Effects).map(Some),
        };
        match shown {
            Ok(None) => {}
            Ok(Some(evaluated)) => {
                self.print(&format!("{}{}", evaluated.printed, cell(&evaluated.value)));
            }
            Err(message) => self.print(&safe::name(&message)),
        }
    }

    fn show_calls(&self, paused: &mut Paused<'_>) {
        let all = paused.frame_count();
        for frame in paused.frames(0, MAX_SHOWN) {
            self.print(&format!("{}:{} in {}", safe::name(&frame.location.source), frame.location.line, frame.name));
        }
        if all > MAX_SHOWN {
            self.print(&format!("… and {} more", all - MAX_SHOWN));
        }
    }

    fn show_variables(&self, paused: &mut Paused<'_>) {
        let frame = paused.frame_count().saturating_sub(1);
        for scope in [VariableScope::Local, VariableScope::Outer] {
            for variable in paused.variables(frame, scope) {
                if !matches!(variable.value, Value::Unset) {
                    self.print(&format!("{} = {}", variable.name, cell(&variable.value)));
                }
            }
        }
    }
}

impl DebugClient for TerminalDebugger {
    fn configure(&self, paused: &mut Paused<'_>) -> Resume {
        paused.set_filters(StopFilters::default());
        self.set_breakpoints(paused, |_| true);
        if self.steps_in.take() { Resume::StepIn } else { Resume::Continue }
    }

    fn stopped(&self, paused: &mut Paused<'_>, stop: &Stop) -> Resume {
        let why = match stop {
            Stop::Breakpoint(_) => "breakpoint",
            _ => "stopped",
        };
        paused.settle();
        self.show_place(paused, why);
        loop {
            match paused.read_line("debug> ") {
                Ok(Some(line)) => {
                    if let Next::Go(resume) = self.take(paused, &line) {
                        return resume;
                    }
                }
                // The end of the input, or Ctrl-C.
                Ok(None) | Err(_) => return Resume::End,
            }
        }
    }

    fn has_requests(&self) -> bool {
        false
    }

    fn serve(&self, _: &mut Paused<'_>) -> Served {
        Served::On
    }

    fn log(&self, _: &mut Paused<'_>, message: &str) {
        self.print(message);
    }
}

/// Splits `SET name = expression`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("SET ").or_else(|| text.strip_prefix("set "))?;
    let (name, value) = rest.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some((name, value.trim()))
}

/// Returns whether a text names a script, rather than being a line of the session.
fn is_file(text: &str) -> bool {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(path) => is_script(path) && !path.contains('"'),
        None => is_script(text) && !text.contains(|c: char| c.is_whitespace() || "=(\"".contains(c)),
    }
}

impl Repl<'_> {
    /// `:break`
    pub fn break_at(&mut self, what: Option<&str>) {
        self.debugger.break_at(what);
    }

    /// Sets whether what runs next is debugged: only where a breakpoint may stop it, or the first statement.
    pub fn set_debugger(&self) {
        let is_needed = self.debugger.steps_in.get() || !self.debugger.breakpoints.borrow().is_empty();
        let client = self.debugger.clone() as Rc<dyn DebugClient>;
        self.session.borrow_mut().set_debugger(is_needed.then_some(client));
    }

    /// `:step`
    pub fn step(&mut self, what: &str) {
        self.debugger.steps_in.set(true);
        self.set_debugger();
        if is_file(what) {
            self.load(what);
        } else {
            self.evaluate(what);
        }
        self.debugger.steps_in.set(false);
    }
}
