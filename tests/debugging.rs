//! The hooks of a debugger: where a run stops, what is seen there, and how it goes back and forward over changes.
//!
//! The modules and `tests/clients/dap.mjs` try the same through the protocol, and `tests/suite.rs` compares runs with
//! and without a debugger.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod adapter;
mod links;
mod replays;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use neuroscript::engine::{
    DebugClient, Ending, Engine, Invocation, Limits, LineBreakpoint, Moved, Options, Outcome, Paused, Purity, Resume,
    Script, Served, Stop, StopFilters, VariableScope,
};
use tempfile::TempDir;

use crate::support::{Captured, folder_in_memory};

/// The reaction of a test to a stop.
type AtStop = Box<dyn FnMut(&mut Paused<'_>, &Stop) -> Resume>;

/// A client that does at each stop what the test says.
struct Client {
    lines: Vec<usize>,
    filters: StopFilters,
    begin: Resume,
    at_stop: RefCell<AtStop>,
}

impl DebugClient for Client {
    fn configure(&self, paused: &mut Paused<'_>) -> Resume {
        let lines: Vec<_> =
            self.lines.iter().map(|line| LineBreakpoint { line: *line, ..LineBreakpoint::default() }).collect();
        for set in paused.set_breakpoints("main.ns", &lines) {
            assert!(set.line.is_some(), "{:?}", set.message);
        }
        paused.set_filters(self.filters);
        self.begin
    }

    fn stopped(&self, paused: &mut Paused<'_>, stop: &Stop) -> Resume {
        (self.at_stop.borrow_mut())(paused, stop)
    }

    fn has_requests(&self) -> bool {
        false
    }

    fn serve(&self, _: &mut Paused<'_>) -> Served {
        Served::On
    }

    fn log(&self, _: &mut Paused<'_>, _: &str) {}
}

/// A sandbox and an engine.
struct Place {
    _folder: TempDir,
    sandbox: PathBuf,
    engine: Engine,
}

impl Place {
    fn new() -> Place {
        Place::with(Options::default())
    }

    fn with(options: Options) -> Place {
        let folder = folder_in_memory();
        let state = folder.path().join("state");
        let sandbox = folder.path().join("sandbox");
        fs::create_dir(&sandbox).expect("a sandbox");
        let limits = Limits::default();
        let options = Options { sandbox: Some(sandbox.clone()), state: Some(state), limits, ..options };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
        Place { _folder: folder, sandbox, engine }
    }

    fn names(&self) -> String {
        names(&self.sandbox)
    }

    fn debug(&self, text: &str, client: Client) -> (Outcome, String) {
        let output = Captured::default();
        let script = Script::new("main.ns", text);
        let outcome = self.engine.debug(&script, &Invocation::default(), Box::new(output.clone()), Rc::new(client));
        (outcome, output.text())
    }
}

/// Returns the names of the files in a sandbox, except for reserved ones.
fn names(sandbox: &Path) -> String {
    let names = fs::read_dir(sandbox).expect("the sandbox").flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".ns");
    names.sort();
    names.join(" ")
}

/// Returns a client that goes on to a line and does there what the test says.
fn at_line(line: usize, at_stop: impl FnMut(&mut Paused<'_>, &Stop) -> Resume + 'static) -> Client {
    Client { lines: vec![line], begin: Resume::Continue, ..stepping(at_stop) }
}

fn stepping(at_stop: impl FnMut(&mut Paused<'_>, &Stop) -> Resume + 'static) -> Client {
    Client {
        lines: Vec::new(),
        filters: StopFilters::default(),
        begin: Resume::StepIn,
        at_stop: RefCell::new(Box::new(at_stop)),
    }
}

/// Returns the lines at which a script stops if every stop is left in this way.
fn lines(text: &str, resume: Resume) -> Vec<usize> {
    let seen: Rc<RefCell<Vec<usize>>> = Rc::default();
    let record = seen.clone();
    let client = stepping(move |paused, _| {
        record.borrow_mut().push(paused.frames(0, 1)[0].location.line);
        resume
    });
    let (outcome, _) = Place::new().debug(text, client);
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    seen.take()
}

const BRANCHES: &str = "\
SET n = 0
WHILE n < 2 DO
  SET n = n + 1
END
IF n == 1 THEN
  EMIT 1
ELSE IF n == 2 THEN
  EMIT 2
END
";

#[test]
fn conditions_are_stops() {
    assert_eq!(lines(BRANCHES, Resume::StepIn), [1, 2, 3, 2, 3, 2, 5, 7, 8]);
}

const CALLS: &str = "\
DEFINE PROCEDURE Down(n)
  IF n > 0 THEN
    RETURN Down(n - 1)
  END
  RETURN n
END
EMIT Down(2)
SET all = LIST.Map([1, 2], Down)
EMIT LEN(all)
";

#[test]
fn steps_go_into_over_and_out_of_procedures() {
    assert_eq!(lines(CALLS, Resume::StepOver), [7, 8, 9]);
    assert_eq!(lines(CALLS, Resume::StepIn)[..7], [7, 2, 3, 2, 3, 2, 5]);
    // Out of the procedure in which a breakpoint stopped; the next call of LIST.Map is no deeper than its caller.
    let seen: Rc<RefCell<Vec<(usize, usize)>>> = Rc::default();
    let record = seen.clone();
    let client = stepping(move |paused, _| {
        record.borrow_mut().push((paused.frames(0, 1)[0].location.line, paused.frame_count()));
        Resume::StepOut
    });
    let client = Client { lines: vec![5], begin: Resume::Continue, ..client };
    Place::new().debug(CALLS, client);
    assert_eq!(seen.take(), [(5, 4), (8, 1), (5, 3), (2, 2), (5, 4), (9, 1)]);
}

#[test]
fn a_client_that_ends_a_run_interrupts_it() {
    let (outcome, output) = Place::new().debug("EMIT 1\nEMIT 2\n", {
        let mut stops = 0;
        stepping(move |_, _| {
            stops += 1;
            if stops == 2 { Resume::End } else { Resume::StepIn }
        })
    });
    assert_eq!((outcome.ending, output.as_str()), (Ending::Interrupted, "1\n"));
}

#[test]
fn expressions_change_nothing_and_end() {
    let text = "\
DEFINE PROCEDURE Loops()
  WHILE true DO
  END
END
DEFINE PROCEDURE Deep(n)
  RETURN Deep(n + 1)
END
SET list = [1]
SET text = \"a\"
EMIT list, text
";
    let client = stepping(move |paused, _| {
        let frame = Some(0);
        let mut value = |text: &str| match paused.evaluate(frame, text, Purity::Pure) {
            Ok(evaluated) => evaluated.value.to_string(),
            Err(message) => message,
        };
        assert_eq!(value("LIST.Append(list, 2)"), "[1, 2]");
        assert_eq!(value("text + text"), "aa");
        assert!(value("Loops()").contains("steps") || value("Loops()").contains("time"), "{}", value("Loops()"));
        assert!(value("Deep(0)").contains("deep"), "{}", value("Deep(0)"));
        assert!(value("list[5]").contains('5'), "{}", value("list[5]"));
        Resume::Continue
    });
    let client = Client { lines: vec![10], begin: Resume::Continue, ..client };
    let (outcome, output) = Place::new().debug(text, client);
    assert_eq!((outcome.ending, output.as_str()), (Ending::Done, "[1]a\n"));
}

#[test]
fn errors_stop_once_where_they_are_raised() {
    let text = "\
DEFINE PROCEDURE Bad(x)
  RETURN x / 0
END
DEFINE PROCEDURE Tries()
  ON ERROR DO
    CLEAR_ERROR
  END
  SET a = LIST.Map([1, 2], Bad)
  SET b = a.key
  RETURN 1
END
CALL Tries()
SET c = LIST.Map([1], Bad)
";
    for (errors, expected) in [(true, vec![(2, true), (9, true), (2, false)]), (false, vec![(2, false)])] {
        let seen: Rc<RefCell<Vec<(usize, bool)>>> = Rc::default();
        let record = seen.clone();
        let client = stepping(move |paused, stop| {
            let Stop::Error(error) = stop else { panic!("it stops at {stop:?}") };
            record.borrow_mut().push((paused.frames(0, 1)[0].location.line, error.is_handled));
            Resume::Continue
        });
        let filters = StopFilters { errors, uncaught: true, changes: false };
        Place::new().debug(text, Client { filters, begin: Resume::Continue, ..client });
        assert_eq!(seen.take(), expected);
    }
}

const CHANGES: &str = "\
SET n = 0
CALL FS.WriteFile(\"a.txt\", \"a\")
SET n = 1
CALL FS.WriteFile(\"b.txt\", \"b\")
SET n = 2
EMIT n
";

/// Returns the line and the variables that are shown, and the files.
fn state(paused: &mut Paused<'_>, sandbox: &Path) -> String {
    let variables = paused.variables(0, VariableScope::Local);
    let values: Vec<String> = variables.iter().map(|variable| variable.value.to_string()).collect();
    format!("{} {} {}", paused.frames(0, 1)[0].location.line, values.join(" "), names(sandbox))
}

#[test]
fn a_run_goes_back_and_forward_over_its_changes() {
    let place = Place::new();
    let sandbox = place.sandbox.clone();
    let client = at_line(6, move |paused, _| {
        assert_eq!(paused.changes(), [0, 2]);
        assert!(matches!(paused.step_back(), Moved::Shown));
        assert_eq!(state(paused, &sandbox), "4 1 a.txt");
        let refused = paused.set_variable(0, "n", &[], 5.into()).expect_err("the past is not changed");
        assert!(refused.contains("go forward"), "{refused}");
        assert!(matches!(paused.run_back(), Moved::Shown));
        assert_eq!(state(paused, &sandbox), "2 0 ");
        let nothing = paused.step_back();
        assert!(matches!(&nothing, Moved::Nowhere(reason) if reason.contains("no file before")), "{nothing:?}");
        assert!(matches!(paused.forward(Resume::StepOver), Moved::Shown));
        assert_eq!(state(paused, &sandbox), "4 1 a.txt");
        // The breakpoint of the present stops the way forward.
        assert!(matches!(paused.forward(Resume::Continue), Moved::AtBreakpoint(_)));
        assert_eq!(state(paused, &sandbox), "6 2 a.txt b.txt");
        assert!(matches!(paused.forward(Resume::Continue), Moved::Present));
        Resume::Continue
    });
    let (outcome, output) = place.debug(CHANGES, client);
    assert_eq!((outcome.ending, output.as_str()), (Ending::Done, "2\n"));
    assert_eq!(place.names(), "a.txt b.txt");
}

#[test]
fn the_change_of_somebody_else_stops_the_way_back() {
    let place = Place::new();
    let sandbox = place.sandbox.clone();
    let client = at_line(6, move |paused, _| {
        fs::write(sandbox.join("a.txt"), "of somebody else").expect("the file is there");
        let stuck = paused.run_back();
        assert!(matches!(&stuck, Moved::Stuck(error) if error.message.contains("a.txt")), "{stuck:?}");
        assert_eq!(paused.changes(), [1, 2]);
        assert_eq!(state(paused, &sandbox), "4 1 a.txt");
        assert!(matches!(paused.forward(Resume::Continue), Moved::AtBreakpoint(_)));
        Resume::Continue
    });
    let (outcome, _) = place.debug(CHANGES, client);
    assert_eq!(outcome.ending, Ending::Done);
    assert_eq!(place.names(), "a.txt b.txt");
    assert_eq!(fs::read_to_string(place.sandbox.join("a.txt")).expect("a text"), "of somebody else");
}

#[test]
fn a_change_by_an_expression_is_one_to_go_back_over() {
    let place = Place::new();
    let sandbox = place.sandbox.clone();
    let client = at_line(6, move |paused, _| {
        let write = "FS.WriteFile(\"c.txt\", \"c\")";
        paused.evaluate(Some(0), write, Purity::Effects).expect("it is allowed");
        assert_eq!(paused.changes(), [0, 3]);
        assert!(matches!(paused.step_back(), Moved::Shown));
        assert_eq!(state(paused, &sandbox), "6 2 a.txt b.txt");
        assert!(matches!(paused.step_back(), Moved::Shown));
        assert_eq!(state(paused, &sandbox), "4 1 a.txt");
        assert!(matches!(paused.forward(Resume::Continue), Moved::AtBreakpoint(_)));
        assert!(matches!(paused.forward(Resume::Continue), Moved::AtBreakpoint(_)));
        Resume::Continue
    });
    let (outcome, _) = place.debug(CHANGES, client);
    assert_eq!(outcome.ending, Ending::Done);
    assert_eq!(place.names(), "a.txt b.txt c.txt");
}

#[test]
fn a_temporary_directory_closes_the_way_back_and_is_removed_with_its_run() {
    let place = Place::new();
    let text = format!("SET folder = FS.TempDirectory()\n{CHANGES}");
    let client = at_line(7, move |paused, _| {
        let nothing = paused.step_back();
        assert!(matches!(&nothing, Moved::Nowhere(reason) if reason.contains("temporary directory")), "{nothing:?}");
        // Changes by an expression belong to the same run.
        let write = "FS.WriteFile(folder.path + \"/c.txt\", \"c\")";
        paused.evaluate(Some(0), write, Purity::Effects).expect("it is allowed");
        Resume::Continue
    });
    let (outcome, _) = place.debug(&text, client);
    assert_eq!((outcome.ending, place.names().as_str()), (Ending::Done, "a.txt b.txt"), "{:?}", outcome.warnings);
    place.engine.undo(None, false, false).unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(place.names(), "");
}

#[test]
fn a_run_that_takes_everything_back_is_not_debugged() {
    let place = Place::with(Options { atomic: true, ..Options::default() });
    let (outcome, _) = place.debug(CHANGES, stepping(|_, stop| panic!("it stops at {stop:?}")));
    assert!(outcome.findings[0].message.contains("cannot be atomic"), "{:?}", outcome.findings);
    assert_eq!(place.names(), "");
}

#[test]
fn announced_paths_are_few_and_short() {
    let text = "CALL FS.DeleteFile(LIST.Repeat(STR.Repeat(\"x\", 5000), 50))\n";
    let seen: Rc<RefCell<Vec<usize>>> = Rc::default();
    let record = seen.clone();
    let client = stepping(move |_, stop| {
        let Stop::Change(change) = stop else { panic!("it stops at {stop:?}") };
        assert_eq!((change.paths.len(), change.more), (20, 30));
        record.borrow_mut().extend(change.paths.iter().map(|path| path.chars().count()));
        Resume::Continue
    });
    let filters = StopFilters { changes: true, ..StopFilters::default() };
    Place::new().debug(text, Client { filters, begin: Resume::Continue, ..client });
    assert_eq!(seen.take(), [1_001; 20]);
}
