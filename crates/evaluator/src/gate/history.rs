//! Runs for front ends: beginning and ending them, listing, undo and redo, and garbage collection.

use crate::limits::Meter;
use crate::memory::Session as SessionMemory;
use crate::sandbox::{
    Address, Begin, ChangeRules, Content, ContentSource, End, EndedRun, ForeignAction, ForeignState, GcRules, Journal,
    Origin, RunReport, RunSummary, SandboxError, Selection, SweepReport, UndoError, UndoReport,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};
use crate::value::Value;

use super::assembly::Gate;
use super::call_record::{CallRecord, LoggedArgument, LoggedForm};
use super::caller::Caller;
use super::conflict::{reason_beside_run, undo_refused};

/// Maximum number of runs named when several fit a name.
const NAMED: usize = 10;
/// The argument of an error about the name of a run.
pub const RUN_NAME: &str = "run";
/// How to skip a run that cannot be undone.
const PASS_OVER: &str = "`ns undo --skip` leaves this run and takes back the newest before it that can be";

/// How a run is undone.
#[derive(Clone, Copy, Debug)]
pub struct UndoRequest {
    /// Whether an undone run is redone instead.
    pub redo: bool,
    /// Whether to restore as much as possible where the tree no longer matches what the run left.
    pub force: bool,
}

/// The reason why a run was not undone.
#[derive(Debug)]
pub struct UndoRefusal {
    /// The error.
    pub error: ToolError,
    /// If the cause is this run, so that undoing another one may succeed: the reason, as a clause without the name of
    /// the run.
    pub of_run: Option<String>,
}

impl From<ToolError> for UndoRefusal {
    fn from(error: ToolError) -> UndoRefusal {
        UndoRefusal { error, of_run: None }
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
        self.world.journal.announce(Begin { atomic, ..about(command) });
    }

    /// Ends the current run and returns its name, if it changed something. Problems become warnings.
    pub fn end_journal(&self, end: End) -> Option<EndedRun> {
        let ended = self.world.journal.end(end).unwrap_or_else(|error| {
            self.note(format!("the journal of the run was not ended: {error}"));
            None
        });
        if let Some(reason) = self.lost_because().filter(|_| ended.is_some()) {
            let note = format!("what this run changed cannot be taken back by another command: {reason}");
            self.note(note);
        }
        ended
    }

    /// Returns the error of a run that ended if its changes may not be durable. They are made nevertheless.
    pub fn check_durable(&self) -> Result<(), ToolError> {
        Ok(self.world.journal.check_durable()?)
    }

    /// Returns why other commands cannot undo the runs, if the key is lost.
    pub fn lost_because(&self) -> Option<&str> {
        self.root().user().key.lost_because().filter(|_| !self.is_planning())
    }

    /// Leaves the current run to be recovered by the next start, as if its process had been killed.
    pub fn abandon_journal(&self) {
        self.world.journal.abandon();
    }

    /// Checks that the policy allows a change at an address, and adds the address to the record of the call.
    /// `is_folder` says whether a directory is or was there.
    pub(super) fn admit_change(
        &self,
        address: &Address,
        is_folder: bool,
        record: &CallRecord<'_>,
    ) -> Result<(), String> {
        record.concerns(&address.display());
        self.admission.policy.admit_path(&address.display(), is_folder, Access::Change).map_err(|error| error.message)
    }

