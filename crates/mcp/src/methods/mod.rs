//! Methods of the server other than tool calls. They are declared like tools and offered beside them, but they are not
//! tools: they run scripts or inspect runs, which a tool cannot do.

mod allowed_directories;
mod changes;
mod history;
mod json_room;
mod language_guide;
mod read_result;
mod run_script;
mod undo;

use serde_json::Value as Json;

use crate::text::ToolCode;
use crate::toolkit::{Answer, Arguments, Binder, Bound, Effect, Example, Failure, Param, Risk, Spec, ToolError};
use crate::value::Value;

pub use allowed_directories::list_allowed_directories;
pub use history::history;
pub use language_guide::{Args as NoArgs, language_guide};
pub use read_result::read_result;
pub use run_script::{Args as ScriptArgs, MAX_REPORT, Printed, Report, failed_report, report};
pub use undo::undo;

/// A method of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Runs a script.
    RunScript,
    /// Returns the next part of a truncated answer.
    ReadResult,
    /// Returns the guide for models.
    LanguageGuide,
    /// Undoes a run.
    Undo,
    /// Lists runs.
    History,
    /// Lists the sandboxes.
    ListAllowedDirectories,
}

impl Method {
    /// All methods, in the order in which they are listed.
    pub const ALL: [Method; 6] = [
        Method::RunScript,
        Method::ReadResult,
        Method::LanguageGuide,
        Method::Undo,
        Method::History,
        Method::ListAllowedDirectories,
    ];

    /// Whether it works in one sandbox, which a call names if there are several.
    pub fn takes_sandbox(self) -> bool {
        matches!(self, Method::RunScript | Method::Undo | Method::History)
    }

    /// Returns its declaration.
    pub fn spec(self) -> Spec {
        match self {
            Method::RunScript => run_script::SPEC,
            Method::ReadResult => read_result::SPEC,
            Method::LanguageGuide => language_guide::SPEC,
            Method::Undo => undo::SPEC,
            Method::History => history::SPEC,
            Method::ListAllowedDirectories => allowed_directories::SPEC,
        }
    }

    /// Returns its parameters.
    pub fn params(self) -> &'static [Param] {
        match self {
            Method::RunScript => run_script::Args::PARAMS,
            Method::ReadResult => read_result::Args::PARAMS,
            Method::LanguageGuide => language_guide::Args::PARAMS,
            Method::Undo => undo::Args::PARAMS,
            Method::History => history::Args::PARAMS,
            Method::ListAllowedDirectories => language_guide::Args::PARAMS,
        }
    }

    /// Returns its output schema; `None` if an answer may be a text by itself.
    pub fn output(self) -> Option<Json> {
        match self {
            Method::RunScript => Some(Report::schema()),
            Method::ReadResult | Method::LanguageGuide => None,
            Method::Undo => Some(undo::Done::schema()),
            Method::History => Some(history::History::schema()),
            Method::ListAllowedDirectories => Some(allowed_directories::Allowed::schema()),
        }
    }

    /// Binds a map of values to typed arguments.
    pub fn bind<A: Arguments>(self, args: &Value) -> Result<A, ToolError> {
        let binder = Binder { callee: self.spec().wire, params: A::PARAMS };
        let named = |error: ToolError| ToolError { tool: Some(binder.callee), ..error };
        let Value::Map(map) = args else {
            return Err(named(ToolError::new(ToolCode::BadArgs, "the arguments are a JSON object")));
        };
        let map = binder.understand(map).map_err(|hit| named(hit.into()))?;
        let complete = binder.spread(&map).and_then(|mut args| binder.complete(&mut args).map(|()| args));
        let mut complete = complete.map_err(|error| {
            let error = named(error.into());
            // `ns tools` does not know methods.
            let hint = error.hint.filter(|hint| !hint.contains("ns tools"));
            ToolError { hint, ..error }
        })?;
        Ok(A::take(&mut Bound::of_values(&mut complete)))
    }
}

/// Declares a method that only reads.
const fn reading(name: &'static str, wire: &'static str, summary: &'static str) -> Spec {
    Spec {
        name,
        wire,
        aliases: &[],
        keywords: &[],
        summary,
        details: "",
        effect: Effect::Reads,
        risk: Risk::Low,
        requires_approval: false,
        failure: Failure::Raise,
        errors: &[],
        example: Example { script: "", output: "" },
    }
}
