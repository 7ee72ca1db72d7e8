//! Recovery: brings runs to an end whose process was killed, and warns of foreign state.

use crate::limits::Meter;
use crate::memory::Session as SessionMemory;
use crate::sandbox::{
    Abandoned, Address, AllAbandoned, End, Journal, Ownership, RecoverError, Recovered, SandboxError, short_name,
};
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::Value;

use super::assembly::Gate;
use super::call_record::{CallRecord, LoggedArgument, LoggedForm};

const OF_ANOTHER_USER: &str = "`.ns` belongs to another user, so that no run in it is listed, recovered or taken back, and nothing can be changed here; run `ns` as that user, or give `.ns` to yours with `chown -R`, after which `ns adopt` takes it over";

impl Gate {
    /// Recovers killed runs of this user, as far as the policy lets a tool change their paths. Reports about them,
    /// and about foreign state, become warnings.
    pub fn recover(&self) {
        let mut notes: Vec<String> = self.foreign_note().into_iter().collect();
        match self.world.journal.abandoned(self.roots()) {
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
        self.world.notes.borrow_mut().extend(notes);
    }

    fn recover_all(&self, runs: Vec<Abandoned>) -> Vec<String> {
        if self.admission.policy.read_only && !runs.is_empty() {
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
        let arguments = vec![LoggedArgument::new("run", Value::text(run.run()), LoggedForm::Plain)];
        let record = CallRecord::new("recover", arguments, &session);
        let mut meter = Meter::unlimited();
        let recovered = self.bring_to_end(run, &mut meter, &record);
        match self.world.conclude(&record, true, &meter, recovered.as_ref().err()) {
            Some(lost) => Err(*lost),
            None => recovered,
        }
    }

    fn bring_to_end(
        &self,
        run: Abandoned,
        meter: &mut Meter,
        record: &CallRecord<'_>,
    ) -> Result<Option<Recovered>, ToolError> {
        // Ensures first that the audit log can take its line; otherwise nothing is changed.
        self.world.begin_change(0, meter, record)?;
        let admit = |address: &Address, is_folder: bool| self.admit_change(address, is_folder, record);
        self.world.journal.recover(run, &self.change_rules(&admit), meter).map_err(|error| match error {
            RecoverError::Sandbox(error) => error.into(),
            refused @ RecoverError::Refused(_) => ToolError::new(ToolCode::PolicyDenied, refused.to_string()),
        })
    }

    /// Returns a warning if the runs in `.ns` are foreign, or if their owner cannot be determined.
    fn foreign_note(&self) -> Option<String> {
        let ownership = Journal::ownership(self.root());
        if ownership.as_ref().is_err_and(SandboxError::is_of_another_user) && !self.is_planning() {
            return Some(OF_ANOTHER_USER.to_owned());
        }
        let is_foreign = !self.is_planning() && matches!(ownership, Ok(Some(Ownership::Foreign)));
        let reason = is_foreign.then(|| self.root().user().key.lost_because())?;
        Some(match reason {
            None => "the runs in `.ns` are not yours, or not of this directory, so none is recovered or taken back; `ns adopt` shows them and takes them over if you say so, `ns gc --foreign` removes them".to_owned(),
            Some(reason) => format!("no run in `.ns` is recovered or taken back, since nobody can tell whether it is yours: {reason}"),
        })
    }
}

fn foreign_journals(count: usize, first: &str) -> String {
    let journals = if count == 1 { "the journal".to_owned() } else { format!("{count} journals, the first") };
    format!(
        "{journals} `.ns/runs/open/{first}` is foreign, or of a run that is over: nothing of it was done; `ns adopt` shows it, `ns gc --foreign` removes it"
    )
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
