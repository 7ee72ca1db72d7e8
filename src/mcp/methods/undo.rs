//! `undo`: a run taken back.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::toolkit::{Effect, Risk, Spec, ToolError, arguments};
use crate::value::Str;

pub const SPEC: Spec = Spec {
    effect: Effect::Writes,
    risk: Risk::Medium,
    ..super::reading(
        "NS.Undo",
        "undo",
        "Takes back all that one call or script changed, or nothing where the files have changed since",
    )
};

arguments! {
    struct Args {
        run: Option<Str> = Absent, Kind::Text, "its undo id; the newest change when left out";
    }
}

/// A run that was taken back.
#[derive(Serialize, JsonSchema)]
pub struct Done {
    run: String,
    /// Steps that were taken back.
    operations: usize,
    /// The run that takes this back again.
    undo_id: Option<String>,
}

/// Takes a run back.
pub fn undo(engine: &Engine, args: &Args) -> Result<Done, ToolError> {
    let run = args.run.as_ref().map(|run| run.as_text().to_string());
    let undone = engine.undo(run.as_deref(), false, false)?;
    Ok(Done { run: undone.run, operations: undone.steps, undo_id: undone.by })
}
