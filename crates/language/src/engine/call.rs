//! Calls of one tool, with the arguments in a JSON object.

use crate::gate::SessionMemory;
use crate::limits::{space, work};
use crate::text::{ToolCode, shell_line};
use crate::toolkit::{Effect, ToolError};
use crate::value::json::Unwritable;
use crate::value::{Map, Value, print};

use super::{End, Engine, internal_fault, on_large_stack};

/// Maximum number of paths of one argument of a call in the list of runs.
const CALL_PATHS: usize = 8;
/// Maximum number of characters of a call in the list of runs.
const CALL_CHARS: usize = 200;

/// The form in which the answer of a call leaves the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// JSON, which has no infinite floats: an answer with one is refused.
    Json,
    /// Text as EMIT prints it.
    Text,
}

/// A call of one tool.
#[derive(Clone, Copy)]
pub struct ToolCall<'a> {
    /// The name, in either spelling.
    pub tool: &'a str,
    /// The arguments, a JSON object.
    pub args: &'a Value,
    /// The session memory that the call reads and writes. It may outlive the call, as that of a connection does.
    pub session: &'a SessionMemory,
    /// The form in which the answer leaves.
    pub form: AnswerForm,
}

impl Engine {
    /// Calls one tool with the arguments in a JSON object. The answer leaves as JSON.
    pub fn call(&self, tool: &str, args: &Value) -> Result<Value, ToolError> {
        self.call_tool(&ToolCall { tool, args, session: &SessionMemory::new("ns call"), form: AnswerForm::Json })
    }

    /// Returns the arguments of a JSON call with guesses of names and types as the tool declares them, for callers that
    /// know other tools. What can have several meanings stays as it is.
    pub fn understand(&self, tool: &str, args: &Value) -> Result<Value, ToolError> {
        let _space = space::enter(&self.limits);
        let registry = self.gate.registry();
        match (registry.find(tool), args) {
            (Some(id), Value::Map(map)) => Ok(Value::Map(registry.get(id).binder().understand(map)?)),
            _ => Ok(args.clone()),
        }
    }

    /// Calls one tool with a session memory that outlives the call, such as that of a connection.
    pub fn call_tool(&self, call: &ToolCall<'_>) -> Result<Value, ToolError> {
        let _space = space::enter(&self.limits);
        self.gate.announce(&format!("{} {}", call.session.command(), self.listed_call(call.tool, call.args)), false);
        let result = on_large_stack(|| self.bind_and_call(call))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        self.settle();
        self.end_journal(if result.is_ok() { End::Done } else { End::Failed });
        self.gate.acknowledge(result)
    }

    /// Returns a call as the list of runs shows it: the name as given, and the paths among the arguments. Calls that
    /// change nothing are not listed, so they go without paths.
    fn listed_call(&self, tool: &str, args: &Value) -> String {
        let found = self.gate.registry().find(tool).map(|id| self.gate.registry().get(id));
        let (Some(found), Value::Map(map)) = (found.filter(|found| found.spec.effect.is_side_effecting()), args) else {
            return tool.to_owned();
        };
        let params = found.binder().params;
        let is_path = |key: &str| params.iter().any(|param| param.kind.is_place() && param.is_called(key));
        let paths = map.iter().filter(|(key, _)| is_path(&key.as_text())).flat_map(|(_, value)| match value {
            Value::List(list) => list.iter().take(CALL_PATHS).collect(),
            value => vec![value],
        });
        let paths: Vec<String> = paths.filter_map(|path| path.as_text().map(|path| path.to_string())).collect();
        let words = std::iter::once(tool).chain(paths.iter().map(String::as_str));
        shell_line(words, CALL_CHARS)
    }

    fn bind_and_call(&self, &ToolCall { tool, args, session, form }: &ToolCall<'_>) -> Result<Value, ToolError> {
        self.check_sealed()?;
        let mut meter = self.begin_account();
        let _work = work::enter(meter.watch());
        let id = self.gate.registry().find(tool).ok_or_else(|| self.unknown_tool(tool))?;
        let binder = self.gate.registry().get(id).binder();
        let named = |error: ToolError| ToolError { tool: Some(binder.callee), ..error };
        let Value::Map(map) = args else {
            let error = ToolError::new(
                ToolCode::BadArgs,
                format!("the arguments are a JSON object, not a {}", args.type_name()),
            );
            return Err(named(error.hint("give them as `{\"name\": value}`")));
        };
        let mut args = binder.spread(map as &Map).map_err(|error| named(error.into()))?;
        let answer =
            self.gate.call(id, &mut args, &mut meter, session).map_err(|error| self.gate.with_near_path(*error))?;
        // The answer of a change is never refused, and holds no such float.
        match (form, self.gate.registry().get(id).spec.effect) {
            (AnswerForm::Json, Effect::Pure | Effect::Reads) => admit_json(answer).map_err(named),
            _ => Ok(answer),
        }
    }

    fn unknown_tool(&self, name: &str) -> ToolError {
        let shown = print::shortened(name, 60);
        let error = ToolError::new(ToolCode::UnknownTool, format!("unknown tool `{shown}`"));
        match self.gate.registry().nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`ns tools` lists the tools"),
        }
    }
}

/// Refuses an answer with a float that JSON does not have.
pub(super) fn admit_json(answer: Value) -> Result<Value, ToolError> {
    match Unwritable::find_in(&answer)? {
        Some(found) => Err(ToolError::new(ToolCode::BadArgs, found.to_string()).hint(Unwritable::HELP)),
        None => Ok(answer),
    }
}
