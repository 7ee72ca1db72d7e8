//! The arguments of requests, as far as they are used.
//!
//! They are our own: the crates with types of the protocol are alphas, or are no longer kept, and fail for a request
//! with a member that they do not know.

use std::path::PathBuf;

use serde::Deserialize;

/// `initialize`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    pub lines_start_at1: bool,
    pub columns_start_at1: bool,
    pub path_format: String,
}

impl Default for Initialize {
    fn default() -> Initialize {
        Initialize { lines_start_at1: true, columns_start_at1: true, path_format: "path".to_owned() }
    }
}

/// `launch`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    pub program: Option<PathBuf>,
    pub args: Vec<String>,
    pub procedure: Option<String>,
    pub sandbox: Option<PathBuf>,
    pub policy: Option<PathBuf>,
    pub lib: Vec<PathBuf>,
    pub strict: bool,
    pub read_only: bool,
    pub plan: bool,
    pub stop_on_entry: bool,
    /// Whether breakpoints and filters are ignored.
    pub no_debug: bool,
}

/// A text in a request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GivenSource {
    pub path: Option<String>,
    pub source_reference: Option<u64>,
}

impl GivenSource {
    /// Returns the number of a text without a file, from 1.
    pub fn reference(&self) -> Option<usize> {
        self.source_reference.and_then(|reference| usize::try_from(reference).ok()).filter(|reference| *reference > 0)
    }
}

/// `setBreakpoints`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetBreakpoints {
    pub source: GivenSource,
    pub breakpoints: Vec<GivenBreakpoint>,
    /// The older form: only lines.
    pub lines: Vec<i64>,
}

impl SetBreakpoints {
    /// Returns the breakpoints, in whichever form they were given.
    pub fn points(self) -> Vec<GivenBreakpoint> {
        if !self.breakpoints.is_empty() {
            return self.breakpoints;
        }
        self.lines.into_iter().map(|line| GivenBreakpoint { line, ..GivenBreakpoint::default() }).collect()
    }
}

/// A breakpoint on a line or a procedure.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GivenBreakpoint {
    pub line: i64,
    pub name: String,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
    pub log_message: Option<String>,
}

/// `setFunctionBreakpoints`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpoints {
    pub breakpoints: Vec<GivenBreakpoint>,
}

/// `setExceptionBreakpoints`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetFilters {
    pub filters: Vec<String>,
}

/// `breakpointLocations`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocations {
    pub source: GivenSource,
    pub line: i64,
    pub end_line: Option<i64>,
}

/// `source`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WantedSource {
    pub source: GivenSource,
    pub source_reference: u64,
}

/// `stackTrace`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTrace {
    pub start_frame: usize,
    pub levels: usize,
}

/// `scopes`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scopes {
    pub frame_id: usize,
}

/// `variables`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Variables {
    pub variables_reference: usize,
    pub filter: Option<String>,
    pub start: usize,
    pub count: usize,
}

/// `setVariable`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariable {
    pub variables_reference: usize,
    pub name: String,
    pub value: String,
}

/// `evaluate`
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluate {
    pub expression: String,
    pub frame_id: Option<usize>,
    pub context: Option<String>,
}
