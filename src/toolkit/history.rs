//! Runs for front ends: beginning and ending them, listing, undo and redo, and recovery after a crash.

use crate::limits::Meter;
use crate::sandbox::{
    Abandoned, Address, AllAbandoned, Begin, Conflict, Content, ContentSource, End, EndedRun, ForeignAction,
    ForeignState, GcRules, Journal, Origin, Ownership, RecoverError, RecoverRules, Recovered, Roots, RunReport,
    RunSummary, SandboxError, Selection, SweepReport, UndoError, UndoReport, short_name,
};
use crate::text::ToolCode;
use crate::value::{Map, Value};

use super::call_record::{CallRecord, LoggedArgument, LoggedForm};
use super::error::ToolError;
use super::gate::Gate;
use super::memory::SessionMemory;
use super::spec::Access;

/// Maximum number of paths named when the tree no longer matches what a run left.
const NAMED: usize = 10;
/// How to skip a run that cannot be undone.
const PASS_OVER: &str = "`ns undo --skip` leaves this run and takes back the newest before it that can be";

/// How a forced undo treats an entry that occupies a path to restore.
const KEEPS: &str = "keeps what stands in its place below `.ns`";

/// The reason why a run was not undone.
#[derive(Debug)]
pub struct UndoRefusal {
    /// The error.
    pub error: ToolError,
    /// Whether the cause is this run, so that undoing another one may succeed.
    pub is_of_run: bool,
}

impl From<ToolError> for UndoRefusal {
    fn from(error: ToolError) -> UndoRefusal {
        UndoRefusal { error, is_of_run: false }
    }
}

impl From<UndoRefusal> for ToolError {
    fn from(refusal: UndoRefusal) -> ToolError {
        refusal.error
    }
}

impl Gate {
    /// Announces the next run to the journal, before it changes anything.
    pub fn announce(&self, command: &str, atomic: bool) {
        self.journal.announce(Begin { atomic, ..about(command) });
    }

    /// Ends the current run and returns its name, if it changed something. Problems become warnings.
    pub fn end_journal(&self, how: End) -> Option<EndedRun> {
        let ended = self.journal.end(how).unwrap_or_else(|error| {
            self.notes.borrow_mut().push(format!("the journal of the run was not ended: {error}"));
            None
        });
        if let Some(reason) = self.lost_because().filter(|_| ended.is_some()) {
            let note = format!("what this run changed cannot be taken back by another command: {reason}");
            self.notes.borrow_mut().push(note);
        }
        ended
    }

    /// Returns why other commands cannot undo the runs, if the key is lost.
    pub fn lost_because(&self) -> Option<&str> {
        self.root.user().key.lost_because().filter(|_| self.overlay.is_none())
    }

    /// Leaves the current run to be recovered by the next start, as if its process had been killed.
    pub fn abandon_journal(&self) {
        self.journal.abandon();
    }

    /// Recovers killed runs of this user, as far as the policy lets a tool change their paths. Reports about them,
    /// and about foreign state, become warnings.
    pub fn recover(&self) {
        let mut notes: Vec<String> = self.foreign_note().into_iter().collect();
        match self.journal.abandoned(self.roots()) {
            Ok(AllAbandoned { runs, foreign, unreadable }) => {
                if let (true, Some(name)) = (notes.is_empty(), foreign.first()) {
                    notes.push(foreign_journals(foreign.len(), &name.to_string_lossy()));
                }
                notes.extend(unreadable);
                notes.extend(self.recover_all(runs));
            }
            // Changes will be refused for this reason; reading is not affected.
            Err(SandboxError::NotOurs { .. }) => {}
            Err(error) => notes.push(format!("the journal cannot be read: {error}")),
        }
        self.notes.borrow_mut().extend(notes);
    }

    fn recover_all(&self, runs: Vec<Abandoned>) -> Vec<String> {
        if self.policy.read_only && !runs.is_empty() {
            let note = "a run was interrupted; it is brought to an end by the next that may change files";
            return vec![note.to_owned()];
        }
        let tell = |run: Abandoned| {
            let name = run.run().to_owned();
            match self.recover_run(run) {
                Ok(recovered) => recovered.as_ref().map(told_of),
                Err(error) => {
                    Some(format!("the run {name} was interrupted, and is not brought to an end: {}", error.message))
                }
            }
        };
        runs.into_iter().filter_map(tell).collect()
    }

    fn recover_run(&self, run: Abandoned) -> Result<Option<Recovered>, ToolError> {
        let session = SessionMemory::new("recovery");
        let told = vec![LoggedArgument::new("run", Value::text(run.run()), LoggedForm::Plain)];
        let record = CallRecord::new("recover", told, &session);
        let mut meter = Meter::unlimited();
        let recovered = self.recover_here(run, &mut meter, &record);
        match self.conclude(&record, true, &meter, recovered.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => recovered,
        }
    }

