//! The client of a run: serves its requests while the run waits, and between two statements.

use std::cell::RefCell;

use serde_json::{Value as Json, json};

use crate::engine::{DebugClient, Moved, Paused, Resume, Served, Stop, StopFilters};
use crate::toolkit::ToolError;

use super::arguments::{Scopes, SetBreakpoints, SetFilters, SetFunctionBreakpoints};
use super::files::Files;
use super::inspect::{self, Counting};
use super::message::{Answer, Refusal, Request, Sender};
use super::queue::Queue;
use super::stops::{exception_info, stopped};
use super::variables::Handles;

/// The client of a run.
pub struct Client {
    /// The connection.
    pub sender: Sender,
    /// The requests that wait.
    pub queue: Queue,
    /// How the client counts lines.
    pub counting: Counting,
    /// How the run begins.
    pub stop_on_entry: bool,
    /// Whether the run never stops.
    pub no_debug: bool,
    /// The texts and their files.
    pub files: RefCell<Files>,
    /// `launch`, until it is answered.
    pub launch: RefCell<Option<Request>>,
    /// The values that can be opened at this stop.
    pub handles: RefCell<Handles>,
    /// The stop that the client heard of last.
    pub stop: RefCell<Option<Stop>>,
}

/// The consequence of a request.
enum Next {
    /// The answer, and nothing else.
    Answer(Answer),
    /// The run goes on, after the answer.
    Resume(Resume, Json),
    /// The configuration is complete.
    Configured,
    /// The run stops as soon as it can.
    Pause,
    /// The run ends.
    End,
    /// Another state is shown, after the answer.
    Show(Stop),
}

/// Where a request is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Configuring,
    Stopped,
    Running,
}

impl Client {
    /// Serves one request. Returns what follows, after the answer is sent.
    fn serve_one(&self, paused: &mut Paused<'_>, request: &Request, phase: Phase) -> Next {
        let next = self.next(paused, request, phase);
        paused.settle();
        match &next {
            Next::Answer(Ok(body)) | Next::Resume(_, body) => self.sender.answer(request, Ok(body.clone())),
            Next::Answer(Err(Refusal(message))) => self.sender.answer(request, Err(Refusal::new(message.as_str()))),
            Next::Configured | Next::Pause | Next::End | Next::Show(_) => self.sender.answer(request, Ok(Json::Null)),
        }
        if let Next::Show(stop) = &next {
            self.tell(paused, stop);
        }
        next
    }

    fn next(&self, paused: &mut Paused<'_>, request: &Request, phase: Phase) -> Next {
        match (request.command.as_str(), phase) {
            ("configurationDone", Phase::Configuring) => Next::Configured,
            ("configurationDone", _) => refused("the run has begun already"),
            ("terminate" | "disconnect", _) => Next::End,
            ("pause", Phase::Running) => Next::Pause,
            ("pause", _) => refused("the run is stopped already"),
            ("continue", Phase::Stopped) => {
                self.go_on(paused, Resume::Continue, json!({ "allThreadsContinued": true }))
            }
            ("next", Phase::Stopped) => self.go_on(paused, Resume::StepOver, Json::Null),
            ("stepIn", Phase::Stopped) => self.go_on(paused, Resume::StepIn, Json::Null),
            ("stepOut", Phase::Stopped) => self.go_on(paused, Resume::StepOut, Json::Null),
            ("stepBack", Phase::Stopped) => {
                let (before, moved) = (paused.changes(), paused.step_back());
                self.moved(paused, before, moved)
            }
            ("reverseContinue", Phase::Stopped) => {
                let (before, moved) = (paused.changes(), paused.run_back());
                self.moved(paused, before, moved)
            }
            ("continue" | "next" | "stepIn" | "stepOut" | "stepBack" | "reverseContinue", _) => {
                refused("the run is not stopped")
            }
            _ => Next::Answer(self.answer(paused, request, phase)),
        }
    }

    /// Lets the run go on, or makes changes again that were taken back.
    fn go_on(&self, paused: &mut Paused<'_>, resume: Resume, body: Json) -> Next {
        let before = paused.changes();
        match paused.forward(resume) {
            Moved::Present => Next::Resume(resume, body),
            moved => self.moved(paused, before, moved),
        }
    }

    /// Shows the state after a step over changes. A step that was refused on its way has reached another state, too.
    fn moved(&self, paused: &Paused<'_>, before: [usize; 2], moved: Moved) -> Next {
        match moved {
            Moved::Shown | Moved::Present => Next::Show(Stop::Step),
            Moved::AtBreakpoint(stop) => Next::Show(Stop::Breakpoint(stop)),
            Moved::Nowhere(reason) => refused(reason),
            Moved::Stuck(error) => {
                let message = stuck(&error);
                paused.settle();
                let _ = self.sender.show("important", &format!("{message}\n"));
                if paused.changes() == before { refused(message) } else { Next::Show(Stop::Step) }
            }
        }
    }

