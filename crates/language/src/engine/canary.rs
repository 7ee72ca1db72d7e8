//! Self-test before anything runs: a small script exceeds small limits, to show that each limit holds.
//!
//! `limits/canary` tests the limiters themselves; this module tests the limits that the parser, the evaluator and the
//! gate check.

use std::rc::Rc;

use crate::eval::{EmitError, Machine, Output, RunContext, compile};
use crate::gate::{SessionMemory, answers_are_bounded};
use crate::limits::{Interrupt, Limit, Limits, Meter, loose_limit};
use crate::program::{Environment, Unit, Uses, lower};
use crate::syntax::{TextLimits, parse};
use crate::text::{Code, Diagnostic, Sources};
use crate::value::Value;

use super::{Engine, Script, SetupError, on_large_stack};

/// A procedure that calls itself.
const SCRIPT: &str = "DEFINE PROCEDURE F()\nRETURN F()\nEND\nSET x = F()\n";

impl Engine {
    /// Returns an error if a limit does not hold. With `calls_only`, skips the limits of scripts: a tool server would
    /// otherwise keep the memory pages of parser and evaluator for its lifetime.
    pub(super) fn check_limits(&self, calls_only: bool) -> Result<(), SetupError> {
        let loose = loose_limit().map(|limit| format!("{limit:?}")).or_else(|| {
            let calls = [("tool_output_bytes", (|_| answers_are_bounded()) as fn(&Engine) -> bool)];
            let scripts = [
                ("script_bytes", Engine::bounds_texts as fn(&Engine) -> bool),
                ("nesting", Engine::bounds_nesting),
                ("call_depth", Engine::bounds_calls),
            ];
            let mut tries = calls.into_iter().chain(scripts.into_iter().filter(|_| !calls_only));
            tries.find(|(_, bites)| !bites(self)).map(|(name, _)| name.to_owned())
        });
        loose.map_or(Ok(()), |limit| {
            let message = format!("the limit `{limit}` does not hold: a run beyond it was not stopped");
            let finding = Diagnostic::placeless(Code::Internal, message);
            Err(SetupError::new(finding.help("nothing runs; this is a fault of `ns`: please report it")))
        })
    }

    fn bounds_texts(&self) -> bool {
        Script::new("", SCRIPT).decode_script(1).1.is_some()
    }

    fn bounds_nesting(&self) -> bool {
        let (mut sources, mut findings) = (Sources::new(), Vec::new());
        let limits = TextLimits { nesting: 1, ..self.text_limits() };
        parse(sources.add("", "EMIT [[1]]\n"), limits, &mut findings);
        findings.iter().any(|finding| finding.code == Code::TooDeep.into())
    }

    fn bounds_calls(&self) -> bool {
        on_large_stack(|| self.calls_are_bounded()).unwrap_or(false)
    }

    fn calls_are_bounded(&self) -> bool {
        let (mut sources, mut findings) = (Sources::new(), Vec::new());
        let tree = parse(sources.add("", SCRIPT), self.text_limits(), &mut findings);
        let (registry, settings) = (self.gate.registry(), self.gate.settings());
        let environment = Environment {
            registry,
            settings,
            earlier: &[],
            variables: &[],
            modules: &[],
            sources: &sources,
            known: None,
        };
        let program = lower(&Unit { tree, uses: Uses::new() }, &environment, &mut findings);
        let world = RunContext {
            gate: self.gate.clone(),
            sources: Rc::new(sources),
            memory: Rc::new(SessionMemory::new("ns")),
            output: Box::new(Nobody),
            strict: false,
        };
        let mut machine = Machine::new(world, meter(&Limits { call_depth: 3, ..Limits::default() }));
        matches!(machine.run_top(&compile(&program, registry)), Err(fault) if fault.limit == Some(Limit::CallDepth))
    }
}

fn meter(limits: &Limits) -> Meter {
    Meter::new(limits, Interrupt::default())
}

/// An output that discards everything; the script prints nothing.
struct Nobody;

impl Output for Nobody {
    fn emit(&mut self, _: &[Value], _: &mut Meter) -> Result<(), EmitError> {
        Ok(())
    }

    fn warn(&mut self, _: &str) {}
}
