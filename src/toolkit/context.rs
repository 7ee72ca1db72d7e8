//! What a tool may use: the sandbox, the run's account, its settings. Nothing of the evaluator.

use crate::limits::{LimitHit, Meter};
use crate::sandbox::{Change, Lister, ListingPlan, SandboxError, SandboxPath, Skip, Step, Tree, WalkLimits, walk};

use super::error::ToolError;
use super::gate::Gate;
use super::memory::{Memory, SessionMemory};
use super::settings::Settings;

/// The world as one call of a tool sees it.
pub struct Context<'a> {
    /// What the run has spent and may spend.
    pub meter: &'a mut Meter,
    /// The most bytes that the answer may take as JSON.
    pub answer_bytes: Option<u64>,
    pub(super) gate: &'a Gate,
    pub(super) session: &'a SessionMemory,
}

impl Context<'_> {
    /// Opens a change of so many files and folders; nothing can be changed without one.
    pub fn begin_change(&mut self, files: u64) -> Result<Change, ToolError> {
        self.gate.policy.journal().begin(files, self.meter).map_err(|error: SandboxError| error.into())
    }

    /// What the policy file says for single tools.
    pub fn settings(&self) -> &Settings {
        &self.gate.settings
    }

    /// What scripts remember: to keep a result, `context.memory().store(scope, key, value)`.
    pub fn memory(&mut self) -> Memory<'_> {
        self.gate.memory(self.meter, self.session)
    }

    /// Whether listings leave out the directory with this resolved path.
    pub fn hides_directory(&self, resolved: &str) -> bool {
        self.gate.policy.has_directory_rules() && self.gate.policy.hides(resolved, true)
    }

    /// Whether the policy has rules about directories, so that moving one means looking at all in it.
    pub fn has_directory_rules(&self) -> bool {
        self.gate.policy.has_directory_rules()
    }

    /// Walks the directory of a place; what the policy hides is left out.
    pub fn walk(&self, start: &SandboxPath, limits: &WalkLimits) -> Result<Tree, SandboxError> {
        let policy = &self.gate.policy;
        let hides = |resolved: &str| policy.hides(resolved, true);
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> = match policy.has_directory_rules() {
            true => Some(&hides),
            false => None,
        };
        walk(start, limits, Skip { rule })
    }

    /// Lists the directory of a place step by step; what the policy hides is left out, and a link is
    /// not followed to where it lets nobody in. What is to be said about it becomes a warning.
    pub fn list(
        &mut self,
        start: &SandboxPath,
        plan: ListingPlan,
        limits: &WalkLimits,
        mut take: impl FnMut(&Lister<'_>, Step, &mut Meter) -> Result<(), LimitHit>,
    ) -> Result<(), SandboxError> {
        let policy = &self.gate.policy;
        let closed = |resolved: &str| policy.admit_path(resolved, true).is_err();
        let rule: Option<&(dyn Fn(&str) -> bool + Sync)> = match policy.has_directory_rules() {
            true => Some(&closed),
            false => None,
        };
        let mut lister = Lister::open(&self.gate.root, start, plan, Skip { rule }, limits)?;
        while let Some(step) = lister.advance()? {
            take(&lister, step, self.meter)?;
        }
        self.gate.notes.borrow_mut().extend(lister.take_notes());
        Ok(())
    }

    /// The name of the root's own directory.
    pub fn root_name(&self) -> String {
        let name = self.gate.root.path().file_name().unwrap_or(self.gate.root.path().as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Walks the directory of a place for a change of all that is in it: every entry is counted, and
    /// one that the policy refuses, under its name now or under `future`, refuses the change.
    pub fn admit_tree(&mut self, start: &SandboxPath, future: &str) -> Result<u64, ToolError> {
        let (hit, watch) = (self.meter.step_limit(), self.meter.watch());
        let entries = usize::try_from(self.meter.steps_left()).unwrap_or(usize::MAX);
        let tree = walk(start, &WalkLimits { entries, hit, watch }, Skip { rule: None })?;
        self.spend(tree.len())?;
        if self.gate.policy.has_directory_rules() {
            for entry in 0..tree.len() {
                let below = tree.path(entry);
                for root in [start.resolved(), future] {
                    self.gate.policy.admit_path(&format!("{root}/{below}"), tree.is_folder[entry])?;
                }
            }
        }
        Ok(tree.len() as u64)
    }

    /// Charges steps for what the tool produces.
    pub fn spend(&mut self, produced: usize) -> Result<(), LimitHit> {
        self.meter.step(produced as u64)
    }

    /// Charges steps for a text of so many bytes: one for each KiB.
    pub fn spend_text(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.meter.step_text(bytes)
    }
}
