//! The state that persists between the calls of a connection: the sandboxes with their engines, session memory, and
//! truncated answers. It stays on one thread ([`super::engine_thread`]) because values are not `Send`.

use std::rc::Rc;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::engine::{AnswerForm, Engine, Network, Options, SessionMemory, SetupError, ToolCall};
use crate::text::ToolCode;
use crate::toolkit::{Excerpt, FailureMode, Registry, ToolError, excerpt};
use crate::value::{Value, json as value_json, print, to_value};

use super::ask::McpApprover;
use super::hints::{HiddenTool, for_a_client, in_wire_names, wire_name, with_hidden_tools};
use super::logging::LogMessage;
use super::media::{Media, Split};
use super::methods::{self, Method};
use super::offer::{OfferedTool, PLAN, ScriptTool};
use super::order::{Given, Named, Order, command_of};
use super::recent_answers::RecentAnswers;
use super::sandboxes::{NamedSandbox, Sandboxes, takes_sandbox};
use super::worker::WorkerReport;

/// Maximum number of characters of the message of an error beside an answer that has lost its form.
const BRIEF: usize = 500;

/// The state of a connection.
pub struct ConnectionState {
    /// The sandboxes, each with its engine.
    pub sandboxes: Sandboxes,
    /// Session memory of scripts and tools, kept for the duration of the connection.
    pub session: SessionMemory,
    /// The approver for the current call.
    pub approver: Rc<McpApprover>,
    /// The client, if the server tells its clients apart.
    client: Option<String>,
    recent_answers: RecentAnswers,
    /// Maximum size in bytes of one part of an answer.
    at_once: u64,
    /// Wire names of tools that are not offered, with the reason or the remedy.
    pub hidden: Vec<HiddenTool>,
}

/// An answer in the form that a client receives.
#[derive(Debug)]
pub struct Reply {
    /// The structured content, for programs; a string if the answer is a text by itself.
    pub structured: Json,
    /// Metadata: how much of the answer is included, the undo id.
    pub meta: Map<String, Json>,
    /// Additional text for the model.
    pub notes: Vec<String>,
    /// An image or audio, which is no part of the structured content.
    pub media: Option<Media>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Messages for a client that follows the log.
    pub log: Vec<LogMessage>,
}

impl ConnectionState {
    /// Opens the sandboxes and locks the process down.
    pub fn open(named: &[NamedSandbox], options: &Options, network: Network) -> Result<ConnectionState, SetupError> {
        let mut sandboxes = Sandboxes::open(named, options, network)?;
        let at_once = sandboxes.take_answer_bound();
        let approver = Rc::new(McpApprover::new());
        sandboxes.engines().for_each(|engine| engine.set_approver(approver.clone()));
        Ok(ConnectionState {
            sandboxes,
            session: SessionMemory::of_connection(command_of(options.client.as_deref())),
            client: options.client.clone(),
            approver,
            recent_answers: RecentAnswers::default(),
            at_once,
            hidden: Vec::new(),
        })
    }

    /// Opens the sandboxes again with other bounds; session memory and stored answers remain.
    pub fn reopen(&mut self, options: &Options) -> Result<(), SetupError> {
        self.sandboxes.reopen(options)?;
        self.at_once = self.sandboxes.take_answer_bound();
        self.sandboxes.engines().for_each(|engine| engine.set_approver(self.approver.clone()));
        Ok(())
    }

    /// Calls a tool.
    pub fn call(&mut self, offered: OfferedTool, mut args: Map<String, Json>) -> Reply {
        let tool = offered.name;
        let number = match self.sandbox_of_call(tool, &mut args) {
            Ok(number) => number,
            Err(error) => return self.failure(&error),
        };
        let engine = self.enter(number);
        let result = value_of(&args).and_then(|args| {
            let args = engine.understand(tool, &args)?;
            let (session, form) = (&self.session, AnswerForm::Json);
            engine.call_tool(&ToolCall { tool, args: &args, session, form })
        });
        let undo = engine.ended_run();
        engine.gate().end_run();
        let mut notes = notes(engine);
        let log: Vec<LogMessage> = notes.iter().map(|note| LogMessage::warning(note)).collect();
        notes.extend(engine.gate().console().take_printed_texts());
        let mut reply = match result {
            Ok(answer) => self.answer_of_tool(offered, answer),
            Err(error) if error.manner == FailureMode::Quiet => self.answer(Value::Nil),
            Err(error) => self.failure(&error),
        };
        reply.notes.extend(notes);
        reply.log.extend(log);
        if let Some(undo) = undo {
            reply.meta.insert("undo_id".to_owned(), json!(undo.run));
        }
        reply
    }