    fn answer(&self, paused: &mut Paused<'_>, request: &Request, phase: Phase) -> Answer {
        let (files, counting) = (self.files.borrow(), self.counting);
        match request.command.as_str() {
            "setBreakpoints" | "setFunctionBreakpoints" | "setExceptionBreakpoints" if self.no_debug => {
                refuse_without_debugging(request)
            }
            "setBreakpoints" => inspect::set_breakpoints(paused, &files, counting, request.read()?),
            "setFunctionBreakpoints" => inspect::set_function_breakpoints(paused, counting, request.read()?),
            "setExceptionBreakpoints" => inspect::set_filters(paused, &request.read()?),
            "breakpointLocations" => inspect::breakpoint_locations(paused, &files, counting, &request.read()?),
            "threads" => Ok(json!({ "threads": [{ "id": 1, "name": "script" }] })),
            "loadedSources" => Ok(json!({ "sources": files.sources() })),
            "source" => inspect::source(paused, &files, request.read()?),
            "initialize" => Err(Refusal::new("the adapter is initialized already")),
            "launch" => Err(Refusal::new("a script runs already")),
            "stackTrace" | "scopes" | "variables" | "setVariable" | "evaluate" | "exceptionInfo" => {
                if phase == Phase::Stopped {
                    self.inspect(paused, request)
                } else {
                    Err(Refusal::new("the run is not stopped"))
                }
            }
            command => Err(Refusal::new(format!("there is no request `{command}`"))),
        }
    }

    fn inspect(&self, paused: &mut Paused<'_>, request: &Request) -> Answer {
        let (files, mut handles) = (self.files.borrow(), self.handles.borrow_mut());
        match request.command.as_str() {
            "stackTrace" => inspect::stack_trace(paused, &files, self.counting, &request.read()?),
            "scopes" => {
                let Scopes { frame_id } = request.read()?;
                let frame = inspect::frame(paused, frame_id)?;
                Ok(handles.scopes(paused, frame))
            }
            "variables" => handles.variables(paused, &request.read()?),
            "setVariable" => handles.set(paused, &request.read()?),
            "evaluate" => inspect::evaluate(paused, &mut handles, &self.sender, &request.read()?),
            _ => {
                let info = self.stop.borrow().as_ref().filter(|_| !paused.is_in_past()).and_then(exception_info);
                info.ok_or_else(|| Refusal::new("the run did not stop at an error"))
            }
        }
    }

    /// Tells the client that the run has stopped, or shows another state.
    fn tell(&self, paused: &Paused<'_>, stop: &Stop) {
        self.handles.borrow_mut().clear();
        paused.settle();
        self.sender.event("stopped", stopped(stop, paused));
    }
}

impl DebugClient for Client {
    fn configure(&self, paused: &mut Paused<'_>) -> Resume {
        let names = paused.texts().into_iter().map(|(name, _)| name);
        self.files.borrow_mut().set_names(names);
        paused.set_filters(StopFilters { uncaught: !self.no_debug, ..StopFilters::default() });
        if let Some(launch) = self.launch.take() {
            self.sender.answer(&launch, Ok(Json::Null));
        }
        self.sender.event("initialized", json!({}));
        loop {
            let Some(request) = self.queue.wait() else { return Resume::End };
            match self.serve_one(paused, &request, Phase::Configuring) {
                Next::Configured => break,
                Next::End => return Resume::End,
                _ => {}
            }
        }
        if self.stop_on_entry && !self.no_debug { Resume::StepIn } else { Resume::Continue }
    }

    fn stopped(&self, paused: &mut Paused<'_>, stop: &Stop) -> Resume {
        *self.stop.borrow_mut() = Some(stop.clone());
        self.tell(paused, stop);
        loop {
            let Some(request) = self.queue.wait() else { return Resume::End };
            match self.serve_one(paused, &request, Phase::Stopped) {
                Next::Resume(resume, _) => {
                    self.handles.borrow_mut().clear();
                    return resume;
                }
                Next::End => return Resume::End,
                _ => {}
            }
        }
    }

    fn has_requests(&self) -> bool {
        self.queue.has_news()
    }

    fn serve(&self, paused: &mut Paused<'_>) -> Served {
        let mut served = Served::On;
        while let Some(request) = self.queue.poll() {
            match self.serve_one(paused, &request, Phase::Running) {
                Next::Pause => served = Served::Pause,
                Next::End => return Served::End,
                _ => {}
            }
        }
        if self.queue.is_closed() { Served::End } else { served }
    }

    fn log(&self, paused: &mut Paused<'_>, message: &str) {
        paused.settle();
        let _ = self.sender.show("console", &format!("{message}\n"));
    }
}

/// Answers that breakpoints or filters are not set.
fn refuse_without_debugging(request: &Request) -> Answer {
    let reason = "the run was launched with `noDebug`, so it stops nowhere";
    match request.command.as_str() {
        "setBreakpoints" => inspect::refuse_breakpoints(&request.read::<SetBreakpoints>()?.points(), reason),
        "setFunctionBreakpoints" => {
            inspect::refuse_breakpoints(&request.read::<SetFunctionBreakpoints>()?.breakpoints, reason)
        }
        _ => inspect::refuse_breakpoints(&request.read::<SetFilters>()?.filters, reason),
    }
}

fn refused(message: impl Into<String>) -> Next {
    Next::Answer(Err(Refusal::new(message)))
}

/// Returns why a change could not be taken back or made again, and what to do.
fn stuck(error: &ToolError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}{hint}", error.message)
}