    fn recover_here(
        &self,
        run: Abandoned,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Option<Recovered>, ToolError> {
        // Ensures first that the audit log can take its line; otherwise nothing is changed.
        self.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder);
        let rules = RecoverRules { roots: self.roots(), retention: self.policy.retention, admit: &admit };
        self.journal.recover(run, &rules, meter).map_err(|error| match error {
            RecoverError::Sandbox(error) => error.into(),
            refused @ RecoverError::Refused(_) => ToolError::new(ToolCode::PolicyDenied, refused.to_string()),
        })
    }

    /// Checks that the policy allows a change at an address. `is_folder` says whether a directory is or was there.
    pub(super) fn admit_change(&self, address: &Address, is_folder: bool) -> Result<(), String> {
        self.policy.admit_path(&address.display(), is_folder, Access::Change).map_err(|error| error.message)
    }

    /// Returns a warning if the runs in `.ns` are foreign, or if their owner cannot be determined.
    fn foreign_note(&self) -> Option<String> {
        let is_foreign =
            self.overlay.is_none() && matches!(Journal::ownership(&self.root), Ok(Some(Ownership::Foreign)));
        let reason = is_foreign.then(|| self.root.user().key.lost_because())?;
        Some(match reason {
            None => "the runs in `.ns` are not yours, or not of this directory, so none is recovered or taken back; `ns adopt` shows them and takes them over if you say so, `ns gc --foreign` removes them".to_owned(),
            Some(reason) => format!("no run in `.ns` is recovered or taken back, since nobody can tell whether it is yours: {reason}"),
        })
    }