    /// Returns the sandbox of a call of a tool, whose argument is taken.
    fn sandbox_of_call(&self, tool: &'static str, args: &mut Map<String, Json>) -> Result<usize, ToolError> {
        if !self.sandboxes.are_several() {
            return Ok(0);
        }
        let registry = self.registry();
        let found = registry.find(tool).map(|id| registry.get(id));
        let Some(found) = found.filter(|found| takes_sandbox(found.spec.effect)) else { return Ok(0) };
        self.sandboxes.take(args, found.params).map_err(|error| ToolError { tool: Some(tool), ..error })
    }

    /// Returns the engine of a sandbox for a call, whose questions name the sandbox if there are several.
    fn enter(&self, number: usize) -> &Engine {
        self.approver.enter(self.sandboxes.name_if_several(number));
        self.sandboxes.engine(number)
    }

    /// Returns the tools, which are those of every sandbox.
    fn registry(&self) -> &Registry {
        self.sandboxes.engine(0).registry()
    }

    /// Executes a method of the server other than `run_script`.
    pub fn method(&mut self, method: Method, mut args: Map<String, Json>) -> Reply {
        let number = match self.sandbox_of_method(method, &mut args) {
            Ok(number) => number,
            Err(error) => return failure_of(method, error),
        };
        let reply = value_of(&args).and_then(|args| match method {
            Method::LanguageGuide => {
                method.bind::<methods::NoArgs>(&args)?;
                Ok(self.text_answer(methods::language_guide()))
            }
            Method::ReadResult => {
                let args = method.bind(&args)?;
                let (handle, part) = methods::read_result(&args, &self.recent_answers, self.at_once)?;
                Ok(self.part(part, Some(handle)))
            }
            Method::History => {
                let history = methods::history(self.enter(number), &method.bind(&args)?)?;
                Ok(self.answer_of(&history))
            }
            Method::Undo => {
                let undone = methods::undo(self.enter(number), &method.bind(&args)?)?;
                Ok(self.answer_of(&undone))
            }
            Method::ListAllowedDirectories => {
                method.bind::<methods::NoArgs>(&args)?;
                Ok(self.answer_of(&methods::list_allowed_directories(&self.sandboxes)))
            }
            Method::RunScript => unreachable!("scripts run in a worker"),
        });
        let notes = notes(self.sandboxes.engine(number));
        let mut reply = reply.unwrap_or_else(|error| failure_of(method, error));
        reply.log.extend(notes.iter().map(|note| LogMessage::warning(note)));
        reply.notes.extend(notes);
        reply
    }

    fn sandbox_of_method(&self, method: Method, args: &mut Map<String, Json>) -> Result<usize, ToolError> {
        if method.takes_sandbox() { self.sandboxes.take(args, method.params()) } else { Ok(0) }
    }

    /// Calls a tool for something other than a call of a client, and returns its whole result.
    pub fn result_of(&self, number: usize, tool: &str, args: &Map<String, Json>) -> Result<Value, ToolError> {
        let engine = self.enter(number);
        let result = value_of(args).and_then(|args| {
            let (session, form) = (&self.session, AnswerForm::Json);
            engine.call_tool(&ToolCall { tool, args: &args, session, form })
        });
        engine.gate().end_run();
        result
    }

