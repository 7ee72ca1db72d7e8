//! Values that grow in a loop: the memory and the steps for four times as many turns are about four times as much,
//! however the growth is spelled.
//!
//! A program is made of a place that holds the value, an expression that gives the grown value, and the code around it.
//! `NS_LONG=1` runs all combinations. An allocator counts the bytes that are allocated, so that a copy of the whole value in each
//! turn shows, and the figures are the same on every machine.

#[path = "../support/dice.rs"]
mod dice;
mod random;
mod spellings;

use std::alloc::System;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use neuroscript::engine::{EmitError, Engine, Invocation, Meter, Options, Output, Script, Value};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use random::Random;
use spellings::Program;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Number of turns of the shorter run.
const TURNS: usize = 500;
/// Number of turns of the runs whose output is compared.
const COMPARED: usize = 40;
/// How many times as much four times as many turns may cost.
const GROWTH: f64 = 4.8;
/// Bytes that a run may allocate in addition, whatever its turns.
const BYTES: f64 = 64_000.0;

/// What a run costs.
#[derive(Clone, Copy, Debug)]
struct Cost {
    bytes: f64,
    steps: f64,
}

/// An output that keeps what is printed.
struct Printed(Rc<RefCell<String>>);

impl Output for Printed {
    fn emit(&mut self, values: &[Value], _meter: &mut Meter) -> Result<(), EmitError> {
        values.iter().for_each(|value| self.0.borrow_mut().push_str(&format!("{value} ")));
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        panic!("a warning: {text}");
    }
}

/// Runs a program, and returns its cost and what it prints.
fn run(engine: &Engine, script: &str) -> (Cost, String) {
    let printed = Rc::new(RefCell::new(String::new()));
    let output = Box::new(Printed(printed.clone()));
    let script = Script::new("accumulation.ns", script);
    let region = Region::new(ALLOCATOR);
    let outcome = engine.run(&script, &Invocation::default(), output);
    let stats = region.change();
    if let Some(finding) = outcome.findings.first() {
        printed.borrow_mut().push_str(&format!("error: {}", finding.message));
    }
    let cost = Cost { bytes: stats.bytes_allocated as f64, steps: outcome.steps as f64 };
    (cost, printed.take())
}

fn engine() -> Engine {
    let options = Options { sandbox: Some(std::env::temp_dir()), ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings))
}

/// Returns what is wrong with a program, if anything is.
fn fault(engine: &Engine, program: &Program) -> Option<String> {
    let (none, _) = run(engine, &program.script(0));
    let (few, _) = run(engine, &program.script(TURNS));
    let (many, _) = run(engine, &program.script(4 * TURNS));
    let (_, printed) = run(engine, &program.script(COMPARED));
    let (_, expected) = run(engine, &program.kept_alive(COMPARED));
    let bytes = (many.bytes - none.bytes) / (few.bytes - none.bytes + BYTES);
    let steps = (many.steps - none.steps) / (few.steps - none.steps);
    if printed != expected || printed.contains("error: ") {
        return Some(format!("prints `{printed}` instead of `{expected}`: {program}"));
    }
    (bytes > GROWTH || steps > GROWTH)
        .then(|| format!("{bytes:.1} times the bytes, {steps:.1} times the steps: {program}"))
}

/// Lets only one test at a time allocate.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn what_grows_in_a_loop_is_not_copied() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine();
    let programs = spellings::programs(std::env::var_os("NS_LONG").is_some());
    let faults: Vec<String> = programs.iter().filter_map(|program| fault(&engine, program)).collect();
    assert!(faults.is_empty(), "{} of {} programs:\n{}", faults.len(), programs.len(), faults.join("\n"));
}

/// Runs a program as a line of a session.
fn run_line(engine: &Engine, line: &str) -> String {
    let printed = Rc::new(RefCell::new(String::new()));
    let mut session = engine.session(Box::new(Printed(printed.clone())));
    let outcome = session.run(&Script::new("line", line));
    if let Some(finding) = outcome.findings.first() {
        printed.borrow_mut().push_str(&format!("error: {}", finding.message));
    }
    drop(session);
    printed.take()
}

#[test]
fn nothing_tells_whether_a_value_was_moved() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine();
    let programs = std::env::var("NS_PROGRAMS").ok().and_then(|programs| programs.parse().ok()).unwrap_or(600);
    let mut failed = 0;
    for seed in 0..programs {
        let program = Random::new(seed);
        let expected = run_line(&engine, &program.line);
        failed += u64::from(expected.contains("error: "));
        for script in program.procedure.iter().chain([&program.script]) {
            let (_, printed) = run(&engine, script);
            assert_eq!(printed, expected, "seed {seed}:\n{script}");
        }
    }
    assert!(failed < programs / 2, "{failed} of {programs} programs fail, so they show little");
}