    /// Rolls back the steps of the current run from `first_step` on, regardless of the remaining budget. Returns the
    /// steps that could not be rolled back, with the reasons.
    pub fn roll_back(&self, first_step: u32) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.journal.roll_back((self.roots(), self.policy.retention), first_step, &mut Meter::unlimited())
    }

    /// Returns up to `most` runs, newest first.
    pub fn runs(&self, selection: Selection, most: usize) -> Result<Vec<RunSummary>, ToolError> {
        Ok(Journal::runs(self.roots(), selection, most)?)
    }

    /// Finds a run by its whole name, or the beginning or end of it.
    ///
    /// # Errors
    /// `not_found` if there is none, `conflict` if there are several.
    pub fn run_named(&self, text: &str) -> Result<RunSummary, ToolError> {
        let mut found = Journal::find(self.roots(), text)?;
        match (found.pop(), found.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) => Err(ToolError::new(ToolCode::NotFound, format!("there is no run `{text}`"))
                .hint("`ns log` lists the runs; name one by its whole name, its beginning or its end")),
            (Some(last), more) => {
                let named = found.iter().chain([&last]).take(NAMED).map(|run| format!("`{}`", run.short()));
                let named = named.collect::<Vec<_>>().join(", ");
                let rest = if more < NAMED { "" } else { ", …" };
                let message = format!("`{text}` fits {} runs: {named}{rest}", more + 1);
                Err(ToolError::new(ToolCode::Conflict, message).hint("write more of the name"))
            }
        }
    }

    /// Returns the run that a chain of undo and redo runs goes back to.
    pub fn origin(&self, run: &RunSummary) -> Result<Origin, ToolError> {
        match &run.begin {
            Some(begin) => Ok(Journal::origin(self.roots(), begin)?),
            None => Ok(Origin { run: run.run.clone(), command: String::new(), changes: None }),
        }
    }

    /// Returns the runs to undo when none is named, newest first: at most `most`, at least one. These are the runs
    /// that are not undos themselves; with `redo`, the undos, since undoing one redoes its run.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn undoable_runs(&self, redo: bool, most: usize) -> Result<Vec<RunSummary>, ToolError> {
        let found = Journal::undoable(self.roots(), redo, most)?;
        if found.is_empty() {
            let what = "no run has changed anything that is not taken back";
            return Err(match redo.then(|| self.undone_before()).transpose()? {
                Some(error) => error,
                None => ToolError::new(ToolCode::NotFound, what.to_owned()).hint("`ns log` lists the runs"),
            });
        }
        Ok(found)
    }

    /// Returns the reason why there is no run to redo by default: no run is undone, or another run has changed
    /// something since.
    fn undone_before(&self) -> Result<ToolError, ToolError> {
        let runs = Journal::runs(self.roots(), Selection::Folded, usize::MAX)?;
        Ok(match runs.iter().find(|run| run.is_undone()) {
            Some(run) => {
                let message = "no run was taken back since another changed something";
                let hint = format!("`ns redo {}` does again the newest that is taken back", run.short());
                ToolError::new(ToolCode::NotFound, message.to_owned()).hint(hint)
            }
            None => {
                ToolError::new(ToolCode::NotFound, "no run was taken back".to_owned()).hint("`ns log` lists the runs")
            }
        })
    }

    /// Whether `run` is the newest run that can be undone and an older one could be undone instead.
    fn can_pass_over(&self, run: &str) -> bool {
        let newest = Journal::undoable(self.roots(), false, 2).unwrap_or_default();
        matches!(&newest[..], [newest, _] if newest.run == run)
    }

    /// Undoes a run, or with `redo` redoes an undone run.
    pub fn undo(
        &self,
        run: &RunSummary,
        (redo, force): (bool, bool),
        (meter, session): (&mut Meter, &SessionMemory),
    ) -> Result<UndoReport, UndoRefusal> {
        if run.is_nothing() {
            return Err(refused(UndoError::Nothing(run.run.clone()), "").into());
        }
        if run.is_undone() != redo {
            let run = run.run.clone();
            let error = if redo { UndoError::NotUndone(run) } else { UndoError::Undone(run) };
            return Err(refused(error, "").into());
        }
        let run = run.tip();
        let told = vec![
            LoggedArgument::new("run", Value::text(run), LoggedForm::Plain),
            LoggedArgument::new("force", Value::from(force), LoggedForm::Plain),
        ];
        let record = CallRecord::new("undo", told, session);
        let undone = self.undo_here(run, force, meter, &record);
        match self.conclude(&record, true, meter, undone.as_ref().err().map(|refusal| &refusal.error)) {
            Some(lost) => Err(UndoRefusal::from(*lost)),
            None => undone,
        }
    }

    fn undo_here(
        &self,
        run: &str,
        force: bool,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<UndoReport, UndoRefusal> {
        // Ensures first that the audit log can take its line; otherwise nothing is changed.
        self.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder);
        let place = (self.roots(), self.policy.retention);
        let undone = self.journal.undo((run, force), about(record.session().command()), &admit, place, meter);
        undone.map_err(|error| {
            let is_of_run = !matches!(error, UndoError::Sandbox(_));
            let is_redo = matches!(error, UndoError::MovedOn { is_redo: true, .. });
            let mut error = refused(error, run);
            if is_of_run && !is_redo && self.can_pass_over(run) {
                error.hint = error.hint.map(|hint| format!("{hint}; {PASS_OVER}"));
            }
            UndoRefusal { error, is_of_run }
        })
    }

    /// Returns the changes of a run.
    pub fn show_run(&self, run: &str) -> Result<RunReport, ToolError> {
        Journal::show(self.roots(), run).map_err(|error| refused(error, run))
    }

    /// Garbage collection: removes backups and records of old runs. Nothing is written before that, not even to the
    /// audit log; if its line does not fit even afterwards, a warning says so.
    pub fn collect(
        &self,
        rules: &GcRules,
        (meter, session): (&mut Meter, &SessionMemory),
    ) -> Result<SweepReport, ToolError> {
        let swept = self.journal.collect(self.roots(), rules, meter).map_err(ToolError::from);
        let has_changed = swept.as_ref().map_or(true, |swept| swept.reclaimed().things > 0);
        if has_changed && !rules.is_dry {
            let bytes = swept.as_ref().map_or(0, |swept| swept.reclaimed().bytes);
            let told = |name, number: u64| LoggedArgument::new(name, Value::from(number as i64), LoggedForm::Plain);
            let told = vec![told("keepRuns", rules.keep_runs as u64), told("bytes", bytes)];
            self.conclude(&CallRecord::new("gc", told, session), true, meter, swept.as_ref().err());
        }
        swept
    }

    /// Looks for foreign state below `.ns`, and shows, adopts or removes it.
    pub fn foreign(
        &self,
        deed: ForeignAction,
        (meter, session): (&mut Meter, &SessionMemory),
    ) -> Result<ForeignState, ToolError> {
        if deed == ForeignAction::Show {
            return Ok(self.journal.foreign(self.roots(), deed, meter)?);
        }
        // Without the key everything looks foreign, including the user's own state.
        if let Some(reason) = self.root.user().key.lost_because() {
            let message = format!("nobody can tell what is foreign: {reason}");
            return Err(ToolError::new(ToolCode::Conflict, message).hint("nothing was taken over or removed"));
        }
        let record = CallRecord::new(if deed == ForeignAction::Adopt { "adopt" } else { "gc" }, Vec::new(), session);
        let done =
            self.begin_change(0, meter, &record).and_then(|_| Ok(self.journal.foreign(self.roots(), deed, meter)?));
        match self.conclude(&record, true, meter, done.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => done,
        }
    }

    /// Returns the contents before and after each change of a run, at most `limit` bytes each, read lazily. Content
    /// that the policy protects is not read.
    pub fn contents<'a>(
        &'a self,
        run: &'a RunReport,
        limit: u64,
    ) -> Result<impl Iterator<Item = (Content, Content)> + 'a, ToolError> {
        let name = run.begin.run.as_str();
        let sources = Journal::sources(self.roots(), name).map_err(|error| refused(error, name))?;
        Ok(run.changes.iter().zip(sources).map(move |(change, (old, new))| {
            let leave = self.policy.admit_path(&change.path.display(), change.is_folder, Access::Read);
            let of = |source: &ContentSource| match &leave {
                Ok(()) => source.read(self.roots(), limit),
                Err(_) if matches!(source, ContentSource::Nothing) => Content::Nothing,
                Err(_) => Content::Unknown("the policy refuses to read it".to_owned()),
            };
            (of(&old), of(&new))
        }))
    }

    /// Returns the sandbox root and the further roots.
    pub fn roots(&self) -> Roots<'_> {
        Roots { main: &self.root, further: &self.further }
    }
}