    /// Converts the error of a tool to an answer in which tools have their wire names.
    pub fn failure(&self, error: &ToolError) -> Reply {
        let registry = self.registry();
        let mut reply = failure(error);
        for member in ["message", "hint"] {
            if let Some(text) = reply.structured["error"][member].as_str() {
                reply.structured["error"][member] = json!(in_wire_names(text, registry));
            }
        }
        if let Some(hint) = reply.structured["error"]["hint"].as_str() {
            reply.structured["error"]["hint"] = json!(with_hidden_tools(hint, &self.hidden));
        }
        let tool = error.tool.map(|name| wire_name(name, registry).unwrap_or(name));
        reply.structured["error"]["tool"] = json!(tool);
        reply.log.extend(LogMessage::refusal(&reply.structured["error"]));
        reply
    }

    /// Builds the order for a worker from the arguments of `run_script`.
    pub fn order(&self, mut args: Map<String, Json>) -> Result<Order, Reply> {
        let method = Method::RunScript;
        let order = self.sandbox_of_method(method, &mut args).and_then(|number| {
            let order = method.bind::<methods::ScriptArgs>(&value_of(&args)?)?.order();
            Ok(Order { sandbox: self.sandboxes.order(number), ..order })
        });
        let order = order.map_err(|error| failure_of(method, error))?;
        Ok(Order {
            remembered: self.session.entries(),
            key: Some(self.sandboxes.key()),
            client: self.client.clone(),
            ..order
        })
    }

    /// Builds the order for a worker from a call of a script that is offered as a tool.
    pub fn order_of_script(&self, script: &ScriptTool, mut args: Map<String, Json>) -> Result<Order, Reply> {
        let refused = |error: ToolError| {
            let mut reply = failure(&error);
            reply.structured["error"]["tool"] = json!(script.wire);
            reply
        };
        // An argument of this name that belongs to the script stays among its arguments.
        let plan = match script.can_plan.then(|| args.remove(PLAN)).flatten() {
            None | Some(Json::Null) => false,
            Some(Json::Bool(plan)) => plan,
            Some(_) => {
                let error = ToolError::new(ToolCode::BadArgs, format!("`{PLAN}` needs true or false"));
                return Err(refused(error.argument(PLAN)));
            }
        };
        let number = self.sandboxes.take(&mut args, &[]).map_err(refused)?;
        let given = value_of(&args).map_err(refused)?;
        script.check(&given).map_err(refused)?;
        Ok(Order {
            server: std::process::id(),
            script: script.text.clone(),
            plan,
            atomic: true,
            given: Given::Named(args),
            offered: Some(Named { tool: script.wire.clone(), file: script.file.clone() }),
            sandbox: self.sandboxes.order(number),
            within: None,
            client: self.client.clone(),
            remembered: self.session.entries(),
            key: Some(self.sandboxes.key()),
        })
    }

    /// Converts the report of a worker to the answer for the client, and takes over its changes to session memory.
    pub fn reported(&mut self, worked: WorkerReport) -> Reply {
        let mut reply = match value_json::from_text(&worked.report) {
            Ok(report) => {
                let error = worked.failed.then(|| brief_error(&report));
                let undo = field(&report, "undo_id");
                let mut reply = Reply { is_error: worked.failed, ..self.answer(report) };
                // An answer that comes as pieces of its JSON has lost its form.
                if let Some(error) = error.filter(|_| reply.structured.get("error").is_none()) {
                    reply.structured["error"] = error;
                }
                reply.meta.extend(undo.map(|id| ("undo_id".to_owned(), id)));
                reply.log.extend(LogMessage::refusal(&reply.structured["error"]));
                reply
            }
            Err(error) => {
                failure(&ToolError::new(ToolCode::IoError, format!("the report of the script cannot be read: {error}")))
            }
        };
        for entry in worked.remembered {
            let key = entry.key().to_owned();
            if let Err(error) = self.session.take_in(entry) {
                reply.notes.push(format!("session memory did not take `{key}` from the script: {error}"));
            }
        }
        reply
    }

    fn answer_of_tool(&mut self, offered: OfferedTool, answer: Value) -> Reply {
        let split = offered.media.and_then(|fields| Split::of(&answer, fields));
        match split {
            Some(Split { media, rest, reported }) => {
                let mut reply = Reply { media: Some(media), ..self.answer(rest) };
                reply.meta.extend(reported);
                reply
            }
            None if offered.may_be_text => self.text_answer(answer),
            None => self.answer(answer),
        }
    }

