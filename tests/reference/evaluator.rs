//! Statements: execution, cost and error handlers. Every block executes one statement after another and charges each
//! when its turn comes.

use std::collections::{HashMap, HashSet};

use neuroscript::engine::ast::{
    AssignTarget, Block, ExprId, ExprKind, Procedure, Statement, StatementKind, Step, Tree, WhenAbsent,
};
use neuroscript::text::{Source, Span};

use super::fault::{Run, Stop, Wrong};
use super::operators::{bounded, set_place};
use super::value::Value;

/// The outcome of a statement.
pub enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

/// The variables of a running procedure or of the top level.
pub struct Frame<'a> {
    /// Every name that it sets, with its value once it is set.
    pub variables: HashMap<&'a str, Option<Value>>,
    pub last: Value,
    /// Whether it pulls lines one by one, because nothing reads `LAST`, instead of making lists of them.
    pub pulls: bool,
    /// The ON ERROR statement passed last.
    handler: Option<&'a Statement>,
}

pub struct Evaluator<'a> {
    pub tree: &'a Tree,
    pub source: &'a Source,
    procedures: HashMap<&'a str, &'a Procedure>,
    /// The top level's frame, followed by those of the active calls.
    pub frames: Vec<Frame<'a>>,
    /// Whether the procedure `Work` pulls.
    work_pulls: bool,
    /// Whether CLEAR_ERROR ran in the current handler.
    cleared: bool,
    pub last_error: Value,
    pub output: String,
    pub steps: u64,
    max_steps: u64,
}

/// The variables of one turn of a loop.
type Turn = (Value, Option<Value>);

/// Maximum depth of nested calls.
const CALL_DEPTH: usize = 1_000;
/// Maximum number of calls that an error records.
const MOST_CALLS: usize = 6;

