//! Rendering a document: its calls run in order, and each result replaces its call.
//!
//! The whole document is parsed, and every call is checked against the tools' declarations, before the first call
//! runs. So a broken document changes nothing. All calls share one budget.

mod result;

use crate::document::{Arg, Call, MAX_FINDINGS, Piece, Reading, read};
use crate::eval::Fault;
use crate::gate::SessionMemory;
use crate::limits::{LimitHit, Meter, space, work};
use crate::syntax::keyword::{is_reserved, is_word};
use crate::text::{Code, Diagnostic, Source, Sources, Span, nearest};
use crate::toolkit::{About, ArgError, Effect, FailureMode, StaticArg, ToolId};
use crate::value::{Map, TextBudget, Value, json};

use super::call::admit_json;
use super::outcome::ending_of;
use super::{Ending, Engine, Script, internal_fault, on_large_stack};

/// The format of results in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// The whole result, as JSON.
    Json,
    /// The content of a file that was read; JSON for every other result.
    Content,
}

/// The result of rendering a document.
pub struct Rendered {
    /// The document, for showing findings.
    pub sources: Sources,
    /// The findings before its calls ran, or the error that ended the run.
    pub findings: Vec<Diagnostic>,
    /// Warnings of successful tools, one sentence each.
    pub warnings: Vec<String>,
    /// How the run ended.
    pub ending: Ending,
    /// The rendered document; empty unless the run completed.
    pub text: String,
}

impl Engine {
    /// Renders a document with the values of its variables.
    pub fn render(&self, document: &Script, variables: &Map, results: Results) -> Rendered {
        let _space = space::enter(&self.limits);
        let mut rendered = on_large_stack(|| self.read_and_render(document, variables, results))
            .unwrap_or_else(|panic| Rendered::failed(Sources::new(), vec![internal_fault(&panic)], Ending::Failed));
        let session = session_of(document);
        rendered.warnings.extend(self.end_run(self.run_end(rendered.ending, &session)));
        if let Some(finding) = self.undurable() {
            rendered.findings.push(finding);
            rendered.ending = Ending::Failed;
        }
        rendered
    }

    /// Whether `{{name}}` in a document stands for a variable with this name.
    pub fn is_document_name(name: &str) -> bool {
        is_word(name) && !is_reserved(name)
    }

    fn read_and_render(&self, document: &Script, variables: &Map, results: Results) -> Rendered {
        if let Some(finding) = self.unsealed() {
            return Rendered::failed(Sources::new(), vec![finding], Ending::Failed);
        }
        let mut sources = Sources::new();
        let (text, undecodable) = document.decode(self.limits.script_bytes);
        let source = sources.add(document.name(), text);
        if let Some(finding) = undecodable {
            return Rendered::failed(sources, vec![finding], Ending::Failed);
        }
        let mut findings = Vec::new();
        let pieces = read(source, Reading { variables, nesting: self.limits.nesting }, &mut findings);
        let steps: Vec<Step<'_>> = pieces.into_iter().filter_map(|piece| self.step(piece, &mut findings)).collect();
        if findings.iter().any(Diagnostic::is_error) {
            findings.sort_by_key(Diagnostic::span);
            return Rendered::failed(sources.clone(), findings, Ending::Failed);
        }
        let memory = session_of(document);
        self.gate.announce(memory.command(), self.atomic);
        let meter = self.begin_account();
        let _work = work::enter(meter.watch());
        let mut run = DocumentRun {
            engine: self,
            source,
            results,
            meter,
            memory,
            text: String::new(),
            warnings: Vec::new(),
            changed: Vec::new(),
        };
        let done = steps.into_iter().try_for_each(|step| run.step(step));
        let DocumentRun { text, warnings, changed, .. } = run;
        match done {
            Ok(()) => Rendered { sources: sources.clone(), findings, warnings, ending: Ending::Done, text },
            Err(fault) => {
                let latest = changed.iter().rev().take(MOST_SHOWN).rev();
                let stays = |finding: Diagnostic, span: &Span| finding.related(*span, "done before, and stays done");
                findings.push(latest.fold(fault.to_diagnostic(self.gate.policy()), stays));
                Rendered { warnings, ..Rendered::failed(sources.clone(), findings, ending_of(&fault)) }
            }
        }
    }