    /// Returns the rules for undoing and recovering a run, and for applying a plan. `admit` is [`Gate::admit_change`]
    /// with the record of the call.
    pub(super) fn change_rules<'a>(
        &'a self,
        admit: &'a dyn Fn(&Address, bool) -> Result<(), String>,
    ) -> ChangeRules<'a> {
        ChangeRules { roots: self.roots(), retention: self.admission.policy.retention, admit }
    }

    /// Rolls back the current run, regardless of the remaining budget, and adds a line to the audit log. Returns the
    /// steps that could not be rolled back, with the reasons.
    pub fn roll_back_run(&self, session: &SessionMemory) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        let has_changed = self.world.journal.last_step() > 0;
        let record = CallRecord::new("rollback", Vec::new(), session);
        // The paths are for the log only: if they cannot be read, the changes are rolled back all the same.
        let changed = self.world.journal.changed_paths().unwrap_or_default();
        changed.iter().for_each(|path| record.concerns(&path.display()));
        let done = self.world.roll_back(self.admission.policy.retention, 1);
        let failure = match &done {
            Ok(left) => left.first().map(|(_, error)| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let failure = failure.map(|reason| ToolError::new(ToolCode::IoError, reason));
        if has_changed && let Some(lost) = self.world.conclude(&record, true, &Meter::unlimited(), failure.as_ref()) {
            self.note(lost.message.to_string());
        }
        done
    }

    /// Returns the client for which this gate works. It sees only its own runs.
    fn client(&self) -> Option<&str> {
        self.world.journal.client()
    }

    /// Returns up to `most` runs, newest first.
    pub fn runs(&self, selection: Selection, most: usize) -> Result<Vec<RunSummary>, ToolError> {
        Ok(Journal::runs(self.roots(), self.client(), selection, most)?)
    }

    /// Finds a run by its whole name, or the beginning or end of it.
    ///
    /// # Errors
    /// `not_found` if there is none, `conflict` if there are several.
    pub fn run_named(&self, text: &str) -> Result<RunSummary, ToolError> {
        let mut found = Journal::find(self.roots(), self.client(), text)?;
        match (found.pop(), found.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) => Err(ToolError::new(ToolCode::NotFound, format!("there is no run `{text}`"))
                .argument(RUN_NAME)
                .hint("`ns log` lists the runs; name one by its whole name, its beginning or its end")),
            (Some(last), more) => {
                let named = found.iter().chain([&last]).take(NAMED).map(|run| format!("`{}`", run.short()));
                let named = named.collect::<Vec<_>>().join(", ");
                let rest = if more < NAMED { "" } else { ", …" };
                let message = format!("`{text}` fits {} runs: {named}{rest}", more + 1);
                Err(ToolError::new(ToolCode::Conflict, message).argument(RUN_NAME).hint("write more of the name"))
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
        let found = Journal::undoable(self.roots(), self.client(), redo, most)?;
        if found.is_empty() {
            let what = if redo { "there is nothing to redo" } else { "there is nothing to undo" };
            return Err(match redo.then(|| self.undone_before()).transpose()? {
                Some(error) => error,
                None => ToolError::new(ToolCode::NotFound, what.to_owned()).hint("`ns log` lists the runs"),
            });
        }
        Ok(found)
    }

    /// Why no run is done again unless it is named: none is taken back, or another changed something since.
    fn undone_before(&self) -> Result<ToolError, ToolError> {
        let runs = Journal::runs(self.roots(), self.client(), Selection::Folded, usize::MAX)?;
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

    /// Whether there is a run before the newest that could be taken back instead of that one.
    fn can_pass_over(&self, run: &str) -> bool {
        let newest = Journal::undoable(self.roots(), self.client(), false, 2).unwrap_or_default();
        matches!(&newest[..], [newest, _] if newest.run == run)
    }

    /// Undoes a run, or with `redo` redoes an undone run.
    pub fn undo(
        &self,
        run: &RunSummary,
        UndoRequest { redo, force }: UndoRequest,
        Caller { meter, session }: Caller<'_>,
    ) -> Result<UndoReport, UndoRefusal> {
        if run.is_nothing() {
            return Err(undo_refused(UndoError::Nothing(run.run.clone()), "").into());
        }
        if run.is_undone() != redo {
            let run = run.run.clone();
            let error = if redo { UndoError::NotUndone(run) } else { UndoError::Undone(run) };
            return Err(undo_refused(error, "").into());
        }
        let run = run.tip();
        let arguments = vec![
            LoggedArgument::new("run", Value::text(run), LoggedForm::Plain),
            LoggedArgument::new("force", Value::from(force), LoggedForm::Plain),
        ];
        let record = CallRecord::new("undo", arguments, session);
        let undone = self.take_back_run(run, force, meter, &record);
        match self.world.conclude(&record, true, meter, undone.as_ref().err().map(|refusal| &refusal.error)) {
            Some(lost) => Err(UndoRefusal::from(*lost)),
            None => undone,
        }
    }

    fn take_back_run(
        &self,
        run: &str,
        force: bool,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<UndoReport, UndoRefusal> {
        // Ensures first that the audit log can take its line; otherwise nothing is changed.
        self.world.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder, record);
        let (about, rules) = (about(record.session().command()), self.change_rules(&admit));
        let undone = self.world.journal.undo(run, force, about, &rules, meter);
        undone.map_err(|error| {
            let of_run = reason_beside_run(&error);
            let is_redo = matches!(
                error,
                UndoError::MovedOn { is_redo: true, .. } | UndoError::NothingBack { is_redo: true, .. }
            );
            let mut error = undo_refused(error, run);
            if of_run.is_some() && !is_redo && self.can_pass_over(run) {
                error.hint = error.hint.map(|hint| format!("{hint}; {PASS_OVER}"));
            }
            UndoRefusal { error, of_run }
        })
    }

    /// Returns the changes of a run.
    pub fn show_run(&self, run: &str) -> Result<RunReport, ToolError> {
        Journal::show(self.roots(), run).map_err(|error| undo_refused(error, run))
    }

    /// Garbage collection: removes backups and records of old runs. Nothing is written before that, not even to the
    /// audit log; if its line does not fit even afterwards, a warning says so.
    pub fn collect(&self, rules: &GcRules, Caller { meter, session }: Caller<'_>) -> Result<SweepReport, ToolError> {
        let swept = self.world.journal.collect(self.roots(), rules, meter).map_err(ToolError::from);
        let has_changed = swept.as_ref().map_or(true, |swept| swept.reclaimed().things > 0);
        if has_changed && !rules.is_dry {
            let bytes = swept.as_ref().map_or(0, |swept| swept.reclaimed().bytes);
            let logged = |name, number: u64| LoggedArgument::new(name, Value::from(number as i64), LoggedForm::Plain);
            let arguments = vec![logged("keepRuns", rules.keep_runs as u64), logged("bytes", bytes)];
            self.world.conclude(&CallRecord::new("gc", arguments, session), true, meter, swept.as_ref().err());
        }
        swept
    }

    /// Looks for foreign state below `.ns`, and shows, adopts or removes it.
    pub fn foreign(
        &self,
        action: ForeignAction,
        Caller { meter, session }: Caller<'_>,
    ) -> Result<ForeignState, ToolError> {
        if action == ForeignAction::Show {
            return Ok(self.world.journal.foreign(self.roots(), action, meter)?);
        }
        // Without the key everything looks foreign, including the user's own state.
        if let Some(reason) = self.root().user().key.lost_because() {
            let message = format!("nobody can tell what is foreign: {reason}");
            return Err(ToolError::new(ToolCode::Conflict, message).hint("nothing was taken over or removed"));
        }
        let record = CallRecord::new(if action == ForeignAction::Adopt { "adopt" } else { "gc" }, Vec::new(), session);
        let done = self
            .world
            .begin_change(0, meter, &record)
            .and_then(|_| Ok(self.world.journal.foreign(self.roots(), action, meter)?));
        match self.world.conclude(&record, true, meter, done.as_ref().err()) {
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
        let sources = Journal::sources(self.roots(), name).map_err(|error| undo_refused(error, name))?;
        Ok(run.changes.iter().zip(sources).map(move |(change, (old, new))| {
            let leave = self.admission.policy.admit_path(&change.path.display(), change.is_folder, Access::Read);
            let of = |source: &ContentSource| match &leave {
                Ok(()) => source.read(self.roots(), limit),
                Err(_) if matches!(source, ContentSource::Nothing) => Content::Nothing,
                Err(_) => Content::Unknown("the policy refuses to read it".to_owned()),
            };
            (of(&old), of(&new))
        }))
    }
}

/// Returns the journal record that begins a run of this command.
pub(super) fn about(command: &str) -> Begin {
    #[cfg(unix)]
    let user = rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let user = 0;
    Begin { command: command.to_owned(), user, ..Begin::default() }
}