impl<'a> Evaluator<'a> {
    pub fn new(tree: &'a Tree, source: &'a Source, max_steps: u64) -> Evaluator<'a> {
        let text = source.text();
        let procedures = tree.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Procedure(procedure) => Some((procedure.name.text.as_str(), &**procedure)),
            _ => None,
        });
        // No other procedure of the programs reads LAST.
        let (top, work) = text.split_once("DEFINE PROCEDURE Work").unwrap_or((text, ""));
        Evaluator {
            tree,
            source,
            procedures: procedures.collect(),
            frames: vec![Frame { pulls: pulls(top), ..frame_of(&tree.statements, &[]) }],
            work_pulls: pulls(work),
            cleared: false,
            last_error: Value::Nil,
            output: String::new(),
            steps: 0,
            max_steps,
        }
    }

    /// Runs the top-level statements.
    pub fn run(&mut self) -> Run<Value> {
        match self.block(&self.tree.statements)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Nil),
        }
    }

    pub fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the top level's frame is always there")
    }

    pub fn step(&mut self, steps: u64) -> Run<()> {
        self.steps += steps;
        if self.steps > self.max_steps { Err(Stop::Long) } else { Ok(()) }
    }

    fn block(&mut self, block: &'a Block) -> Run<Flow> {
        for statement in block {
            let flow = match &statement.kind {
                StatementKind::Procedure(_) => Flow::Next,
                StatementKind::Command(inner) => self.block(inner)?,
                _ => self.handled(statement)?,
            };
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Runs a statement. An error in it goes to the active handler.
    fn handled(&mut self, statement: &'a Statement) -> Run<Flow> {
        self.step(1)?;
        let result = self.statement(statement);
        let Err(Stop::Fault(fault)) = &result else { return result };
        let Some(handler) = self.frame().handler else { return result };
        if fault.passed || fault.is_limit {
            return result;
        }
        let StatementKind::OnError { name, body } = &handler.kind else { unreachable!("only these are kept") };
        let error = self.error_value(fault);
        self.last_error = error.clone();
        if let Some(name) = name {
            self.frame().variables.insert(&name.text, Some(error));
        }
        self.frame().handler = None;
        let outer = std::mem::replace(&mut self.cleared, false);
        let flow = self.block(body);
        let cleared = std::mem::replace(&mut self.cleared, outer);
        let flow = flow?;
        self.frame().handler.get_or_insert(handler);
        match flow {
            Flow::Next if !cleared => {
                let mut fault = fault.clone();
                fault.passed = true;
                Err(Stop::Fault(fault))
            }
            flow => Ok(flow),
        }
    }

    /// Returns the value of ON ERROR AS and LAST_ERROR, with the parts that programs use.
    pub fn error_value(&self, fault: &super::fault::Fault) -> Value {
        let line = self.source.position(fault.place).line as i64;
        let entry = |key: &str, value: Value| (key.to_owned(), value);
        let (code, message) = (Value::text(fault.code), Value::text(&fault.message));
        Value::Map(vec![entry("code", code), entry("message", message), entry("line", Value::Int(line))])
    }

    fn statement(&mut self, statement: &'a Statement) -> Run<Flow> {
        match &statement.kind {
            StatementKind::Set { targets, value } => self.set(targets, *value)?,
            StatementKind::Emit(values) => {
                let values = values.iter().map(|value| self.value(*value)).collect::<Run<Vec<Value>>>()?;
                let line: String = values.iter().map(Value::printed).collect();
                self.output.push_str(&line);
                self.output.push('\n');
            }
            StatementKind::Call(call) => {
                let value = self.value(*call)?;
                // The result of a built-in counts if it is a statement of its own.
                self.frame().last = value;
            }
            StatementKind::If { arms, otherwise } => {
                for arm in arms {
                    if self.value(arm.condition)?.is_true() {
                        return self.block(&arm.body);
                    }
                }
                return otherwise.as_ref().map_or(Ok(Flow::Next), |block| self.block(block));
            }
            StatementKind::While { condition, body } => {
                while self.value(*condition)?.is_true() {
                    self.step(1)?;
                    match self.block(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            StatementKind::For { first, second, list, body } => {
                let (turns, pulled) = self.turns(*list, second.is_some())?;
                for (key, value) in turns {
                    self.step(u64::from(pulled))?;
                    self.frame().variables.insert(&first.text, Some(key));
                    if let (Some(second), Some(value)) = (second, value) {
                        self.frame().variables.insert(&second.text, Some(value));
                    }
                    self.step(1)?;
                    match self.block(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(values) => return Ok(Flow::Return(self.returned(values)?)),
            StatementKind::Must { value, message } => self.must(*value, *message)?,
            StatementKind::Fail(message) => self.fail(*message, "the script failed", statement.span)?,
            StatementKind::OnError { .. } => self.frame().handler = Some(statement),
            StatementKind::ClearError => self.cleared = true,
            _ => return Err(Stop::GivenUp),
        }
        Ok(Flow::Next)
    }

    fn returned(&mut self, values: &[ExprId]) -> Run<Value> {
        let mut values = values.iter().map(|value| self.value(*value)).collect::<Run<Vec<Value>>>()?;
        Ok(match values.len() {
            0 => Value::Nil,
            1 => values.remove(0),
            _ => Value::List(values),
        })
    }

    /// Returns the elements of a FOR EACH loop, and whether each is charged when it is pulled.
    fn turns(&mut self, list: ExprId, two: bool) -> Run<(Vec<Turn>, bool)> {
        let pulled = self.pulled(list)?;
        let is_pulled = pulled.is_some();
        let turns = self.turns_of(pulled, list, two)?;
        Ok((turns, is_pulled))
    }

    fn turns_of(&mut self, pulled: Option<Value>, list: ExprId, two: bool) -> Run<Vec<Turn>> {
        let place = self.place_of(list);
        let value = match pulled {
            Some(pulled) => pulled,
            None => self.collected(list, place)?,
        };
        let numbered =
            |(index, item): (usize, Value)| if two { (Value::Int(index as i64), Some(item)) } else { (item, None) };
        match value {
            Value::Nil => Ok(Vec::new()),
            Value::List(items) => Ok(items.into_iter().enumerate().map(numbered).collect()),
            Value::Map(entries) => {
                Ok(entries.into_iter().map(|(key, value)| (Value::Text(key), Some(value))).collect())
            }
            Value::Text(text) => {
                let characters = text.chars().map(|c| Value::Text(c.to_string()));
                Ok(characters.enumerate().map(numbered).collect())
            }
            value => {
                let message = format!("FOR EACH cannot go through {} {}", value.type_name(), value.preview());
                Err(Stop::fault("NS0310", message, place))
            }
        }
    }

    fn collected(&mut self, list: ExprId, place: Span) -> Run<Value> {
        match &self.tree[self.inner(list)].kind {
            // It counts here, and creates no list to be charged.
            ExprKind::Call(call) if call.callee == "RANGE" => self.built_in(call, place),
            _ => self.value(list),
        }
    }

    fn must(&mut self, value: ExprId, message: Option<ExprId>) -> Run<()> {
        let place = self.place_of(value);
        let is_call = matches!(&self.tree[value].kind, ExprKind::Call(call) if !is_builtin(&call.callee));
        let value = self.value(value)?;
        let failure = match value {
            Value::Nil if is_call => "the call of MUST gave nil".to_owned(),
            Value::Truth(false) if is_call => "the call of MUST gave false".to_owned(),
            Value::Map(entries) if is_call => match super::value::find(&entries, "error") {
                None | Some(Value::Nil) => return Ok(()),
                Some(error) => error.printed(),
            },
            value if is_call || value.is_true() => return Ok(()),
            _ => "the condition of MUST does not hold".to_owned(),
        };
        self.fail(message, &failure, place)
    }

    fn fail(&mut self, message: Option<ExprId>, otherwise: &str, place: Span) -> Run<()> {
        let text = match message {
            Some(message) => self.value(message)?.printed(),
            None => otherwise.to_owned(),
        };
        Err(Stop::fault("fail", text, place))
    }

    fn set(&mut self, targets: &'a [AssignTarget], value: ExprId) -> Run<()> {
        let place = self.place_of(value);
        let value = self.value(value)?;
        if let [target] = targets {
            return self.write(target, value);
        }
        let count = targets.len();
        match value {
            Value::List(items) if items.len() == count => {
                targets.iter().zip(items).try_for_each(|(target, item)| self.write(target, item))
            }
            value => {
                let found = match &value {
                    Value::List(items) => format!("a list of {}", items.len()),
                    value => value.shown(),
                };
                Err(Stop::fault("NS0308", format!("expected a list of {count}, found {found}"), place))
            }
        }
    }

    fn write(&mut self, target: &'a AssignTarget, value: Value) -> Run<()> {
        let name = &target.name;
        if target.steps.is_empty() {
            self.frame().variables.insert(&name.text, Some(value));
            return Ok(());
        }
        let mut steps = Vec::new();
        for step in &target.steps {
            steps.push(match step {
                Step::Index(index) => self.value(*index)?,
                Step::Field(name) => Value::text(&name.text),
            });
        }
        let Some(variable) = self.frame().variables.get_mut(name.text.as_str()) else {
            return Err(unset(&name.text, name.span));
        };
        let is_new = variable.is_none();
        let mut whole = match (variable.take(), &steps[0]) {
            (Some(whole), _) => whole,
            (None, Value::Text(_)) => Value::Map(Vec::new()),
            (None, _) => return Err(unset(&name.text, name.span)),
        };
        let set = set_place(&mut whole, &steps, value).map_err(|wrong| wrong.at(target.span));
        let kept = bounded(whole.clone()).map_err(|_| Stop::GivenUp);
        // A map created for this assignment is removed again.
        *variable = (!is_new || set.is_ok()).then_some(whole);
        set?;
        kept?;
        Ok(())
    }

    /// Runs a procedure. Gives up if there is no such procedure.
    pub fn call(&mut self, name: &str, args: Vec<(Option<&str>, Value)>, place: Span) -> Run<Value> {
        let Some(procedure) = self.procedures.get(name).copied() else { return Err(Stop::GivenUp) };
        let params: Vec<&str> = procedure.params.iter().map(|param| param.name.text.as_str()).collect();
        if self.frames.len() > CALL_DEPTH {
            let message = "procedures call each other more than 1,000 deep (`call_depth`)".to_owned();
            let mut stop = Stop::fault("NS0605", message, place);
            if let Stop::Fault(fault) = &mut stop {
                fault.is_limit = true;
            }
            return Err(stop);
        }
        let pulls = name != "Work" || self.work_pulls;
        let mut frame = Frame { pulls, ..frame_of(&procedure.body, &params) };
        for param in &procedure.params {
            if let WhenAbsent::Is(default) = param.when_absent {
                let default = self.value(default)?;
                frame.variables.insert(&param.name.text, Some(default));
            }
        }
        for (number, (label, value)) in args.into_iter().enumerate() {
            frame.variables.insert(label.map_or(params[number], |label| known(&params, label)), Some(value));
        }
        self.frames.push(frame);
        let result = self.step(1).and_then(|()| self.block(&procedure.body));
        self.frames.pop();
        match result {
            Ok(Flow::Return(value)) => Ok(value),
            Ok(_) => Ok(Value::Nil),
            Err(Stop::Fault(mut fault)) => {
                if fault.calls.len() < MOST_CALLS {
                    fault.calls.push(place);
                }
                fault.passed = false;
                Err(Stop::Fault(fault))
            }
            Err(stop) => Err(stop),
        }
    }

    pub fn is_procedure(&self, name: &str) -> bool {
        self.procedures.contains_key(name)
    }
}

/// Whether a body with this text reads no `LAST`, by name or by EVAL.
fn pulls(body: &str) -> bool {
    !body.replace("LAST_ERROR", "").contains("LAST") && !body.contains("EVAL")
}

fn known<'a>(params: &[&'a str], label: &str) -> &'a str {
    params.iter().find(|param| **param == label).expect("programs name parameters that are there")
}

/// Creates a frame for a body: parameters are nil until given, other variables are unset.
fn frame_of<'a>(body: &'a Block, params: &[&'a str]) -> Frame<'a> {
    let mut names = HashSet::new();
    names_set(body, &mut names);
    let mut variables: HashMap<&str, Option<Value>> = names.into_iter().map(|name| (name, None)).collect();
    variables.extend(params.iter().map(|param| (*param, Some(Value::Nil))));
    Frame { variables, last: Value::Nil, pulls: true, handler: None }
}

fn names_set<'a>(block: &'a Block, names: &mut HashSet<&'a str>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Set { targets, .. } => {
                names.extend(targets.iter().filter(|place| place.steps.is_empty()).map(|place| &*place.name.text));
            }
            StatementKind::If { arms, otherwise } => {
                arms.iter().map(|arm| &arm.body).chain(otherwise).for_each(|block| names_set(block, names));
            }
            StatementKind::For { first, second, body, .. } => {
                names.extend([first].into_iter().chain(second).map(|name| name.text.as_str()));
                names_set(body, names);
            }
            StatementKind::OnError { name, body } => {
                names.extend(name.iter().map(|name| name.text.as_str()));
                names_set(body, names);
            }
            StatementKind::While { body, .. } | StatementKind::Command(body) => names_set(body, names),
            _ => {}
        }
    }
}

/// Returns the error of a variable that is not set yet.
pub fn unset(name: &str, place: Span) -> Stop {
    Wrong::Fault("NS0102", format!("`{name}` is not set yet on this path")).at(place)
}

/// Whether a name is that of a built-in: these programs write built-ins in capitals, and procedures not.
pub fn is_builtin(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase())
}