    fn step<'a>(&self, piece: Piece<'a>, findings: &mut Vec<Diagnostic>) -> Option<Step<'a>> {
        match piece {
            Piece::Text(text) => Some(Step::Text(text)),
            Piece::Value(value) => Some(Step::Value(value)),
            // Stop checking calls once there are enough findings.
            Piece::Call(_) if findings.len() >= MAX_FINDINGS => None,
            Piece::Call(call) => {
                let (id, args) = self.check_call(&call).map_err(|mut found| findings.append(&mut found)).ok()?;
                Some(Step::Call { id, args, call })
            }
        }
    }

    /// Returns the tool of a call and its arguments in the declared order, or all errors in the call.
    fn check_call(&self, call: &Call) -> Result<(ToolId, Vec<Option<Value>>), Vec<Diagnostic>> {
        let registry = self.gate.registry();
        let id = registry.find(tool_name(call)).ok_or_else(|| vec![self.unknown_tool_of(call)])?;
        let tool = registry.get(id);
        let mut findings = Vec::new();
        let (mut places, mut args): (Vec<usize>, Vec<&Arg>) = (Vec::new(), Vec::new());
        for arg in &call.args {
            if findings.len() >= MAX_FINDINGS {
                break;
            }
            match tool.binder().free_position(&arg.name, &places) {
                Err(error) => findings.push(finding_of(&error, arg.name_span)),
                Ok(place) => {
                    places.push(place);
                    args.push(arg);
                }
            }
        }
        let known = args.iter().zip(&places).map(|(arg, place)| StaticArg { place: *place, value: arg.value.as_ref() });
        let known: Vec<StaticArg<'_>> = known.collect();
        let mistakes = tool.mistakes(&known, self.gate.settings()).into_iter().map(|mistake| match mistake.about {
            About::Argument(number) => mistake.finding(args[number].span),
            About::Absence | About::Combination => mistake.finding(call.tool_span),
        });
        findings.extend(mistakes);
        if !findings.is_empty() {
            return Err(findings);
        }
        let mut values = vec![None; tool.params.len()];
        known.iter().for_each(|arg| values[arg.place] = arg.value.cloned());
        Ok((id, values))
    }

    fn unknown_tool_of(&self, call: &Call) -> Diagnostic {
        let shown = crate::value::print::shortened(&call.tool, 60);
        let finding = Diagnostic::error(Code::UnknownCall, call.tool_span, format!("there is no tool `{shown}`"));
        let registry = self.gate.registry();
        let near = nearest(&call.tool, registry.iter().map(|tool| tool.spec.wire));
        match near.or_else(|| registry.nearest(&call.tool)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("`ns tools` lists the tools"),
        }
    }
}

/// Returns the memory of the session in which a document is rendered.
fn session_of(document: &Script) -> SessionMemory {
    SessionMemory::new(format!("ns render {}", document.file_name()))
}

/// Returns the tool that a call means. The `list_directory` of docs/specs/file_system_tool.md, which has a
/// `directory_path`, is our `find_files`; that of list_directory_srd.md takes `path`.
fn tool_name(call: &Call) -> &str {
    let is_finding = call.args.iter().any(|arg| arg.name == "directory_path");
    if is_finding && call.tool.eq_ignore_ascii_case("list_directory") { "find_files" } else { &call.tool }
}

fn finding_of(error: &ArgError, span: Span) -> Diagnostic {
    Diagnostic::error(error.code(), span, error.to_string()).help(error.help())
}

/// A piece of a document, ready to run.
enum Step<'a> {
    Text(&'a str),
    Value(Value),
    Call { id: ToolId, args: Vec<Option<Value>>, call: Call },
}

/// The state while the calls of a document run.
struct DocumentRun<'a> {
    engine: &'a Engine,
    source: &'a Source,
    results: Results,
    meter: Meter,
    memory: SessionMemory,
    text: String,
    warnings: Vec<String>,
    /// Calls that may have changed something.
    changed: Vec<Span>,
}

/// Maximum number of earlier calls that an error lists as done.
const MOST_SHOWN: usize = 6;

impl DocumentRun<'_> {
    fn step(&mut self, step: Step<'_>) -> Result<(), Box<Fault>> {
        match step {
            Step::Text(text) => self.push(text).map_err(fault_of),
            Step::Value(value) => match value.as_text() {
                Some(text) => self.push(&text).map_err(fault_of),
                None => {
                    json::to_text(&value, TextBudget::of_text()).and_then(|text| self.push(&text)).map_err(fault_of)
                }
            },
            Step::Call { id, args, call } => self.call(id, args, &call),
        }
    }

    fn call(&mut self, id: ToolId, mut args: Vec<Option<Value>>, call: &Call) -> Result<(), Box<Fault>> {
        let engine = self.engine;
        let tool = engine.gate.registry().get(id);
        let file = args.first().and_then(|arg| arg.as_ref()?.as_text().map(|path| path.to_string()));
        let answer = self
            .meter
            .step(1)
            .map_err(Into::into)
            .and_then(|()| engine.gate.call(id, &mut args, &mut self.meter, &self.memory));
        for note in engine.gate.take_notes() {
            let line = self.source.position(call.tool_span).line;
            self.warnings.push(format!("{}:{line}: {}: {note}", self.source.name(), tool.spec.name));
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => match error.manner {
                FailureMode::Quiet => Value::Nil,
                FailureMode::Partly => error.answer.unwrap_or_default(),
                FailureMode::Declared | FailureMode::Raised => return Err(self.fault((*error).into(), call)),
            },
        };
        if !matches!(tool.spec.effect, Effect::Pure | Effect::Reads) {
            self.changed.push(call.tool_span);
        }
        // All answers but texts become JSON.
        let answer = if answer.is_text() {
            answer
        } else {
            admit_json(answer).map_err(|error| self.fault(error.into(), call))?
        };
        let text = result::text_of(&answer, &call.position, self.results, file.as_deref());
        text.and_then(|text| {
            self.meter.step_text(text.len())?;
            self.push(&text)
        })
        .map_err(|hit| self.fault(hit.into(), call))
    }

    /// Appends to the rendered document.
    fn push(&mut self, text: &str) -> Result<(), LimitHit> {
        self.meter.print(text.len() as u64)?;
        space::check(self.text.len() + text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    fn fault(&self, mut fault: Fault, call: &Call) -> Box<Fault> {
        fault.span = Some(call.tool_span);
        Box::new(fault)
    }
}

fn fault_of(hit: LimitHit) -> Box<Fault> {
    Box::new(hit.into())
}

impl Rendered {
    fn failed(sources: Sources, findings: Vec<Diagnostic>, ending: Ending) -> Rendered {
        Rendered { sources, findings, warnings: Vec::new(), ending, text: String::new() }
    }
}
