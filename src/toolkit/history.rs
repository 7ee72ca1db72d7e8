//! Runs as front ends know them: begun and ended, listed, taken back, and brought to an end after a crash.

use crate::limits::Meter;
use crate::sandbox::{
    Abandoned, Address, AllAbandoned, Begin, Conflict, Content, End, Ended, ForeignDeed, ForeignState, GcRules,
    Journal, Listed, Origin, Ownership, RecoverError, RecoverRules, Recovered, Roots, SandboxError, Selection,
    ShownRun, Source, Swept, UndoError, Undone, short_name,
};
use crate::text::ToolCode;
use crate::value::{Map, Value};

use super::call_record::{CallRecord, Shown, Told};
use super::error::ToolError;
use super::gate::Gate;
use super::memory::SessionMemory;
use super::spec::Access;

/// So many paths are named where the tree is no longer as a run left it.
const NAMED: usize = 10;
/// How a run that cannot be taken back is passed over.
const PASS_OVER: &str = "`ns undo --skip` leaves this run and takes back the newest before it that can be";

/// What becomes of what stands where something comes back by force.
const KEEPS: &str = "keeps what stands in its place below `.ns`";

/// Why a run was not taken back.
#[derive(Debug)]
pub struct UndoRefusal {
    /// The error.
    pub error: ToolError,
    /// Whether the cause is this run, so that another may be taken back.
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
    /// Says what the next run is, before it changes anything.
    pub fn announce(&self, command: &str, atomic: bool) {
        self.journal.announce(Begin { atomic, ..about(command) });
    }

