//! Requests about a run: breakpoints, the stack, texts and expressions.

use serde_json::{Value as Json, json};

use crate::engine::{
    BreakpointRule, DebugLocation, LineBreakpoint, MAX_BREAKPOINTS, Paused, ProcedureBreakpoint, Purity, SetBreakpoint,
    StopFilters,
};

use super::arguments::{
    BreakpointLocations, Evaluate, GivenBreakpoint, Initialize, SetBreakpoints, SetFilters, SetFunctionBreakpoints,
    StackTrace, WantedSource,
};
use super::files::Files;
use super::message::{Answer, Refusal, Sender};
use super::variables::{Handles, copied};

/// Maximum number of frames in one answer.
const MAX_FRAMES: usize = 1_000;

/// How the client counts lines and columns.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    line: i64,
    column: i64,
}

impl Counting {
    /// Reads it from `initialize`.
    pub fn of(initialize: &Initialize) -> Counting {
        Counting { line: i64::from(initialize.lines_start_at1), column: i64::from(initialize.columns_start_at1) }
    }

    fn line_to_client(self, line: usize) -> i64 {
        line as i64 - 1 + self.line
    }

    fn line_of_client(self, line: i64) -> usize {
        usize::try_from(line.saturating_sub(self.line).saturating_add(1)).unwrap_or(0)
    }

    fn column_to_client(self, column: usize) -> i64 {
        column as i64 - 1 + self.column
    }
}

/// Answers `setBreakpoints`.
pub fn set_breakpoints(paused: &mut Paused<'_>, files: &Files, counting: Counting, given: SetBreakpoints) -> Answer {
    let Some(name) = files.name_by(&given.source) else {
        return refuse_breakpoints(&given.points(), "no script or module of this run is in this file");
    };
    let points = given.points();
    bounded(points.len())?;
    let wanted = points.into_iter().map(|point| {
        let line = counting.line_of_client(point.line);
        LineBreakpoint { line, rule: rule(point) }
    });
    let wanted: Vec<LineBreakpoint> = wanted.collect();
    let set = paused.set_breakpoints(name, &wanted);
    Ok(json!({ "breakpoints": set.iter().map(|set| shown(set, counting)).collect::<Vec<_>>() }))
}

/// Answers `setFunctionBreakpoints`.
pub fn set_function_breakpoints(paused: &mut Paused<'_>, counting: Counting, given: SetFunctionBreakpoints) -> Answer {
    bounded(given.breakpoints.len())?;
    let named = given.breakpoints.into_iter();
    let named: Vec<ProcedureBreakpoint> =
        named.map(|point| ProcedureBreakpoint { name: point.name.clone(), rule: rule(point) }).collect();
    let set = paused.set_procedure_breakpoints(&named);
    Ok(json!({ "breakpoints": set.iter().map(|set| shown(set, counting)).collect::<Vec<_>>() }))
}

/// Answers `setExceptionBreakpoints`.
pub fn set_filters(paused: &mut Paused<'_>, given: &SetFilters) -> Answer {
    let mut filters = StopFilters::default();
    let set = given.filters.iter().map(|filter| match filter.as_str() {
        "changes" => {
            filters.changes = true;
            json!({ "verified": true })
        }
        "errors" => {
            filters.errors = true;
            json!({ "verified": true })
        }
        "uncaught" => {
            filters.uncaught = true;
            json!({ "verified": true })
        }
        _ => json!({ "verified": false, "message": format!("there is no filter `{filter}`") }),
    });
    let set: Vec<Json> = set.collect();
    paused.set_filters(filters);
    Ok(json!({ "breakpoints": set }))
}

/// Answers `breakpointLocations`.
pub fn breakpoint_locations(
    paused: &mut Paused<'_>,
    files: &Files,
    counting: Counting,
    given: &BreakpointLocations,
) -> Answer {
    let (first, last) = (counting.line_of_client(given.line), given.end_line.unwrap_or(given.line));
    let lines = files
        .name_of(&given.source)
        .map_or_else(Vec::new, |name| paused.lines(name, first, counting.line_of_client(last)));
    let lines = lines.into_iter().take(MAX_BREAKPOINTS).map(|line| json!({ "line": counting.line_to_client(line) }));
    Ok(json!({ "breakpoints": lines.collect::<Vec<_>>() }))
}

