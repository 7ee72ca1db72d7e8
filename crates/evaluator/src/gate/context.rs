//! The context of a tool call: the sandbox, the run's budget and settings, but nothing of the evaluator.

use chrono::{DateTime, Utc};

use crate::audit::Items;
use crate::limits::{Jobs, LimitHit, Meter};
use crate::sandbox::{BackupPath, BackupStore, Change, OpenFile, PathRule, SandboxError, SandboxPath, temporary_name};
use crate::toolkit::{Access, Settings, ToolError};

use super::admission::Admission;
use super::call_record::CallRecord;
use super::console::ConsoleHandle;
use super::locator::Locator;
use super::memory::Memory;
use super::opener::Opener;
use super::random::RandomSource;
use super::world::World;

/// The sandbox and the run, as one call of a tool sees them.
pub struct Context<'a> {
    /// The budget of the run.
    pub meter: &'a mut Meter,
    /// Maximum size of the answer as JSON, in bytes.
    pub answer_bytes: Option<u64>,
    pub(super) world: &'a World,
    pub(super) admission: &'a Admission,
    pub(super) record: &'a CallRecord<'a>,
}

impl<'a> Context<'a> {
    /// Begins a change of this many files and directories. Nothing can be changed without one.
    pub fn begin_change(&mut self, files: u64) -> Result<Change<'a>, ToolError> {
        self.world.begin_change(files, self.meter, self.record)
    }

    /// Returns the number of the last step of the run.
    pub fn last_step(&self) -> u32 {
        self.world.journal.last_step()
    }

    /// Rolls back the steps from `first_step` on, regardless of the remaining budget. Returns the steps that could
    /// not be rolled back, with the reasons.
    pub fn roll_back(&self, first_step: u32) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.world.roll_back(self.admission.policy.retention, first_step)
    }

    /// Creates a directory directly below the root that is removed when the run ends, and returns its name.
    pub fn make_temporary(&mut self, prefix: &str) -> Result<String, ToolError> {
        let name = temporary_name(prefix);
        self.admit(&name, true, Access::Change)?;
        let change = self.begin_change(1)?;
        self.world.temporary.make(&self.world.root, name.clone(), &change)?;
        Ok(name)
    }

    /// Returns the backup store of the root that contains `place`.
    pub fn backup_store(&self, place: &SandboxPath) -> BackupStore<'a> {
        BackupStore::new(self.world.root_of(place), self.admission.policy.retention)
    }

    /// Finds the backup with a path that an earlier result contained, if the policy allows restoring it to its
    /// origin.
    pub fn kept(&self, path: &str) -> Result<BackupPath, ToolError> {
        self.locator().kept(path, |_| {})
    }

    fn locator(&self) -> Locator<'a> {
        Locator { roots: self.world.roots(), policy: &self.admission.policy }
    }

    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.world.clock.now()
    }

    /// Returns the random numbers of the run.
    pub fn random(&self) -> &'a RandomSource {
        &self.world.random
    }

    /// Returns the console.
    pub fn console(&self) -> &'a ConsoleHandle {
        &self.world.console
    }

    /// Returns the settings of single tools from the policy file.
    pub fn settings(&self) -> &Settings {
        &self.world.settings
    }

    /// Returns the memory of scripts. To store a result: `context.memory().store(scope, key, value)`.
    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            world: self.world,
            admission: self.admission,
            meter: self.meter,
            session: self.record.session(),
            record: self.record,
            is_tool: true,
        }
    }

    /// Adds a warning: one sentence.
    pub fn note(&self, note: String) {
        self.world.note(note);
    }

    /// Returns the name that the root of `place` has outside the sandbox.
    pub fn root_name(&self, place: &SandboxPath) -> String {
        let path = self.world.root_of(place).path();
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Resolves a path that the tool found itself, such as a match of a pattern, if the policy allows the access.
    pub fn place(&self, path: &str, rule: PathRule, access: Access) -> Result<SandboxPath, ToolError> {
        let place = self.locator().place(path, rule, access, |_| {})?;
        if access >= Access::Change {
            self.record.concerns(&place.address());
        }
        Ok(place)
    }

    /// Whether a path is inside a temporary directory, which is removed when the run ends.
    pub fn is_temporary(&self, place: &SandboxPath) -> bool {
        self.world.temporary.hold(&place.address())
    }

    /// Opens a regular file for reading, if the policy allows it.
    pub fn open(&self, place: &SandboxPath) -> Result<OpenFile, ToolError> {
        Ok(self.opener().open(place)?)
    }

    /// Returns what opens files for reading, for all threads of the call.
    pub fn opener(&self) -> Opener<'a> {
        Opener { locator: self.locator() }
    }

    /// Returns the number of threads that the call may use.
    pub fn jobs(&self) -> Jobs {
        self.world.jobs
    }

    /// Returns the same context with another meter, for work that must be done regardless of the remaining budget.
    pub fn on_account<'b>(&'b self, meter: &'b mut Meter) -> Context<'b> {
        Context {
            meter,
            answer_bytes: self.answer_bytes,
            world: self.world,
            admission: self.admission,
            record: self.record,
        }
    }

    /// Charges bytes that are about to be written to a file, which then has `size` bytes.
    pub fn begin_write(&mut self, place: &SandboxPath, size: u64, written: u64) -> Result<(), ToolError> {
        self.admission.policy.admit_size(place.display(), size)?;
        Ok(self.meter.write_bytes(written)?)
    }

    /// Whether the call may have changed something so far.
    pub(super) fn has_changed(&self) -> bool {
        self.record.has_changed()
    }

    /// Records for the audit log how many items an operation on several items has processed.
    pub fn count_items(&self, items: Items) {
        self.record.count_items(items);
    }

    /// Charges steps for the output of the tool.
    pub fn spend(&mut self, produced: usize) -> Result<(), LimitHit> {
        self.meter.step(produced as u64)
    }

    /// Charges steps for a text of this many bytes: one per KiB.
    pub fn spend_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.meter.step_text(bytes)
    }
}