    /// Ends the run that goes on, and gives its name, if it has changed something. What went wrong becomes a
    /// note.
    pub fn end_journal(&self, how: End) -> Option<Ended> {
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

    /// Why runs cannot be taken back by another command.
    pub fn lost_because(&self) -> Option<&str> {
        self.root.user().key.lost_because().filter(|_| self.overlay.is_none())
    }

    /// Leaves the run that goes on to the next start, as one that was killed.
    pub fn abandon_journal(&self) {
        self.journal.abandon();
    }

    /// Brings runs of this user that were killed to an end, as far as the policy in force lets a tool change
    /// their places. What is to be said of them, and of what is foreign, becomes notes.
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
            // A change will be refused for it; what only reads has nothing to do with it.
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
        let told = vec![Told::new("run", Value::text(run.run()), Shown::Plain)];
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
        // The audit log takes its line, or nothing is changed.
        self.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder);
        let rules = RecoverRules { roots: self.roots(), retention: self.policy.retention, admit: &admit };
        self.journal.recover(run, &rules, meter).map_err(|error| match error {
            RecoverError::Sandbox(error) => error.into(),
            refused @ RecoverError::Refused(_) => ToolError::new(ToolCode::PolicyDenied, refused.to_string()),
        })
    }

    /// Why nothing may be changed at an address, where a folder is or was.
    pub(super) fn admit_change(&self, address: &Address, is_folder: bool) -> Result<(), String> {
        self.policy.admit_path(&address.shown(), is_folder, Access::Change).map_err(|error| error.message)
    }

    /// What to say where the runs below `.ns` are another's, or nobody can tell whose they are.
    fn foreign_note(&self) -> Option<String> {
        let is_foreign =
            self.overlay.is_none() && matches!(Journal::ownership(&self.root), Ok(Some(Ownership::Foreign)));
        let reason = is_foreign.then(|| self.root.user().key.lost_because())?;
        Some(match reason {
            None => "the runs in `.ns` are not yours, or not of this directory, so none is recovered or taken back; `ns adopt` shows them and takes them over if you say so, `ns gc --foreign` removes them".to_owned(),
            Some(reason) => format!("no run in `.ns` is recovered or taken back, since nobody can tell whether it is yours: {reason}"),
        })
    }

    /// Takes back the steps of the run that goes on, from a number on, whatever it may still spend. Gives
    /// those that could not be taken back, and why.
    pub fn roll_back(&self, first_step: u32) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.journal.roll_back((self.roots(), self.policy.retention), first_step, &mut Meter::unlimited())
    }

    /// The newest runs, the newest first, at most so many.
    pub fn runs(&self, selection: Selection, most: usize) -> Result<Vec<Listed>, ToolError> {
        Ok(Journal::runs(self.roots(), selection, most)?)
    }

    /// The run that a text names, by its whole name or the beginning or end of it.
    ///
    /// # Errors
    /// `not_found` where there is none, `conflict` where there are several.
    pub fn run_named(&self, text: &str) -> Result<Listed, ToolError> {
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

    /// The run that one which may take others back concerns in the end.
    pub fn origin(&self, run: &Listed) -> Result<Origin, ToolError> {
        match &run.begin {
            Some(begin) => Ok(Journal::origin(self.roots(), begin)?),
            None => Ok(Origin { run: run.run.clone(), command: String::new(), changes: None }),
        }
    }

    /// The runs that are taken back when none is named, the newest first, at most so many and at least one:
    /// those that took none back; with `redo` those that did.
    ///
    /// # Errors
    /// `not_found` where there is none.
    pub fn undoable_runs(&self, redo: bool, most: usize) -> Result<Vec<Listed>, ToolError> {
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

    /// Why no run is done again unless it is named: none is taken back, or another changed something since.
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

    /// Whether there is a run before the newest that could be taken back instead of that one.
    fn can_pass_over(&self, run: &str) -> bool {
        let newest = Journal::undoable(self.roots(), false, 2).unwrap_or_default();
        matches!(&newest[..], [newest, _] if newest.run == run)
    }

    /// Takes a run back that is done, or with `redo` does one again that is taken back.
    pub fn undo(
        &self,
        run: &Listed,
        (redo, force): (bool, bool),
        (meter, session): (&mut Meter, &SessionMemory),
    ) -> Result<Undone, UndoRefusal> {
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
            Told::new("run", Value::text(run), Shown::Plain),
            Told::new("force", Value::from(force), Shown::Plain),
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
    ) -> Result<Undone, UndoRefusal> {
        // The audit log takes its line, or nothing is changed.
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

    /// What a run changed.
    pub fn show_run(&self, run: &str) -> Result<ShownRun, ToolError> {
        Journal::show(self.roots(), run).map_err(|error| refused(error, run))
    }

    /// Gives up what is kept of old runs. Nothing is written before, not in the audit log either: a line for
    /// which there is no room even afterwards becomes a note.
    pub fn collect(&self, rules: &GcRules, (meter, session): (&mut Meter, &SessionMemory)) -> Result<Swept, ToolError> {
        let swept = self.journal.collect(self.roots(), rules, meter).map_err(ToolError::from);
        let has_changed = swept.as_ref().map_or(true, |swept| swept.gone().things > 0);
        if has_changed && !rules.is_dry {
            let bytes = swept.as_ref().map_or(0, |swept| swept.gone().bytes);
            let told = |name, number: u64| Told::new(name, Value::from(number as i64), Shown::Plain);
            let told = vec![told("keepRuns", rules.keep_runs as u64), told("bytes", bytes)];
            self.conclude(&CallRecord::new("gc", told, session), true, meter, swept.as_ref().err());
        }
        swept
    }

    /// Looks for what is foreign below `.ns`, and does with it what is asked.
    pub fn foreign(
        &self,
        deed: ForeignDeed,
        (meter, session): (&mut Meter, &SessionMemory),
    ) -> Result<ForeignState, ToolError> {
        if deed == ForeignDeed::Show {
            return Ok(self.journal.foreign(self.roots(), deed, meter)?);
        }
        // Without the key everything looks foreign, the user's own too.
        if let Some(reason) = self.root.user().key.lost_because() {
            let message = format!("nobody can tell what is foreign: {reason}");
            return Err(ToolError::new(ToolCode::Conflict, message).hint("nothing was taken over or removed"));
        }
        let record = CallRecord::new(if deed == ForeignDeed::Adopt { "adopt" } else { "gc" }, Vec::new(), session);
        let done =
            self.begin_change(0, meter, &record).and_then(|_| Ok(self.journal.foreign(self.roots(), deed, meter)?));
        match self.conclude(&record, true, meter, done.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => done,
        }
    }

    /// The contents on both sides of each change of a run, read one after another, at most so many bytes each.
    /// What the policy lets nobody read is not read.
    pub fn contents<'a>(
        &'a self,
        run: &'a ShownRun,
        limit: u64,
    ) -> Result<impl Iterator<Item = (Content, Content)> + 'a, ToolError> {
        let name = run.begin.run.as_str();
        let sources = Journal::sources(self.roots(), name).map_err(|error| refused(error, name))?;
        Ok(run.changes.iter().zip(sources).map(move |(change, (old, new))| {
            let leave = self.policy.admit_path(&change.path.shown(), change.is_folder, Access::Read);
            let of = |source: &Source| match &leave {
                Ok(()) => source.read(self.roots(), limit),
                Err(_) if matches!(source, Source::Nothing) => Content::Nothing,
                Err(_) => Content::Unknown("the policy refuses to read it".to_owned()),
            };
            (of(&old), of(&new))
        }))
    }

    /// The roots that changes lie below.
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

/// What a journal says of a run that a command begins.
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

/// The error for a tree that is no longer what it should be, with a row for each place.
pub(super) fn conflicted(message: &str, conflicts: &[Conflict], hint: &str) -> ToolError {
    let named = conflicts.iter().take(NAMED).map(|Conflict { path, reason }| format!("`{}`: {reason}", path.shown()));
    let named = named.collect::<Vec<_>>().join("; ");
    let more = conflicts.len().saturating_sub(NAMED);
    let rest = if more == 0 { String::new() } else { format!("; and {more} more") };
    let error = ToolError::new(ToolCode::Conflict, format!("{message}: {named}{rest}")).hint(hint);
    match rows_of(conflicts) {
        Some(rows) => error.answering(rows),
        None => error,
    }
}

/// Conflicts as a list of maps.
pub fn rows_of(conflicts: &[Conflict]) -> Option<Value> {
    let row = |Conflict { path, reason }: &Conflict| {
        Value::from(Map::with_capacity(2).with("path", Value::text(&path.shown())).with("reason", Value::text(reason)))
    };
    Value::list(conflicts.iter().map(row).collect()).ok()
}
