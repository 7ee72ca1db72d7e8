//! `undo`: reverses a run.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::toolkit::{Effect, Risk, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::recent_answers::WHOLE;
use super::changes::{ChangeRoom, Changed, Changes, made};
use super::json_room::JsonRoom;

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

/// The result of undoing a run.
#[derive(Serialize, JsonSchema)]
pub struct Done {
    run: String,
    /// Number of steps that were undone.
    operations: usize,
    /// The id for undoing this undo.
    undo_id: Option<String>,
    /// The changes that the undo made.
    changes: Vec<Changed>,
    /// Total number of these changes.
    changed: usize,
    /// Why they are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// Undoes a run.
pub fn undo(engine: &Engine, args: &Args) -> Result<Done, ToolError> {
    let run = args.run.as_ref().map(|run| run.as_text().to_string());
    let undone = engine.undo(run.as_deref(), false, false)?;
    let room = ChangeRoom::of(&mut JsonRoom::new(WHOLE as usize));
    let Changes { changes, changed, warning, .. } = match &undone.by {
        Some(by) => made(engine, by.clone(), room),
        None => Changes::default(),
    };
    Ok(Done { run: undone.run, operations: undone.steps, undo_id: undone.by, changes, changed, warning })
}
