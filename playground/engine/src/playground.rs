//! A folder in memory with its runs: what the page does with it.
//!
//! Every answer is bounded by the limits of runs or by a constant here. A request that cannot be carried out has an
//! answer with `error`, and changes nothing.

use std::io::Read;
use std::time::Duration;

use neuroscript_language::engine::{
    Address, ChangeKind, ChangeReport, Content, Differ, Ending, Engine, Invocation, Limits, Options, Outcome, Plan,
    Root, Script, Selection, SetupError, Value, format_script,
};
use neuroscript_language::front_end::value::{Map, TextBudget, json as value_json};
use neuroscript_sandbox::{Kind, PathRule};
use serde_json::value::RawValue;

use crate::output::{Pieces, Receiver};
use crate::snapshot::{self, Changed, Visited};
use crate::views::{Ended, EntryView, FileView, LeftOut, PlanView, Refusal, RunView, findings, json};

/// Number of bytes that the folder holds at most, with its history.
const CAPACITY: u64 = 96 << 20;
/// The name of the script in messages.
const NAME: &str = "script.ns";
/// Maximum number of bytes of a file that the page shows.
const SHOWN_BYTES: u64 = 256 << 10;
/// Maximum number of runs that the page lists.
const LISTED_RUNS: usize = 50;

/// A folder in memory, its engine, and the newest plan.
pub struct Playground {
    root: Root,
    engine: Engine,
    planned: Option<Planned>,
}

/// A plan, and the engine that made it, which has its contents.
struct Planned {
    engine: Engine,
    plan: Plan,
}

type Answer = Result<String, Refusal>;

impl Playground {
    /// Creates an empty folder.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new() -> Result<Playground, Refusal> {
        Playground::of(Root::in_memory(CAPACITY)?)
    }

    fn of(root: Root) -> Result<Playground, Refusal> {
        let engine = open(&root, false)?;
        Ok(Playground { root, engine, planned: None })
    }

    /// Returns the findings about a script.
    pub fn check(&self, script: &str) -> String {
        let checked = self.engine.check(&Script::new(NAME, script));
        json(&serde_json::json!({ "findings": findings(&checked.findings, &checked.sources) }))
    }

    /// Returns the formatted script, or the errors in it.
    pub fn format(script: &str) -> String {
        let formatted = format_script(&Script::new(NAME, script), None);
        match &formatted.result {
            Ok(text) => json(&serde_json::json!({ "text": text })),
            Err(found) => json(&serde_json::json!({ "findings": findings(found, &formatted.sources) })),
        }
    }

    /// Runs a script.
    pub fn run(&mut self, script: &str, receiver: Receiver) -> String {
        self.planned = None;
        let outcome = run_in(&self.engine, script, receiver);
        let changes = self.engine.ended_run().map_or(0, |run| run.steps);
        json(&Ended::new(&outcome, changes, None))
    }

    /// Runs a script without changing the folder, and returns what it would change.
    pub fn plan(&mut self, script: &str, receiver: Receiver) -> String {
        self.make_plan(script, receiver).unwrap_or_else(|refusal| refusal.json())
    }

    fn make_plan(&mut self, script: &str, receiver: Receiver) -> Answer {
        self.planned = None;
        let engine = open(&self.root, true)?;
        let outcome = run_in(&engine, script, receiver);
        let command = engine.listed_command(&Script::new(NAME, script), &Invocation::default());
        let plan = engine.plan(&command, outcome.ending != Ending::Done)?;
        let view = plan.as_ref().map(|plan| view_of(&engine, plan)).transpose()?;
        let answer = json(&Ended::new(&outcome, 0, view));
        self.planned = plan.map(|plan| Planned { engine, plan });
        Ok(answer)
    }

    /// Applies the newest plan.
    pub fn apply(&mut self) -> String {
        self.apply_plan().unwrap_or_else(|refusal| refusal.json())
    }

    fn apply_plan(&mut self) -> Answer {
        let planned = self.planned.take().ok_or_else(|| Refusal::new("there is no plan; plan the script first"))?;
        let applied = self.engine.apply(&planned.plan)?;
        drop(planned.engine);
        Ok(json(&serde_json::json!({ "changes": applied.changes })))
    }

    /// Undoes the newest run, or redoes the one that was undone last.
    pub fn undo(&mut self, redo: bool) -> String {
        self.planned = None;
        match self.engine.undo(None, redo, false) {
            Ok(report) => json(&serde_json::json!({ "command": report.origin.command, "changes": report.steps })),
            Err(error) => Refusal::from(error).json(),
        }
    }

    /// Returns the entries of the folder and its runs, the newest first.
    pub fn state(&self) -> String {
        self.list().unwrap_or_else(|refusal| refusal.json())
    }

    fn list(&self) -> Answer {
        let mut entries = Vec::new();
        let is_cut = snapshot::visit(&self.root, |Visited { path, metadata, .. }| {
            let size = if metadata.kind == Kind::Folder { 0 } else { metadata.size };
            entries.push(EntryView { path, kind: metadata.kind, size });
            Ok(())
        })?;
        let runs = self.engine.runs(Selection::Folded, LISTED_RUNS)?;
        let runs: Vec<RunView<'_>> = runs.iter().filter_map(RunView::new).collect();
        Ok(json(&serde_json::json!({ "entries": entries, "is_cut": is_cut, "runs": runs })))
    }

    /// Returns the beginning of a file.
    pub fn read(&self, path: &str) -> String {
        self.read_file(path).map_or_else(|refusal| refusal.json(), |view| json(&view))
    }

    fn read_file(&self, path: &str) -> Result<FileView, Refusal> {
        let place = self.root.locate(path, PathRule::RELATIVE).map_err(|unreached| unreached.error)?;
        let open = place.open_file()?;
        let (mut bytes, size) = (Vec::new(), open.metadata.size);
        open.file.take(SHOWN_BYTES).read_to_end(&mut bytes)?;
        let is_cut = size > bytes.len() as u64;
        if is_cut {
            // The last character may be cut through.
            let whole = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
            bytes.truncate(bytes.len() - whole.min(3));
        }
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        Ok(FileView { size, text, is_cut })
    }

    /// Writes a file, as a run that can be undone.
    pub fn write(&mut self, path: &str, text: &str) -> String {
        let arguments = Map::with_capacity(2).with("path", path).with("content", text);
        self.call("FS.WriteFile", arguments)
    }

    /// Deletes a file or a directory with everything in it, as a run that can be undone.
    pub fn remove(&mut self, path: &str) -> String {
        let arguments = Map::with_capacity(2).with("path", path).with("recursive", true);
        self.call("FS.DeleteFile", arguments)
    }

    fn call(&mut self, tool: &str, arguments: Map) -> String {
        self.planned = None;
        match self.engine.call(tool, &arguments.into()) {
            Ok(_) => json(&serde_json::json!({})),
            Err(error) => Refusal::from(error).json(),
        }
    }

    /// Returns the tree of the folder as bytes.
    ///
    /// # Errors
    /// If it has too many entries.
    pub fn save(&self) -> Result<Vec<u8>, Refusal> {
        snapshot::save(&self.root)
    }

    /// Replaces the folder by a saved one; its history begins anew. Returns the paths that were left out.
    pub fn load(&mut self, snapshot: &[u8]) -> String {
        match self.replace(snapshot) {
            Ok(left_out) => json(&serde_json::json!({ "left_out": left_out })),
            Err(refusal) => refusal.json(),
        }
    }

    /// Returns the changes from a saved folder to this one, in the form of a plan: what writing back would do.
    pub fn changes_since(&self, snapshot: &[u8]) -> String {
        self.compare(snapshot).unwrap_or_else(|refusal| refusal.json())
    }

    fn compare(&self, before: &[u8]) -> Answer {
        let after = self.save()?;
        let (mut differ, mut changes) = (Differ::showing(self.engine.watch()), Vec::new());
        let _bounds = self.engine.bound();
        snapshot::compare(before, &after, |Changed { path, is_folder, before, after }| {
            let what = match (before, after) {
                (None, _) => ChangeKind::Created,
                (_, None) => ChangeKind::Deleted,
                _ => ChangeKind::Changed,
            };
            let sizes = [before, after].map(|content| content.map(|bytes| bytes.len() as u64));
            let report = ChangeReport {
                path: Address::from(path),
                what,
                is_folder,
                sizes: (sizes[0], sizes[1]),
                kept: None,
                holds: None,
            };
            let content = |bytes: Option<&[u8]>| match bytes {
                Some(bytes) if !is_folder => Content::Bytes(bytes.to_vec()),
                _ => Content::Nothing,
            };
            let described = differ.describe(report, content(before), content(after));
            let described = described.map_err(|hit| Refusal::new(hit.to_string()))?;
            changes.push(row_json(&described.row())?);
            Ok(())
        })?;
        Ok(json(&serde_json::json!({ "changes": changes })))
    }

    fn replace(&mut self, snapshot: &[u8]) -> Result<Vec<LeftOut>, Refusal> {
        let (root, left_out) = snapshot::load(CAPACITY, snapshot)?;
        *self = Playground::of(root)?;
        Ok(left_out)
    }
}

