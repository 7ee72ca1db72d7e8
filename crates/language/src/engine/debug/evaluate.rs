//! Expressions of a debugger, in the variables of a running body.
//!
//! An expression becomes the value of a procedure whose parameters are the variables of the body, and it runs on a
//! machine of its own, so that it can change neither variables nor the state of the run. Unless asked, it only computes:
//! it is refused if it uses a tool that is not pure, directly or through a procedure.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use compact_str::CompactString;

use crate::eval::{BodyId, EmitError, Machine, Output, RunContext, compile, emitted};
use crate::gate::SessionMemory;
use crate::limits::{Limits, Meter, work};
use crate::program::truncation::mark_truncations;
use crate::program::{Environment, Unit, impurity, lower};
use crate::syntax::ast::StatementKind;
use crate::syntax::{TextLimits, parse, parse_value};
use crate::text::{Diagnostic, Sources};
use crate::value::Value;

use super::super::on_large_stack;
use super::debuggee::Debuggee;
use super::snapshot::{FrameSnapshot, Snapshot};
use super::watches::{Watch, WatchKey};

/// How much an expression may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    /// Compute.
    Pure,
    /// Everything that the script may do.
    Effects,
}

/// The value of an expression.
#[derive(Debug)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// The lines that it printed.
    pub printed: String,
}

/// Maximum number of steps of an expression.
const MAX_STEPS: u64 = 10_000_000;
/// Maximum time of an expression that only computes, and of one that may do more.
const TIMES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// Maximum length of an expression in bytes.
const MAX_LENGTH: usize = 64 << 10;
/// Maximum number of expressions that are kept.
const MAX_KEPT: usize = 256;
/// Name of the procedure that an expression becomes, which no script is likely to use.
const NAME: &str = "Value_of_the_debugger";

/// The printed lines of an expression.
struct Printed(Rc<RefCell<String>>);

impl Output for Printed {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().push_str(&emitted(values, meter)?);
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        let mut lines = self.0.borrow_mut();
        lines.push_str("warning: ");
        lines.push_str(text);
        lines.push('\n');
    }
}

impl Debuggee {
    /// Evaluates an expression in the variables of a frame, or of none.
    ///
    /// # Errors
    /// Returns the reason.
    pub(super) fn evaluate(
        &self,
        machine: &Machine,
        variables: &Snapshot,
        frame: Option<usize>,
        text: &str,
        purity: Purity,
    ) -> Result<Evaluated, String> {
        let frame = frame.and_then(|number| variables.frames.get(number));
        let watch = self.watch(frame, text)?;
        if let Some(tool) = watch.impurity.filter(|_| purity == Purity::Pure) {
            let message = format!("`{tool}` does more than compute, so only the debug console calls it");
            return Err(message);
        }
        if watch.impurity.is_some() && self.history.borrow().is_in_past() {
            return Err("an earlier state is shown; go forward to the present first".to_owned());
        }
        on_large_stack(|| self.run(machine, variables, frame, &watch, purity))
            .unwrap_or_else(|panic| Err(format!("a fault of NeuroScript itself, please report it: {panic}")))
    }

    fn run(
        &self,
        machine: &Machine,
        variables: &Snapshot,
        frame: Option<&FrameSnapshot>,
        watch: &Watch,
        purity: Purity,
    ) -> Result<Evaluated, String> {
        let [short, long] = TIMES;
        let timeout = Some(if purity == Purity::Pure { short } else { long });
        let limits = Limits { max_steps: self.limits.max_steps.min(MAX_STEPS), timeout, ..self.limits.clone() };
        let meter = Meter::new(&limits, self.interrupt.clone());
        let _work = work::enter(meter.watch());
        let printed = Rc::new(RefCell::new(String::new()));
        let world = RunContext {
            gate: self.gate.clone(),
            sources: watch.sources.clone(),
            memory: self.memory_of(machine, purity),
            output: Box::new(Printed(printed.clone())),
            strict: machine.is_strict(),
        };
        let mut own = Machine::new(world, meter);
        let top = variables.frames.iter().find(|frame| frame.body == BodyId::Top);
        own.restore_top(top.map(|frame| frame.values.clone()).unwrap_or_default());
        own.set_args(variables.args.clone());
        own.set_outcome(variables.last_error.clone());
        let given = watch.slots.iter().map(|slot| frame.map_or(Value::Unset, |frame| frame.values[*slot].clone()));
        let mut given: Vec<Value> = given.collect();
        if watch.compiled.procedures[watch.procedure].last.is_some() {
            // The hidden slot of `LAST` follows the parameters.
            given.push(frame.map_or(Value::Nil, |frame| frame.last.clone()));
        }
        let changes = watch.impurity.is_some();
        if changes {
            self.begin_change(variables.clone(), "debug console");
        }
        let result = own.run_procedure(&watch.compiled, watch.procedure, given);
        if changes {
            self.end_change();
        }
        let printed = printed.borrow().clone();
        match result {
            Ok(value) => Ok(Evaluated { value, printed }),
            Err(fault) => Err(explained(&fault.message, fault.hint.as_deref())),
        }
    }

