//! The changes of a run in a report, as many as there is room for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{Described, Differ, Difference, Engine, Plan};
use crate::value::Value;

use super::json_room::{JsonRoom, json_len};

/// Maximum number of changes in a report, and their maximum size in bytes without diffs.
const LISTED: usize = 1_000;
const LIST: usize = 3 << 20;
/// Maximum size in bytes of one diff, and of all diffs, in a report.
const DIFFERENCE: usize = 16 << 10;
const DIFFERENCES: usize = 1 << 20;

/// A change.
#[derive(Serialize, JsonSchema)]
pub struct Changed {
    what: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The part of a report on changes.
#[derive(Default)]
pub struct Changes {
    /// The changes that there is room for.
    pub changes: Vec<Changed>,
    /// Their total number.
    pub changed: usize,
    /// The id for `undo` to reverse the run.
    pub undo_id: Option<String>,
    /// A warning that changes are not listed, or were refused.
    pub warning: Option<String>,
}

/// The room for changes.
pub struct ChangeRoom {
    /// For the changes without their diffs.
    list: JsonRoom,
    /// For the diffs of all changes.
    diffs: JsonRoom,
}

impl ChangeRoom {
    /// Separates the room for changes from that of a report.
    pub fn of(room: &mut JsonRoom) -> ChangeRoom {
        ChangeRoom { list: room.part(LIST), diffs: room.part(DIFFERENCES) }
    }
}

/// Returns what a run has changed.
pub fn made(engine: &Engine, run: String, room: ChangeRoom) -> Changes {
    match engine.show_run(&run) {
        Ok(shown) if shown.changes.is_empty() => Changes::default(),
        Ok(shown) => {
            let changed = shown.changes.len();
            let changes = shown.changes.into_iter().take(LISTED);
            let changes = changes.map(|change| Described { change, difference: Difference::None });
            let changes = rows(&changes.collect::<Vec<_>>(), room);
            Changes { changes, changed, undo_id: Some(run), warning: None }
        }
        Err(error) => {
            let warning = format!("the changes cannot be listed: {}", error.message);
            Changes { undo_id: Some(run), warning: Some(warning), ..Changes::default() }
        }
    }
}

/// Returns what the script that was just planned would change.
pub fn planned(engine: &Engine, failed: bool, room: ChangeRoom) -> Changes {
    let listed = engine.plan("ns mcp run_script", failed).and_then(|plan| {
        let plan: Plan = plan.expect("the engine plans");
        let changed = plan.changes.len();
        let refused = plan.about.refused.lines().collect::<Vec<_>>().join("; ");
        let refused = (!refused.is_empty()).then(|| format!("refused while it was planned: {refused}"));
        let described = engine.describe_plan(&plan, Differ::showing(engine.watch()))?;
        Ok(Changes { changes: rows(&described, room), changed, undo_id: None, warning: refused })
    });
    listed.unwrap_or_else(|error| {
        let warning = format!("the plan cannot be listed: {}", error.message);
        Changes { warning: Some(warning), ..Changes::default() }
    })
}

/// Converts as many changes as there is room for, with as much of their diffs as there is room for.
fn rows(described: &[Described], mut room: ChangeRoom) -> Vec<Changed> {
    let rows = described.iter().take(LISTED).map(|described| row(described, &mut room.diffs));
    rows.take_while(|row| room.list.take(row.bytes())).collect()
}

fn row(described: &Described, diffs: &mut JsonRoom) -> Changed {
    let Value::Map(row) = described.row() else { unreachable!("a row is a map") };
    let text = |key: &str| row.get_str(key).and_then(|value| Some(value.as_text()?.to_string()));
    Changed {
        what: text("what").unwrap_or_default(),
        path: text("path").unwrap_or_default(),
        detail: text("detail"),
        diff: text("diff").map(|diff| diffs.fit(diff, DIFFERENCE)),
    }
}

impl Changed {
    /// Returns an upper bound of the bytes of its JSON without the diff.
    fn bytes(&self) -> usize {
        let names = 64;
        let texts = [Some(&self.what), Some(&self.path), self.detail.as_ref()];
        names + texts.into_iter().flatten().map(|text| json_len(text)).sum::<usize>()
    }
}