fn open(root: &Root, plan: bool) -> Result<Engine, Refusal> {
    let limits = Limits {
        max_steps: 50_000_000,
        timeout: Some(Duration::from_secs(10)),
        memory_bytes: 256 << 20,
        output_bytes: Some(512 << 10),
        files_changed: Some(5_000),
        bytes_written: Some(64 << 20),
        script_bytes: 256 << 10,
        tool_output_bytes: None,
        ..Limits::of_server()
    };
    let options = Options { plan, limits, ..Options::default() };
    let refused = |error: SetupError| {
        Refusal::new(error.findings.first().map_or_else(String::new, |finding| finding.message.clone()))
    };
    Engine::open_at(root.duplicate()?, &options).map_err(refused)
}

fn run_in(engine: &Engine, script: &str, receiver: Receiver) -> Outcome {
    engine.run(&Script::new(NAME, script), &Invocation::default(), Box::new(Pieces::new(receiver)))
}

fn view_of(engine: &Engine, plan: &Plan) -> Result<PlanView, Refusal> {
    let described = engine.describe_plan(plan, Differ::showing(engine.watch()))?;
    let _bounds = engine.bound();
    let changes = described.iter().map(|change| row_json(&change.row())).collect::<Result<_, _>>()?;
    Ok(PlanView::new(plan, changes))
}

fn row_json(row: &Value) -> Result<Box<RawValue>, Refusal> {
    let text = value_json::to_text(row, TextBudget::of_text()).map_err(|hit| Refusal::new(hit.to_string()))?;
    RawValue::from_string(text).map_err(|error| Refusal::new(error.to_string()))
}
