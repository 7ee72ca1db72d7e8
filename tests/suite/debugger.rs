//! Cases of the suite under a debugger that never stops.

use std::rc::Rc;

use neuroscript::engine::{DebugClient, Engine, Options, Outcome, Paused, Resume, Script, Served, Stop};

use super::{Case, Found, invocation_of, option};
use crate::support::Captured;

/// Whether a case also runs under a debugger: one in four, all with `NS_LONG=1`. A case about time or memory does not,
/// because both differ there.
pub fn is_debugged(case: &Case) -> bool {
    let sum: u32 = case.name.bytes().map(u32::from).sum();
    let is_chosen = sum.is_multiple_of(4) || std::env::var_os("NS_LONG").is_some();
    is_chosen
        && option(case, "timeout").is_none()
        && !["memory_bytes", "timeout_s"].iter().any(|key| case.policy.contains(key))
}

/// Checks that a case does the same under a debugger that never stops: output, findings, steps and files. Taking back
/// its changes one by one restores all files.
pub fn check(case: &Case, script: &Script, options: &Options, before: &[String], plain: PlainRun<'_>) {
    let engine = Engine::open(options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let output = Captured::default();
    let client = Rc::new(NeverStops);
    let outcome = engine.debug(script, &invocation_of(case), Box::new(output.clone()), client);
    let shown = |outcome: &Outcome| -> Vec<String> {
        outcome.findings.iter().map(|finding| Found::of(finding, &outcome.sources).written()).collect()
    };
    assert_eq!(output.text(), plain.output, "under a debugger it says something else");
    assert_eq!(shown(&outcome), shown(plain.outcome), "under a debugger it finds something else");
    assert_eq!(outcome.ending, plain.outcome.ending, "under a debugger it ends in another way");
    assert_eq!(outcome.steps, plain.outcome.steps, "under a debugger it takes other steps");
    drop(engine);
    let engine = Engine::open(options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    while crate::support::state_of(options.sandbox.as_ref().expect("the case has a sandbox")) != before {
        if let Err(error) = engine.undo(None, false, false) {
            panic!("a change under the debugger cannot be taken back: {}", error.message);
        }
    }
}

/// The run of a case without a debugger.
pub struct PlainRun<'a> {
    pub outcome: &'a Outcome,
    pub output: &'a str,
}

/// A debugger that is told of everything and never stops.
struct NeverStops;

impl DebugClient for NeverStops {
    fn configure(&self, _: &mut Paused<'_>) -> Resume {
        Resume::Continue
    }

    fn stopped(&self, _: &mut Paused<'_>, stop: &Stop) -> Resume {
        panic!("nobody asked for a stop: {stop:?}")
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn serve(&self, paused: &mut Paused<'_>) -> Served {
        assert!(paused.frame_count() > 0, "a statement runs in no body");
        Served::On
    }

    fn log(&self, _: &mut Paused<'_>, _: &str) {}
}