/// Returns the answer for breakpoints that are not set.
pub fn refuse_breakpoints<T>(points: &[T], reason: &str) -> Answer {
    bounded(points.len())?;
    Ok(json!({ "breakpoints": vec![json!({ "verified": false, "message": reason }); points.len()] }))
}

fn bounded(points: usize) -> Result<(), Refusal> {
    if points > MAX_BREAKPOINTS {
        return Err(Refusal::new(format!("these are {points} breakpoints, more than {MAX_BREAKPOINTS}")));
    }
    Ok(())
}

fn rule(given: GivenBreakpoint) -> BreakpointRule {
    BreakpointRule { condition: given.condition, hits: given.hit_condition, message: given.log_message }
}

fn shown(set: &SetBreakpoint, counting: Counting) -> Json {
    let mut shown = json!({ "id": set.id, "verified": set.line.is_some() });
    if let Some(line) = set.line {
        shown["line"] = json!(counting.line_to_client(line));
    }
    if let Some(message) = &set.message {
        shown["message"] = json!(message);
    }
    shown
}

/// Returns a frame, counted from the outermost, by its number for the client.
pub fn frame(paused: &mut Paused<'_>, id: usize) -> Result<usize, Refusal> {
    let frame = id.checked_sub(1).filter(|frame| *frame < paused.frame_count());
    frame.ok_or_else(|| Refusal::new(format!("there is no frame {id} at this stop")))
}

/// Answers `stackTrace`.
pub fn stack_trace(paused: &mut Paused<'_>, files: &Files, counting: Counting, given: &StackTrace) -> Answer {
    let all = paused.frame_count();
    let most = if given.levels == 0 { MAX_FRAMES } else { given.levels.min(MAX_FRAMES) };
    let frames = paused.frames(given.start_frame, most).into_iter().enumerate().map(|(at, frame)| {
        let DebugLocation { source, line, column, end_line, end_column, .. } = &frame.location;
        json!({
            // Frames are counted from the outermost, so that a frame keeps its number while it runs.
            "id": all - given.start_frame - at,
            "name": frame.name,
            "source": files.source(source),
            "line": counting.line_to_client(*line),
            "column": counting.column_to_client(*column),
            "endLine": counting.line_to_client(*end_line),
            "endColumn": counting.column_to_client(*end_column),
        })
    });
    Ok(json!({ "stackFrames": frames.collect::<Vec<_>>(), "totalFrames": all }))
}

/// Answers `source`.
pub fn source(paused: &mut Paused<'_>, files: &Files, mut given: WantedSource) -> Answer {
    if given.source.source_reference.is_none() && given.source_reference > 0 {
        given.source.source_reference = Some(given.source_reference);
    }
    let text = files.name_of(&given.source).and_then(|name| paused.text(name));
    let text = text.ok_or_else(|| Refusal::new("no script or module of this run is there"))?;
    Ok(json!({ "content": text, "mimeType": "text/x-neuroscript" }))
}

/// Answers `evaluate`. Only the debug console runs tools.
pub fn evaluate(paused: &mut Paused<'_>, handles: &mut Handles, sender: &Sender, given: &Evaluate) -> Answer {
    let context = given.context.as_deref();
    let purity = if context == Some("repl") { Purity::Effects } else { Purity::Pure };
    let frame = match given.frame_id {
        Some(id) => Some(frame(paused, id)?),
        None => paused.frame_count().checked_sub(1),
    };
    let evaluated = paused.evaluate(frame, &given.expression, purity).map_err(Refusal::new)?;
    if !evaluated.printed.is_empty() {
        let _ = sender.show("stdout", &evaluated.printed);
    }
    let mut shown = handles.result(&evaluated.value);
    if context == Some("clipboard") {
        shown["result"] = json!(copied(&evaluated.value));
    }
    Ok(shown)
}