    fn answer_of(&mut self, answer: &impl Serialize) -> Reply {
        match to_value(answer) {
            Ok(answer) => self.answer(answer),
            Err(hit) => failure(&hit.into()),
        }
    }

    /// Converts an answer to structured content, which is always an object.
    fn answer(&mut self, answer: Value) -> Reply {
        let mut reply = self.text_answer(answer);
        if !reply.structured.is_object() {
            reply.structured = json!({ "result": reply.structured });
        }
        reply
    }

    /// Converts the answer of something that has no output schema: a text stays as it is.
    fn text_answer(&mut self, answer: Value) -> Reply {
        match excerpt(answer, self.at_once) {
            Ok(part) => self.part(part, None),
            Err(hit) => failure(&hit.into()),
        }
    }

    /// Converts an answer or one part of it. `handle` is that of a stored answer of which this is a further part.
    fn part(&mut self, part: Excerpt, handle: Option<String>) -> Reply {
        let Excerpt { answer, extent, body } = part;
        let handle = body.map(|body| self.recent_answers.keep(body)).or(handle);
        let mut meta = Map::new();
        let mut notes = Vec::new();
        if let Some(Json::Object(extent)) = extent.as_ref().and_then(|extent| serde_json::to_value(extent).ok()) {
            meta = extent;
        }
        if let Some((extent, next)) = extent.as_ref().and_then(|extent| Some((extent, extent.next_offset?.number()))) {
            let cursor = format!("{}:{next}", handle.unwrap_or_default());
            let of = extent.of.unwrap_or(next);
            let (returned, unit) = (extent.returned, extent.unit);
            notes.push(format!(
                "cut: {returned} {unit} up to {next} of {of}; read on with `read_result` and the cursor \"{cursor}\""
            ));
            meta.insert("next_cursor".to_owned(), json!(cursor));
        }
        let mut structured = json!(answer);
        if !structured.is_object() && !structured.is_string() {
            structured = json!({ "result": structured });
        }
        Reply { structured, meta, notes, media: None, is_error: false, log: Vec::new() }
    }
}

/// Returns the warnings of the last call of an engine.
pub fn notes(engine: &Engine) -> Vec<String> {
    let gate = engine.gate();
    gate.take_notes().iter().map(|note| in_wire_names(&for_a_client(note), gate.registry())).collect()
}

/// Converts an error to an answer, including the partial result if there is one.
pub fn failure(error: &ToolError) -> Reply {
    let mut structured = json!({ "error": error.shape() });
    if let Some(hint) = error.hint.as_deref().map(for_a_client) {
        structured["error"]["hint"] = json!(hint);
    }
    if let Some(answer) = &error.answer {
        structured["answer"] = json!(answer);
    }
    Reply { structured, meta: Map::new(), notes: Vec::new(), media: None, is_error: true, log: Vec::new() }
}

/// Converts the error of a method to an answer.
fn failure_of(method: Method, error: ToolError) -> Reply {
    failure(&ToolError { tool: Some(method.spec().wire), ..error })
}

/// Returns a field of a report.
fn field(report: &Value, key: &str) -> Option<Json> {
    let Value::Map(report) = report else { return None };
    report.get_str(key).map(|value| json!(value))
}

/// Returns the error of a report without the findings, and with short texts.
fn brief_error(report: &Value) -> Json {
    let Some(Json::Object(mut error)) = field(report, "error") else { return Json::Null };
    error.remove("report");
    for text in error.values_mut() {
        if let Json::String(text) = text {
            *text = print::shortened(text, BRIEF);
        }
    }
    Json::Object(error)
}

fn value_of(args: &Map<String, Json>) -> Result<Value, ToolError> {
    use serde::Deserialize;
    Value::deserialize(args)
        .map_err(|error| ToolError::new(ToolCode::BadArgs, format!("the arguments do not fit: {error}")))
}