    /// Returns the session memory for an expression. One that only computes has no tool to read it with.
    fn memory_of(&self, machine: &Machine, purity: Purity) -> Rc<SessionMemory> {
        match purity {
            Purity::Pure => Rc::new(SessionMemory::new("ns dap")),
            Purity::Effects => machine.shared_memory(),
        }
    }

    fn watch(&self, frame: Option<&FrameSnapshot>, text: &str) -> Result<Rc<Watch>, String> {
        let module = self.code.module_of(frame.and_then(|frame| frame.statement));
        let key = WatchKey { body: frame.map(|frame| frame.body), module, text: text.to_owned() };
        if let Some(watch) = self.watches.borrow().get(&key) {
            return Ok(watch.clone());
        }
        let compiled = on_large_stack(|| self.compile(&key))
            .unwrap_or_else(|panic| Err(format!("a fault of NeuroScript itself, please report it: {panic}")));
        let watch = Rc::new(compiled?);
        let mut watches = self.watches.borrow_mut();
        if watches.len() >= MAX_KEPT {
            watches.clear();
        }
        watches.insert(key, watch.clone());
        Ok(watch)
    }

    fn compile(&self, key: &WatchKey) -> Result<Watch, String> {
        let body = key.body.filter(|body| *body != BodyId::Top).map(|body| self.code.body(body));
        let names: &[CompactString] = body.map_or(&[], |body| &body.slots);
        // Names of loops that lowering hides are no identifiers.
        let slots: Vec<usize> = (0..names.len()).filter(|slot| is_name(&names[*slot])).collect();
        let params: Vec<&str> = slots.iter().map(|slot| names[*slot].as_str()).collect();
        let expression = self.checked(&key.text)?;
        let text = format!("DEFINE PROCEDURE {NAME}({})\nRETURN (\n{expression}\n)\nEND\n", params.join(", "));
        let mut sources = (*self.code.sources).clone();
        let mut findings = Vec::new();
        let texts = self.code.texts.borrow();
        let tree = parse(sources.add("<debugger>", text), self.text_limits(), &mut findings);
        let module = key.module.map(|module| &texts.modules[module].unit);
        let earlier = module.map_or(&texts.units[..], std::slice::from_ref);
        let uses = earlier.last().map(|unit| unit.uses.clone()).unwrap_or_default();
        let unit = Unit { tree, uses };
        let (registry, settings) = (self.gate.registry(), self.gate.settings());
        let variables = if module.is_some() { &[][..] } else { &self.code.program.top.slots[..] };
        let environment = Environment {
            registry,
            settings,
            earlier,
            variables,
            modules: &texts.modules,
            sources: &sources,
            known: None,
        };
        let mut program = lower(&unit, &environment, &mut findings);
        first_error(&findings)?;
        let Some(procedure) = program.own_procedure(NAME) else { return Err("not an expression".to_owned()) };
        let impurity = impurity(&program, registry, procedure);
        mark_truncations(&mut program, registry);
        let compiled = compile(&program, registry);
        drop(texts);
        Ok(Watch { sources: Rc::new(sources), compiled, procedure, slots, impurity })
    }

    /// Checks that a text is an expression.
    ///
    /// # Errors
    /// The text is not an expression.
    pub(super) fn check_text(&self, text: &str) -> Result<(), String> {
        let checked = on_large_stack(|| self.checked(text).map(drop));
        checked.unwrap_or_else(|panic| Err(format!("a fault of NeuroScript itself, please report it: {panic}")))
    }

    /// Returns the text of an expression that stands alone, so that it can stand in brackets.
    fn checked<'t>(&self, text: &'t str) -> Result<&'t str, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("there is no expression".to_owned());
        }
        if text.len() > MAX_LENGTH {
            return Err(format!("the expression has {} bytes, more than {MAX_LENGTH}", text.len()));
        }
        let (mut sources, mut findings) = (Sources::new(), Vec::new());
        let tree = parse_value(sources.add("<debugger>", text), self.text_limits(), &mut findings);
        first_error(&findings)?;
        match tree.as_ref().map(|tree| &tree.statements[..]) {
            Some([statement]) if matches!(statement.kind, StatementKind::Return(_)) => Ok(text),
            _ => Err("this is a statement, and the debugger evaluates expressions".to_owned()),
        }
    }

    fn text_limits(&self) -> TextLimits {
        TextLimits { nesting: self.limits.nesting, operators: crate::limits::MAX_OPERATORS, deadline: None }
    }
}

fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn first_error(findings: &[Diagnostic]) -> Result<(), String> {
    match findings.iter().find(|finding| finding.is_error()) {
        None => Ok(()),
        Some(finding) => Err(explained(&finding.message, finding.help.as_deref())),
    }
}

fn explained(message: &str, help: Option<&str>) -> String {
    help.map_or_else(|| message.to_owned(), |help| format!("{message}; {help}"))
}