fn foreign_journals(count: usize, first: &str) -> String {
    let journals = if count == 1 { "the journal".to_owned() } else { format!("{count} journals, the first") };
    format!(
        "{journals} `.ns/runs/open/{first}` is foreign, or of a run that is over: nothing of it was done; `ns adopt` shows it, `ns gc --foreign` removes it"
    )
}

/// Returns the journal record that begins a run of this command.
pub(super) fn about(command: &str) -> Begin {
    #[cfg(unix)]
    let user = rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let user = 0;
    Begin { command: command.to_owned(), user, ..Begin::default() }
}

fn told_of(recovered: &Recovered) -> String {
    let Recovered { run, command, end, steps } = recovered;
    match end {
        End::TakenBack => format!("the run {run} (`{command}`) was interrupted; what it had changed was taken back"),
        _ if *steps == 0 => format!("the run {run} (`{command}`) was interrupted before it had changed anything"),
        _ => {
            let changes = if *steps == 1 { "1 change stays".to_owned() } else { format!("{steps} changes stay") };
            let short = short_name(run);
            format!("the run {run} (`{command}`) was interrupted; {changes}; `ns undo {short}` takes that back")
        }
    }
}

fn refused(error: UndoError, run: &str) -> ToolError {
    let message = error.to_string();
    match error {
        UndoError::Sandbox(error) => error.into(),
        UndoError::Unknown(_) => ToolError::new(ToolCode::NotFound, message).hint("`ns log` lists the runs"),
        UndoError::GoesOn(_) => ToolError::new(ToolCode::Conflict, message).hint("wait until it ends, or stop it"),
        UndoError::Nothing(_) => {
            ToolError::new(ToolCode::Conflict, message).hint("`ns log` lists what became of each run")
        }
        UndoError::Undone(run) => {
            ToolError::new(ToolCode::Conflict, message).hint(format!("`ns redo {}` does it again", short_name(&run)))
        }
        UndoError::NotUndone(run) => {
            ToolError::new(ToolCode::Conflict, message).hint(format!("`ns undo {}` takes it back", short_name(&run)))
        }
        UndoError::Unreadable { .. } => ToolError::new(ToolCode::IoError, message)
            .hint(format!("`ns undo {} --force` takes back what can be read of it", short_name(run))),
        UndoError::MovedOn { run, is_redo: true, conflicts } => {
            let run = short_name(&run);
            let hint = format!("nothing was done; `ns redo {run} --force` does what can be done, and {KEEPS}");
            conflicted(&message, &conflicts, &hint)
        }
        UndoError::MovedOn { run, conflicts, .. } => {
            let run = short_name(&run);
            let hint = format!("nothing was done; `ns undo {run} --force` gives back what can come back, and {KEEPS}");
            conflicted(&message, &conflicts, &hint)
        }
    }
}

/// Returns the error for a tree that is not in the expected state, with one row per conflict.
pub(super) fn conflicted(message: &str, conflicts: &[Conflict], hint: &str) -> ToolError {
    let named = conflicts.iter().take(NAMED).map(|Conflict { path, reason }| format!("`{}`: {reason}", path.display()));
    let named = named.collect::<Vec<_>>().join("; ");
    let more = conflicts.len().saturating_sub(NAMED);
    let rest = if more == 0 { String::new() } else { format!("; and {more} more") };
    let error = ToolError::new(ToolCode::Conflict, format!("{message}: {named}{rest}")).hint(hint);
    match rows_of(conflicts) {
        Some(rows) => error.answering(rows),
        None => error,
    }
}

/// Converts conflicts to a list of maps. Returns `None` if they exceed a limit.
pub fn rows_of(conflicts: &[Conflict]) -> Option<Value> {
    let row = |Conflict { path, reason }: &Conflict| {
        Value::from(
            Map::with_capacity(2).with("path", Value::text(&path.display())).with("reason", Value::text(reason)),
        )
    };
    Value::list(conflicts.iter().map(row).collect()).ok()
}
