//! `history`: lists the newest runs that changed something.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{End, Engine, Reversal, RunSummary, Selection};
use crate::toolkit::{Spec, ToolError, arguments};

pub const SPEC: Spec = Spec {
    effect: crate::toolkit::Effect::Reads,
    ..super::reading(
        "NS.History",
        "history",
        "Lists the newest calls and scripts that changed something, the newest first",
    )
};

arguments! {
    struct Args {
        limit: i64 = Is(Literal::Int(10)), Kind::Int { min: 1, max: 1000 }, "runs to list at most";
    }
}

/// The newest runs.
#[derive(Serialize, JsonSchema)]
pub struct History {
    runs: Vec<RunEntry>,
}

#[derive(Serialize, JsonSchema)]
struct RunEntry {
    id: String,
    command: String,
    /// Number of steps that changed something. The `changes` of a script are their net effect at its end.
    operations: Option<u32>,
    state: String,
}

/// Returns the newest runs.
pub fn history(engine: &Engine, args: &Args) -> Result<History, ToolError> {
    let most = usize::try_from(args.limit).unwrap_or(1);
    Ok(History { runs: engine.runs(Selection::All, most)?.into_iter().map(run).collect() })
}

fn run(listed: RunSummary) -> RunEntry {
    let command = listed.begin.map_or_else(|| "(its journal is damaged)".to_owned(), |begin| begin.command);
    let state = match (&listed.reversal, listed.end) {
        (Some(Reversal { by, is_undone: false, .. }), _) => format!("taken back, and done again by {by}"),
        (Some(Reversal { by, is_partial: true, .. }), _) => format!("taken back in part by {by}"),
        (Some(Reversal { by, is_undone: true, .. }), _) => format!("taken back by {by}"),
        (None, None) => "goes on".to_owned(),
        (None, Some(End::Done)) => "done".to_owned(),
        (None, Some(End::Failed)) => "failed".to_owned(),
        (None, Some(End::TakenBack)) => "rolled back".to_owned(),
        (None, Some(End::Interrupted)) => "interrupted".to_owned(),
    };
    RunEntry { id: listed.run, command, operations: listed.steps, state }
}
